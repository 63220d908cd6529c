import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './files-below.ts';
import { useFolder } from './test-folder.ts';

const FOLDER = useFolder('files-below');

test('the files in every depth have their bytes, and links and folders only a path', () => {
  mkdirSync(join(FOLDER, 'a', 'b'), { recursive: true });
  writeFileSync(join(FOLDER, 'a', 'b', 'deep'), 'bytes');
  symlinkSync('nowhere', join(FOLDER, 'link'));
  const found = filesBelow(FOLDER).map(({ path, bytes }) => [path.slice(FOLDER.length + 1), bytes?.toString()]);
  expect(found.sort()).toEqual([
    ['a', undefined],
    ['a/b', undefined],
    ['a/b/deep', 'bytes'],
    ['link', undefined],
  ]);
});

test('a folder that went away has nothing below it', () => {
  expect(filesBelow(join(FOLDER, 'gone'))).toEqual([]);
});
