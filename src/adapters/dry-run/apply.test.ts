import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { applyChanges } from './apply.ts';
import { openAttributes, Tree } from './tree.ts';

const root = useFolder('apply');

test('a file that was to become another name of one that is gone by now stays as it is', async () => {
  for (const side of ['project', 'view']) mkdirSync(join(root, side));
  writeFileSync(join(root, 'project', 'kept'), 'mine');
  const project = new Tree(join(root, 'project'));
  const before = project.state('kept');
  const conflicts = await applyChanges({
    project,
    view: new Tree(join(root, 'view')),
    attributes: openAttributes(),
    changes: [{ path: 'kept', before, after: before, linkTo: { path: 'gone', before: null } }],
    folders: new Map(),
  });
  expect([...conflicts.keys()]).toEqual(['kept']);
  expect(readdirSync(project.root)).toEqual(['kept']);
  expect(readFileSync(join(project.root, 'kept'), 'utf8')).toBe('mine');
});
