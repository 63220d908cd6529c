import type { TerminalSize } from '../../protocol/query.ts';
import type { Completion } from '../completion/completion.ts';
import type { Direction } from '../prompt/directories.ts';
import type { Reflow } from '../terminal/paint.ts';
import type { Style, Theme } from '../terminal/theme.ts';
import type { EditState } from './edit.ts';
import type { HistorySource } from './history-search.ts';

/** A request for completions. */
export interface CompletionRequest {
  readonly text: string;
  readonly cursor: number;
  /** Aborted when nobody wants the answer any more: the text changed, Escape or Ctrl-C was pressed, or Tab once more. */
  readonly signal: AbortSignal;
}

/** Dependencies of the editor. */
export interface LineEditorOptions {
  /** Writes to the terminal, whose output processing is off: a new line there is CR LF. */
  write(text: string): void;
  size(): TerminalSize;
  /** May be several lines and hold SGR sequences. */
  prompt(): string;
  /** Shown at the right edge while there is room; one line, and may hold SGR sequences. */
  rightPrompt?(): string;
  readonly history: HistorySource;
  /** Finds completions for the cursor. Tab calls it; the answer may come late. */
  complete(request: CompletionRequest): Promise<readonly Completion[]> | readonly Completion[];
  /**
   * The mark that shows where the text would go, with SGR; best of one width whatever the text. Asked once per change, and for what stays.
   */
  routeMark(text: string, use?: { readonly isEntered: boolean }): string;
  /** Settles when it is known where an entered line goes, so that its last mark is right; null where that is known. Keys wait for it. */
  settled?(text: string): Promise<void> | null;
  /** Styles the typed text, once per change. `meant`: the text with the beginnings of its placeholders. */
  highlight?(text: string, meant: string): readonly StyledSpan[];
  /** The line as it must be typed to go the other way; asked for with Shift-Tab. */
  flip?(text: string): string;
  /** False if Enter begins another line: after an open quote, in a block, after a final backslash. */
  isComplete(text: string): boolean | Promise<boolean>;
  /** Lets the user change the text in a program of their own, on the whole terminal; settles with the new text. */
  editExternally?(text: string): Promise<string>;
  /** The line with the abbreviation before the cursor expanded; null if there is none. */
  expand?(state: EditState): EditState | null;
  /** Opens the manual page of the command at the cursor; rejects if there is none. */
  openManual?(text: string, cursor: number): Promise<void>;
  readonly theme?: Theme;
  readonly reflow?: Reflow;
  /** `plain` never moves the cursor up or to a place: for terminals that cannot, and for screen readers. */
  readonly painter?: 'full' | 'plain';
  /** False for a terminal that shows the sequences of bracketed paste as text. Default: true. */
  readonly marksPastes?: boolean;
  /** Whether the terminal is known to distinguish keys that look alike otherwise (the kitty keyboard protocol). */
  distinguishesKeys?(): boolean;
  /** Called with the bytes that turn the editor's modes off, whenever they change, for exits without the editor. */
  undoChanged?(sequence: string): void;
  /** Whether the terminal understands synchronized updates (mode 2026). Default: true. */
  synchronizes?(): boolean;
  /** Runs the work behind the echo of a letter after the terminal has shown it. Default: at once. */
  behindEcho?(draw: () => void): void;
  /** Goes to the previous or the next directory of this session, for a key at an empty line. */
  travel?(direction: Direction): void;
  /** A key while nobody reads a line, and so somebody works; true when it has been dealt with. */
  keyAtWork?(key: string): boolean;
  /** Ctrl-C while nobody reads a line, and so somebody works. */
  interrupted?(): void;
}

/** The result of reading a line. */
export type ReadResult =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'eof' }
  /** Ctrl-C; `wasEmpty` where there was no line that it could have meant. */
  | { readonly type: 'interrupt'; readonly wasEmpty: boolean };

/** A part of a text with a style. Offsets count UTF-16 units; spans of one text are sorted and never overlap. */
export interface StyledSpan {
  readonly start: number;
  readonly end: number;
  readonly style: Style;
}
