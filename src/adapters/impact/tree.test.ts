import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { estimateImpact } from '../../../test/support/estimate-impact.ts';
import { parseMounts } from './tree.ts';

const LISTED = `22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
31 22 0:40 / /mnt/team\\040files rw - nfs4 server:/x rw
32 22 0:41 / /home/me/far rw shared:3 - fuse.sshfs me@far:/ rw
`;

test('mounts are read by their points', () => {
  expect(parseMounts(LISTED)).toEqual(['/', '/mnt/team files', '/home/me/far']);
});

test('a deletion says which folder is mounted there, and stays', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-mounts-')));
  const far = join(root, 'far');
  mkdirSync(far);
  writeFileSync(join(far, 'x'), '');
  const context = { cwd: root, project: root, home: '/nowhere' };
  const options = { limit: 20_000, mounts: ['/', far] };
  const { effects, notes } = await estimateImpact('rm -rf *', context, new AbortController().signal, options);
  expect([effects.map(({ files, folders }) => [files, folders]), notes]).toEqual([
    [[1, 1]],
    [`${far} is a mount point: its content would be deleted, the mount point would stay`],
  ]);
  rmSync(root, { recursive: true });
});
