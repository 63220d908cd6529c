import { Terminal } from '@xterm/headless';
import type { LineEditorOptions } from '../../src/core/editor/line-editor-options.ts';
import { LineEditor } from '../../src/hosts/cli/editor/line-editor.ts';
import { MemoryHistory } from './memory-history.ts';

const encoder = new TextEncoder();

/** An editor whose screen is a real emulator. */
export class EditorDesk {
  readonly terminal: Terminal;
  readonly editor: LineEditor;
  size: { columns: number; rows: number };
  bytes = '';
  /** Called for every write. */
  counts: () => void = () => {};
  #written = Promise.resolve();

  constructor(options: Partial<LineEditorOptions> & { columns?: number; rows?: number } = {}) {
    this.size = { columns: options.columns ?? 40, rows: options.rows ?? 12 };
    this.terminal = new Terminal({
      cols: this.size.columns,
      rows: this.size.rows,
      allowProposedApi: true,
      scrollback: 1000,
    });
    this.editor = new LineEditor({
      write: (text) => {
        this.bytes += text;
        this.counts();
        this.#written = new Promise((resolve) => this.terminal.write(text, resolve));
      },
      size: () => this.size,
      prompt: () => '',
      history: new MemoryHistory(),
      complete: () => [],
      routeMark: () => '$ ',
      isComplete: (text) => !text.endsWith('\\'),
      reflow: 'not-cursor-line',
      ...options,
    });
  }

  /** Feeds bytes, piece by piece. */
  type(...pieces: string[]): void {
    for (const piece of pieces) this.editor.feed(encoder.encode(piece));
  }

  /** The terminal gets another width. */
  async resize(columns: number): Promise<void> {
    await this.#written;
    this.size = { columns, rows: this.size.rows };
    this.terminal.resize(columns, this.size.rows);
    this.editor.resized();
  }

  /** The rows on the screen, without blank ones at the end. */
  async lines(): Promise<string[]> {
    await this.#written;
    const buffer = this.terminal.buffer.active;
    const lines: string[] = [];
    for (let at = 0; at < buffer.length; at++) lines.push(buffer.getLine(at)?.translateToString(true).trimEnd() ?? '');
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }
}
