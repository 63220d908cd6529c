import { afterAll, expect, test } from 'bun:test';
import { fstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../test/support/until.ts';
import { SpareFiles } from './spare-files.ts';

const top = mkdtempSync(join(tmpdir(), 'aish-spare-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

function makeFolder(name: string): string {
  const folder = join(top, name);
  mkdirSync(folder);
  return folder;
}

const filled = (folder: string) =>
  until({ what: `files are made in ${folder}` }, () => readdirSync(folder).length === 4);

test('a few that need files make none, and more find them made, the oldest first', async () => {
  const [spare, folder] = [new SpareFiles(0o444), makeFolder('some')];
  for (let number = 0; number < 6; number += 1) expect(spare.take(folder)).toBeNull();
  expect(spare.take(folder)).toBeNull();
  await filled(folder);
  const births: bigint[] = [];
  for (let number = 0; number < 3; number += 1) {
    const { fd, file } = spare.take(folder) ?? { fd: -1, file: '' };
    const stat = fstatSync(fd, { bigint: true });
    expect([stat.ino, stat.mode & 0o777n]).toEqual([statSync(file, { bigint: true }).ino, 0o444n]);
    births.push(stat.birthtimeNs);
  }
  expect([...births].sort()).toEqual(births);
});

test('a file that is gone is not given, and those of a folder that is no longer needed go', async () => {
  const [spare, folder] = [new SpareFiles(0o666), makeFolder('gone')];
  for (let number = 0; number < 7; number += 1) spare.take(folder);
  await filled(folder);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(spare.take(folder)).toBeNull();
  await until({ what: 'one more is made' }, () => readdirSync(folder).length > 0);
  for (let number = 0; number < 4; number += 1) spare.take(makeFolder(`other-${number}`));
  await until({ what: 'none is left' }, () => readdirSync(folder).length === 0);
});
