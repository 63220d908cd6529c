import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureBlast } from './measure.ts';
import { findSilent, parseMounts } from './mounts.ts';
import { Tree, Unreadable } from './tree.ts';

// Each starts programs or threads, which take their time where many others run.
setDefaultTimeout(120_000);

const TOLD = `22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
31 22 0:40 / /mnt/team\\040files rw - nfs4 server:/x rw
32 22 0:41 / /home/me/far rw shared:3 - fuse.sshfs me@far:/ rw
33 22 0:42 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw
34 22 0:43 / /home/me/disk rw - tmpfs none rw
`;

/** Two folders with a file each. */
class Place {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-mounts-')));

  constructor() {
    for (const [folder, file] of [
      ['far', 'x'],
      ['near', 'y'],
    ] as const) {
      mkdirSync(join(this.root, folder));
      writeFileSync(join(this.root, folder, file), '');
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

test('mounts are read by their points, and those that a server answers for are told apart', () => {
  expect(parseMounts(TOLD)).toEqual({
    points: ['/', '/mnt/team files', '/home/me/far', '/proc/sys/fs/binfmt_misc', '/home/me/disk'],
    far: ['/mnt/team files', '/home/me/far'],
  });
});

test('a mount that does not answer is found out', async () => {
  expect(await findSilent(['/lost', '/there'], ['/bin/sh', '-c', 'echo 1; sleep 60'])).toEqual(['/lost']);
});

test('nothing below a mount that does not answer is looked at', async () => {
  using place = new Place();
  const tree = new Tree();
  tree.avoid([join(place.root, 'far')]);
  expect(() => tree.look(join(place.root, 'far/x'))).toThrow(Unreadable);
  expect(tree.look(join(place.root, 'near/y'))?.kind).toBe('file');
  expect(await tree.children(join(place.root, 'far')).catch((thrown: unknown) => thrown)).toBeInstanceOf(Unreadable);
});

test('a deletion says which folder is mounted there, and stays', async () => {
  using place = new Place();
  const far = join(place.root, 'far');
  const ground = { cwd: place.root, project: place.root, home: '/nowhere' };
  const { effects, notes } = await measureBlast('rm -rf *', ground, new AbortController().signal, {
    limit: 20_000,
    mounts: { points: ['/', far], far: [] },
  });
  expect([effects.map(({ files, folders }) => [files, folders]), notes]).toEqual([
    [[2, 2]],
    [`${far} is a mount point: what is in it goes, and it stays itself`],
  ]);
});
