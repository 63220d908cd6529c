import { describe, expect, test } from 'bun:test';
import { createCodePainter } from '../../../core/markdown/markdown-code.ts';
import { MarkdownStream } from '../../../core/markdown/markdown-stream.ts';
import { createTheme } from '../../../core/terminal/theme.ts';

/*
 * Lines of an answer that are tens of kilobytes long, made to be bad for code that looks for a missing end. If the time grows with the
 * square of a line, the worst of them take longer than any test may.
 */

const THEME = createTheme({ TERM: 'xterm-256color' }, { links: true });
const SIZE = 50_000;

/** One line each; the sign is what has to be on the screen as often as in the line, where the markup itself is not taken away. */
const LINES: readonly (readonly [what: string, piece: string, sign?: string])[] = [
  ['stars', '*'],
  ['stars that open', '*a', 'a'],
  ['emphasis of two kinds', '*a **b ', 'b'],
  ['underscores', '_a ', 'a'],
  ['backticks', '`', '`'],
  ['backticks of all lengths', Array.from({ length: 300 }, (_, size) => `${'`'.repeat(size)}q`).join(''), 'q'],
  ['brackets', '[', '['],
  ['labels without an address', '[a](', 'a'],
  ['addresses without an end', '[](a', 'a'],
  ['escaped brackets', '[\\', '['],
  ['angle brackets', '<', '<'],
  ['brackets behind an address', 'http://a)', 'a'],
  ['ampersands', '&', '&'],
  ['backslashes and a sign', '\\a', 'a'],
  ['blanks', ' '],
  ['tabs', '\t'],
  ['words', 'word ', 'w'],
  ['one word', 'w', 'w'],
  ['wide characters', '中', '中'],
  ['signs of a heading', '# ', '#'],
  ['quotation marks of a quotation', '> '],
  ['list items', '1. '],
  ['bars', '|a', 'a'],
  ['what tells of a table', '|-'],
  ['line breaks of a table', '<br> '],
];

const BEGINNINGS = ['# ', '- ', '| a | b |\n| --- | --- |\n| ', '```js\n', '> ```\n> '];

/** The beginnings that a line is shown behind: none, and one of the others in turn. `AISH_LONG_LINES=all` tries each line behind all. */
function beginningsOf(at: number): readonly string[] {
  const other = BEGINNINGS.filter((_, one) => process.env.AISH_LONG_LINES === 'all' || one === at % BEGINNINGS.length);
  return ['', ...other];
}

describe('a line without an end is shown', () => {
  for (const [at, [what, piece, sign]] of LINES.entries()) {
    test(`of ${what}, as text, in all that has rows, in one piece or in many`, () => {
      const line = piece.repeat(Math.ceil(SIZE / piece.length));
      for (const beginning of beginningsOf(at)) {
        const shown = show(`${beginning}${line}\n`, Number.POSITIVE_INFINITY);
        expect(shown.length).toBeGreaterThan(0);
        if (sign !== undefined && beginning === '')
          expect(count(shown, sign)).toBeGreaterThanOrEqual(count(line, sign) / 2);
      }
      expect(show(line, 5000)).toBe(show(line, Number.POSITIVE_INFINITY));
    });
  }

  test('in a language that has colours, line after line', async () => {
    const paint = createCodePainter(THEME);
    paint();
    while (paint() === null) await Bun.sleep(1);
    for (const language of ['js', 'yaml', 'toml', 'c', 'css', 'html', 'sh']) {
      for (const piece of ['/[', '#', ' ', '"\\', '<a-', 'a:', '//', '\t']) {
        const code = `\`\`\`${language}\n${`${piece.repeat(950)}\n`.repeat(20)}\`\`\`\n`;
        expect(show(code, Number.POSITIVE_INFINITY, paint).split('\n').length).toBeGreaterThan(20);
      }
    }
  });

  test('in a table of many rows, each of them once', () => {
    const shown = show(`| a | b |\n| --- | --- |\n${'| q | d |\n'.repeat(5000)}`, 5000);
    expect(count(shown, 'q')).toBe(5000);
  });
});

function show(text: string, size: number, codePainter?: ReturnType<typeof createCodePainter>): string {
  const stream = new MarkdownStream({ theme: THEME, ...(codePainter === undefined ? {} : { codePainter }) });
  let shown = '';
  for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size), 80).finished;
  return shown + stream.end(80);
}

function count(text: string, sign: string): number {
  return text.replace(/\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\/g, '').split(sign).length - 1;
}
