import { expect, test } from 'bun:test';
import { literal, unknown } from '../argument.ts';
import { type FindExpression, parseFind } from './find.ts';

const read = (line: string): FindExpression => parseFind(line.split(' ').map((word) => literal(word)));
const valuesOf = (words: FindExpression['roots']) => words.map(({ value }) => value);

test.each([
  ['a b -name x', ['a', 'b'], []],
  ['-name x', [], []],
  ['-L a -delete', ['a'], ['delete']],
  ['a -name x -o -type d -print', ['a'], ['print']],
  ['a -exec rm {} ; -print0', ['a'], ['command', 'print']],
  ['a -fprintf log %p', ['a'], ['file']],
  ['a ( -name x -or -name y ) -delete', ['a'], ['delete']],
])('find %s searches %j and does %j', (line, roots, kinds) => {
  const { actions, strange, unclear, ...expression } = read(line);
  expect([valuesOf(expression.roots), actions.map(({ kind }) => kind)]).toEqual([roots, kinds]);
  expect([...strange, ...unclear]).toEqual([]);
});

test.each([
  ['-H a -name x', '-H a ( -name x ) PRINT', -1],
  ['', '. PRINT', -1],
  ['a -name x -print -o -delete', 'a -depth -name x PRINT -o -true', -1],
  ['a ! ( -name x , -newermt y ) -exec b {} + -delete -quit', 'a -depth ! ( -name x , -newermt y ) PRINT -true -quit', 0],
  ['a -fprintf b %p -delete', 'a -depth -true PRINT', 1],
])('the results of find %s are those of find %s', (line, words, action) => {
  const found = parseFind(line === '' ? [] : line.split(' ').map((word) => literal(word)));
  const { options, roots, conditions } = found.searchFor(found.actions[action] ?? null);
  expect([...options, ...roots, ...conditions].map((word) => word?.value ?? 'PRINT').join(' ')).toBe(words);
});

test('the words of a command are its own, whatever they look like', () => {
  const { actions, narrowing } = read('a -exec grep -name {} + -type f');
  expect(actions.map(({ words }) => valuesOf(words))).toEqual([['grep', '-name', '{}']]);
  expect(narrowing).toEqual([{ name: '-type', value: 'f' }]);
});

test('what nobody knows is strange, and a place behind a test is one as well', () => {
  expect(valuesOf(read('a -frobnicate').strange)).toEqual(['-frobnicate']);
  const { roots, strange } = read('-name x ~/other');
  expect([valuesOf(roots), valuesOf(strange)]).toEqual([['~/other'], ['~/other']]);
  expect(valuesOf(read('a ) -delete').strange)).toEqual([')']);
});

test('an option that the line completes with a value may be an action', () => {
  const word = { ...unknown('-L$X'), start: '-L' };
  const { unclear } = parseFind([word, literal('src')]);
  expect(unclear).toEqual([word]);
});

test('how names are printed tells what can read them', () => {
  const prints = (line: string) => read(line).prints;
  expect(['a', 'a -print', 'a -print0', 'a -print -print0', 'a -ls'].map(prints)).toEqual(['lines', 'lines', 'nulls', null, null]);
});
