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

test('a line that came after a question is known by the next one, and the newest of those alike counts', () => {
  const lines = new EarlierLines(['make coffee now']);
  const before = lines.find('make coffee please');
  lines.add('?make coffee later', 'message');
  lines.add('git log first', 'command');
  expect([before, lines.find('make coffee please'), lines.find('git log last'), lines.find('cd x y')]).toEqual([
    { line: 'make coffee now', to: 'command', isSame: false },
    { line: '?make coffee later', to: 'message', isSame: false },
    { line: 'git log first', to: 'command', isSame: false },
    null,
  ]);
});
