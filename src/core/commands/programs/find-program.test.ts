import { expect, test } from 'bun:test';
import { isHarmlessAlias, readQuotedMeaning } from './find-program.ts';

test.each([
  ['ls', 'ls --color=auto', true],
  ['ls', 'ls -hF --group-directories-first', true],
  ['grep', 'grep --color=auto', true],
  ['rm', 'rm -i', true],
  ['df', 'df -h', true],
  ['ls', 'ls', true],
  ['sudo', 'sudo ', false],
  ['ll', 'ls -l', false],
  ['git', 'git -c core.pager=x', false],
  ['sed', 'sed -i', false],
  ['rm', 'rm -f', false],
  ['ls', 'ls --color=auto; touch x', false],
  ['ls', 'ls --color=$(touch x)', false],
  ['grep', 'grep --color=auto --include=x', false],
  ['ls', 'ls\n--color', false],
])('alias %s=%p leads to nothing else: %p', (name, meaning, harmless) => {
  expect(isHarmlessAlias(name, meaning)).toBe(harmless);
});

test('what a shell quotes for itself is read where it is plain', () => {
  expect(['ls\\ --color=auto', "$'ls --color=auto'", "$'a\\nb'", "''", '"x"', 'a\\;b'].map(readQuotedMeaning)).toEqual([
    'ls --color=auto',
    'ls --color=auto',
    null,
    null,
    null,
    'a;b',
  ]);
});
