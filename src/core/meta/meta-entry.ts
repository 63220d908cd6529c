import type { Op, OpOf } from '../../protocol/op.ts';
import type { AbbrRequest, ApproveRequest, DiffRequest, HistoryRequest, UndoRequest } from './meta-arguments.ts';

/** A line that begins with `:` and a word, understood. */
export type MetaCommand =
  | { readonly name: 'help'; readonly topic?: string }
  | { readonly name: 'mcp'; readonly action: 'connect'; readonly url: string; readonly alias?: string }
  | { readonly name: 'mcp'; readonly action: 'connect'; readonly command: readonly string[]; readonly alias?: string }
  | { readonly name: 'mcp'; readonly action: McpAction; readonly alias: string; readonly pasted?: string }
  | { readonly name: 'mcp'; readonly action: McpLook; readonly alias: string }
  | { readonly name: 'mcp'; readonly action: 'list' | 'tools'; readonly alias?: string }
  | { readonly name: 'mcp'; readonly action: 'review'; readonly alias?: string }
  | { readonly name: 'mcp'; readonly action: 'tool'; readonly tool: string }
  | { readonly name: 'model'; readonly model?: string }
  | { readonly name: 'doctor'; readonly model?: string }
  | ({ readonly name: 'undo' | 'redo' } & UndoRequest)
  | ({ readonly name: 'diff' } & DiffRequest)
  | { readonly name: 'diff'; readonly outputs: readonly [number, number] }
  | { readonly name: 'output'; readonly handle?: number }
  | { readonly name: 'private'; readonly line?: string }
  | { readonly name: 'dry-run'; readonly line: string }
  | { readonly name: 'impact'; readonly line: string }
  | { readonly name: 'resume'; readonly id?: string }
  | { readonly name: 'approve'; readonly request: ApproveRequest }
  | { readonly name: 'trust'; readonly list?: true }
  | { readonly name: 'theme'; readonly theme?: ThemeChoice }
  | { readonly name: 'sandbox' | 'cloud'; readonly on?: boolean }
  | { readonly name: 'sessions'; readonly words?: string }
  | { readonly name: 'recall'; readonly words: string }
  | { readonly name: 'name'; readonly text: string }
  | { readonly name: 'why'; readonly which?: string }
  | { readonly name: 'models' | 'config' }
  | { readonly name: 'checkpoints'; readonly words?: readonly string[] }
  | { readonly name: 'context' | 'cost' }
  | { readonly name: 'compact'; readonly focus?: string }
  | { readonly name: 'route'; readonly line?: string }
  | { readonly name: 'history'; readonly request: HistoryRequest }
  | { readonly name: 'z'; readonly words?: string }
  | { readonly name: 'cdh'; readonly number?: number }
  | { readonly name: 'aish'; readonly words: string }
  | { readonly name: 'abbr'; readonly request: AbbrRequest }
  /** The words of `aish memory`. */
  | { readonly name: 'memory'; readonly words: readonly string[] }
  | { readonly name: 'norris'; readonly contract: string }
  | { readonly name: 'norris'; readonly action: 'resume'; readonly words: string }
  | { readonly name: 'norris'; readonly action?: NorrisAction; readonly run?: string }
  | { readonly name: 'norris'; readonly action: 'plan' }
  | { readonly name: 'norris'; readonly action: 'edit-plan'; readonly edit: OpOf<'edit-plan'> }
  | { readonly name: 'halt' | 'pause' | 'resume-run' }
  | { readonly name: 'new' | 'demo' | 'keyboard' | 'quit' | 'skills' };

/** An action of `:norris`; all but the first two are about a run in the background. */
export type NorrisAction = 'receipt' | 'undo' | 'diff' | 'apply' | 'discard' | 'stop';

/** The names of the meta-commands that have a form which only reads, without `:mcp`. */
export const SHOW_NAMES = [
  'model',
  'models',
  'checkpoints',
  'diff',
  'output',
  'context',
  'cost',
  'sessions',
  'why',
  'config',
  'approve',
  'trust',
  'impact',
  'sandbox',
  'cloud',
] as const;

/** The meta-commands that have a form which only reads. */
export type ShowCommand =
  | Extract<MetaCommand, { name: 'mcp'; action: 'list' | 'tools' | 'tool' | McpLook }>
  | Extract<MetaCommand, { name: (typeof SHOW_NAMES)[number] }>;

/** The actions of `:mcp` on one server. */
export type McpAction = 'disconnect' | 'unreview' | 'login' | 'logout' | 'refresh';

/** The parts of one server that `:mcp` shows. */
export type McpLook = 'resources' | 'prompts' | 'log';

/** The kind of an argument; completion offers the names of that kind. */
export type MetaArgument =
  | 'topic'
  | 'list'
  | 'url'
  | 'alias'
  | 'server'
  | 'tool'
  | 'model'
  | 'checkpoint'
  | 'output'
  | 'line'
  | 'words'
  | 'session'
  | 'theme'
  | 'switch'
  | 'usage'
  | 'path'
  | 'approve'
  | 'history'
  | 'memory'
  | 'contract'
  | 'directory';

/** One row of the table that parsing, help and completion are made from. */
export interface MetaEntry {
  readonly name: string;
  /** Another name, shorter to type. */
  readonly short?: string;
  /** Second word, where a command has several. */
  readonly action?: string;
  /** Arguments as help shows them; `<name>` is one that must be given. */
  readonly usage: string;
  readonly summary: string;
  /** A sentence or two more, for `:help NAME`. */
  readonly detail?: string;
  readonly arguments: readonly MetaArgument[];
  /** The last argument may be repeated. */
  readonly repeats?: true;
  /** The text behind the name is one argument, as typed. */
  readonly takesLine?: true;
  /** Limits the command to the owner of the session, or to an attached client. A function tells whether a form needs the owner. */
  readonly needs?: 'owner' | 'client' | ((command: MetaCommand) => boolean);
  readonly build: (words: readonly string[]) => MetaCommand | null;
}

/** The row of a command without arguments. */
export function plain(
  name: 'context' | 'cost' | 'models' | 'new' | 'config' | 'demo' | 'halt' | 'pause' | 'resume-run' | 'keyboard' | 'quit' | 'skills',
  summary: string,
  detail?: string,
): MetaEntry {
  const details = detail === undefined ? {} : { detail };
  return { name, usage: '', summary, ...details, arguments: [], build: () => ({ name }) };
}

/** Whether the user typed this name behind the colon. */
export function isNamed({ name, short }: MetaEntry, typed: string | undefined): boolean {
  return typed !== undefined && (name === typed || short === typed);
}

/** The values of `:theme`. */
export const THEME_CHOICES = ['auto', 'light', 'dark', 'none'] as const;
export type ThemeChoice = (typeof THEME_CHOICES)[number];

/** The meta-commands that ask the session for something, here and at an attached client. */
type RequestCommand = Extract<MetaCommand, { name: 'undo' | 'redo' | 'halt' | 'pause' | 'resume-run' | 'compact' | 'name' | 'dry-run' }>;

/** The op that such a command submits to the session. */
export function toRequest(command: RequestCommand): Op {
  switch (command.name) {
    case 'undo':
    case 'redo': {
      const { name, id, steps, paths } = command;
      return {
        type: 'restore',
        checkpoint: id ?? null,
        direction: name,
        ...(paths.length === 0 ? {} : { paths }),
        ...(steps === undefined ? {} : { steps }),
      };
    }
    case 'halt':
      return { type: 'halt' };
    case 'pause':
      return { type: 'pause-contract' };
    case 'resume-run':
      return { type: 'continue-contract' };
    case 'compact':
      return { type: 'compact', ...(command.focus === undefined ? {} : { focus: command.focus }) };
    case 'name':
      return { type: 'rename', name: command.text };
    case 'dry-run':
      return { type: 'dry-run', line: command.line };
  }
}
