import { findSession } from '../../adapters/store/sessions.ts';
import { formatHelp } from '../../core/help-text.ts';
import type { HistoryRequest } from '../../core/history-request.ts';
import { parseMetaCommand } from '../../core/meta-command.ts';
import type { LookCommand } from '../../core/meta-entry.ts';
import { toRequest } from '../../core/meta-request.ts';
import { toSettings } from '../../core/settings.ts';
import type { Engine, LiveSession } from '../../engine/engine.ts';
import { AishError } from '../../protocol/error.ts';
import type { OpenReview } from './commands/review-command.ts';
import type { PromptHistory } from './editor/history-at-prompt.ts';
import { ownLine } from './own-line.ts';
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
  /** A line for the shell that is kept from model, log and disk: a command of the person's own, or what shows something. */
  | { readonly type: 'run-privately'; readonly line: string; readonly isCommand?: true }
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
    case 'halt':
    case 'compact':
    case 'name':
    case 'rehearse':
      await context.live.session.submit(toRequest(command));
      return { type: 'submitted' };
    case 'private':
      return command.line === undefined
        ? { type: 'toggle-private' }
        : { type: 'run-privately', line: command.line, isCommand: true };
    case 'mcp':
      return toOutcome(await (await import('./commands/mcp-command.ts')).runMcp(command, context));
    case 'model':
      return command.model === undefined ? look(command, context) : setModel(command.model, context);
    case 'approve':
      return {
        type: 'print',
        text: await (await import('./commands/approve-command.ts')).runApprove(command.request, context),
      };
    case 'sandbox':
      if (command.on !== undefined)
        await context.live.session.submit({ type: 'configure', settings: { sandbox: command.on } });
      return look(command, context);
    case 'theme':
      return {
        type: 'print',
        text: (await import('./commands/theme-command.ts')).setTheme(command.theme, context.appearance),
      };
    case 'help':
      return { type: 'print', text: helpText(command.topic, context.columns) };
    case 'history':
      return { type: 'print', text: await runHistory(command.request, context) };
    default:
      return look(command, context);
  }
}

async function look(command: LookCommand, context: MetaContext): Promise<MetaOutcome> {
  return (await import('./look.ts')).look(command, { ...context, conceal: (text) => text });
}

async function runHistory(request: HistoryRequest, { setup, live, ...context }: MetaContext): Promise<string> {
  const place = { env: setup.env, cwd: live.sharedShell.cwd, now: Date.now() };
  return (await import('./commands/history-command.ts')).runHistory(request, { ...context, ...place });
}

function toOutcome(told: string | OpenReview): MetaOutcome {
  return typeof told === 'string' ? { type: 'print', text: told } : { type: 'ask', review: told };
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

async function setModel(name: string, { setup, live }: MetaContext): Promise<MetaOutcome> {
  const { model } = toSettings(setup.loaded.config, { model: name });
  await live.session.submit({ type: 'configure', settings: { model } });
  return { type: 'print', text: `model: ${name}` };
}
