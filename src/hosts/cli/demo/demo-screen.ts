import { sanitizeText } from '../../../core/sanitize.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import { formatError } from '../../../protocol/error.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import type { ToolCall } from '../../../protocol/tool.ts';
import { formatRestore } from '../commands/undo-report.ts';
import { BottomRegion } from '../editor/bottom-region.ts';
import type { Frame } from '../editor/layout.ts';
import { Painter } from '../editor/paint.ts';
import { wrapText } from '../screen/fold.ts';
import { LiveAnswer } from '../screen/live-answer.ts';
import { type Look, styled, type Theme } from '../screen/theme.ts';
import { formatCallEnd, formatCallRefused } from '../screen/tool-frame.ts';

/** Where the demo is shown. */
export interface DemoScreenOptions {
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  /** The end of an answer may be drawn anew while it comes: a terminal that can. */
  readonly live: boolean;
}

/** The demo has no line to type under its answers. */
const NO_LINE: Frame = { rows: [{ cells: [], width: 0, soft: false }], cursor: { row: 0, column: 0 }, below: 0 };

/** Longer lines are hard to read. */
const MOST_COLUMNS = 80;

/** What stands before a line at the prompt, by where the line goes. */
const MARKS = { shell: '$ ', ai: '? ', meta: ': ' } as const;

/** Shows the demo: its own words, the lines that would be typed, and the session's events as the prompt shows them. */
export class DemoScreen {
  readonly #options: DemoScreenOptions;
  readonly #calls = new Map<string, { readonly call: ToolCall; startedAt: number | null }>();
  readonly #region: BottomRegion;
  readonly #answer: LiveAnswer;

  constructor(options: DemoScreenOptions) {
    this.#options = options;
    const { size, theme, live } = options;
    const region = new BottomRegion({
      write: (text) => options.write(text),
      size,
      layOut: () => NO_LINE,
      surface: new Painter(),
      synchronizes: () => false,
    });
    this.#region = region;
    const print = (text: string, rows?: readonly string[]) => this.#write(text, rows);
    const setLive = (rows: readonly string[]) => region.setLive(rows);
    this.#answer = new LiveAnswer({ print, size, theme, ...(live ? { setLive } : {}) });
  }

  /** The number and name of a part. */
  heading(text: string): void {
    this.lines(['']);
    this.#print('bold', text);
  }

  /** Paragraphs, folded between their words. */
  prose(...paragraphs: readonly string[]): void {
    const columns = Math.min(this.#options.size().columns, MOST_COLUMNS);
    this.lines(paragraphs.map((paragraph) => wrapText(paragraph, columns)));
  }

  /** What the demo says of itself. */
  say(...lines: readonly string[]): void {
    this.#print('dim', lines.join('\n'));
  }

  /** A line as a person would type it. */
  typed(kind: keyof typeof MARKS, line: string): void {
    const { theme } = this.#options;
    this.lines(['', `${styled(theme, kind, MARKS[kind])}${styled(theme, 'bold', line)}`]);
  }

  /** Lines that are ready to be shown. */
  lines(lines: readonly string[]): void {
    this.#write(`${lines.join('\n')}\n`);
  }

  /** Shows what an event says, if anything. */
  show(event: SessionEvent, at: number): void {
    switch (event.type) {
      case 'text.delta':
        if (this.#options.live) this.#region.show('');
        this.#answer.push(event.text);
        return;
      case 'step.completed':
        this.#endAnswer();
        for (const call of event.calls) this.#calls.set(call.id, { call, startedAt: null });
        return;
      case 'command.completed':
        this.lines([sanitizeText(event.record.output).trimEnd()]);
        return;
      case 'checkpoint.created':
        this.#print(
          'dim',
          `  checkpoint ${event.checkpoint.id}: the files as they are now, kept in ${event.checkpoint.ref}`,
        );
        return;
      case 'approval.decided':
        // The person's own answer is on the screen; its result would only repeat it.
        if (event.decision === 'deny') this.#calls.delete(event.callId);
        return;
      case 'tool-call.started': {
        const known = this.#calls.get(event.callId);
        if (known !== undefined) known.startedAt = at;
        return;
      }
      case 'tool-call.completed':
        this.#showResult(event, at);
        return;
      case 'turn.ended':
        this.#endAnswer();
        if (event.error !== undefined) this.#print('error', formatError(event.error));
        return;
      case 'restore.completed':
        if (event.error !== undefined) this.#print('error', formatError(event.error));
        else if (event.report !== undefined)
          this.lines([
            formatRestore({ ...event, report: event.report }, { now: at, columns: this.#options.size().columns }),
          ]);
        return;
      case 'notice':
        this.#print(event.level === 'info' ? 'dim' : event.level, event.text);
        return;
      default:
        return;
    }
  }

  #showResult(event: Extract<SessionEvent, { type: 'tool-call.completed' }>, at: number): void {
    const known = this.#calls.get(event.callId);
    if (known === undefined) return;
    const { size, theme } = this.#options;
    const frame = { columns: size().columns, theme };
    if (known.startedAt === null) this.lines(formatCallRefused(known.call, event.text, frame));
    else this.lines(formatCallEnd(event, at - known.startedAt, frame));
  }

  /** What is no terminal gets the text as it is. */
  #write(text: string, rows?: readonly string[]): void {
    if (this.#options.live) this.#region.printAbove(text, rows);
    else this.#options.write(text);
  }

  #endAnswer(): void {
    this.#answer.endAnswer();
    this.#region.hide('');
  }

  #print(look: Look, text: string): void {
    const { size, theme } = this.#options;
    const rows = wrapText(sanitizeText(text), size().columns).split('\n');
    this.lines(rows.map((row) => styled(theme, look, row)));
  }
}
