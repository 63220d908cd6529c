import { expect, test } from 'bun:test';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import type { RestoreChoices, RestoreConflict, RestorePrompt } from '../../../protocol/checkpoint.ts';
import { UndoQuestion } from './question.ts';

function conflict(key: string): RestoreConflict {
  return { key, path: key, why: 'it changed since', choices: ['mine', 'theirs'], now: null, mine: 'x', theirs: 'y' };
}

const QUESTION: RestorePrompt = {
  checkpoint: 'c1',
  direction: 'undo',
  label: '',
  at: 0,
  free: 0,
  conflicts: ['a', 'b', 'c'].map(conflict),
  refused: [],
};

function open() {
  const said: (RestoreChoices | 'given up')[] = [];
  let now = 0;
  const question = new UndoQuestion(QUESTION, {
    print: () => {},
    write: () => {},
    size: () => ({ columns: 80, rows: 24 }),
    theme: PLAIN_THEME,
    now: () => now,
    answer: (choices) => said.push(choices),
    giveUp: () => said.push('given up'),
  });
  const press = (text: string, afterMs = 1000): void => {
    now += afterMs;
    question.feed(new TextEncoder().encode(text));
  };
  return { question, said, press };
}

test('each path gets an answer of its own, and all of them go out together', () => {
  const { said, press } = open();
  for (const key of ['k', 't']) press(key);
  expect(said).toEqual([]);
  press('k');
  expect(said).toEqual([{ a: 'mine', b: 'theirs', c: 'mine' }]);
});

test('a capital letter answers for all paths that are left', () => {
  const { said, press } = open();
  press('k');
  press('T');
  expect(said).toEqual([{ a: 'mine', b: 'theirs', c: 'theirs' }]);
});

test('a key that comes before anybody can have seen the next path is dropped', () => {
  const { question, said, press } = open();
  press('t');
  expect(question.wantsText).toBe(true);
  press('t', 100);
  press('k');
  press('k');
  expect(said).toEqual([{ a: 'theirs', b: 'mine', c: 'mine' }]);
});

test('no other key, no Enter, no paste and no letter that is not offered is an answer', () => {
  const { said, press } = open();
  for (const keys of ['\r', 'y', 'm', 'kt', '\x1b[200~k\x1b[201~', ' ']) press(keys);
  expect(said).toEqual([]);
});

test('given up by its letter and by Ctrl-C, and then nothing is taken any more', () => {
  const first = open();
  first.press('k');
  first.press('g');
  first.press('k');
  const second = open();
  second.press('\x03');
  expect([first.said, second.said]).toEqual([['given up'], ['given up']]);
});
