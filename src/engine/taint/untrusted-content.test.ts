import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addTaint, liftTaint, NO_TAINT, toSource } from '../../core/session/taint-state.ts';
import { UntrustedContent } from './untrusted-content.ts';

let root = '';
let project = '';
let page = '';
let notes = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'others-test-'));
  project = join(root, 'project');
  mkdirSync(project);
  [page, notes] = [join(project, 'page.html'), join(project, 'notes.md')];
  for (const path of [page, notes]) writeFileSync(path, 'x');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A session in the project that learns of files. */
function learn(paths: readonly string[]): void {
  new UntrustedContent(root).follow(NO_TAINT, addTaint(NO_TAINT, [], paths), project);
}

test('what a session wrote down another one finds in that project, and in no other', () => {
  const before = new UntrustedContent(root);
  expect(before.below(project)).toEqual([]);
  learn([page]);
  learn([notes, page]);
  expect([before.below(project), before.below(join(root, 'other'))]).toEqual([[page, notes], []]);
});

test('what a user trusted is forgotten, and the rest is kept', () => {
  const more = join(project, 'more');
  writeFileSync(more, 'x');
  learn([page, notes, more]);
  const known = addTaint(NO_TAINT, [toSource('file', more)], [page]);
  new UntrustedContent(root).follow(known, liftTaint(known), project);
  expect(new UntrustedContent(root).below(project)).toEqual([notes]);
});

test('what is gone and a whole project are not kept', () => {
  learn([project, page]);
  rmSync(page);
  expect(new UntrustedContent(root).below(project)).toEqual([]);
});

test('what cannot be read is taken for nothing, and written anew', () => {
  writeFileSync(join(root, 'text-of-others.json'), '{');
  expect(new UntrustedContent(root).below(project)).toEqual([]);
  learn([page]);
  expect(new UntrustedContent(root).below(project)).toEqual([page]);
});
