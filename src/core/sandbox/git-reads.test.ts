import { expect, test } from 'bun:test';
import { classifyLine } from '../policy/classify-line.ts';
import { gitFoldersOf, gitLookOf, gitReachOf, isGitAlone } from './git-reads.ts';

const CONTEXT = { cwd: '/home/ann/shop', project: '/home/ann/shop', home: '/home/ann' };
const TRACKED = ['.env', 'packages/api/.env'];

function looks(...lines: readonly string[]): readonly string[] {
  return lines.map((line) => gitLookOf(classifyLine(line, CONTEXT), TRACKED));
}

test('what neither looks at the work tree nor prints a file tells nothing of one', () => {
  const lines = ['git log --oneline', 'git remote -v', 'git config --list', 'git rev-parse HEAD', 'git branch -a', 'ls'];
  const more = ['git -C . tag', 'git shortlog -sn', 'git stash list', 'git ls-tree HEAD', 'git log --stat -n 3'];
  expect(looks(...lines, ...more)).toEqual([...lines, ...more].map(() => 'nothing'));
});

test('what looks at the work tree tells that a file changed', () => {
  const lines = ['git status', 'git -c color.ui=never status -s', 'git diff --stat', 'git describe --dirty', 'git ls-files -m'];
  expect(looks(...lines)).toEqual(lines.map(() => 'changes'));
});

test('what prints files tells what is in them', () => {
  const lines = ['git show', 'git diff', 'git log -p', 'git log -Sword', 'git log -n1 --patch', 'git cat-file -p HEAD^{tree}'];
  const more = ['git grep word', 'git blame .env', 'git archive HEAD', 'git stash show -p', 'git diff -- .', 'git show HEAD:.env'];
  const rest = ['git diff -- packages/', 'git log -p -- packages/api/.env', 'ls && git diff --stat -p', 'git show "$X"'];
  expect(looks(...lines, ...more, ...rest)).toEqual([...lines, ...more, ...rest].map(() => 'content'));
});

test('what is held to other paths tells nothing of the file', () => {
  const lines = ['git diff -- src/a.ts', 'git blame src/a.ts', 'git show HEAD:src/a.ts', 'git log -p -- docs', 'git status -- src'];
  expect(looks(...lines)).toEqual(lines.map(() => 'nothing'));
});

test('only git and what filters its output see what git is shown', () => {
  const lines = ['git status', 'git status | head -5', 'git status -s | wc -l', 'git status; cat src/a.ts', 'git status | grep -r x'];
  expect(lines.map(isAlone)).toEqual([true, true, true, false, false]);
});

test('the shell reads no file for git either, be it by redirection, substitution, loop or option', () => {
  const lines = [
    'for f in $(git ls-files); do cat < $f; done',
    'git status; cat < .env',
    'git status; cat < $(git ls-files | head -1)',
    'git ls-files | while read -r f; do cat; done',
    'git ls-files | wc --files0-from=.env',
    'git ls-files; cat 5',
  ];
  expect(lines.map(isAlone)).toEqual(lines.map(() => false));
  const plain = ['git status 2>/dev/null | head -n 5', 'git diff --stat HEAD~1 && git status -s 2>&1 | tail -3'];
  expect(plain.map(isAlone)).toEqual([true, true]);
});

test('what may be a file, or checks or lists what changed in one, tells what is in it', () => {
  const lines = [
    'git show -s 1234abcd',
    'git show --raw v1-3-g1234abcd',
    'git show --stat HEAD:.env',
    'git show 1234abcd -- src/a.ts',
    'git diff 1234abcd -- src/a.ts',
    'git grep word 1234abcd -- src',
    'git status -v',
    'git status -vv',
    'git status --verb',
    'git diff-index --check HEAD',
    'git log --check',
    'git diff-files --check',
    'git diff --stat --check',
    'git config --blo=HEAD:.env -l',
    'git for-each-ref --format="%(raw)"',
    'git blame .env HEAD',
    'git log -p --full-diff -- src/a.ts',
    'git merge-tree HEAD a b',
    'git -c mailmap.blob=HEAD:.env log',
    'echo HEAD:.env | xargs git show -s',
    '/usr/bin/git show HEAD:.env',
  ];
  expect(looks(...lines)).toEqual(lines.map(() => 'content'));
});

test('what git prints is the same whatever runs it, and nothing where git is only a word', () => {
  const running = [
    ...['env git show', 'timeout 5 bash -c "git show"', 'find . -exec git show {} +', 'echo $(git show)', 'cat <(git show)'],
    ...['busybox env git show', 'watch -x git show', 'g="git show"; $g', 'exec git show', 'ls | xargs git show'],
  ];
  expect(looks(...running)).toEqual(running.map(() => 'content'));
  const named = ['echo git show', 'rg "git show" docs', 'man git', 'command -v git', 'ls .git git'];
  expect(looks(...named)).toEqual(named.map(() => 'nothing'));
});

test('a path that leads upwards, is a pattern or is read in another way is held to nothing', () => {
  const paths = ['src/..', 'x/..', 'a/../.env', ':/', ':!src', ':(top)src', 's*', './', '.ENV', 'packages//api', '/', '""'];
  const lines = paths.flatMap((path) => [`git log -p -- '${path}'`, `git diff --cached -- '${path}'`, `git show HEAD -- '${path}'`]);
  const asked = lines.filter((line) => !line.includes('""'));
  expect(looks(...asked)).toEqual(asked.map(() => 'content'));
});

test('what is known to show no file is let run', () => {
  const lines = [
    'git show -s HEAD~2',
    'git show --stat main',
    'git log --oneline -5 1234abcd',
    'git show --name-only',
    'git cat-file -t 1234abcd',
  ];
  expect(looks(...lines)).toEqual(lines.map(() => 'nothing'));
});

function isAlone(line: string): boolean {
  return isGitAlone(classifyLine(line, CONTEXT));
}

test.each([
  ['git diff', 'now'],
  ['git diff --cached HEAD', 'now'],
  ['git grep word -- src', 'now'],
  ['git log -p', 'history'],
  ['git show', 'history'],
  ['git show HEAD~2', 'history'],
  ['git diff main', 'history'],
  ['git diff HEAD~3 HEAD', 'history'],
  ['git grep word v1.0', 'history'],
  ['git blame src/a.ts', 'history'],
  ['git archive main', 'history'],
  ['git stash show -p', 'history'],
  ['git log -p --all', 'everything'],
  ['git log -p --glob=refs/x', 'everything'],
  ['git log -g -p', 'everything'],
  ['git show 1234abcd', 'everything'],
  ['git diff main..1234abcd', 'everything'],
  ['git cat-file --batch-all-objects --batch', 'everything'],
  ['git grep word $(git rev-list --all)', 'everything'],
  ['git grep -h "" refs/aish/c1/before', 'checkpoints'],
  ['git show aish/c1/before', 'checkpoints'],
  ['git diff HEAD..refs/aish/c1/after', 'checkpoints'],
  ['git log -p -- aish/a.ts', 'history'],
] as const)('%s goes back to %s', (line, reach) => {
  expect(gitReachOf(classifyLine(line, CONTEXT))).toBe(reach);
});

test('git runs in the folder of the shell, or where its own options lead', () => {
  const lines = [
    'git -C ../other show',
    'cd ../other && git log -p',
    'git -C "$X" show',
    'cd src && git show',
    'git -c a=b -C packages -C api show',
    'git diff -C packages',
  ];
  expect(lines.flatMap((line) => gitFoldersOf(classifyLine(line, CONTEXT)))).toEqual([
    '/home/ann/other',
    '/home/ann/other',
    null,
    '/home/ann/shop/src',
    '/home/ann/shop/packages/api',
    '/home/ann/shop',
  ]);
});
