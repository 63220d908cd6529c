import { describe, expect, test } from 'bun:test';
import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { MarkdownStream, renderLine } from './markdown-stream.ts';
import { createTheme, PLAIN_THEME } from './theme.ts';

const THEME = createTheme({ TERM: 'xterm-256color' });

/** Streams pieces to an emulator; returns the screen's lines and the bytes it took. */
async function stream(
  pieces: readonly string[],
  columns = 40,
  theme = THEME,
): Promise<{ lines: string[]; bytes: number }> {
  const terminal = new Terminal({ cols: columns, rows: 30, allowProposedApi: true, scrollback: 5000 });
  let bytes = 0;
  let written = Promise.resolve();
  const markdown = new MarkdownStream({
    write: (text) => {
      bytes += Buffer.byteLength(text);
      written = new Promise((resolve) => terminal.write(text, resolve));
    },
    size: () => ({ columns, rows: 30 }),
    theme,
    tty: true,
  });
  for (const piece of pieces) markdown.push(piece);
  markdown.flush();
  await written;
  const buffer = terminal.buffer.active;
  const lines: string[] = [];
  for (let at = 0; at < buffer.length; at++) lines.push((buffer.getLine(at)?.translateToString(true) ?? '').trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return { lines, bytes };
}

const SAMPLE = `# Title with **weight**

Some *soft* and **strong** words, \`code\`, a [link](https://x.example/a) and snake_case_names that wrap.

- one item that is long enough to be folded at its own indent
- two
  1. deep

> quoted words

| name | size |
|------|-----:|
| a | 1 |
| 日本語 | 200 |

\`\`\`ts
const a = "x";	// tab
  if (a) {}
\`\`\`
---
end`;

const SHOWN = [
  'Title with weight',
  '',
  'Some soft and strong words, code, a link',
  '(https://x.example/a) and',
  'snake_case_names that wrap.',
  '',
  '• one item that is long enough to be',
  '  folded at its own indent',
  '• two',
  '  1. deep',
  '',
  '│ quoted words',
  '',
  'name   │ size',
  '───────┼─────',
  'a      │    1',
  '日本語 │  200',
  '',
  '```ts',
  'const a = "x";  // tab',
  '  if (a) {}',
  '```',
  '─'.repeat(40),
  'end',
];

describe('MarkdownStream', () => {
  test('shows an answer given at once', async () => {
    expect((await stream([SAMPLE])).lines).toEqual(SHOWN);
  });

  test('shows the same wherever the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
        fc.constantFrom(20, 40, 80),
        async (sizes, columns) => {
          const pieces: string[] = [];
          for (let at = 0, turn = 0; at < SAMPLE.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            pieces.push(SAMPLE.slice(at, at + size));
            at += size;
          }
          expect((await stream(pieces, columns)).lines).toEqual((await stream([SAMPLE], columns)).lines);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('takes at most three bytes a byte for prose that comes in small pieces', async () => {
    const prose =
      'The *quick* brown fox jumps over the **lazy dog** while `code` runs, and the extraordinary sentence goes on. '.repeat(
        20,
      );
    const pieces = prose.match(/[\s\S]{1,4}/g) ?? [];
    const { bytes } = await stream(pieces, 80);
    expect(bytes / prose.length).toBeLessThan(3);
  });

  test('keeps what was there when it is broken off', async () => {
    expect((await stream(['words **half', ' bold and `co'])).lines).toEqual(['words **half bold and `co']);
  });

  test('cuts a word that is longer than the line', async () => {
    expect((await stream(['see abcdefghijklmnopqrstuvwxyz ok'], 10)).lines).toEqual([
      'see',
      'abcdefghij',
      'klmnopqrst',
      'uvwxyz ok',
    ]);
  });

  test('a table too wide for the window loses no word', async () => {
    const table = '| alpha | beta | gamma | delta |\n|---|---|---|---|\n| one | two words here | three | four |\n';
    expect((await stream([table], 20)).lines).toEqual([
      'alpha: one',
      'beta: two words here',
      'gamma: three',
      'delta: four',
    ]);
  });

  test('lets no escape sequence through', async () => {
    expect((await stream(['a\x1b', ']0;title\x07b \x1b[31', 'mred\u202e `\x1b[2J` x'])).lines).toEqual(['ab red `` x']);
  });

  test('prints plain text where the output is no terminal', () => {
    let text = '';
    const write = (piece: string) => {
      text += piece;
    };
    const markdown = new MarkdownStream({
      write,
      size: () => ({ columns: 10, rows: 5 }),
      theme: PLAIN_THEME,
      tty: false,
    });
    for (const piece of ['# T\n**a', 'b** \x1b[1mlong line that is not folded']) markdown.push(piece);
    markdown.flush();
    expect(text).toBe('# T\n**ab** long line that is not folded\n');
  });
});

test('without colours emphasis keeps its text and code its marks', () => {
  expect(renderLine('## A **b** `c` \\*d\\* [t](u)', 80, PLAIN_THEME)).toEqual(['## A b `c` *d* t (u)']);
});
