import { expect, test } from 'bun:test';
import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { MemoryHistory } from './history.ts';
import { layOut } from './layout.ts';
import { LineEditor } from './line-editor.ts';

type Step =
  | { readonly type: 'keys'; readonly bytes: string }
  | { readonly type: 'above'; readonly text: string }
  | { readonly type: 'resize'; readonly columns: number }
  | { readonly type: 'blink' };

const KEYS = [
  '\x1b[A',
  '\x1b[B',
  '\x1b[C',
  '\x1b[D',
  '\x1b[H',
  '\x1b[F',
  '\x1b[3~',
  '\x7f',
  '\x1b\r',
  '\x1bb',
  '\x1bf',
  '\x1bd',
  '\x1b\x7f',
];
const CONTROLS = [...'abefkuwyt_'].map((letter) => String.fromCharCode(letter.charCodeAt(0) & 0x1f));
const TEXTS = [
  'a',
  'word ',
  'git',
  '日本',
  'é',
  'e\u0301',
  '한국어',
  '\x1b[200~pasted\n\tlines 日\u202e\x1b[201~',
  'a rather long piece of text that wraps ',
];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TEXTS).map((bytes): Step => ({ type: 'keys', bytes })) },
  { weight: 8, arbitrary: fc.constantFrom(...KEYS, ...CONTROLS).map((bytes): Step => ({ type: 'keys', bytes })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>({ type: 'above', text: 'note' }, { type: 'above', text: 'two\nnotes\n' }),
  },
  { weight: 1, arbitrary: fc.constantFrom(20, 33, 80).map((columns): Step => ({ type: 'resize', columns })) },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'blink' }) },
);

function trimmed(lines: readonly string[]): string[] {
  const rows = lines.map((line) => line.trimEnd());
  while (rows.at(-1) === '') rows.pop();
  return rows;
}

async function play(steps: readonly Step[], columns: number): Promise<void> {
  let size = { columns, rows: 200 };
  const terminal = new Terminal({ cols: columns, rows: size.rows, allowProposedApi: true });
  let written = Promise.resolve();
  let notes: string[] = [];
  const editor = new LineEditor({
    write: (text) => {
      written = new Promise((resolve) => terminal.write(text, resolve));
    },
    size: () => size,
    prompt: () => 'here\n',
    history: new MemoryHistory(['git status', 'a line that is long enough to be wrapped somewhere', 'x\ny']),
    complete: () => [],
    routeMark: () => '$ ',
    isComplete: () => true,
    reflow: 'not-cursor-line',
  });
  void editor.read();
  for (const one of [...steps, { type: 'keys', bytes: '\x1b[1;5F' } as const]) {
    if (one.type === 'keys') editor.feed(Buffer.from(one.bytes));
    else if (one.type === 'blink') {
      editor.hide();
      editor.show();
    } else if (one.type === 'above') {
      editor.printAbove(one.text);
      notes = [...notes, ...trimmed(one.text.split('\n'))];
    } else {
      await written;
      size = { columns: one.columns, rows: size.rows };
      terminal.resize(one.columns, size.rows);
      editor.resized();
    }
  }
  await written;
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)?.translateToString(true) ?? '');
  const view = {
    prompt: 'here\n',
    mark: '$ ',
    text: editor.text,
    cursor: editor.text.length,
    ghost: '',
    dim: '',
    below: [],
  };
  const frame = layOut(view, size.columns);
  expect(trimmed(lines)).toEqual([
    ...notes,
    ...trimmed(frame.rows.map((row) => row.cells.map((cell) => cell.text).join(''))),
  ]);
  expect({ row: buffer.baseY + buffer.cursorY - notes.length, column: buffer.cursorX }).toEqual({ ...frame.cursor });
  editor.close();
}

test('after any keys, pastes, notes and resizes the screen shows exactly the line', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(20, 80), (steps, columns) =>
      play(steps, columns),
    ),
    { numRuns: 60 },
  );
});
