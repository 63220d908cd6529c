import { expect, test } from 'bun:test';
import { HistorySearch } from '../../../core/editor/history-search.ts';
import type { Key } from '../../../core/editor/keys.ts';
import type { FoundLine } from '../../../core/prompt/history-match.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { matchSessions, toSessionLine } from './session-picker.ts';

interface Known {
  readonly title: string;
  readonly id?: string;
  readonly cwd?: string;
}

/** The titles that are found, the best first; sessions are given newest first, and those of `/here` are of this directory. */
function find(typed: string, sessions: readonly (string | Known)[]): readonly string[] {
  const lines = sessions.map((session): FoundLine => {
    const { title, id = 'zzzzzzzzzzzz', cwd = '/here' } = typeof session === 'string' ? { title: session } : session;
    return { line: toSessionLine(title, id), at: 0, cwd, who: 'user', exit: null };
  });
  const here = new Set(lines.filter(({ cwd }) => cwd === '/here'));
  const search = new HistorySearch({ lines, here, now: 0, matcher: matchSessions(here) });
  for (const letter of typed) search.handle({ type: 'text', text: letter } as Key);
  return search
    .rows({ columns: 59, rows: 99 }, PLAIN_THEME)
    .slice(1)
    .map((row) => row.slice(7).replace(/ {2}\w{12}$/, ''));
}

test('a name goes before letters of an id, which count from its beginning alone', () => {
  const random = { title: 'I do not understand', id: 'mwr1wnep68f3' };
  expect(find('r1w', [random, 'r1 work'])).toEqual(['r1 work']);
  expect(find('mwr1', [random, 'r1 work'])).toEqual(['I do not understand']);
  expect(find('m', [random, 'more', 'some'])).toEqual(['more', 'some', 'I do not understand']);
});

test('beginnings of words go before their middle, and that before letters in order', () => {
  const sessions = ['my1 old', 'academy', 'my work', 'may I', 'myth', 'nothing'];
  expect(find('my', sessions)).toEqual(['my1 old', 'my work', 'myth', 'academy', 'may I']);
});

test('letters in order are the better the more words they begin', () => {
  expect(find('dn', ['london', 'docker network', 'den'])).toEqual(['docker network', 'den', 'london']);
});

test('several words may stand in any order, and all of them must be there; in a row is better', () => {
  expect(find('work r1', ['r1 of work', 'r1', 'work r1'])).toEqual(['work r1', 'r1 of work']);
  expect(find('r1 work', [{ title: 'r1 work (fork)' }, 'r1 work'])).toEqual(['r1 work', 'r1 work (fork)']);
});

test('a directory counts by the beginning of its name, where it is shown', () => {
  const sessions = [
    { title: 'one', cwd: '/home/ada/site' },
    { title: 'two' },
    { title: 'three', cwd: '/home/ada/tests' },
  ];
  expect([find('site', sessions), find('ite', sessions), find('here', sessions)]).toEqual([['one'], [], []]);
});

test('what made a session match is marked', () => {
  const { letters } = matchSessions(new Set());
  const marked = (title: string, word: string): readonly number[] => [
    ...letters(toSessionLine(title, 'abcdefghijkl'), { whole: word, words: [word], isExact: false }),
  ];
  expect([marked('academy my', 'my'), marked('r1 work', 'r1w'), marked('x', 'ab')]).toEqual([
    [8, 9],
    [0, 1, 3],
    [3, 4],
  ]);
});
