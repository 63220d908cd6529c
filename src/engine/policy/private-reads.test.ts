import { afterEach, beforeEach, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classifyLine } from '../../core/policy/classify-line.ts';
import { GitHistory } from './private-reads.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'git-history-')));
  git('init', '-q', '-b', 'main');
  commit('src/a.ts', 'a');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function commit(path: string, text: string): void {
  write(path, text);
  git('add', '-f', path);
  git('commit', '-qm', path);
}

async function asked(history: GitHistory, ...lines: readonly string[]): Promise<readonly boolean[]> {
  const context = { cwd: root, project: root, home: join(root, '..') };
  const found = [];
  for (const line of lines) found.push((await history.whyAsked(classifyLine(line, context), root)) !== null);
  return found;
}

const PRINTING = [
  'git log -p',
  'git show',
  'git grep x HEAD~1',
  'git diff HEAD~1 HEAD',
  'git stash show -p',
  'git log -p --all',
];
const PLAIN = [
  'git diff',
  'git log --oneline',
  'git status',
  'git log -p -- src',
  'git show HEAD:src/a.ts',
  'git log --stat',
  'git diff --cached',
];

test('in a repository that never held a credential nothing is asked, whatever is printed', async () => {
  const history = new GitHistory();
  const lines = [
    ...PRINTING,
    ...PLAIN,
    `git show ${git('rev-parse', 'HEAD')}`,
    'git cat-file --batch-all-objects --batch',
  ];
  expect(await asked(history, ...lines)).toEqual(lines.map(() => false));
});

test('a file that was deleted is printed by what goes back to it, and the refs tell when it has come', async () => {
  const history = new GitHistory();
  expect(await asked(history, 'git log -p')).toEqual([false]);
  commit('config/.env.old', 'PASSWORD=hunter2');
  git('rm', '-q', 'config/.env.old');
  git('commit', '-qm', 'gone');
  expect(await asked(history, ...PRINTING)).toEqual(PRINTING.map(() => true));
  expect(await asked(history, ...PLAIN)).toEqual(PLAIN.map(() => false));
});

test.each([
  ['another branch', ['checkout -qb side', 'commit .netrc', 'checkout -q main']],
  ['a tag', ['commit server.key', 'tag v1', 'reset -q --hard HEAD~1']],
  ['the stash', ['write id_rsa', 'add id_rsa', 'stash -q']],
  ['the reflog', ['commit .env', 'reset -q --hard HEAD~1']],
  ['the index', ['write .env', 'add -f .env']],
])('a credential in %s counts', async (_, steps) => {
  for (const step of steps) {
    const [verb = '', ...rest] = step.split(' ');
    const path = rest.join(' ');
    if (verb === 'write') write(path, 'x');
    else if (verb === 'commit') commit(path, 'x');
    else git(verb, ...rest);
  }
  expect(await asked(new GitHistory(), 'git log -p')).toEqual([true]);
});

test('what only a checkpoint holds is reached by its name, by a number, and by all refs', async () => {
  commit('.env', 'x');
  git('update-ref', 'refs/aish/c1/before', 'HEAD');
  git('reset', '-q', '--hard', 'HEAD~1');
  git('reflog', 'expire', '--expire=now', '--all');
  const number = git('rev-parse', 'refs/aish/c1/before');
  const lines = [
    'git log -p --all',
    `git show ${number}`,
    'git cat-file --batch-all-objects --batch',
    'git grep -h "" refs/aish/c1/before',
  ];
  expect(await asked(new GitHistory(), ...lines)).toEqual(lines.map(() => true));
  expect(await asked(new GitHistory(), 'git log -p', 'git show', 'git log --all --oneline')).toEqual([
    false,
    false,
    false,
  ]);
});

test('objects of a checkpoint are asked about whatever they hold', async () => {
  git('update-ref', 'refs/aish/c1/before', 'HEAD');
  const lines = [
    'git show refs/aish/c1/before',
    'git log -p aish/c1/before',
    'git diff HEAD..refs/aish/c1/before',
    'git log -p --all',
  ];
  expect(await asked(new GitHistory(), ...lines)).toEqual([true, true, true, false]);
});

test('another repository is not known', async () => {
  expect(await asked(new GitHistory(), 'git -C .. log -p', 'cd .. && git show', 'git -C src show')).toEqual([
    true,
    true,
    false,
  ]);
});

test('a folder of secrets is known by each of its places, though both have the same tree', async () => {
  write('copy/credentials', 'x');
  write('.aws/credentials', 'x');
  write('a/data', 'x');
  git('add', '-f', '.');
  git('commit', '-qm', 'two');
  git('rm', '-rqf', '.aws', 'copy');
  git('commit', '-qm', 'gone');
  const history = new GitHistory();
  const lines = ['git log -p -- .aws', 'git log -p -- copy', 'git log -p -- a'];
  expect(await asked(history, ...lines)).toEqual([true, true, false]);
});

test('a merge that brings a secret of its own is known', async () => {
  git('checkout', '-qb', 'side');
  commit('b.ts', 'b');
  git('checkout', '-q', 'main');
  commit('c.ts', 'c');
  git('merge', '-q', '--no-commit', 'side');
  commit('.netrc', 'x');
  git('rm', '-qf', '.netrc');
  git('commit', '-qm', 'gone');
  expect(await asked(new GitHistory(), 'git log -p')).toEqual([true]);
});

test('an object that no branch holds is asked about by its number, and by what goes through all', async () => {
  write('loose', 'PASSWORD=hunter2');
  const number = git('hash-object', '-w', 'loose');
  const lines = [
    `git show ${number}`,
    `git cat-file -p ${number.slice(0, 8)}`,
    'git cat-file --batch-all-objects --batch',
    'git cat-file --batch < list',
    'cat list | xargs git show',
    'git show FETCH_HEAD',
  ];
  expect(await asked(new GitHistory(), ...lines)).toEqual(lines.map(() => true));
  const others = [`git show ${git('rev-parse', 'HEAD')}`, 'git log -p', 'git log -p --all', 'git diff'];
  expect(await asked(new GitHistory(), ...others)).toEqual(others.map(() => false));
});

test('objects that another program unpacks are asked about, where one of them held a credential', async () => {
  const lines = [
    String.raw`for f in .git/objects/??/*; do (printf '\037\213\010\0\0\0\0\0\0\0'; tail -c +3 $f) | gzip -dc; done`,
    'cat list | zcat',
    'git log --oneline; tail -c 99 .git/objects/pack/a.pack | gunzip',
    'zcat .git/objects/ab/cdef',
    'zcat "$file"',
  ];
  const plain = ['zcat logs/a.gz', 'gzip -c README | wc -c', 'cat .git/HEAD', 'git log --oneline | wc -l'];
  expect(await asked(new GitHistory(), ...lines)).toEqual(lines.map(() => false));
  commit('.env', 'x');
  git('rm', '-q', '.env');
  git('commit', '-qm', 'gone');
  expect(await asked(new GitHistory(), ...lines)).toEqual(lines.map(() => true));
  expect(await asked(new GitHistory(), ...plain)).toEqual(plain.map(() => false));
});

test('what changes something prints no file, whatever the history holds', async () => {
  commit('.env', 'x');
  git('rm', '-q', '.env');
  git('commit', '-qm', 'gone');
  const lines = ['git commit -m x', 'git push', 'git add src', 'git checkout -b y', 'git stash'];
  expect(await asked(new GitHistory(), ...lines)).toEqual(lines.map(() => false));
});

test('a repository within the project is looked through by itself', async () => {
  git('init', '-q', '-b', 'main', 'inner');
  write('inner/.env', 'TOKEN=x');
  git('-C', 'inner', 'add', '.env');
  git('-C', 'inner', 'commit', '-qm', 'one');
  git('-C', 'inner', 'rm', '-q', '.env');
  git('-C', 'inner', 'commit', '-qm', 'two');
  mkdirSync(join(root, 'inner/src'));
  const lines = [
    'git -C inner log -p',
    'cd inner && git log -p',
    'cd inner/src && git show HEAD~1',
    'git -C . -C inner show',
    'git grep --recurse-submodules x',
    'git log -p --submodule=diff',
    'git log -p',
  ];
  expect(await asked(new GitHistory(), ...lines)).toEqual([true, true, true, true, true, true, false]);
});
