import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProcessGroupLimit } from './run-child.ts';

const opened: ProcessGroupLimit[] = [];
const open = (): ProcessGroupLimit => {
  const group = ProcessGroupLimit.open();
  if (group === null) throw new Error('no control group is given any more');
  opened.push(group);
  return group;
};
afterEach(() => {
  for (const group of opened.splice(0)) group.close();
});

/** Only the superuser is given one, and not everywhere. */
const tried = ProcessGroupLimit.open();
tried?.close();

describe.skipIf(tried === null)('a control group', () => {
  test('is made for each that asks, also within one process', () => {
    expect(new Set([open(), open(), open()].map(({ folder }) => folder)).size).toBe(3);
  });

  test('goes when it is closed', () => {
    const group = open();
    group.close();
    expect(existsSync(group.folder)).toBe(false);
  });

  test('that an ended process left goes when the next is made', async () => {
    const other = Bun.spawn(['true']);
    await other.exited;
    const left = join(dirname(open().folder), `aish-${other.pid}-left`);
    mkdirSync(left);
    open();
    expect(existsSync(left)).toBe(false);
  });

  test('that was taken away is there again, with its bound, when a command is to enter it', () => {
    const group = open();
    group.limit(64);
    rmdirSync(group.folder);
    group.limit(64);
    expect(readFileSync(join(group.folder, 'pids.max'), 'utf8')).toBe('64\n');
  });
});
