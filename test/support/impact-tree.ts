import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The tree for the lines of the ground truth: a home with a project in it, things beside the project, and things beside the home. */
export interface ImpactTree {
  readonly base: string;
  readonly home: string;
  readonly project: string;
  /** All that a line finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
  [Symbol.dispose](): void;
}

/** Everything was last written then, so that whatever is written later shows it. */
const WRITTEN = new Date('2026-01-05T10:00:00Z');

const TRACKED: Readonly<Record<string, string>> = {
  'README.md': '# Kiln\n\nA small thing.\n',
  '.gitignore': 'build/\nnode_modules/\n*.log\n.env\n',
  'package.json': '{ "name": "kiln", "scripts": { "clean": "rm -rf build", "build": "node tools/build.js" } }\n',
  Makefile: 'all:\n\tmkdir -p build && echo made > build/made.txt\nclean:\n\trm -rf build\n',
  'src/a.ts': 'export const a = 1; // CHECK\n',
  'src/b.ts': 'export const b = 2;\n',
  'src/c.ts': 'export const c = 3; // CHECK\n',
  'src/main.js': 'console.log("main");\n',
  'src/deep/nested/x.ts': 'export const x = "x";\n',
  'src/deep/nested/y.ts': 'export const y = "y";\n',
  'src/deep/nested/more/z.ts': 'export const z = "z";\n',
  'src/deep/old.bak': 'old\n',
  'docs/guide.md': 'guide\n',
  'docs/api.md': 'api\n',
  'docs/img/logo.svg': '<svg/>\n',
  'tools/build.js':
    "require('fs').mkdirSync('build',{recursive:true});require('fs').writeFileSync('build/bundle.js','bundle');\n",
  'tools/sweep.py': 'import os\nfor n in os.listdir("data"):\n    os.remove(os.path.join("data", n))\n',
  'tools/clean.sh': '#!/bin/sh\nrm -rf build data/*.tmp\n',
  'tools/list.txt': 'src/a.ts\nsrc/b.ts\ndocs/api.md\n',
  'tools/null.txt': 'src/a.ts\0with blank.txt\0',
  'change.patch': '--- a/src/c.ts\n+++ b/src/c.ts\n@@ -1 +1 @@\n-export const c = 3; // CHECK\n+export const c = 33;\n',
  'with blank.txt': 'blank\n',
  "quote'd.txt": 'quote\n',
  'star*.txt': 'star\n',
  'odd/-dash.txt': 'dash\n',
  'odd/-rf': 'a file that is called as an option\n',
  'odd/plain.txt': 'plain\n',
  'new\nline.txt': 'newline\n',
  'ünï.txt': 'unicode\n',
  '日本/ファイル.txt': 'wide\n',
  'private.key': 'key\n',
  'fixed.txt': 'fixed\n',
};

const UNTRACKED: Readonly<Record<string, string>> = {
  'notes.txt': 'notes\nCHECK\n',
  'src/new.ts': 'export const fresh = 1;\n',
  'draft/one.md': 'one\n',
  'draft/two.md': 'two\n',
  '~/surprise.txt': 'a folder that is called tilde\n',
  'debug.log': 'debug\n',
  '.env': 'TOKEN=canary\n',
  'build/out.js': 'out'.repeat(2000),
  'build/out.map': 'map'.repeat(3000),
  'build/cache/one.bin': 'b'.repeat(4096),
  'build/cache/two.bin': 'b'.repeat(8192),
  'node_modules/left/index.js': 'left\n',
  'node_modules/left/package.json': '{}\n',
  'node_modules/.bin/left': '#!/bin/sh\n',
};

const AROUND: Readonly<Record<string, string>> = {
  'home/.bashrc': 'alias ll="ls -l"\n',
  'home/.profile': 'umask 022\n',
  'home/.ssh/config': 'Host box\n  HostName box.example.org\n',
  'home/.config/kiln/settings.toml': 'a = 1\n',
  'home/.cache/kiln/index': 'index\n',
  'home/todo.txt': 'todo\n',
  'home/Documents/letter.txt': 'letter\n',
  'home/Documents/tax/2025.txt': 'tax\n',
  'home/other/keep.txt': 'keep\n',
  'home/other/sub/also.txt': 'also\n',
  'home/other/sub/CHECK.ts': 'CHECK\n',
  'outside/shared.txt': 'shared\n',
  'outside/drop/.keep': '',
};

/** Builds the tree in a folder of its own. */
export function createImpactTree(): ImpactTree {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'aish-impact-')));
  const home = join(base, 'home');
  const project = join(home, 'project');
  const env = {
    HOME: home,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    USER: 'ada',
    LANG: 'C.UTF-8',
    TMPDIR: join(base, 'tmp'),
    OUT: 'build',
    TARGET: join(home, 'other'),
  };
  writeAll(base, AROUND);
  mkdirSync(join(base, 'tmp'));
  // A copy of the tree has other inodes, which must not make git take every file for a changed one.
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Ada\n\temail = ada@example.org\n[core]\n\tcheckStat = minimal\n\ttrustctime = false\n',
  );
  buildRepository(project, env);
  buildBranches(join(home, 'second'), env);
  buildLinks(project);
  buildArchives(project, env);
  chmodSync(join(project, 'private.key'), 0o600);
  chmodSync(join(project, 'fixed.txt'), 0o444);
  settle(base);
  // The index knows files by their times.
  for (const repository of [project, join(home, 'second')]) git(repository, env, 'update-index', '-q', '--refresh');
  return { base, home, project, env, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}

/** A branch of its own, a tag, a stash, a remote on the disk, and one file of each kind of change. */
function buildRepository(project: string, env: ImpactTree['env']): void {
  writeAll(project, TRACKED);
  chmodSync(join(project, 'tools/clean.sh'), 0o755);
  for (let number = 0; number < 40; number += 1)
    writeAll(project, { [`data/row-${String(number).padStart(2, '0')}.csv`]: `${number},`.repeat(number + 1) });
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(dirname(project), 'remote.git')], { env });
  git(project, env, 'init', '-q', '-b', 'main');
  git(project, env, 'add', '-A');
  git(project, env, 'commit', '-qm', 'First');
  git(project, env, 'tag', 'v1');
  git(project, env, 'remote', 'add', 'origin', join(dirname(project), 'remote.git'));
  git(project, env, 'push', '-q', 'origin', 'main');
  git(project, env, 'checkout', '-q', '-b', 'feature');
  writeAll(project, { 'src/feature.ts': 'export const feature = true;\n', 'docs/guide.md': 'guide of the feature\n' });
  git(project, env, 'add', '-A');
  git(project, env, 'commit', '-qm', 'Feature');
  git(project, env, 'checkout', '-q', 'main');
  writeAll(project, { 'docs/api.md': 'api, put aside\n' });
  git(project, env, 'stash', '-q');
  writeAll(project, UNTRACKED);
  mkdirSync(join(project, 'empty'));
  writeAll(project, {
    'src/b.ts': 'export const b = 22;\n',
    'docs/guide.md': 'guide, changed\n',
    'src/staged.ts': 'staged\n',
  });
  git(project, env, 'add', 'src/staged.ts');
}

/** A clean repository whose branches go each their way: ahead, aside, against each other, and with a folder that has another name now. */
function buildBranches(folder: string, env: ImpactTree['env']): void {
  const commit = (
    branch: string,
    from: string,
    files: Readonly<Record<string, string>>,
    gone: readonly string[] = [],
  ) => {
    git(folder, env, 'checkout', '-q', '-B', branch, from);
    writeAll(folder, files);
    for (const name of gone) rmSync(join(folder, name));
    git(folder, env, 'add', '-A');
    git(folder, env, 'commit', '-qm', branch);
  };
  mkdirSync(folder);
  git(folder, env, 'init', '-q', '-b', 'main');
  const long = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join('');
  writeAll(folder, {
    'one.txt': 'one\n',
    'two.txt': 'two\n',
    'dir/three.txt': 'three\n',
    'four.txt': long,
    'five.txt': 'five\n',
  });
  git(folder, env, 'add', '-A');
  git(folder, env, 'commit', '-qm', 'First');
  git(folder, env, 'tag', 'first');
  commit('main', 'first', { 'four.txt': `top\n${long}`, 'main.txt': 'main\n' });
  commit('side', 'first', { 'one.txt': 'one of the side\n', 'dir/side.txt': 'side\n' }, ['two.txt']);
  commit('both', 'first', { 'four.txt': `${long}end\n`, 'one.txt': 'one of both\n' });
  commit('clash', 'first', { 'four.txt': `another top\n${long}` });
  commit('ahead', 'main', { 'one.txt': 'one ahead\n', 'ahead.txt': 'ahead\n' }, ['five.txt']);
  commit('renamed', 'first', { 'elsewhere.txt': long }, ['four.txt']);
  git(folder, env, 'checkout', '-q', 'main');
  writeAll(folder, { 'dir/three.txt': 'three, put aside\n', 'loose.txt': 'loose\n' });
  git(folder, env, 'stash', '-q', '-u');
  writeAll(folder, { 'one.txt': 'one, put aside\n' });
  git(folder, env, 'stash', '-q');
}

function buildLinks(project: string): void {
  symlinkSync('src/a.ts', join(project, 'link-in'));
  symlinkSync('src', join(project, 'link-folder'));
  symlinkSync('../other/keep.txt', join(project, 'link-out'));
  symlinkSync('../other', join(project, 'link-out-folder'));
  symlinkSync('nowhere', join(project, 'dangling'));
}

function buildArchives(project: string, env: ImpactTree['env']): void {
  const stage = join(project, 'unpack-stage');
  writeAll(stage, { 'kit/one.txt': 'one\n', 'kit/two/three.txt': 'three\n', 'README.md': 'readme of the kit\n' });
  execFileSync('tar', ['-czf', join(project, 'kit.tar.gz'), 'kit', 'README.md'], { cwd: stage, env });
  rmSync(stage, { recursive: true });
  execFileSync('gzip', ['-k', 'data/row-39.csv'], { cwd: project, env });
  git(project, env, 'archive', '-o', 'kit.zip', 'HEAD', 'docs/api.md', 'docs/img', 'tools/list.txt');
}

function git(cwd: string, env: ImpactTree['env'], ...args: readonly string[]): void {
  execFileSync('git', args, { cwd, env, stdio: 'ignore' });
}

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Gives every file outside of git's own the same time. */
function settle(base: string): void {
  const names = execFileSync('find', [base, '-name', '.git', '-prune', '-o', '-type', 'f', '-print0'], {
    encoding: 'utf8',
  });
  for (const name of names.split('\0')) if (name !== '') utimesSync(name, WRITTEN, WRITTEN);
}
