import { describe, expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { createTheme, PLAIN_THEME, type Theme } from '../terminal/theme.ts';
import { renderLine } from './markdown-block.ts';
import { createCodePainter } from './markdown-code.ts';
import { visibleWidth } from './markdown-line.ts';
import { MarkdownStream } from './markdown-stream.ts';

const COLOURS = createTheme({ TERM: 'xterm-256color' });
const LINKS = createTheme({ TERM: 'xterm-256color' }, { links: true });
const WORDS = createTheme({ TERM: 'xterm-256color', NO_COLOR: '1' }, { words: true });

const WIDTHS = [20, 40, 80, 200] as const;

/** The text that a user reads in rows: no styles, no links. */
function toText(rows: string): string {
  return rows.replace(/\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\/g, '');
}

function render(source: string, columns: number, theme: Theme = COLOURS): readonly string[] {
  return toText(renderMarkdown(source, columns, theme))
    .replace(/\n$/, '')
    .split('\n');
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
const a = "x";
  if (a) {}
\`\`\`
---
end`;

/** Pieces of markdown that meet each other in every order. */
const BLOCKS: readonly string[] = [
  '# Heading with `code` and **weight**',
  'A paragraph of *several* words that is long enough to be folded, with `code` and a [link](https://x.example/a).',
  '- item one which goes on for a while\n- [x] done\n  - deeper with **bold**\n    1. numbered',
  '> quoted with *soft* words\n> > and deeper\n> - a list',
  '| name | what it is | size |\n|:--|:-:|--:|\n| 日本語 | `x` and more words here | 12 |\n| b | 👩‍👩‍👧 | 3 |',
  'no | table\nbut a line',
  'a | b\n--|--\n1 | 2',
  '```ts\nconst text = "a rather long line of code that does not fit a narrow window";\n\treturn 1;\n```',
  '~~~\n| not | a table |\n```\n~~~',
  '> ```sh\n> echo quoted\n> ```',
  '---',
  '日本語の文章は空白なしで書かれるので、どこでも改行できます。',
  'e\u0301 and שלום and a\\*b \\| c <https://y.example>',
  'https://z.example/a/very/long/address/that/is/longer/than/a/narrow/window/is/wide.html',
];

const MORE = 'and more words that go on '.repeat(20);
const LONG = `Some *soft* words, \`code\`, **weight over several words of the line** and 日本語の文章、${MORE}the end.`;
const LONG_LINES: readonly string[] = [LONG, `- [ ] ${LONG}`, `   12. ${LONG}`, `> > ${LONG}`, `> - ${LONG}`, `# ${LONG}`];

const markdown = fc
  .array(fc.tuple(fc.constantFrom(...BLOCKS, ...LONG_LINES), fc.constantFrom('\n', '\n\n')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.flat().join(''));

const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 });

/** The text in pieces of the given sizes, over and over. */
function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  const letters = [...text];
  for (let at = 0, turn = 0; at < letters.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(letters.slice(at, at + size).join(''));
    at += size;
  }
  return pieces;
}

describe('MarkdownStream', () => {
  test('shows an answer given at once', () => {
    expect(render(SAMPLE, 40)).toEqual([
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
      'const a = "x";',
      '  if (a) {}',
      '```',
      '─'.repeat(40),
      'end',
    ]);
  });

  test('hands out the same rows wherever the stream is cut', () => {
    fc.assert(
      fc.property(markdown, cuts, fc.constantFrom(...WIDTHS), (source, sizes, columns) => {
        const stream = new MarkdownStream({ theme: COLOURS });
        const rows = cut(source, sizes).map((piece) => stream.push(piece, columns).finished);
        expect(rows.join('') + stream.end(columns)).toBe(renderMarkdown(source, columns, COLOURS));
      }),
      { numRuns: 300 },
    );
  });

  test('has no row wider than the window, code apart, and no open row at all', () => {
    fc.assert(
      fc.property(markdown, cuts, fc.integer({ min: 1, max: 90 }), (source, sizes, columns) => {
        const stream = new MarkdownStream({ theme: COLOURS });
        const prose = source.replace(/^(```|~~~)[\s\S]*?^\1$/gm, '').replace(/^> ```[\s\S]*?^> ```$/gm, '');
        const live = cut(source, sizes).flatMap((piece) => stream.push(piece, columns).live);
        const rows = renderMarkdown(prose, columns, COLOURS).split('\n');
        expect([...live, ...rows].filter((row) => visibleWidth(row) > columns)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('loses no word at any width', () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 2, max: 90 }), (source, columns) => {
        const letters = (rows: readonly string[]) => [...rows.join('').replace(/[^\p{Letter}\p{Number}]/gu, '')].sort();
        const narrow = letters(render(source, columns));
        // A table that appears record by record repeats its head, so there may be more of a letter, never fewer.
        for (const letter of new Set(letters(render(source, 1000)))) expect(narrow).toContain(letter);
      }),
    );
  });

  test('finishes the upper rows of a long line before it ends, as if it were drawn whole', () => {
    for (const line of LONG_LINES) {
      for (const columns of [20, 40, 80]) {
        const stream = new MarkdownStream({ theme: COLOURS });
        const early = cut(line, [7]).map((piece) => stream.push(piece, columns).finished);
        const late = stream.end(columns);
        expect([line, (early.join('') + late).split('\n')]).toEqual([line, [...renderLine(line, columns, COLOURS), '']]);
        if (!line.startsWith('#') && columns < 80) expect(early.join('')).not.toBe('');
      }
    }
  });

  test('a high table keeps its columns, and each further row is final at once', () => {
    const stream = new MarkdownStream({ theme: PLAIN_THEME });
    const rows = Array.from({ length: 14 }, (_, at) => `| ${at} | b |\n`);
    const begun = stream.push(`| n | b |\n|---|---|\n${rows.join('')}`, 40);
    expect([begun.finished.split('\n').length, begun.live]).toEqual([17, []]);
    expect(stream.push('| a word too long | c |\n', 40).finished).toBe('a  │ c\nwo │\nrd │\nto │\no  │\nlo │\nng │\n');
    expect(stream.push('after\n', 40).finished).toBe('after\n');
  });

  test('an open row turns into a finished one as it stands', () => {
    const stream = new MarkdownStream({ theme: COLOURS });
    expect(stream.push('some **bold** words that go', 20)).toEqual({
      finished: '',
      live: ['some \x1b[1mbold\x1b[0m words that', 'go'],
    });
    expect(stream.push(' on\nnext', 20)).toEqual({
      finished: 'some \x1b[1mbold\x1b[0m words that\ngo on\n',
      live: ['next'],
    });
  });

  test('draws the open part anew for another width', () => {
    const stream = new MarkdownStream({ theme: PLAIN_THEME });
    stream.push('one two three', 80);
    expect([stream.live(80), stream.live(7)]).toEqual([['one two three'], ['one two', 'three']]);
  });

  test('a table shows its whole rows while it grows', () => {
    const stream = new MarkdownStream({ theme: PLAIN_THEME });
    expect(stream.push('| a | b |\n|---|---|\n| 1 | 2 |\n| 3', 40).live).toEqual(['a │ b', '──┼──', '1 │ 2']);
    expect(stream.push(' | 4 |\n\n', 40)).toEqual({ finished: 'a │ b\n──┼──\n1 │ 2\n3 │ 4\n\n', live: [] });
  });

  test('does not show what may turn out to be something else', () => {
    const shown = (source: string) => new MarkdownStream({ theme: PLAIN_THEME }).push(source, 40).live;
    expect(['#', '``', '- ', '- [', '---', '| a |', '>', '12.', '```ts'].map(shown)).toEqual(Array(9).fill([]));
    expect(shown('```\ncode\n``')).toEqual([]);
  });

  test('keeps what was there when it is broken off', () => {
    expect(render('words **half bold and `co', 40)).toEqual(['words **half bold and `co']);
  });

  test('cuts a word that is longer than the line', () => {
    expect(render('see abcdefghijklmnopqrstuvwxyz ok', 10)).toEqual(['see', 'abcdefghij', 'klmnopqrst', 'uvwxyz ok']);
  });

  test('a script without blanks is folded between its characters, never before what closes a phrase', () => {
    expect(render('mixed 日本語の文章、です。', 12)).toEqual(['mixed 日本語', 'の文章、で', 'す。']);
  });

  test('a cell has as many lines as it is given, except in code', () => {
    const table = '| do | how |\n|---|---|\n| one<br>two | `a<br>b`<br/>c |\n';
    expect(render(table, 40)).toEqual(['do  │ how', '────┼───────', 'one │ a<br>b', 'two │ c']);
    expect(render(table, 8)).toEqual(['do: one', 'two', 'how:', 'a<br>b c']);
  });

  test('characters by their names are these characters, by a number they are not', () => {
    expect(render('a &lt;b&gt; &amp;amp; &quot;c&quot; &#39;d&#39; &#27; &copy; `&lt;`\n', 60)).toEqual([
      'a <b> &amp; "c" \'d\' &#27; &copy; &lt;',
    ]);
  });

  test('a table too wide for the window loses no word', () => {
    const table = '| alpha | beta | gamma | delta |\n|---|---|---|---|\n| one | two words here | three | four |\n';
    expect(render(table, 20)).toEqual(['alpha: one', 'beta: two words here', 'gamma: three', 'delta: four']);
  });

  test('lists, quotations and tasks stand inside each other', () => {
    const source = '1. a\n   > in it\n> - [x] done\n>   goes on\n- [ ] open and long enough to fold\n\t* deep\n> > # inner';
    expect(render(source, 24)).toEqual([
      '1. a',
      '   │ in it',
      '│ • [x] done',
      '│   goes on',
      '• [ ] open and long',
      '      enough to fold',
      '    • deep',
      '│ │ inner',
    ]);
  });

  test('code inside a quotation keeps the bar, and ends with its own fence only', () => {
    expect(render('> ~~~py\n> a = `1`\n> ```\n> ~~~\nafter', 40)).toEqual(['│ ~~~py', '│ a = `1`', '│ ```', '│ ~~~', 'after']);
  });

  test('code is not folded, so that it can be copied', () => {
    const line = `x = "${'long '.repeat(20)}"`;
    expect(render(`\`\`\`\n${line}\n\`\`\``, 20)[1]).toBe(line);
  });

  test('a line without end is folded at the same place wherever the stream is cut', () => {
    const source = `${'word '.repeat(2000)}`;
    const stream = new MarkdownStream({ theme: PLAIN_THEME });
    const rows = cut(source, [997]).map((piece) => stream.push(piece, 80).finished);
    expect(rows.join('') + stream.end(80)).toBe(renderMarkdown(source, 80, PLAIN_THEME));
    expect(rows.join('').length).toBeGreaterThan(3000);
  });

  test('lets no escape sequence through', () => {
    const stream = new MarkdownStream({ theme: COLOURS });
    const rows = ['a\x1b', ']0;title\x07b \x1b[31', 'mred\u202e `\x1b[2J` x'].map((piece) => stream.push(piece, 40).finished);
    expect(toText(rows.join('') + stream.end(40))).toBe('ab red `` x\n');
  });
});

describe('code', () => {
  const painted = async (source: string): Promise<string> => {
    const codePainter = createCodePainter(COLOURS);
    while (codePainter() === null) await new Promise(setImmediate);
    const stream = new MarkdownStream({ theme: COLOURS, codePainter });
    return stream.push(source, 40).finished + stream.end(40);
  };

  test('has the colours of its language, from line to line', async () => {
    const rows = (await painted('```ts\nconst a = 1; /* one\ntwo */ b\n```')).split('\n');
    expect(rows[1]).toContain(`${COLOURS.sgr.keyword}const\x1b[0m`);
    expect(rows[2]).toBe(`${COLOURS.sgr.comment}two */\x1b[0m b`);
  });

  test('of an unknown language or of none has one colour', async () => {
    expect((await painted('```elvish-runes\nx 1\n```')).split('\n')[1]).toBe(`${COLOURS.sgr.code}x 1\x1b[0m`);
    expect((await painted('```\nx 1\n```')).split('\n')[1]).toBe(`${COLOURS.sgr.code}x 1\x1b[0m`);
  });

  test('an open line that is too long is folded with a mark, and written as one line when it ends', () => {
    const stream = new MarkdownStream({ theme: PLAIN_THEME });
    expect(stream.push('```\n0123456789abc\td', 10).live).toEqual(['012345678\\', '9abc   d']);
    expect(stream.push('\n', 10).finished).toBe('0123456789abc   d\n');
  });
});

describe('links', () => {
  test('are links where the terminal knows them, and text with an address elsewhere', () => {
    const source = 'see [docs](https://x.example/a?b=é) or <https://y.example>.';
    expect(renderLine(source, 80, PLAIN_THEME)).toEqual(['see docs (https://x.example/a?b=é) or https://y.example.']);
    expect(renderLine(source, 80, { ...PLAIN_THEME, links: true })).toEqual([
      'see \x1b]8;;https://x.example/a?b=%C3%A9\x1b\\docs\x1b]8;;\x1b\\ or \x1b]8;;https://y.example\x1b\\https://y.example\x1b]8;;\x1b\\.',
    ]);
  });

  test('a label that names another place does not hide the address', () => {
    expect(render('[bank.example](https://evil.example/bank.example)', 80, LINKS)).toEqual([
      'bank.example (https://evil.example/bank.example)',
    ]);
    expect(render('[x.example](https://www.x.example/)', 80, LINKS)).toEqual(['x.example']);
  });

  test('only what may be opened at a click becomes one', () => {
    expect(render('[a](file:///etc/passwd) [b](javascript:x)', 80, LINKS)).toEqual(['a (file:///etc/passwd) b (javascript:x)']);
  });

  test('a link folded into several rows is closed and begun anew, and open rows have none', () => {
    const rows = renderLine('[one two](https://x.example)', 5, { ...PLAIN_THEME, links: true });
    expect(rows).toEqual(['one', 'two'].map((word) => `\x1b]8;;https://x.example\x1b\\${word}\x1b]8;;\x1b\\`));
    const stream = new MarkdownStream({ theme: { ...PLAIN_THEME, links: true } });
    expect(stream.push('[one two](https://x.example)', 5).live).toEqual(['one', 'two']);
  });
});

describe('a theme of words', () => {
  test('says in words what is otherwise a sign', () => {
    const source = '# Top\n- a\n- [x] b\n> c\n\n| n | v |\n|---|---|\n| x | 1 |\n| y | 2 |\n\n```sh\nls\n```\n---\n';
    expect(render(source, 40, WORDS)).toEqual([
      'heading: Top',
      '- a',
      '- done: b',
      'quote: c',
      '',
      'n: x',
      'v: 1',
      '',
      'n: y',
      'v: 2',
      '',
      'code in sh:',
      'ls',
      'end of code',
      '',
    ]);
  });
});

test('without colours emphasis keeps its text and code its marks', () => {
  expect(renderLine('## A **b** `c` \\*d\\* [t](u)', 80, PLAIN_THEME)).toEqual(['## A b `c` *d* t (u)']);
});

/** The rows of a whole text of markdown. */
function renderMarkdown(text: string, columns: number, theme: Theme): string {
  const stream = new MarkdownStream({ theme });
  return stream.push(text, columns).finished + stream.end(columns);
}
