import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { planSandbox } from '../../core/sandbox/sandbox-plan.ts';
import { HiddenFileFinder } from './hidden-files.ts';
import { formatProfile } from './sandbox-exec.ts';
import { trackedAmong } from './tracked-files.ts';

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
    'project/.env',
    'project/.env.example',
    'project/a/b/x.pem',
    'project/a.ts',
  ]);
  expect(within(new HiddenFileFinder().find(plan).files)).toEqual(['.netrc', 'project/.env', 'project/a/b/x.pem']);
});

test('folders of credentials and our own are hidden whole, and nothing in them once more', () => {
  const { plan, within } = lay('folders', ['.ssh/id_rsa', '.aws/credentials', 'own/session', 'own/server.key']);
  const { files, folders } = new HiddenFileFinder().find(plan);
  expect([within(files), within(folders)]).toEqual([[], ['.aws', '.ssh', 'own']]);
});

test('a link is hidden where it leads', () => {
  const { home, plan, within } = lay('links', ['kept/environment']);
  symlinkSync('../kept/environment', join(home, 'project/.env'));
  expect(within(new HiddenFileFinder().find(plan).files)).toEqual(['kept/environment']);
});

test('a secret that came later at the top is found at once, a deeper one when the project is looked through anew', () => {
  const { home, project, plan, within } = lay('later', ['project/a/x']);
  const finder = new HiddenFileFinder();
  finder.find(plan);
  for (const name of ['project/.env', 'project/a/.env']) writeFileSync(join(home, name), '');
  const before = within(finder.find(plan).files);
  finder.look(project);
  expect([before, within(finder.find(plan).files)]).toEqual([['project/.env'], ['project/.env', 'project/a/.env']]);
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
  const profile = formatProfile(plan, { files: ['/f'], folders: ['/d'], governing: [`${project}/.git`] });
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
