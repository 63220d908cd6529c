import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isEmptied, planSandbox } from '../../core/sandbox/sandbox-plan.ts';
import { stateOf } from '../system/folder-state.ts';
import { HiddenFileFinder } from './hidden-files.ts';
import { formatProfile } from './open-sandbox.ts';
import { trackedAmong } from './project-git.ts';
import { findVisible } from './visible-folders.ts';

let root = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hidden-files-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A home of its own with these files, and the plan for a command in its project. */
function lay(name: string, files: readonly string[], kind: 'read-only' | 'mutating' = 'read-only') {
  const home = join(root, name);
  mkdirSync(join(home, 'project'), { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), '');
  }
  const project = join(home, 'project');
  const plan = planSandbox(kind, { cwd: project, project, home, own: [join(home, 'own')] });
  const within = (paths: readonly string[]) =>
    paths
      .filter((path) => path.startsWith(home))
      .map((path) => path.slice(home.length + 1))
      .sort();
  return { home, project, plan, within };
}

test('secrets are found by name at any depth, and examples of them are none', () => {
  const { plan, within } = lay('secrets', [
    '.netrc',
    '.config/git/credentials',
    '.config/git/config',
    'project/.env',
    'project/.env.example',
    'project/a/b/x.pem',
    'project/a.ts',
  ]);
  expect(within(new HiddenFileFinder().find(plan).files)).toEqual([
    '.config/git/credentials',
    'project/.env',
    'project/a/b/x.pem',
  ]);
});

test('the skills of the user are shown, but neither their secrets nor what lies beside them', () => {
  const skill = ['own/skills/forms/SKILL.md', 'own/skills/forms/deep/fields.md', 'own/skills/forms/deep/.env'];
  const { home, plan, within } = lay('skills', [...skill, 'own/config.toml']);
  const { layers } = findVisible(plan);
  expect(layers).toContainEqual({ path: join(home, 'own/skills'), kind: 'shown' });
  expect(['own/skills/forms/SKILL.md', 'own/config.toml'].map((path) => isEmptied(join(home, path), layers))).toEqual([
    false,
    true,
  ]);
  expect(within(new HiddenFileFinder().find(plan).files)).toEqual(['own/skills/forms/deep/.env']);
});

test('in a project that is the home, folders of credentials and our own are hidden whole, and nothing in them once more', () => {
  const { home, plan, within } = lay('folders', ['.ssh/id_rsa', '.aws/credentials', 'own/session', 'own/server.key']);
  const { files, folders } = new HiddenFileFinder().find({ ...plan, cwd: home, project: home });
  expect([within(files), within(folders)]).toEqual([[], ['.aws', '.ssh', 'own']]);
});

test('in a project that is the home, dot files are told by their names and their mode, too', () => {
  const files = [
    '.myapp-token',
    '.config/myapp/auth.json',
    '.local/share/app/state',
    '.config/app/settings',
    'notes/token',
  ];
  const { home, plan, within } = lay('private', files);
  chmodSync(join(home, '.local/share/app/state'), 0o600);
  writeFileSync(join(home, '.local/share/app/state'), 'x');
  expect(within(new HiddenFileFinder().find({ ...plan, cwd: home, project: home }).files)).toEqual([
    '.config/myapp/auth.json',
    '.local/share/app/state',
    '.myapp-token',
  ]);
});

test.each([
  ['that is closed', (home: string) => chmodSync(join(home, '.app/sub/state'), 0o600)],
  ['that gets its content', (home: string) => writeFileSync(join(home, '.app/sub/empty'), 'x')],
  ['in a folder that is closed above it', (home: string) => chmodSync(join(home, '.app'), 0o700)],
])('in a project that is the home, a file %s is hidden from the next command', async (name, change) => {
  const { home, plan, within } = lay(name, ['.app/sub/state', '.app/sub/empty', '.app/sub/settings.json']);
  writeFileSync(join(home, '.app/sub/state'), 'x');
  chmodSync(join(home, '.app/sub/empty'), 0o600);
  const folders = ['', '.app', '.app/sub', 'project'].map((folder) => join(home, folder));
  while (folders.some((folder) => stateOf(folder) === null)) await Bun.sleep(1);
  const finder = new HiddenFileFinder();
  const find = () => within(finder.find({ ...plan, cwd: home, project: home }).files);
  const before = [find(), find()];
  change(home);
  expect([...before, find().length]).toEqual([[], [], 1]);
});

test('in a project, copies of the folders in which a home has its credentials are hidden', () => {
  const files = ['dots/.kube/config', 'dots/.config/gh/hosts.yml', 'dots/.docker/config.json', 'dots/.docker/plain'];
  const { plan, within } = lay(
    'copies',
    files.map((name) => `project/${name}`),
  );
  const { files: hidden, folders } = new HiddenFileFinder().find(plan);
  expect([within(hidden), within(folders)]).toEqual([
    ['project/dots/.docker/config.json'],
    ['project/dots/.config/gh', 'project/dots/.kube'],
  ]);
});

test('in a folder of ssh of a project, every key is hidden whatever its name, and what lies beside keys is not', () => {
  const files = [
    '.ssh/work',
    '.ssh/deploy.txt',
    'dots/.ssh/laptop',
    '.ssh/config',
    '.ssh/known_hosts',
    '.ssh/work.pub',
  ];
  const { plan, within } = lay(
    'keys',
    files.map((name) => `project/${name}`),
  );
  expect(within(new HiddenFileFinder().find(plan).files)).toEqual([
    'project/.ssh/deploy.txt',
    'project/.ssh/work',
    'project/dots/.ssh/laptop',
  ]);
});

test('in a project that is the home, files of a folder that is closed to others are hidden', () => {
  const { home, plan, within } = lay('closed', ['.app/deep/state', '.open/state', '.config/app/settings']);
  for (const file of ['.app/deep/state', '.open/state', '.config/app/settings']) writeFileSync(join(home, file), 'x');
  for (const folder of ['.app', '.config']) chmodSync(join(home, folder), 0o700);
  const { files } = new HiddenFileFinder().find({ ...plan, cwd: home, project: home });
  expect(within(files)).toEqual(['.app/deep/state']);
});

test('our own folders are not shown because they lie in PATH', () => {
  const { home, plan } = lay('own-in-path', ['own/sessions/log', 'tools/run']);
  const { layers } = findVisible({
    ...plan,
    programs: [join(home, 'own/sessions'), join(home, 'own'), join(home, 'tools')],
  });
  const shown = layers.filter(({ kind, path }) => kind === 'shown' && path.startsWith(home)).map(({ path }) => path);
  expect(shown.sort()).toEqual([join(home, 'project'), join(home, 'tools')]);
});

test('among the programs of a home, what is private or tells of a secret is hidden, and what is run is not', () => {
  const files = ['deploy-token', 'notes', 'pass', 'tool', 'plain'].map((name) => `.local/bin/${name}`);
  const { home, plan, within } = lay('programs', [...files, '.config/git/token', '.local/share/uv/credentials/a.toml']);
  for (const name of ['notes', 'pass', 'tool']) writeFileSync(join(home, '.local/bin', name), 'x');
  chmodSync(join(home, '.local/bin/notes'), 0o600);
  for (const name of ['pass', 'tool']) chmodSync(join(home, '.local/bin', name), 0o700);
  const { files: hidden, folders } = new HiddenFileFinder().find(plan);
  expect([within(hidden), within(folders)]).toEqual([
    ['.config/git/token', '.local/bin/deploy-token', '.local/bin/notes'],
    ['.local/share/uv/credentials'],
  ]);
});

test('a pipe of the project is hidden: anyone who reads from it is outside', () => {
  const { project, plan, within } = lay('pipes', []);
  Bun.spawnSync(['mkfifo', join(project, 'door')]);
  expect(within(new HiddenFileFinder().find(plan).pipes)).toEqual(['project/door']);
});

test('a link is hidden where it leads', () => {
  const { home, plan, within } = lay('links', ['project/kept/environment']);
  symlinkSync('kept/environment', join(home, 'project/.env'));
  expect(within(new HiddenFileFinder().find(plan).files)).toEqual(['project/kept/environment']);
});

test('a secret that came later is found at once, at any depth', () => {
  const { home, plan, within } = lay('later', ['project/a/b/x']);
  const finder = new HiddenFileFinder();
  finder.find(plan);
  const found = ['project/.env', 'project/a/b/.env', 'project/a/new/.env'].map((name) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), '');
    return within(finder.find(plan).files).includes(name);
  });
  expect(found).toEqual([true, true, true]);
});

test('what governs a project is found where the project may be written to', () => {
  const files = [
    'project/.git/config',
    'project/.envrc',
    'project/a/.mcp.json',
    'project/.vscode/tasks.json',
    '.bashrc',
  ];
  const reading = lay('governing', files);
  const writing = lay('governing', files, 'mutating');
  expect([
    reading.within(new HiddenFileFinder().find(reading.plan).governing),
    writing.within(new HiddenFileFinder().find(writing.plan).governing),
  ]).toEqual([[], ['project/.envrc', 'project/.git', 'project/.vscode', 'project/a/.mcp.json']]);
});

test('git is asked for nothing: its index tells which hidden files it knows', () => {
  const { home, project } = lay('tracked', ['project/.npmrc', 'project/a/.env']);
  const git = (...args: readonly string[]) =>
    Bun.spawnSync(['git', ...args], { cwd: project, env: { PATH: process.env.PATH ?? '', HOME: home } });
  git('init', '-q');
  git('add', '.npmrc');
  const among = (...names: readonly string[]) =>
    trackedAmong(
      project,
      names.map((name) => join(project, name)),
    );
  expect([among('.npmrc', 'a/.env'), trackedAmong(project, [join(home, '.netrc')])]).toEqual([['.npmrc'], []]);
  const linked = join(home, 'linked');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-qm', 'first');
  git('worktree', 'add', '-q', linked);
  expect(trackedAmong(linked, [join(linked, '.npmrc'), join(linked, '.env')])).toEqual(['.npmrc']);
});

test('where the index cannot be read, any hidden file may be one that git knows; a fresh repository knows none', () => {
  const { project } = lay('no-index', []);
  expect([trackedAmong(project, [join(project, '.env')]), trackedAmong(project, [])]).toEqual([['.env'], []]);
  mkdirSync(join(project, '.git'), { recursive: true });
  expect(trackedAmong(project, [join(project, '.env')])).toEqual([]);
});

test('what a plan shows is not hidden', () => {
  const { plan, project, within } = lay('shown', ['project/.env', 'project/a/.env']);
  const shown = { ...plan, shows: [join(project, '.env')] };
  expect(within(new HiddenFileFinder().find(shown).files)).toEqual(['project/a/.env']);
});

test('the profile for macOS denies first and opens the project last but for what governs it', () => {
  const { plan } = lay('profile', [], 'mutating');
  const { project } = plan;
  const profile = formatProfile(plan, { files: ['/f'], pipes: [], folders: ['/d'], governing: [`${project}/.git`] });
  const at = (line: string) => profile.split('\n').indexOf(line);
  const order = [
    '(deny network*)',
    '(deny file-write*)',
    `(allow file-write* (subpath "${project}"))`,
    `(deny file-write* (subpath "${project}/.git"))`,
  ];
  expect(order.map(at)).toEqual(order.map(at).toSorted((one, other) => one - other));
  expect([
    Math.min(...order.map(at)) >= 0,
    at('(deny file-read* file-write* (subpath "/d") (subpath "/f"))') > 0,
  ]).toEqual([true, true]);
});
