import { describe, expect, test } from 'bun:test';
import { Terminal } from '@xterm/headless';
import fc from '../../../test/support/properties.ts';
import { toGraphemes } from './graphemes.ts';
import { Layout, layOut, type View } from './layout.ts';
import { Painter } from './paint.ts';

/** A painter with an emulator behind it. */
class Screen {
  readonly terminal: Terminal;
  readonly painter = new Painter({ reflow: 'not-cursor-line' });
  written = '';

  columns: number;
  readonly rows: number;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 });
  }

  show(view: Partial<View>): Promise<void> {
    const frame = layOut({ ...BLANK, ...view }, this.columns);
    return this.write(this.painter.paint(frame, { columns: this.columns, rows: this.rows }));
  }

  resize(columns: number, view: Partial<View>): Promise<void> {
    this.columns = columns;
    this.terminal.resize(columns, this.rows);
    const erased = this.painter.eraseAfterResize(columns);
    const frame = layOut({ ...BLANK, ...view }, columns);
    return this.write(erased + this.painter.paint(frame, { columns, rows: this.rows }));
  }

  write(bytes: string): Promise<void> {
    this.written = bytes;
    return new Promise((resolve) => this.terminal.write(bytes, resolve));
  }

  lines(): string[] {
    const buffer = this.terminal.buffer.active;
    const lines: string[] = [];
    for (let at = 0; at < buffer.length; at++) lines.push(buffer.getLine(at)?.translateToString(true).trimEnd() ?? '');
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  get cursor(): { row: number; column: number } {
    const { cursorY, baseY, cursorX } = this.terminal.buffer.active;
    return { row: baseY + cursorY, column: cursorX };
  }
}

function trimmed(lines: readonly string[]): string[] {
  const rows = lines.map((line) => line.trimEnd());
  while (rows.at(-1) === '') rows.pop();
  return rows;
}

const BLANK: View = { prompt: '', mark: '$ ', right: '', text: '', cursor: 0, ghost: '', dim: '', below: [] };

test('a view that looks the same is laid out once, unless a folded text stands in it', () => {
  const layout = new Layout();
  const view = { ...BLANK, text: 'ls', cursor: 2 };
  const first = layout.of(view, 40);
  const others = [
    layout.of({ ...view }, 40),
    layout.of(view, 39),
    layout.of({ ...view, ghost: ' -l' }, 39),
    layout.of({ ...view, text: '\ufdd0', cursor: 1, label: () => 'one' }, 39),
    layout.of({ ...view, text: '\ufdd0', cursor: 1, label: () => 'two' }, 39),
  ];
  expect(others.map((frame) => frame === first)).toEqual([true, false, false, false, false]);
  expect(others.map(({ rows }) => rows[0]?.cells.map(({ text }) => text).join(''))).toEqual(['$ ls', '$ ls', '$ ls -l', '$ one', '$ two']);
});

describe('the painter', () => {
  test('writes one byte for one letter at the end', async () => {
    const screen = new Screen(40, 10);
    await screen.show({ text: 'l', cursor: 1 });
    await screen.show({ text: 'ls', cursor: 2 });
    expect([screen.written, screen.lines()]).toEqual(['s', ['$ ls']]);
  });

  test('a letter put down ahead covers the ghost, and the frame behind it writes only what was guessed wrongly', async () => {
    const screen = new Screen(40, 10);
    await screen.show({ text: 'l', cursor: 1, ghost: 's -la', dim: '\x1b[2m' });
    const ahead = screen.painter.echo('s', { continues: true });
    await screen.write(ahead);
    const lines = screen.lines();
    await screen.show({ text: 'ls', cursor: 2, ghost: ' -la', dim: '\x1b[2m' });
    expect([ahead, lines, screen.written, screen.lines(), screen.cursor]).toEqual([
      's',
      ['$ ls -la'],
      '',
      ['$ ls -la'],
      { row: 0, column: 4 },
    ]);
  });

  test('puts no letter ahead where it would fill the row, or where half of a wide character would be left', async () => {
    const screen = new Screen(6, 5);
    await screen.show({ text: 'abc', cursor: 3 });
    const atEdge = screen.painter.echo('d', { continues: true });
    await screen.show({ text: 'a', cursor: 1, ghost: '日' });
    expect([atEdge, screen.painter.echo('b', { continues: true })]).toEqual(['', '']);
  });

  test('a wide character that does not fit goes to the next row whole', async () => {
    const screen = new Screen(7, 5);
    await screen.show({ text: '日本語', cursor: 3 });
    expect([screen.lines(), screen.cursor]).toEqual([['$ 日本', '語'], { row: 1, column: 2 }]);
  });

  test('a full row puts the cursor on the next one, which continues it', async () => {
    const screen = new Screen(6, 5);
    await screen.show({ text: 'abcd', cursor: 4 });
    const full = screen.cursor;
    await screen.show({ text: 'abcde', cursor: 5 });
    const wrapped = screen.terminal.buffer.active.getLine(1)?.isWrapped;
    expect([full, screen.lines(), screen.cursor, wrapped]).toEqual([{ row: 1, column: 0 }, ['$ abcd', 'e'], { row: 1, column: 1 }, true]);
  });

  test('a text higher than the screen shows the rows around the cursor', async () => {
    const screen = new Screen(20, 4);
    const text = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
    await screen.show({ text, cursor: text.length });
    const end = screen.lines().slice(-4);
    await screen.show({ text, cursor: 0 });
    expect([end, screen.lines().slice(-4)]).toEqual([
      ['> line 96', '> line 97', '> line 98', '> line 99'],
      ['$ line 0', '> line 1', '> line 2', '> line 3'],
    ]);
  });

  test('ghost and menu stand behind and below, and go again', async () => {
    const screen = new Screen(20, 6);
    await screen.show({ text: 'gi', cursor: 2, ghost: 't status', dim: '\x1b[2m', below: ['one', 'two'] });
    const before = [screen.lines(), screen.cursor];
    await screen.show({ text: 'git', cursor: 3 });
    expect([before, screen.lines()]).toEqual([[['$ git status', 'one', 'two'], { row: 0, column: 4 }], ['$ git']]);
  });

  test('erasing leaves what stood above alone', async () => {
    const screen = new Screen(10, 6);
    await screen.write('above\r\n');
    await screen.show({ text: 'one\ntwo', cursor: 7 });
    await screen.write(`${screen.painter.erase()}x`);
    expect(screen.lines()).toEqual(['above', 'x']);
  });

  for (const columns of [9, 12, 60]) {
    test(`a text of many lines survives a resize to ${columns} columns`, async () => {
      const screen = new Screen(24, 20);
      await screen.write('above\r\n');
      const view = { prompt: 'directory\n', text: 'a long first line that wraps\n日本語日本語日本語\nend', cursor: 40 };
      await screen.show(view);
      await screen.resize(columns, view);
      const fresh = new Screen(columns, 20);
      await fresh.write('above\r\n');
      await fresh.show(view);
      expect([screen.lines(), screen.cursor]).toEqual([fresh.lines(), fresh.cursor]);
    });
  }

  test('an emoji that terminals measure differently leaves the cursor right', async () => {
    const screen = new Screen(30, 5);
    const text = 'a👨\u200d👩\u200d👧b';
    await screen.show({ text, cursor: text.length });
    expect(screen.cursor).toEqual({ row: 0, column: 6 });
  });

  test('after any views the screen is what a fresh one would show', async () => {
    const piece = fc.constantFrom('a', 'bc', ' ', '\n', '日', 'é', 'e\u0301', '한', '\t', '\u202e', 'word ');
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    const view = fc.record({
      text,
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      ghost: fc.constantFrom('', 'ghost'),
      below: fc.constantFrom([], ['menu', 'x']),
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(8, 20, 33), fc.array(view, { minLength: 2, maxLength: 6 }), async (columns, views) => {
        const screen = new Screen(columns, 80);
        for (const one of views) {
          const edges = [0];
          for (const grapheme of toGraphemes(one.text)) edges.push((edges.at(-1) ?? 0) + grapheme.length);
          const cursor = edges[Math.floor(one.at * (edges.length - 1))] ?? 0;
          const shown = { ...one, cursor, ghost: cursor === one.text.length ? one.ghost : '' };
          await screen.show(shown);
          const fresh = new Screen(columns, 80);
          await fresh.show(shown);
          const frame = layOut({ ...BLANK, ...shown }, columns);
          const rows = trimmed(frame.rows.map((row) => row.cells.map((cell) => cell.text).join('')));
          expect(trimmed(screen.lines())).toEqual(rows);
          expect([screen.lines(), screen.cursor]).toEqual([fresh.lines(), frame.cursor]);
        }
      }),
      { numRuns: 60 },
    );
  });
});
