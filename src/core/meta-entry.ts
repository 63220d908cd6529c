import type { ApproveRequest } from './approve-request.ts';
import type { HistoryRequest } from './history-request.ts';
import type { DiffRequest, UndoRequest } from './undo-request.ts';

/** A line that begins with `:` and a word, understood. */
export type MetaCommand =
  | { readonly name: 'help'; readonly topic?: string }
  | { readonly name: 'mcp'; readonly action: 'connect'; readonly url: string; readonly alias?: string }
  | { readonly name: 'mcp'; readonly action: 'disconnect'; readonly alias: string }
  | { readonly name: 'mcp'; readonly action: 'list' | 'tools' }
  | { readonly name: 'mcp'; readonly action: 'approve'; readonly alias?: string }
  | { readonly name: 'mcp'; readonly action: 'disapprove'; readonly alias: string }
  | { readonly name: 'mcp'; readonly action: 'tool'; readonly tool: string }
  | { readonly name: 'model'; readonly model?: string }
  | ({ readonly name: 'undo' | 'redo' } & UndoRequest)
  | ({ readonly name: 'diff' } & DiffRequest)
  | { readonly name: 'diff'; readonly outputs: readonly [number, number] }
  | { readonly name: 'output'; readonly handle?: number }
  | { readonly name: 'private'; readonly line?: string }
  | { readonly name: 'rehearse'; readonly line: string }
  | { readonly name: 'blast'; readonly line: string }
  | { readonly name: 'resume'; readonly id?: string }
  | { readonly name: 'approve'; readonly request: ApproveRequest }
  | { readonly name: 'theme'; readonly theme?: ThemeChoice }
  | { readonly name: 'sandbox'; readonly on?: boolean }
  | { readonly name: 'sessions'; readonly words?: string }
  | { readonly name: 'name'; readonly text: string }
  | { readonly name: 'why'; readonly which?: string }
  | { readonly name: 'models' | 'config' }
  | { readonly name: 'checkpoints'; readonly words?: readonly string[] }
  | { readonly name: 'context' }
  | { readonly name: 'compact'; readonly focus?: string }
  | { readonly name: 'history'; readonly request: HistoryRequest }
  | { readonly name: 'halt' }
  | { readonly name: 'new' | 'demo' | 'quit' };

/** The meta-commands that have a form which only looks. */
export type LookCommand =
  | Extract<MetaCommand, { name: 'mcp'; action: 'list' | 'tools' | 'tool' }>
  | Extract<MetaCommand, { name: LookName }>;

type LookName =
  | 'model'
  | 'models'
  | 'checkpoints'
  | 'diff'
  | 'output'
  | 'context'
  | 'sessions'
  | 'why'
  | 'config'
  | 'approve'
  | 'blast'
  | 'sandbox';

/**
 * How a meta-command is done at a seat of a session that is open elsewhere: by a request to the session, by a look at it, which the owner
 * answers, or by the seat itself.
 */
export type AtSeat = 'request' | 'look' | 'own';

/** What can stand in an argument's place; completion offers the names of that kind. */
export type MetaArgument =
  | 'topic'
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
  | 'history';

/** One row of the table that parsing, help and completion are made from. */
export interface MetaEntry {
  readonly name: string;
  /** Second word, where a command has several. */
  readonly action?: string;
  /** Arguments as help shows them. */
  readonly usage: string;
  readonly summary: string;
  /** A sentence or two more, for `:help NAME`. */
  readonly detail?: string;
  readonly required: number;
  readonly arguments: readonly MetaArgument[];
  /** The last argument may be repeated. */
  readonly repeats?: true;
  /** What follows the name is one argument, as it was typed. */
  readonly takesLine?: true;
  /** Absent where it works only where the session is open. */
  readonly atSeat?: AtSeat;
  /** Of a look that has forms which change something: whether what was typed is one that only looks. */
  readonly onlyLooks?: (command: MetaCommand) => boolean;
  readonly build: (words: readonly string[]) => MetaCommand | null;
}

/** What `:theme` takes. */
export type ThemeChoice = 'auto' | 'light' | 'dark' | 'none';

/** The themes there are. */
export const THEME_CHOICES: readonly ThemeChoice[] = ['auto', 'light', 'dark', 'none'];
