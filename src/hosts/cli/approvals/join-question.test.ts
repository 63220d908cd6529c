import { expect, test } from 'bun:test';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { type JoinChoice, JoinQuestion } from './question.ts';

function asked() {
  const printed: string[] = [];
  const question = new JoinQuestion('aaaabbbbcccc', {
    print: (text) => void printed.push(text),
    write: () => {},
    size: () => ({ columns: 80, rows: 24 }),
    theme: PLAIN_THEME,
  });
  return { question, printed, press: (keys: string) => question.feed(Buffer.from(keys)) };
}

test('the question says which session it is about, and its keys', () => {
  expect(asked().printed).toEqual([
    'Session aaaabbbbcccc is open in another aish.\n[j] join it  [f] fork it: continue in a copy  [n] neither\n',
  ]);
});

const ANSWERS: readonly (readonly [string, JoinChoice])[] = [
  ['j', 'join'],
  ['f', 'fork'],
  ['F', 'fork'],
  ['n', 'neither'],
  ['\x03', 'neither'],
];

test.each(ANSWERS)('the key %j answers it at once', async (key, choice) => {
  const { question, press, printed } = asked();
  press(key);
  expect(await question.chosen()).toBe(choice);
  expect(printed.at(-1)).toBe(`  ${choice}\n`);
});

test('Enter, another key, a paste and several keys at once are no answer', async () => {
  const { question, press, printed } = asked();
  for (const keys of ['\r', 'x', 'fork', '\x1b[200~j\x1b[201~', '\x1b[A']) press(keys);
  expect(printed).toHaveLength(1);
  press('n');
  press('j');
  expect(await question.chosen()).toBe('neither');
});

test('where nobody can answer any more it is neither', async () => {
  const { question } = asked();
  question.giveUp();
  expect(await question.chosen()).toBe('neither');
});
