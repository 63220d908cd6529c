import { expect, test } from 'bun:test';
import { judgeLine } from '../gate/judge-line.ts';
import { gitLookOf, isGitAlone } from './git-looks.ts';

const GROUND = { cwd: '/home/ann/shop', project: '/home/ann/shop', home: '/home/ann' };
const TRACKED = ['.env', 'packages/api/.env'];

function looks(...lines: readonly string[]): readonly string[] {
  return lines.map((line) => gitLookOf(judgeLine(line, GROUND), TRACKED));
}

test('what neither looks at the work tree nor prints a file tells nothing of one', () => {
  const lines = [
    'git log --oneline',
    'git remote -v',
    'git config --list',
    'git rev-parse HEAD',
    'git branch -a',
    'ls',
  ];
  const more = ['git -C . tag', 'git shortlog -sn', 'git stash list', 'git ls-tree HEAD', 'git log --stat -n 3'];
  expect(looks(...lines, ...more)).toEqual([...lines, ...more].map(() => 'nothing'));
});

test('what looks at the work tree tells that a file changed', () => {
  const lines = [
    'git status',
    'git -c color.ui=never status -s',
    'git diff --stat',
    'git describe --dirty',
    'git ls-files -m',
  ];
  expect(looks(...lines)).toEqual(lines.map(() => 'changes'));
});

test('what prints files tells what is in them', () => {
  const lines = [
    'git show',
    'git diff',
    'git log -p',
    'git log -Sword',
    'git log -n1 --patch',
    'git cat-file -p HEAD^{tree}',
  ];
  const more = [
    'git grep word',
    'git blame .env',
    'git archive HEAD',
    'git stash show -p',
    'git diff -- .',
    'git show HEAD:.env',
  ];
  const rest = [
    'git diff -- packages/',
    'git log -p -- packages/api/.env',
    'ls && git diff --stat -p',
    'git show "$X"',
  ];
  expect(looks(...lines, ...more, ...rest)).toEqual([...lines, ...more, ...rest].map(() => 'content'));
});

test('what is held to other paths tells nothing of the file', () => {
  const lines = [
    'git diff -- src/a.ts',
    'git blame src/a.ts',
    'git show HEAD:src/a.ts',
    'git log -p -- docs',
    'git status -- src',
  ];
  expect(looks(...lines)).toEqual(lines.map(() => 'nothing'));
});

test('only git and what filters its output see what git is shown', () => {
  const lines = [
    'git status',
    'git status | head -5',
    'git status -s | wc -l',
    'git status; cat src/a.ts',
    'git status | grep -r x',
  ];
  expect(lines.map((line) => isGitAlone(judgeLine(line, GROUND)))).toEqual([true, true, true, false, false]);
});
