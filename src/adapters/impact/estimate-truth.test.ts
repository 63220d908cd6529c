import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { estimateImpact } from '../../../test/support/estimate-impact.ts';
import { useFolder } from '../../../test/support/test-folder.ts';
import { formatUnexplained } from '../../core/policy/messages.ts';

// Each starts programs or threads, which take their time where many others run.
setDefaultTimeout(120_000);

const outer = useFolder('truth');

function makeTree(root: string): void {
  for (const folder of ['home/old', 'project/src/deep', 'project/docs', 'project/empty', 'other'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of [
    'home/h',
    'home/old/z',
    'other/o',
    'project/a',
    'project/b.o',
    'project/src/one',
    'project/src/two.o',
    'project/src/deep/x',
    'project/docs/a b',
    'project/docs/one',
  ])
    writeFileSync(join(root, file), file);
  symlinkSync('src', join(root, 'project/way'));
  symlinkSync('a', join(root, 'project/alias'));
}

/** Every path with what it holds. */
function snapshot(folder: string, into = new Map<string, string>()): Map<string, string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    into.set(
      path,
      stats.isDirectory() ? '/' : stats.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8'),
    );
    if (stats.isDirectory()) snapshot(path, into);
  }
  return into;
}

/** Runs a line on the tree alone: nothing else can be written, and nobody can be reached. */
function run(line: string, root: string): void {
  const cwd = join(root, 'project');
  const words = [
    '--ro-bind',
    '/',
    '/',
    '--bind',
    root,
    root,
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--unshare-all',
    '--die-with-parent',
    '--setenv',
    'HOME',
    join(root, 'home'),
    '--chdir',
    cwd,
  ];
  spawnSync('bwrap', [...words, 'bash', '--noprofile', '--norc', '-c', line], { stdio: 'ignore' });
}

function canIsolate(): boolean {
  return (
    Bun.which('bwrap') !== null && spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']).status === 0
  );
}

/** The paths that are gone, the new ones, and those with other content than before, by number. */
function compare(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  return {
    gone: [...before.keys()].filter((path) => !after.has(path)).length,
    made: [...after.keys()].filter((path) => !before.has(path)).length,
    other: [...before].filter(([path, held]) => after.has(path) && after.get(path) !== held).length,
  };
}

async function predict(line: string, root: string) {
  const cwd = join(root, 'project');
  const report = await estimateImpact(
    line,
    { cwd, home: join(root, 'home'), project: cwd },
    new AbortController().signal,
    { limit: 20_000 },
  );
  const count = (...kinds: readonly string[]): number =>
    report.effects
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, { files, folders }) => sum + files + folders, 0);
  return {
    counted: {
      gone: count('deletes', 'moves'),
      made: count('creates', 'moves'),
      other: count('overwrites', 'changes'),
    },
    unknown: [...(report.unexplained ?? []).map(formatUnexplained), ...report.unknown],
  };
}

describe.skipIf(!canIsolate())('what is counted is what happens', () => {
  test.each([
    'rm a',
    'rm -rf src docs',
    'rm -rf ./*',
    'rm -rf way',
    'rm -rf way/',
    'rm way/one',
    'rm -rf ~/old ../other',
    'rm docs/a*',
    'rm {a,b.o}',
    'rm src',
    'rm missing',
    'rmdir empty',
    'rmdir src',
    'rm -d empty',
    'unlink a',
    'cd src && rm -rf deep',
    '(cd docs; rm *); rm a',
    'cd way/.. && rm a',
    'rm way/../a',
    'for f in docs/*; do rm "$f"; done',
    'x=src; rm -r $x',
    'rm a; rm a',
    'bash -c "rm a"',
    'f() { rm a; }; f',
    'f() { rm a; }',
    'true && rm a',
    '! rm a',
    'touch x y',
    'mkdir -p p/q && touch p/q/r',
    'mkdir x/y',
    'mkdir p && rm -r p',
    'cp a copy',
    'cp -r src copy',
    'cp -r src docs',
    'cp -r src/. docs',
    'cp -P alias copy',
    'cp a docs/one',
    'cp src x',
    'mv a z',
    'mv src docs',
    'mv -n a docs/one',
    'mv empty docs/',
    'mkdir all; mv src/* all',
    'ln -s a link',
    'ln -s src empty',
    'ln -sfn docs way',
    'ln -s a alias',
    'echo x > a',
    'echo x > alias',
    'echo x > new',
    'echo x > src',
    'echo x | tee a new',
    'truncate -s 0 a',
    "find . -name '*.o' -delete",
    "find . -name '*.o' -exec rm {} +",
    "find . -name '*.o' | xargs rm",
    'find src -delete',
    'find . -type d -empty -delete',
    'find . -maxdepth 1 -type f ! -name a -delete',
    'find . -type d -name src -exec rm -rf {} \\;',
    'rm -rf -- src',
    'rm [ab]*',
    'rm nomatch*',
    'rm -rf "$PWD/src"',
    '{ rm a; rm b.o; }',
  ])('%s', async (line) => {
    const root = mkdtempSync(join(outer, 'tree-'));
    makeTree(root);
    const before = snapshot(root);
    const { counted, unknown } = await predict(line, root);
    run(line, root);
    expect({ ...counted, unknown }).toEqual({ ...compare(before, snapshot(root)), unknown: [] });
  });
});
