import { formatConfig } from '../../adapters/config/format-config.ts';
import { findSession } from '../../adapters/store/sessions.ts';
import { formatHelp } from '../../core/help-text.ts';
import { parseMetaCommand } from '../../core/meta-command.ts';
import type { MetaCommand, ThemeChoice } from '../../core/meta-entry.ts';
import { sanitizeText } from '../../core/sanitize.ts';
import { toSettings } from '../../core/settings.ts';
import type { Engine, LiveSession } from '../../engine/engine.ts';
import { AishError } from '../../protocol/error.ts';
import type { Op } from '../../protocol/op.ts';
import type { OpenReview } from './commands/review-command.ts';
import type { PromptHistory } from './editor/history-at-prompt.ts';
import { ownLine } from './own-line.ts';
import { formatModels } from './reports.ts';
import type { Appearance } from './screen/appearance.ts';
import type { Theme } from './screen/theme.ts';
import type { Setup } from './setup.ts';

/** What a meta-command works with. */
export interface MetaContext {
  readonly setup: Setup;
  readonly engine: Engine;
  readonly live: LiveSession;
  readonly history: PromptHistory;
  readonly theme: Theme;
  readonly appearance: Appearance;
  /** Size of the terminal. */
  readonly columns: number;
  readonly rows: number;
}

/** What the prompt does after a meta-command: print, leave, or go to another session. */
export type MetaOutcome =
  /** An empty text where a status line has told it already. */
  | { readonly type: 'print'; readonly text: string }
  /** The events of the session tell the rest. */
  | { readonly type: 'submitted' }
  /** A line for the shell that is kept from model, log and disk. */
  | { readonly type: 'run-privately'; readonly line: string }
  | { readonly type: 'toggle-private' }
  | { readonly type: 'quit' }
  /** The person is asked a question that only a word answers. */
  | { readonly type: 'ask'; readonly review: OpenReview }
  /** The person chooses the session to go on with. */
  | { readonly type: 'choose' }
  | { readonly type: 'switch'; readonly resume: string | null };

/** Understands and carries out a `:` line. Throws `AishError` for what it does not understand or cannot do. */
export async function runMeta(line: string, context: MetaContext): Promise<MetaOutcome> {
  const parsed = parseMetaCommand(line);
  if (!parsed.ok) throw new AishError('meta.unknown', parsed.message, { hint: parsed.hint });
  const { command } = parsed;
  switch (command.name) {
    case 'quit':
      return { type: 'quit' };
    case 'demo':
      return { type: 'run-privately', line: ownLine('demo') };
    case 'new':
      return { type: 'switch', resume: null };
    case 'resume':
      return command.id === undefined
        ? { type: 'choose' }
        : { type: 'switch', resume: sessionToResume(command.id, context) };
    case 'undo':
    case 'redo':
      await context.live.session.submit(toRestore(command));
      return { type: 'submitted' };
    case 'halt':
      await context.live.session.submit({ type: 'halt' });
      return { type: 'submitted' };
    case 'compact':
      await context.live.session.submit(toCompact(command.focus));
      return { type: 'submitted' };
    case 'context':
      return { type: 'print', text: await (await import('./commands/context-command.ts')).showContext(context) };
    case 'name':
      await context.live.session.submit({ type: 'rename', name: command.text });
      return { type: 'submitted' };
    case 'rehearse':
      await context.live.session.submit({ type: 'rehearse', line: command.line });
      return { type: 'submitted' };
    case 'private':
      return command.line === undefined ? { type: 'toggle-private' } : { type: 'run-privately', line: command.line };
    case 'output':
      return (await import('./outputs.ts')).showOutput(command.handle, context);
    case 'diff':
      return diff(command, context);
    case 'mcp':
      return toOutcome(await (await import('./commands/mcp-command.ts')).runMcp(command, context));
    case 'model':
      return setModel(command.model, context);
    case 'approve':
      return {
        type: 'print',
        text: await (await import('./commands/approve-command.ts')).runApprove(command.request, context),
      };
    case 'sandbox':
      return { type: 'print', text: await setSandbox(command.on, context) };
    case 'theme':
      return { type: 'print', text: setTheme(command.theme, context.appearance) };
    default:
      return { type: 'print', text: await report(command, context) };
  }
}

function toOutcome(told: string | OpenReview): MetaOutcome {
  return typeof told === 'string' ? { type: 'print', text: told } : { type: 'ask', review: told };
}

type Named<N extends MetaCommand['name']> = Extract<MetaCommand, { name: N }>;
type Reporting = Exclude<
  MetaCommand,
  Named<
    | 'quit'
    | 'halt'
    | 'demo'
    | 'new'
    | 'resume'
    | 'name'
    | 'undo'
    | 'redo'
    | 'diff'
    | 'rehearse'
    | 'compact'
    | 'context'
    | 'private'
    | 'output'
    | 'mcp'
    | 'model'
    | 'approve'
    | 'sandbox'
    | 'theme'
  >
>;

async function report(command: Reporting, context: MetaContext): Promise<string> {
  const { setup, live } = context;
  const now = Date.now();
  switch (command.name) {
    case 'help':
      return helpText(command.topic, context.columns);
    case 'models':
      return formatModels(setup.loaded.config.models, live.session.state.settings.model);
    case 'checkpoints':
      await live.session.sealed();
      if (command.usage === true) return showUsage({ ...setup, cwd: live.sharedShell.cwd }, now);
      return showTimeline(live.sharedShell.cwd, now, context.columns);
    case 'blast':
      return (await import('./commands/blast-command.ts')).showBlast(command.line, context);
    case 'sessions':
      return (await import('./sessions/sessions-at-prompt.ts')).listOrSearch(command.words, { ...context, now });
    case 'why':
      return (await import('./sessions/sessions-at-prompt.ts')).explain(command.which, context);
    case 'history':
      return (await import('./commands/history-command.ts')).runHistory(command.request, {
        ...context,
        env: setup.env,
        cwd: live.sharedShell.cwd,
        now,
      });
    case 'config':
      return foldOrigins(sanitizeText(formatConfig(setup.loaded)), context.columns);
  }
}

/** The configuration with where a value comes from in a row of its own, where the window is too narrow for both. */
function foldOrigins(text: string, columns: number): string {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => (line.length <= columns ? line : line.replace(/ +# /, '\n    # '))).join('\n');
}

async function setSandbox(on: boolean | undefined, { live }: MetaContext): Promise<string> {
  const { session, sandbox } = live;
  if (on !== undefined) await session.submit({ type: 'configure', settings: { sandbox: on } });
  if (session.state.settings.sandbox !== true)
    return 'sandbox: off; what you allow the model to run runs in your shell';
  const missing = await sandbox.whyMissing();
  if (missing === null) return 'sandbox: on; what you allow the model to run can change the project and nothing else';
  return `sandbox: on, but ${missing}: you are asked once more about your shell`;
}

function toCompact(focus: string | undefined): Op {
  return focus === undefined ? { type: 'compact' } : { type: 'compact', focus };
}

function setTheme(theme: ThemeChoice | undefined, appearance: Appearance): string {
  if (theme !== undefined) appearance.choose(theme);
  const told = appearance.capabilities.background;
  const why =
    appearance.name !== 'auto' ? '' : `, the terminal ${told === null ? 'does not tell its background' : `is ${told}`}`;
  const off =
    appearance.theme.enabled || appearance.name === 'none'
      ? ''
      : '; colours are off (NO_COLOR, --no-color or TERM=dumb)';
  return `theme: ${appearance.name}${why}${off}`;
}

function helpText(topic: string | undefined, columns: number): string {
  const text = formatHelp(topic, columns);
  if (text === null) throw new AishError('meta.unknown', `there is no command :${topic}`, { hint: ':help lists them' });
  return text;
}

function sessionToResume(id: string, { setup, live }: MetaContext): string {
  const found = findSession(setup.paths.state, id);
  if (found.id !== live.session.sessionId) return found.id;
  throw new AishError('session.none', `${found.id} is the session you are in`, {
    hint: ':resume alone lets you choose another one',
  });
}

function toRestore({ name, id, steps, paths }: Named<'undo' | 'redo'>): Op {
  return {
    type: 'restore',
    checkpoint: id ?? null,
    direction: name,
    ...(paths.length === 0 ? {} : { paths }),
    ...(steps === undefined ? {} : { steps }),
  };
}

async function diff(command: Named<'diff'>, context: MetaContext): Promise<MetaOutcome> {
  if ('outputs' in command)
    return { type: 'print', text: await (await import('./outputs.ts')).diffOutputs(command.outputs, context) };
  await context.live.session.sealed();
  const { showDiff } = await import('./commands/diff-command.ts');
  return showDiff(command, { ...context, cwd: context.live.sharedShell.cwd });
}

async function setModel(name: string | undefined, { setup, live }: MetaContext): Promise<MetaOutcome> {
  if (name === undefined)
    return { type: 'print', text: formatModels(setup.loaded.config.models, live.session.state.settings.model) };
  const { model } = toSettings(setup.loaded.config, { model: name });
  await live.session.submit({ type: 'configure', settings: { model } });
  return { type: 'print', text: `model: ${name}` };
}

/** Most sessions never ask for it. */
async function showTimeline(cwd: string, now: number, columns: number): Promise<string> {
  const { timeline } = await import('../../adapters/git/timeline.ts');
  const { formatTimeline } = await import('./commands/undo-report.ts');
  return formatTimeline(await timeline(cwd), now, columns);
}

async function showUsage(setup: Setup, now: number): Promise<string> {
  const { runCheckpoints } = await import('./commands/checkpoints-command.ts');
  return runCheckpoints(['usage'], { setup, now });
}
