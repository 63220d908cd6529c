import { expect, test } from 'bun:test';
import { formatBegunElsewhere, formatLastExchange } from './going-on.ts';
import type { Entry } from './state.ts';

const user = (text: string): Entry => ({ type: 'user', text });
const said = (text: string): Entry => ({ type: 'assistant', text, calls: [] });

test('the last message and the last answer to it are told by their beginning, a line each', () => {
  expect([
    formatLastExchange([]),
    formatLastExchange([said('before')]),
    formatLastExchange([
      user('first'),
      said('one'),
      user('second'),
      said('I look.'),
      said(''),
      said('\n\nDone.\nAll of it.'),
    ]),
    formatLastExchange([user('first'), said('one'), user('second')]),
    formatLastExchange([user('first'), { type: 'unanswered', reason: 'interrupted', text: 'So far' }]),
  ]).toEqual([[], [], ['> second', '  Done. …'], ['> second'], ['> first', '  So far']]);
});

test('a long line is cut, and none steers the terminal', () => {
  const [line = ''] = formatLastExchange([user(`\u001b[2J${'x'.repeat(500)}`)]);
  expect([line.length <= 80, line.endsWith('…'), line.includes('\u001b')]).toEqual([true, true, false]);
});

test('where a session was begun is told when the shell is elsewhere', () => {
  expect([formatBegunElsewhere('/a', '/a', '/h'), formatBegunElsewhere('/h/a', '/b', '/h')]).toEqual([
    null,
    'it was begun in ~/a; the shell is in /b, and :undo takes back what was done there',
  ]);
});
