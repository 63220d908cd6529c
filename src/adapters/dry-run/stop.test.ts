import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyChanges, runCopying } from './apply.ts';
import { Overlay } from './overlay.ts';
import { openAttributes, Tree } from './tree.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'stop-test-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('stopped while the project is copied, a view leaves nothing', async () => {
  const [project, views] = [join(root, 'project'), join(root, 'views')];
  mkdirSync(project);
  writeFileSync(join(project, 'a'), 'a');
  const stop = new AbortController();
  const laying = Overlay.lay('copy', project, views, stop.signal);
  stop.abort();
  await expect(laying).rejects.toThrow('the dry run was stopped while aish copied the project');
  expect([readdirSync(views), readdirSync(project)]).toEqual([[], ['a']]);
});

test('a program that copies goes with what it has started', async () => {
  const stop = new AbortController();
  const pipe = join(root, 'pipe');
  Bun.spawnSync(['mkfifo', pipe]);
  // Both wait for a writer that never comes; what holds standard error open would be waited for, too.
  const copying = runCopying(['sh', '-c', 'cat "$1" & cat "$1"', 'sh', pipe], { signal: stop.signal });
  stop.abort();
  expect((await copying).exit).not.toBe(0);
});

test('stopped before anything is applied, nothing is', async () => {
  const [project, view] = [join(root, 'target'), join(root, 'view')];
  for (const folder of [project, view]) mkdirSync(folder);
  writeFileSync(join(view, 'made'), 'x');
  const written = new Tree(view);
  const request = {
    project: new Tree(project),
    view: written,
    attributes: openAttributes(),
    changes: [{ path: 'made', before: null, after: written.state('made') }],
    folders: new Map(),
    signal: AbortSignal.abort(),
  };
  await expect(applyChanges(request)).rejects.toThrow('the dry run was stopped; nothing was applied');
  expect(readdirSync(project)).toEqual([]);
});
