import { afterAll, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../system/own-file.ts';
import { applyWorkingCopy, copyIgnored, diffWorkingCopy, makeWorkingCopy, planCopyChanges } from './working-copy.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-copy-')));
const state = process.env.XDG_STATE_HOME;
process.env.XDG_STATE_HOME = join(root, 'state');
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  if (state === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = state;
});

const LIMITS = { steps: 50, bytes: 100_000_000 };

function git(cwd: string, ...args: readonly string[]): string {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  const done = Bun.spawnSync(['git', ...own, ...args], { cwd, env: { PATH: process.env.PATH, HOME: root } });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
  return done.stdout.toString().trim();
}

let made = 0;
function newProject(isRepository = true): { readonly project: string; readonly tree: string } {
  made += 1;
  const project = join(root, `project-${made}`);
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src/a.txt'), 'one\n');
  writeFileSync(join(project, 'src/b.txt'), 'two\n');
  writeFileSync(join(project, '.gitignore'), 'node_modules/\n*.log\n');
  if (isRepository) {
    git(project, 'init', '-q', '-b', 'main');
    git(project, 'add', '.');
    git(project, 'commit', '-qm', 'begin');
    git(project, 'tag', 'v1');
  }
  mkdirSync(join(project, 'node_modules/dep'), { recursive: true });
  writeFileSync(join(project, 'node_modules/dep/index.js'), 'dep\n');
  symlinkSync('dep/index.js', join(project, 'node_modules/link'));
  writeFileSync(join(project, 'x.log'), 'log\n');
  return { project, tree: join(root, 'copies', String(made), 'project') };
}

/** Everything that a user could miss in a repository. */
function stateOf(project: string): readonly string[] {
  const refs = git(project, 'for-each-ref');
  return [refs, git(project, 'status', '--porcelain'), git(project, 'stash', 'list'), git(project, 'worktree', 'list')];
}

test('a working copy has the project as it is, staged, changed and new files too, and leaves the project alone', async () => {
  const { project, tree } = newProject();
  writeFileSync(join(project, 'src/b.txt'), 'stashed\n');
  git(project, 'stash');
  writeFileSync(join(project, 'src/a.txt'), 'staged\n');
  git(project, 'add', '.');
  writeFileSync(join(project, 'src/a.txt'), 'changed\n');
  writeFileSync(join(project, 'run.sh'), 'echo\n');
  chmodSync(join(project, 'run.sh'), 0o755);
  symlinkSync('src/a.txt', join(project, 'link'));
  rmSync(join(project, 'src/b.txt'));
  const before = stateOf(project);
  const index = readFileSync(join(project, '.git/index'));
  await makeWorkingCopy(project, tree);
  expect(git(tree, 'status', '--porcelain')).toBe(before[1] ?? '');
  expect(git(tree, 'describe', '--tags')).toBe('v1');
  expect(readFileSync(join(tree, 'src/a.txt'), 'utf8')).toBe('changed\n');
  expect(statSync(join(tree, 'run.sh')).mode & 0o111).toBe(0o111);
  expect(readlinkSync(join(tree, 'link'))).toBe('src/a.txt');
  expect(git(tree, 'stash', 'list')).toBe('');
  expect(existsSync(join(tree, 'node_modules'))).toBe(false);
  expect(await copyIgnored(project, tree)).toEqual([]);
  expect(readFileSync(join(tree, 'node_modules/dep/index.js'), 'utf8')).toBe('dep\n');
  expect(lstatSync(join(tree, 'node_modules/link')).isSymbolicLink()).toBe(true);
  expect(statSync(join(project, 'node_modules/dep/index.js')).nlink).toBe(1);
  expect(stateOf(project)).toEqual(before);
  expect(readFileSync(join(project, '.git/index')).equals(index)).toBe(true);
  writeFileSync(join(tree, 'src/a.txt'), 'committed\n');
  git(tree, 'commit', '-qam', 'in the copy');
  git(tree, 'gc', '-q', '--prune=now');
  await removeFolder(join(tree, '..'));
  expect(stateOf(project)).toEqual(before);
  git(project, 'fsck', '--strict');
});

test.each([true, false])(
  'changes are taken over path by path, and no change of the user is lost (repository: %p)',
  async (isRepository) => {
    const { project, tree } = newProject(isRepository);
    for (const name of ['gone', 'both', 'mine']) writeFileSync(join(project, `src/${name}.txt`), `${name}\n`);
    const base = await makeWorkingCopy(project, tree);
    const place = { project, tree, base };
    expect(await planCopyChanges(place)).toEqual([]);
    writeFileSync(join(tree, 'src/a.txt'), 'run\n');
    writeFileSync(join(tree, 'src/both.txt'), 'run\n');
    writeFileSync(join(tree, 'src/mine.txt'), 'same\n');
    rmSync(join(tree, 'src/gone.txt'));
    mkdirSync(join(tree, 'lib'));
    writeFileSync(join(tree, 'lib/new.sh'), 'new\n');
    chmodSync(join(tree, 'lib/new.sh'), 0o755);
    writeFileSync(join(project, 'src/both.txt'), 'user\n');
    writeFileSync(join(project, 'src/mine.txt'), 'same\n');
    writeFileSync(join(project, 'src/b.txt'), 'user\n');
    const states = (await planCopyChanges(place)).map(({ path, kind, state }) => `${state} ${kind} ${path}`);
    expect(states.sort()).toEqual([
      'conflict changed src/both.txt',
      'free added lib/new.sh',
      'free changed src/a.txt',
      'free removed src/gone.txt',
      'same changed src/mine.txt',
    ]);
    expect(await diffWorkingCopy(place)).toContain('+run\n');
    const options = { cwd: project, label: 'before run r1', sessionId: 's', limits: LIMITS };
    const done = await applyWorkingCopy(place, options);
    expect(done.applied).toEqual(['lib/new.sh', 'src/a.txt', 'src/gone.txt']);
    expect(done.conflicts.map(({ path }) => path)).toEqual(['src/both.txt']);
    const read = (path: string): string => readFileSync(join(project, path), 'utf8');
    expect([read('src/a.txt'), read('src/both.txt'), read('src/b.txt')]).toEqual(['run\n', 'user\n', 'user\n']);
    expect(statSync(join(project, 'lib/new.sh')).mode & 0o111).toBe(0o111);
    expect(existsSync(join(project, 'src/gone.txt'))).toBe(false);
    expect((await applyWorkingCopy(place, options)).applied).toEqual([]);
  },
);

test('a repository whose parts are links is copied, and the files behind them stay as they are', async () => {
  const { project, tree } = newProject();
  const shared = join(root, `shared-${made}`);
  mkdirSync(shared);
  git(project, 'config', 'core.hooksPath', '/hooks');
  for (const name of ['config', 'info', 'refs', 'objects']) {
    renameSync(join(project, '.git', name), join(shared, name));
    symlinkSync(join(shared, name), join(project, '.git', name));
  }
  const config = readFileSync(join(shared, 'config'), 'utf8');
  await makeWorkingCopy(project, tree);
  expect([readFileSync(join(shared, 'config'), 'utf8'), git(tree, 'config', '--get-regexp', 'core.bare')]).toEqual([
    config,
    'core.bare false',
  ]);
  for (const name of ['config', 'info', 'refs/heads', 'objects'])
    expect(lstatSync(join(tree, '.git', name)).isSymbolicLink()).toBe(false);
  expect([git(tree, 'log', '--format=%s'), git(tree, 'status', '--porcelain')]).toEqual(['begin', '']);
});

test('a path behind a link is neither read outside the project nor written outside the copy', async () => {
  const { project, tree } = newProject();
  const [outside, beside] = [join(project, '../outside'), join(tree, '../outside')];
  for (const folder of [outside, beside]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(outside, 'key'), 'private\n');
  writeFileSync(join(beside, 'key'), 'mine\n');
  // An archive may bring an index that names a file behind a link.
  const blob = git(project, 'hash-object', '-w', 'src/a.txt');
  git(project, 'update-index', '--add', '--cacheinfo', `100644,${blob},l/key`);
  symlinkSync('../outside', join(project, 'l'));
  await makeWorkingCopy(project, tree);
  await copyIgnored(project, tree);
  expect(lstatSync(join(tree, 'l')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(beside, 'key'), 'utf8')).toBe('mine\n');
  expect(existsSync(join(tree, 'src/a.txt'))).toBe(true);
});

test('a tracked folder that became a link is copied as the link', async () => {
  const { project, tree } = newProject();
  rmSync(join(project, 'src'), { recursive: true });
  symlinkSync('node_modules', join(project, 'src'));
  await makeWorkingCopy(project, tree);
  expect(readlinkSync(join(tree, 'src'))).toBe('node_modules');
});
