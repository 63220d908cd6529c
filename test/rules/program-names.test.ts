import { expect, test } from 'bun:test';
import { programNames, staleRows } from './program-names.ts';
import { plantedTree, ROOT, readSource } from './source.ts';

const source = readSource(ROOT);

test('no file beside the specs names a program that has a spec', () => expect(programNames(source)).toEqual([]));

test('every file that may name programs does so', () => expect(staleRows(source)).toEqual([]));

test('a planted tree is caught in each way to name programs', () => {
  expect(programNames(readSource(plantedTree('program-names')))).toEqual([
    'src/core/lists.ts:12 grep',
    'src/core/lists.ts:18 git',
    'src/core/lists.ts:4 scp sftp rsync ftp',
    'src/core/lists.ts:6 sudo doas su',
    'src/core/lists.ts:9 cat head tail grep',
    'src/core/lists.ts:21 alias bg bind declare dirs disown',
    'src/core/lists.ts:29 git fetch tar curl',
    'src/core/lists.ts:15 curl wget aria2c rsync',
  ]);
});
