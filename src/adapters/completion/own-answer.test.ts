import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../test/support/until.ts';
import { findCursorContext } from '../../core/completion/cursor-context.ts';
import type { WordKind } from '../../protocol/query.ts';
import { KnownCalls } from '../shell/known-calls.ts';
import type { LiveNames } from './live-names.ts';
import { completeByOurselves } from './own-answer.ts';

let root: string;

const GIT_ENV = { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

const COMMANDS: ReadonlyMap<string, WordKind> = new Map([
  ['git', 'file'],
  ['gitk', 'file'],
  ['greet', 'function'],
  ['ll', 'alias'],
]);

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'own-answer-'));
  for (const folder of ['src/deep', 'Documents', '.hidden', 'a b', '.git/refs/heads/feature', '.ssh'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['one.txt', 'two.txt', '-rf', "it's", 'run me', '.profile', 'x\x1by', 'src/deep/z.ts'])
    writeFileSync(join(root, file), '');
  chmodSync(join(root, 'run me'), 0o755);
  symlinkSync('one.txt', join(root, 'link'));
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, '.git/refs/heads/main'), 'x\n');
  writeFileSync(join(root, '.git/packed-refs'), `# pack\n${'a'.repeat(40)} refs/tags/v1\n`);
  writeFileSync(join(root, '.git/config'), '[remote "origin"]\n\turl = https://me:secret@host.example/x\n');
  writeFileSync(join(root, 'Makefile'), 'all:\nbuild: all\n');
  writeFileSync(join(root, '.ssh/config'), 'Host web\n  User x\nInclude config\n');
  writeFileSync(join(root, 'exports'), `declare -x PLACE="${root}/src"\n`);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The line after each completion. */
async function lines(line: string): Promise<readonly string[]> {
  return (await answer(line)).completions.map(({ start, text }) => line.slice(0, start) + text);
}

async function answer(line: string, other: Partial<LiveNames> = {}) {
  const live: LiveNames = {
    cwd: root,
    home: root,
    commands: async (isWanted) => new Map([...COMMANDS].filter(([word]) => isWanted(word))),
    aliases: new Map(),
    variables: ['HOME', 'HOSTNAME', 'PLACE'],
    directories: {
      named: new Map([['deep', join(root, 'src/deep')]]),
      searched: ['src'],
      stack: ['/tmp', '/usr'],
      isStackOfCd: true,
    },
    options: [],
    jobs: [{ number: 1, state: 'running', line: 'sleep 9' }],
    calls: new KnownCalls(root),
    exportsFile: join(root, 'exports'),
    env: {},
    ...other,
  };
  const context = findCursorContext(line, line.length);
  if (context === null) throw new Error('no context');
  return completeByOurselves(context, live);
}

describe('what we complete ourselves', () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['gi', ['git', 'gitk']],
    ['GI', ['git', 'gitk']],
    ['gtk', ['gitk']],
    ['sudo gre', ['sudo greet']],
    ['cat o', ['cat one.txt']],
    ['cat tt', ['cat two.txt', 'cat one.txt']],
    ['cat .p', ['cat .profile']],
    ['cat --show-t', ['cat --show-tabs']],
    ['grep --exclude-d', ['grep --exclude-dir=']],
    ['cat -T', []],
    ['kubectl config use', ['kubectl config use-context']],
    ['cat ~dee', ['cat ~deep/']],
    ['cat ~deep/', ['cat ~deep/z.ts']],
    ['cd dee', ['cd deep/']],
    ['cat dee', []],
    ['cd -', ['cd -0', 'cd -1', 'cd -2']],
    ['pushd +2', ['pushd +2']],
    ['cat s/de/z', ['cat src/deep/z.ts']],
    ['cat ~/s/d/', ['cat ~/src/deep/z.ts']],
    ['cat ./s/nothing/z', []],
    ['cat it', ["cat it\\'s"]],
    ['cat x', ["cat x$'\\x1b'y"]],
    ['cat -- -r', ['cat -- ./-rf']],
    ['cat "a', ['cat "a b/']],
    ['cat ~/o', ['cat ~/one.txt']],
    ['cat $PLACE/d', ['cat $PLACE/deep/']],
    ['cat src/deep/', ['cat src/deep/z.ts']],
    ['cd ', ['cd a\\ b/', 'cd Documents/', 'cd src/', 'cd deep/']],
    ['cd doc', ['cd Documents/']],
    ['cd ..', ['cd ../']],
    ['cd src/..', ['cd src/../']],
    ['./r', ['./run\\ me']],
    ['echo x >on', ['echo x >one.txt']],
    ['tool --file=on', ['tool --file=one.txt']],
    ['A=o', ['A=one.txt']],
    ['PATH=/x:s', ['PATH=/x:src/']],
    ['cat *.txt', ['cat one.txt two.txt']],
    ['echo $HO', ['echo $HOME', 'echo $HOSTNAME']],
    ['echo "${PL', ['echo "${PLACE}']],
    ['fg ', ['fg %1']],
    ['kill %', ['kill %1']],
    ['kill -KI', ['kill -KILL']],
    ['ssh w', ['ssh web']],
    ['ssh me@w', ['ssh me@web']],
    ['scp w', ['scp web:']],
    ['export PLA', ['export PLACE']],
    ['make b', ['make build']],
    ['git checkout ', ['git checkout main', 'git checkout v1']],
    ['git push ', ['git push origin']],
    ['git sw', ['git switch']],
    ['unalias ', ['unalias ll']],
  ];
  for (const [line, wanted] of table) test(line, async () => expect(await lines(line)).toEqual(wanted));

  test('git add offers what has changed, by its kind, and git restore only what git has', async () => {
    const repository = mkdtempSync(join(tmpdir(), 'changed-'));
    const git = (...words: string[]) => Bun.spawnSync(['git', ...words], { cwd: repository, env: GIT_ENV });
    for (const name of ['same', 'two words', 'gone']) writeFileSync(join(repository, name), 'x');
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '-qm', 'first');
    writeFileSync(join(repository, 'two words'), 'other');
    rmSync(join(repository, 'gone'));
    mkdirSync(join(repository, 'new'));
    writeFileSync(join(repository, 'new/file'), 'x');
    const offered = async (line: string) =>
      (await answer(line, { cwd: repository, env: GIT_ENV })).completions.map(({ text, description }) => [
        text,
        description,
      ]);
    try {
      expect([await offered('git add '), await offered('git restore '), await offered('git add n')]).toEqual([
        [
          ['new/', 'untracked'],
          ['gone', 'deleted'],
          ['two\\ words', 'modified'],
        ],
        [
          ['gone', 'deleted'],
          ['two\\ words', 'modified'],
        ],
        [['new/', 'untracked']],
      ]);
    } finally {
      rmSync(repository, { recursive: true, force: true });
    }
  });

  test('a name that is no UTF-8 is offered by its bytes', async () => {
    mkdirSync(join(root, 'odd'));
    writeFileSync(Buffer.concat([Buffer.from(join(root, 'odd/caf')), Buffer.from([0xe9])]), 'here');
    const [line = ''] = await lines('cat odd/c');
    expect([line, Bun.spawnSync(['bash', '-c', line], { cwd: root }).stdout.toString()]).toEqual([
      "cat odd/caf$'\\xe9'",
      'here',
    ]);
  });

  test('a name that begins with a dash gets a place before it', async () => {
    expect(await lines('rm ')).toContain('rm ./-rf');
  });

  test('files are marked as ls -F marks them', async () => {
    const labels = (await answer('rm ')).completions.map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(['Documents/', 'link@', 'one.txt', 'run me*', 'x?y']));
    expect(labels).not.toContain('.hidden/');
  });

  test('an address is told without its password', async () => {
    expect((await answer('git push ')).completions[0]?.description).toBe('https://host.example/x');
  });

  test('a process is found by a part of its command line', async () => {
    const sleeper = Bun.spawn(['sleep', '87654.321'], { stdio: ['ignore', 'ignore', 'ignore'] });
    try {
      // It is called so once it is no copy of this process any more.
      const commandLine = () => readFileSync(`/proc/${sleeper.pid}/cmdline`, 'utf8');
      await until({ what: 'the start of sleep' }, commandLine, (line) => line.startsWith('sleep'));
      const found = (await answer('kill 87654.3')).completions.map(({ text, description }) => [text, description]);
      expect(found).toEqual([[String(sleeper.pid), 'sleep 87654.321']]);
    } finally {
      sleeper.kill();
    }
  });
});
