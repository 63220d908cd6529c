import { describe, expect, test } from 'bun:test';
import { parseHistoryRequest } from '../../../core/meta/meta-arguments.ts';
import { USUAL_RULES } from '../../../core/prompt/history-index.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { PromptHistory } from '../editor/history-at-prompt.ts';
import { runHistory } from './history-command.ts';
import { formatClear, formatManyMatches, formatNoLine, formatRemoved, NO_MATCH } from './messages.ts';

const NOON = new Date(2026, 5, 15, 12, 0).getTime();

/** A history in memory, typed a minute apart up to noon: line, directory, exit status, duration, and who. */
function historyOf(typed: readonly (readonly [string, string?, number?, number?, 'model'?])[]): PromptHistory {
  let at = NOON - typed.length * 60_000;
  const options = { path: null, rules: USUAL_RULES, maxLines: 1000, session: 's', cwd: '/w', now: () => at };
  const history = new PromptHistory(options);
  for (const [line, cwd = '/w', exit = 0, durationMs = 5, who] of typed) {
    history.end(history.begin({ line, route: 'command', cwd, ...(who === undefined ? {} : { who }) }), {
      exit,
      durationMs,
    });
    at += 60_000;
  }
  return history;
}

function run(history: PromptHistory, words: string, columns = 100): string {
  const request = parseHistoryRequest(words.split(' ').filter((word) => word !== ''));
  if (request === null) throw new Error(`not understood: ${words}`);
  return runHistory(request, { history, env: { HOME: '/home/me' }, cwd: '/w', columns, theme: PLAIN_THEME, now: NOON });
}

describe('listing', () => {
  const history = historyOf([
    ['make', '/home/me/project', 2, 65_000],
    ['for x in a b; do\n  echo $x\ndone'],
    ['echo \x1b]0;x\x07', '/w', 0, 1500, 'model'],
  ]);

  test('each line has number, time, status, duration, directory and hand before it', () => {
    expect(run(history, '').split('\n')).toEqual([
      '1  11:57  exit 2  1m05  ~/project      make',
      '2  11:58                .              for x in a b; do',
      '                                         echo $x',
      '                                       done',
      '3  11:59          1.5s  .          ai  echo <U+001B>]0;x<U+0007>',
    ]);
  });

  test('a line that is too long is folded at its blanks, in a narrow window under its facts', () => {
    const long = historyOf([['git commit --amend --message "one two three four"'], ['ls']]);
    expect(run(long, '', 50).split('\n')).toEqual([
      '1  11:58  git commit --amend --message "one two',
      '            three four"',
      '2  11:59  ls',
    ]);
    expect(run(long, '', 30).split('\n')).toEqual([
      '1  11:58',
      '    git commit --amend',
      '      --message "one two three',
      '      four"',
      '2  11:59  ls',
    ]);
  });

  test('a command that was cut short, or runs, has no end', () => {
    const cut = historyOf([['ls']]);
    cut.begin({ line: 'sleep 77', route: 'command', cwd: '/w' });
    expect(run(cut, '').split('\n')).toEqual(['1  11:59          .  ls', '2  12:00  no end  .  sleep 77']);
  });

  test('words and options choose, the newest last', () => {
    const shown = ['echo', '--failed', '--ai', '--here -n 1', 'nothing'].map((words) => run(history, words, 60));
    expect(
      shown.map((text) =>
        text
          .split('\n')
          .filter((row) => /^\d/.test(row))
          .map((row) => row.split(/ {2,}/)[0]),
      ),
    ).toEqual([['2', '3'], ['1'], ['3'], ['3'], []]);
  });

  test('of the same line several times in a row the last is shown, and without a fact its column is not there', () => {
    expect(run(historyOf([['ls'], ['ls'], ['pwd']]), '', 60)).toBe('2  11:58  ls\n3  11:59  pwd');
  });
});

describe('deleting', () => {
  test('by number, by range and by text, keeping the numbers of the rest', () => {
    const history = historyOf([['a'], ['b'], ['c'], ['hunter2 x'], ['hunter2 y'], ['f']]);
    expect([
      run(history, 'delete 1'),
      run(history, 'delete 2-3'),
      run(history, 'delete hunter2'),
      run(history, '', 60),
    ]).toEqual([formatRemoved(1), formatRemoved(2), formatRemoved(2), '6  11:59  f']);
    expect(history.suggest('hun')).toBe('');
  });

  test('what many lines hold is removed only when that is meant', () => {
    const history = historyOf(Array.from({ length: 21 }, (_, at) => [`echo ${at}`] as const));
    expect(() => run(history, 'delete echo')).toThrow(formatManyMatches(21));
    expect([history.size, run(history, 'delete --all echo'), history.size]).toEqual([21, formatRemoved(21), 0]);
  });

  test('what is not there is told', () => {
    const history = historyOf([['a']]);
    expect(() => run(history, 'delete 7')).toThrow(formatNoLine(7, 7));
    expect(() => run(history, 'delete 7-9')).toThrow(formatNoLine(7, 9));
    expect(() => run(history, 'delete zzz')).toThrow(NO_MATCH);
  });

  test('all of it only with a yes', () => {
    const history = historyOf([['a'], ['b']]);
    expect([run(history, 'clear'), history.size, run(history, 'clear yes'), history.size]).toEqual([
      formatClear(2),
      2,
      formatRemoved(2),
      0,
    ]);
  });
});
