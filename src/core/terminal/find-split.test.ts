import { expect, test } from 'bun:test';
import { continuationOf, renderLine } from '../markdown/markdown-block.ts';
import { findSplit } from '../markdown/markdown-stream.ts';
import { createTheme } from './theme.ts';

const THEME = createTheme({ TERM: 'xterm-256color' }, { links: true });

/** Lines in which a mark stands every few characters. */
const DENSE = ['word ', '*a* _b_ `c', '*a ', '*a* ', '*a _b **c ~~d ', '`a ``b ```c ', '[a b](http://c.d) ', '**a b** ', 'a  b '];

test('a long line is parted with little drawing, whatever stands in it', () => {
  for (const beginning of ['', '- ', '> ']) {
    for (const piece of DENSE) {
      for (const columns of [20, 80, 200]) {
        const line = (beginning + piece.repeat(4000)).slice(0, 4000);
        let drawn = 0;
        findSplit(line, continuationOf(line) ?? '', renderLine(line, columns, THEME), (source) => {
          drawn += source.length;
          return renderLine(source, columns, THEME);
        });
        // Each place that is looked at costs the rows behind it and, where they fit, those before it.
        expect([line.slice(0, 20), columns, drawn < 12 * line.length]).toEqual([line.slice(0, 20), columns, true]);
      }
    }
  }
});

test('a line is parted at the blank where its last rows begin, however many blanks there are', () => {
  const draw = (source: string) => renderLine(source, 20, THEME);
  for (const line of ['one two three '.repeat(20), 'some **words** and '.repeat(12), 'two  blanks '.repeat(20)]) {
    const rows = draw(line);
    const rest = findSplit(line, '', rows, draw);
    expect(rest === null ? null : draw(rest)).toEqual(rows.slice(-3));
  }
});

test('a line is not parted inside of emphasis', () => {
  const draw = (source: string) => renderLine(source, 20, THEME);
  const line = `*${'one two three '.repeat(20)}end*`;
  expect(findSplit(line, '', draw(line), draw)).toBeNull();
});
