import { expect, test } from 'bun:test';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { formatPrompt, formatQueuedLines } from './prompt-line.ts';

const queueOf = (...lines: string[]) => ({ lines, urgent: 0 });

test('the rows are numbered, tell what is next, and show one line of each', () => {
  expect(formatQueuedLines({ lines: ['now', 'one\ntwo', 'tab\there'], urgent: 1 }, PLAIN_THEME)).toEqual([
    '  next 1: now',
    '  queued 2: one …',
    '  queued 3: tab<U+0009>here',
    '  Up edits the last · Ctrl-S sends now',
  ]);
});

test('of many lines the first are shown and the rest counted', () => {
  expect(formatQueuedLines(queueOf('1', '2', '3', '4', '5', '6', '7'), PLAIN_THEME).slice(4)).toEqual([
    '  queued 5: 5',
    '  and 2 more',
    '  Up edits the last · Ctrl-S sends now',
  ]);
  expect(formatQueuedLines(queueOf(), PLAIN_THEME)).toEqual([]);
});

test('for a screen reader signs are words, and the keys need not be told again', () => {
  const theme = { ...PLAIN_THEME, words: true };
  expect(formatQueuedLines(queueOf('one'), theme)).toEqual([
    '  queued 1: one',
    '  Up edits the last, Ctrl-S sends now',
  ]);
  expect(formatQueuedLines(queueOf('one'), theme, { withKeys: false })).toEqual(['  queued 1: one']);
});

test('in a narrow window a row is cut with a sign, and each key has one', () => {
  expect(formatQueuedLines(queueOf('echo a long line'), PLAIN_THEME, { columns: 20 })).toEqual([
    '  queued 1: echo a …',
    '  Up edits the last',
    '  Ctrl-S sends now',
  ]);
});

test('the prompt names the signal that ended a command, and gives every other status as a number', () => {
  const shown = [0, 3, 127, 130, 137, 143, 255, null].map((exit) =>
    formatPrompt({ cwd: '/w', exit, tookMs: 0, isPrivate: false, jobs: 0, own: null }, PLAIN_THEME).trimEnd(),
  );
  expect(shown).toEqual([
    '/w',
    '[3] /w',
    '[127] /w',
    '[SIGINT] /w',
    '[SIGKILL] /w',
    '[SIGTERM] /w',
    '[255] /w',
    '[?] /w',
  ]);
});

test('the parts of the prompt stand in the configured order, and each can be left out', () => {
  const facts = { cwd: '/w', exit: 1, tookMs: 4000, isPrivate: false, jobs: 1, own: null };
  const place = { host: 'ada@box', environment: 'site', repository: 'main *' };
  expect(formatPrompt({ ...facts, ...place }, PLAIN_THEME)).toBe('4.0 s [1] 1 job ada@box (site) /w main * ');
  const settings = { prompt_parts: ['directory', 'duration'], prompt_duration_s: 5 } as const;
  expect(formatPrompt({ ...facts, ...place }, PLAIN_THEME, settings)).toBe('/w ');
  expect(formatPrompt(facts, PLAIN_THEME, { ...settings, prompt_duration_s: 4 })).toBe('/w 4.0 s ');
});
