import { expect, test } from 'bun:test';
import { refusePlace } from './private-store.ts';

const around = { home: '/home/me', state: '/home/me/.local/state/aish', temporary: '/tmp/mine' };

test('a folder of somebody is taken', () => {
  for (const root of ['/home/me/notes', '/tmp/mine/x', '/srv/site', '/run/media/me/stick', '/home/me/.config/nvim']) {
    expect([root, refusePlace(root, around)]).toEqual([root, null]);
  }
});

test('the home directory, what holds it, and what holds everybody are refused', () => {
  expect(refusePlace('/home/me', around)).toBe('aish makes no checkpoints of your home directory');
  for (const root of ['/', '/home', '/home/other', '/tmp', '/tmp/mine', '/var']) {
    expect(refusePlace(root, around)).toBe(
      `aish makes no checkpoints of ${root}, because it is not the folder of one project`,
    );
  }
  expect(refusePlace('/data', { ...around, home: '/data/users/me' })).toBe(
    'aish makes no checkpoints of /data, because it contains your home directory',
  );
});

test('folders of the system and of aish are refused with all in them', () => {
  expect(refusePlace('/etc/nginx', around)).toBe(
    'aish makes no checkpoints of /etc/nginx, because it belongs to the system',
  );
  expect(refusePlace('/home/me/.local/state/aish/sessions', around)).toBe(
    "aish makes no checkpoints of aish's own files",
  );
});
