import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import type { PathChange } from '../../core/impact/change-set.ts';
import { describeChanges, findLost } from './describe-changes.ts';
import { Tree } from './tree.ts';

const root = useFolder('dry-run-lost');

/** A project with what git keeps, ignores and cannot hold, and a view of it. */
function lay(): { readonly project: Tree; readonly view: Tree } {
  const at = mkdtempSync(join(root, 'one-'));
  const project = join(at, 'project');
  mkdirSync(join(project, 'build'), { recursive: true });
  for (const [name, text] of [
    ['.gitignore', 'build/\n*.log\n'],
    ['build/one', '1'],
    ['build/two', '2'],
    ['a.log', 'log'],
    ['kept', 'kept'],
    ['tool', 'x'],
  ] as const)
    writeFileSync(join(project, name), text);
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: project, env: { PATH: process.env.PATH } });
  git('init', '-q');
  git('add', 'kept', 'tool', '.gitignore');
  cpSync(project, join(at, 'view'), { recursive: true, preserveTimestamps: true });
  return { project: new Tree(project), view: new Tree(join(at, 'view')) };
}

async function tell({ project, view }: { readonly project: Tree; readonly view: Tree }, paths: readonly string[]) {
  const changes = paths.map((path): PathChange => ({ path, before: project.state(path), after: view.state(path) }));
  const lost = await findLost(project.root, changes, new AbortController().signal);
  const { items } = describeChanges(changes, { project, view }, lost.paths);
  return items.map(({ path, about, warnings }) => [path, about, warnings ?? []]);
}

test('what git ignores is named as what no undo brings back', async () => {
  const sides = lay();
  for (const path of ['build', 'a.log', 'kept']) rmSync(join(sides.view.root, path), { recursive: true });
  expect(await tell(sides, ['a.log', 'build', 'build/one', 'build/two', 'kept'])).toEqual([
    ['a.log', '3 B', ['ignored by git (no undo brings it back)']],
    ['build/', '2 files, 2 B', ['2 ignored by git (no undo brings them back)']],
    ['kept', '4 B', []],
  ]);
});

test('a file that can be started is called so, and one that hands out rights is warned of', async () => {
  const sides = lay();
  const { root: at } = sides.view;
  for (const [name, mode] of [
    ['run.sh', 0o755],
    ['s4', 0o4755],
    ['tool', 0o2755],
  ] as const) {
    writeFileSync(join(at, name), 'x');
    chmodSync(join(at, name), mode);
  }
  mkdirSync(join(at, 'bin'));
  writeFileSync(join(at, 'bin/s'), 'x');
  chmodSync(join(at, 'bin/s'), 0o4711);
  const before = sides.project.state('tool')?.mode.toString(8);
  expect(await tell(sides, ['bin', 'bin/s', 'run.sh', 's4', 'tool'])).toEqual([
    ['bin/', '1 file, 1 B, 1 executable', ['bin/s: runs with the rights of its owner (setuid, mode 4711)']],
    ['run.sh', '1 B, executable', []],
    ['s4', '1 B, mode 4755', ['runs with the rights of its owner (setuid, mode 4755)']],
    ['tool', `mode ${before} → 2755`, ['runs with the rights of its group (setgid, mode 2755)']],
  ]);
});
