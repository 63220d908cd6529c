import { findSession } from '../../../adapters/store/sessions.ts';
import { ownProgram } from '../../../adapters/system/own-program.ts';
import { formatHelp, listsKeys } from '../../../core/meta/help-text.ts';
import {
  CLIENT_COMMANDS,
  needsClient,
  needsOwner,
  OWNER_COMMANDS,
  parseMetaCommand,
  toShown,
} from '../../../core/meta/meta-command.ts';
import { type MetaCommand, type ShowCommand, toRequest } from '../../../core/meta/meta-entry.ts';
import type { Route } from '../../../core/routing/router.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import { toSettings } from '../../../core/session/settings.ts';
import { currentModel } from '../../../core/session/state.ts';
import type { Appearance, Theme } from '../../../core/terminal/theme.ts';
import { quote } from '../../../core/text/quote.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { Engine, LiveSession } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import type { ShownTheme } from '../../../protocol/query.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import type { Setup } from '../setup/setup.ts';
import type { CommandMessage } from './custom-command.ts';
import type { OpenReview } from './mcp-command.ts';
import * as messages from './messages.ts';
import type { BackgroundRuns } from './run-command.ts';

/** Dependencies that only the owner of a session has. */
export interface OwnerContext {
  readonly engine: Engine;
  readonly live: LiveSession;
  /** The autonomous runs in the background of this prompt. */
  readonly runs: () => Promise<BackgroundRuns>;
}

/** Dependencies of a meta-command. */
export interface MetaContext {
  readonly setup: Setup;
  readonly client: SessionClient;
  /** Null at an attached client. */
  readonly owner: OwnerContext | null;
  /** Directory of the session's shell. */
  readonly cwd: string;
  readonly history: PromptHistory;
  /** The directories that the shell was in, the one that was left last first. */
  readonly visited: readonly string[];
  /** Keys of the startup files that aish does not take over, and what they do there. */
  leftKeys(): Promise<readonly (readonly [keys: string, does: string])[]>;
  /** Those of this prompt; `:abbr` changes them. */
  readonly abbreviations: Map<string, string>;
  /** Those of the shell itself. */
  readonly shellAbbreviations: ReadonlyMap<string, string>;
  /** The route of a line, once all facts about it are known. */
  readonly routeOf: (line: string) => Promise<Route>;
  readonly theme: Theme;
  readonly appearance: Appearance;
  /** Aborted by Ctrl-C; what takes its time ends then. */
  readonly signal: AbortSignal;
  /** Size of the terminal. */
  readonly columns: number;
  readonly rows: number;
}

/** The same at the owner of the session. */
type OwnedContext = MetaContext & { readonly owner: OwnerContext };

/** The action of the prompt after a meta-command: print, leave, or go to another session. */
export type MetaOutcome =
  /** An empty text where a status line has told it already. */
  | { readonly type: 'print'; readonly text: string }
  /** As `print`, but in the user's pager where it does not fit the screen. */
  | { readonly type: 'page'; readonly text: string }
  /** An attached client asks for the keyboard, or gives it back. */
  | { readonly type: 'keyboard' }
  /** The events of the session tell the rest. */
  | { readonly type: 'submitted' }
  /** A custom command; `line` is the line as typed. */
  | ({ readonly type: 'message'; readonly line: string } & CommandMessage)
  /** A line for the shell that is kept from model, log and disk: a command of the user's own, or what shows something. */
  | { readonly type: 'run-privately'; readonly line: string; readonly isCommand?: true }
  /** A line for the user to change and enter, and a hint about it. */
  | { readonly type: 'edit'; readonly line: string; readonly hint: string }
  /** A command for the shell, which the user sees before it runs. */
  | { readonly type: 'run'; readonly line: string }
  /** The user chooses a directory to go to. */
  | { readonly type: 'choose-directory'; readonly paths: readonly string[] }
  | { readonly type: 'toggle-private' }
  | { readonly type: 'quit' }
  /** The user answers a prompt with a typed word. */
  | { readonly type: 'ask'; readonly review: OpenReview }
  /** The user chooses the session to go on with. */
  | { readonly type: 'choose' }
  | { readonly type: 'switch'; readonly resume: string | null };

/** Understands and carries out a `:` line. Throws `AishError` for what it does not understand or cannot do. */
export async function runMeta(line: string, context: MetaContext): Promise<MetaOutcome> {
  const parsed = parseMetaCommand(line);
  if (!parsed.ok && (await runServerPrompt(line, context))) return { type: 'submitted' };
  const custom = parsed.ok ? null : (await import('./custom-command.ts')).readCustomCommand(line, context);
  if (custom !== null) return { type: 'message', line, ...custom };
  if (!parsed.ok) throw new AishError('meta.unknown', parsed.message, { hint: parsed.hint });
  const { command } = parsed;
  const { owner } = context;
  if (owner === null && needsOwner(command))
    throw new AishError('meta.elsewhere', messages.formatOwnerOnly(line.trim()), {
      hint: messages.INSTEAD_AT_CLIENT[command.name] ?? messages.USE_OWNER,
    });
  if (owner !== null && needsClient(command))
    throw new AishError('meta.elsewhere', messages.formatClientOnly(line.trim()), { hint: messages.HAS_KEYBOARD });
  return owner === null ? runAtClient(command, line, context) : runAtOwner(command, { ...context, owner });
}

/** Sends the prompt of a server that a line such as `:notes.review` names; false if it names none. */
async function runServerPrompt(line: string, { client, owner, signal }: MetaContext): Promise<boolean> {
  if (owner === null) return false;
  const { readServerPrompt } = await import('./custom-command.ts');
  const { window } = client.state.context;
  const op = await readServerPrompt(line, await owner.engine.servers(), signal, window?.tokens);
  if (op !== null) await client.submit(op);
  return op !== null;
}

/** Commands that need the owner were refused before. */
async function runAtClient(command: MetaCommand, line: string, context: MetaContext): Promise<MetaOutcome> {
  if (toShown(command) === null) return runAnywhere(command, context);
  const request = { line, columns: context.columns, theme: toShownTheme(context) };
  return { type: 'page', text: await context.client.query({ type: 'show', request }) };
}

async function runAtOwner(command: MetaCommand, context: OwnedContext): Promise<MetaOutcome> {
  const { client, owner, setup } = context;
  switch (command.name) {
    case 'demo':
      return { type: 'run-privately', line: ownLine('demo') };
    case 'new':
      return { type: 'switch', resume: null };
    case 'resume':
      return command.id === undefined
        ? { type: 'choose' }
        : { type: 'switch', resume: sessionToResume(command.id, context) };
    case 'private':
      return command.line === undefined
        ? { type: 'toggle-private' }
        : { type: 'run-privately', line: command.line, isCommand: true };
    case 'mcp':
      return runMcp(command, context);
    case 'doctor': {
      const { runModelDoctor } = await import('./doctor-command.ts');
      const model = command.model ?? currentModel(owner.live.session.state);
      return { type: 'page', text: (await runModelDoctor(model, setup, context.signal)).text };
    }
    case 'model':
      return command.model === undefined ? showHere(command, context) : setModel(command.model, context);
    case 'approve':
      return print(
        await (await import('./approve-command.ts')).runApprove(command.request, { setup, live: owner.live }),
      );
    case 'trust': {
      const { listUntrusted, trustContent } = await import('./trust-command.ts');
      const text = command.list === true ? listUntrusted(owner.live) : trustContent(owner.live);
      return text === null ? { type: 'submitted' } : print(text);
    }
    case 'memory': {
      const { runMemory } = await import('./memory-command.ts');
      const { id, turns } = owner.live.session.state;
      const source = turns === 0 ? {} : { session: id, turn: turns };
      const redact = (text: string): string => owner.live.secrets.redact(text);
      const result = runMemory(command.words, { setup, cwd: context.cwd, redact, source, now: Date.now() });
      return typeof result === 'string' ? { type: 'page', text: result } : { type: 'ask', review: result };
    }
    case 'recall': {
      const { recallPlaces } = await import('../sessions/recall-command.ts');
      return { type: 'page', text: await recallPlaces(command.words, { ...context, ...owner, now: Date.now() }) };
    }
    case 'norris':
      return runNorris(command, context, owner);
    case 'cloud':
    case 'sandbox':
      if (command.on !== undefined)
        await client.submit({ type: 'configure', settings: { [command.name]: command.on } });
      return showHere(command, context);
    default: {
      const shown = toShown(command);
      return shown === null ? runAnywhere(command, context) : showHere(shown, context);
    }
  }
}

async function runMcp(
  command: Extract<MetaCommand, { name: 'mcp' }>,
  { owner, columns }: OwnedContext,
): Promise<MetaOutcome> {
  const result = await (await import('./mcp-command.ts')).runMcp(command, { ...owner, columns });
  return typeof result === 'string' ? print(result) : { type: 'ask', review: result };
}

/** The plan and the state of a run need no owner. */
async function runNorris(
  command: Extract<MetaCommand, { name: 'norris' }>,
  context: MetaContext,
  owner: OwnerContext | null,
): Promise<MetaOutcome> {
  if (!('contract' in command)) {
    switch (command.action) {
      case 'edit-plan':
        await context.client.submit(command.edit);
        return { type: 'submitted' };
      case 'plan':
        return print((await import('./contract-command.ts')).showPlan(context.client.state));
      case undefined:
        return print(await showRuns(context, owner));
    }
  }
  if (owner === null) throw new Error('this form of :norris needs the owner');
  return runOwnNorris(command, { ...context, owner });
}

/** The run at the prompt and those in the background; help without any. */
async function showRuns(context: MetaContext, owner: OwnerContext | null): Promise<string> {
  const own = (await import('./contract-command.ts')).showRun(context.client.state);
  const apart = owner === null ? null : await (await import('./run-command.ts')).describeRuns({ ...context, owner });
  const shown = [own, apart].filter((text) => text !== null);
  return shown.length === 0 ? helpText('norris', context) : shown.join('\n\n');
}

type OwnNorris = Exclude<Extract<MetaCommand, { name: 'norris' }>, { readonly action: 'plan' | 'edit-plan' }>;

async function runOwnNorris(command: OwnNorris, context: OwnedContext): Promise<MetaOutcome> {
  const { client, owner, setup, cwd } = context;
  const [
    { openContract, openResume, proposeContract, showReceipt, undoRun },
    { beginRun, carryOutRun, openRunResume },
  ] = await Promise.all([import('./contract-command.ts'), import('./run-command.ts')]);
  const { recorded } = owner.live.session;
  if ('contract' in command) {
    const place = { client, cwd, home: setup.env.HOME ?? '' };
    const proposal = proposeContract(command.contract, place);
    if (proposal !== null) return { type: 'edit', ...proposal };
    return { type: 'ask', review: openContract(command.contract, place, (contract) => beginRun(contract, context)) };
  }
  if (command.action === 'resume') {
    const [, id, rest = ''] = /^\s*(r\d+)\b(.*)$/s.exec(command.words) ?? [];
    const review = id === undefined ? openResume(command.words, client) : await openRunResume(id, rest, context);
    return { type: 'ask', review };
  }
  const { action, run } = command;
  if (action === 'receipt' && run === undefined) return { type: 'page', text: await showReceipt(recorded, cwd) };
  switch (action) {
    case 'undo': {
      const text = await undoRun(recorded, { client, cwd });
      return text === null ? { type: 'submitted' } : print(text);
    }
    case 'receipt':
    case 'diff':
      return { type: 'page', text: await carryOutRun(action, run, context) };
    case 'apply':
    case 'discard':
    case 'stop':
      return print(await carryOutRun(action, run, context));
    case undefined:
      return print(await showRuns(context, owner));
  }
}

/** Commands that need only the session's client and this terminal. */
async function runAnywhere(command: MetaCommand, context: MetaContext): Promise<MetaOutcome> {
  switch (command.name) {
    case 'quit':
      return { type: 'quit' };
    case 'keyboard':
      return { type: 'keyboard' };
    case 'norris':
      return runNorris(command, context, null);
    case 'undo':
    case 'redo':
    case 'halt':
    case 'pause':
    case 'resume-run':
    case 'compact':
    case 'name':
    case 'dry-run':
      await context.client.submit(toRequest(command));
      return { type: 'submitted' };
    case 'theme':
      return print((await import('../../../core/terminal/theme.ts')).setTheme(command.theme, context.appearance));
    case 'skills':
      return { type: 'page', text: (await import('./custom-command.ts')).listSkills(context) };
    case 'help':
      return print(await helpText(command.topic, context));
    case 'z': {
      const { findDirectoryLine } = await import('./history-command.ts');
      const place = { cwd: context.cwd, home: context.setup.env.HOME, used: context.history.directories() };
      return { type: 'run', line: await findDirectoryLine(command.words ?? '', place) };
    }
    case 'abbr': {
      const { runAbbr } = await import('./abbr-command.ts');
      return print(runAbbr(command.request, context));
    }
    case 'cdh':
      return runVisited(command.number, context);
    case 'aish':
      return { type: 'run', line: `${ownLine()} ${command.words}`.trimEnd() };
    case 'history': {
      const { runHistory } = await import('./history-command.ts');
      const place = { ...context, env: context.setup.env, now: Date.now() };
      return print(runHistory(command.request, place));
    }
    case 'route':
      return print(await explainRoute(command.line, context));
    default:
      throw new Error(`nothing carries out :${command.name}`);
  }
}

async function runVisited(number: number | undefined, { visited, setup }: MetaContext): Promise<MetaOutcome> {
  if (number === undefined && visited.length === 0) return print(messages.NOTHING_VISITED);
  if (number === undefined) return { type: 'choose-directory', paths: visited };
  const { findVisitedLine } = await import('./history-command.ts');
  return { type: 'run', line: findVisitedLine(number, visited, setup.env.HOME) };
}

async function explainRoute(line: string | undefined, context: MetaContext): Promise<string> {
  if (line === undefined) {
    const { listChoices } = await import('./history-command.ts');
    return listChoices({ ...context, env: context.setup.env, now: Date.now() });
  }
  const { formatRoute } = await import('../../../core/routing/messages.ts');
  return formatRoute(await context.routeOf(line));
}

async function showHere(command: ShowCommand, context: OwnedContext): Promise<MetaOutcome> {
  const { show } = await import('./show.ts');
  return show(command, { ...context, ...context.owner, redact: (text) => text });
}

/** The line that starts this very program with other arguments. */
export function ownLine(...args: readonly string[]): string {
  return [...ownProgram(), ...args].map(quote).join(' ');
}

function toShownTheme({ setup, appearance: { theme, name, capabilities } }: MetaContext): ShownTheme {
  const exact = /^(?:truecolor|24bit)$/.test(setup.env.COLORTERM ?? '');
  return { colour: theme.enabled, name, background: capabilities.background, exact, words: theme.words };
}

function print(text: string): MetaOutcome {
  return { type: 'print', text };
}

async function helpText(topic: string | undefined, context: MetaContext): Promise<string> {
  const { columns, owner, leftKeys } = context;
  const custom = (await import('./custom-command.ts')).listCustomEntries(context);
  const left = (listsKeys(topic) ? await leftKeys() : []).map(([keys, does]) => [keys, sanitizeLine(does)] as const);
  const text = formatHelp(topic, columns, owner === null ? CLIENT_COMMANDS : OWNER_COMMANDS, left, custom);
  if (text === null)
    throw new AishError('meta.unknown', messages.formatNoTopic(topic ?? ''), { hint: messages.LISTS_COMMANDS });
  return text;
}

function sessionToResume(id: string, { setup, client }: MetaContext): string {
  const found = findSession(setup.paths.state, id);
  if (found.id !== client.sessionId) return found.id;
  throw new AishError('session.none', messages.formatThisSession(found.id), { hint: messages.CHOOSE_SESSION });
}

async function setModel(name: string, { setup, client }: MetaContext): Promise<MetaOutcome> {
  const { model } = toSettings(setup.loaded.config, { model: name });
  await client.submit({ type: 'configure', settings: { model } });
  return print(messages.formatModel(name));
}
