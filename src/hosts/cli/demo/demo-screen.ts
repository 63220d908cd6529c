import { OWN_COMMAND } from '../../../core/session/state.ts';
import { type BottomRegion, createRowsRegion } from '../../../core/terminal/bottom-region.ts';
import { type Style, styled, type Theme } from '../../../core/terminal/theme.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import { View } from '../screen/view.ts';
import { formatDemoCheckpoint } from './messages.ts';

interface DemoScreenOptions {
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  /** The end of an answer may be drawn anew while it comes: a terminal that can. */
  readonly live: boolean;
}

/** Longer lines are hard to read. */
const MOST_COLUMNS = 80;

/** The prompt mark before a line, by the route of the line. */
const MARKS = { shell: '$ ', ai: '? ', meta: ': ' } as const;

/** Shows the demo: its own words, the lines that would be typed, and the session's events as the prompt shows them. */
export class DemoScreen {
  readonly #options: DemoScreenOptions;
  readonly #region: BottomRegion;
  readonly #view: View;

  constructor(options: DemoScreenOptions) {
    this.#options = options;
    const { write, size, theme, live } = options;
    this.#region = createRowsRegion({ write, size });
    const print = (text: string, rows?: readonly string[]) => this.#write(text, rows);
    const setLive = (rows: readonly string[]) => this.#setLive(rows);
    this.#view = new View({ print, size, theme, ...(live ? { setLive } : {}) });
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

  /** Prints the demo's own words. */
  say(...lines: readonly string[]): void {
    this.#print('dim', lines.join('\n'));
  }

  typed(kind: keyof typeof MARKS, line: string): void {
    const { theme } = this.#options;
    this.lines(['', `${styled(theme, kind, MARKS[kind])}${styled(theme, 'bold', line)}`]);
  }

  /** Lines that are ready to be shown. */
  lines(lines: readonly string[]): void {
    this.#write(`${lines.join('\n')}\n`);
  }

  /** Shows what an event says, if anything. */
  async show(event: SessionEvent, at: number): Promise<void> {
    await this.#view.prepare(event);
    if (event.type === 'command.completed') this.lines([sanitizeText(event.record.output).trimEnd()]);
    else if (event.type === 'checkpoint.created' && event.callId !== OWN_COMMAND) {
      const { id, ref } = event.checkpoint;
      this.#print('dim', formatDemoCheckpoint(id, ref));
    } else this.#view.show(event, at);
  }

  /** An output that is no terminal gets the text unchanged. */
  #write(text: string, rows: readonly string[] = []): void {
    if (!this.#options.live) {
      this.#options.write(text);
      return;
    }
    this.#region.printAbove(text, rows);
    this.#setLive(rows);
  }

  /** Rows are on the screen only while there are some: questions are printed without them. */
  #setLive(rows: readonly string[]): void {
    if (rows.length > 0) this.#region.show('');
    this.#region.setLive(rows);
    if (rows.length === 0) this.#region.hide('');
  }

  #print(look: Style, text: string): void {
    const { size, theme } = this.#options;
    const rows = wrapText(sanitizeText(text), size().columns).split('\n');
    this.lines(rows.map((row) => styled(theme, look, row)));
  }
}
