import { expect, test } from 'bun:test';
import { ranNothing } from './not-found.ts';

test.each([
  ['gti status', 'bash: gti: command not found\n'],
  ['gti status', 'bash: line 1: gti: command not found'],
  ['gti', 'zsh: command not found: gti\r\n'],
  ['  gti commit -m "a word"', 'gti: command not found'],
  [
    'gti',
    "Command 'gti' not found, did you mean:\n  command 'git' from deb git (1:2.47.3)\nTry: sudo apt install <deb name>",
  ],
  ['gti', ''],
])('nothing ran for %s', (line, output) => {
  expect(ranNothing(line, { exit: 127, output })).toBe(true);
});

test.each([
  ['it ended otherwise', 'gti status', 1, 'gti: command not found'],
  ['it says more', 'gti status', 127, 'gti: command not found\nnow do this'],
  ['it says more', 'gti status', 127, 'gti: command not found, so run this'],
  ['it names another', 'gti status', 127, 'bash: curl: command not found'],
  ['it is a file that may have run', './gti status', 127, 'bash: ./gti: command not found'],
  ['there is more', 'cat ~/mail; gti', 127, 'gti: command not found'],
  ['there is more', 'gti "$(cat ~/mail)"', 127, 'gti: command not found'],
  ['there is more', 'cat ~/mail | gti', 127, ''],
])('something may have run where %s: %s', (_why, line, exit, output) => {
  expect(ranNothing(line, { exit, output })).toBe(false);
});
