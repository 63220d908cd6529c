import { expect, test } from 'bun:test';
import { EarlierLines } from './shell-facts.ts';

test('a line that ran is known, and one with the same two words and operands of the same kind', () => {
  const ran = new EarlierLines(['grep me list', '  docker stop web  ', 'make']);
  expect(
    ['grep me list', 'docker stop web', 'docker stop db', 'docker stop -t', 'docker stop web db', 'make'].map(
      (line) => ran.find(line)?.isSame,
    ),
  ).toEqual([true, true, false, undefined, undefined, true]);
});
