import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNotes, LARGEST_NOTES } from './find-notes.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makePlace(): { readonly root: string; readonly config: string; readonly deep: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'notes-')));
  folders.push(root);
  const [config, deep] = [join(root, 'config'), join(root, 'project', 'a', 'b')];
  mkdirSync(config);
  mkdirSync(deep, { recursive: true });
  return { root, config, deep };
}

const pathsIn = (root: string, cwd: string) =>
  findNotes({ cwd, config: join(root, 'config') }).map(
    ({ path, origin }) => `${origin} ${path.slice(root.length + 1)}`,
  );

test('the own notes come first, then those from the root of the work tree down to here, and none from above it', () => {
  const { root, config, deep } = makePlace();
  mkdirSync(join(root, 'project', '.git'));
  for (const folder of [root, config, join(root, 'project'), deep]) writeFileSync(join(folder, 'AGENTS.md'), 'x\n');
  expect(pathsIn(root, deep)).toEqual([
    'user config/AGENTS.md',
    'project project/AGENTS.md',
    'project project/a/b/AGENTS.md',
  ]);
});

test('outside of a work tree only those of the directory itself count', () => {
  const { root, deep } = makePlace();
  for (const folder of [join(root, 'project'), deep]) writeFileSync(join(folder, 'AGENTS.md'), 'x\n');
  expect(pathsIn(root, deep)).toEqual(['project project/a/b/AGENTS.md']);
});

test('a long file is cut between two characters, and its whole length is told', () => {
  const { config, deep } = makePlace();
  writeFileSync(join(deep, 'AGENTS.md'), `x${'é'.repeat(LARGEST_NOTES)}`);
  const [notes] = findNotes({ cwd: deep, config });
  expect([notes?.bytes, notes?.text.length, notes?.text.at(-1)]).toEqual([
    1 + 2 * LARGEST_NOTES,
    LARGEST_NOTES / 2,
    'é',
  ]);
});

test('a long file is cut at the end of a line', () => {
  const { config, deep } = makePlace();
  writeFileSync(join(deep, 'AGENTS.md'), 'a rule of ten\n'.repeat(LARGEST_NOTES));
  const [notes] = findNotes({ cwd: deep, config });
  const whole = Math.floor(LARGEST_NOTES / 14) * 14;
  expect([notes?.read, notes?.text.length, notes?.text.endsWith('ten\n')]).toEqual([whole, whole, true]);
});

test('what is no file of text is left out: folders, pipes, bytes', () => {
  const { root, config, deep } = makePlace();
  mkdirSync(join(root, 'project', '.git'));
  mkdirSync(join(deep, 'AGENTS.md'));
  Bun.spawnSync(['mkfifo', join(root, 'project', 'AGENTS.md')]);
  writeFileSync(join(root, 'project', 'a', 'AGENTS.md'), 'a\0b');
  symlinkSync('/nowhere', join(config, 'AGENTS.md'));
  expect(pathsIn(root, deep)).toEqual([]);
});
