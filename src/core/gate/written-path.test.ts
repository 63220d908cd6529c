import { expect, test } from 'bun:test';
import { judgeLine } from './judge-line.ts';
import { refuseWrite } from './written-path.ts';

const ground = { project: '/home/u/p', home: '/home/u', cwd: '/home/u/p' };

test.each([
  '/home/u/p/.git/hooks/pre-commit',
  '/home/u/p/.git/config',
  '/home/u/p/.husky/pre-push',
  '/home/u/.bashrc',
  '/home/u/.config/systemd/user/x.service',
  '/etc/cron.d/x',
  '/etc/hosts',
  '/home/u/p/src/a.ts',
  '/home/u/p/.github/workflows/ci.yml',
  '/home/u/notes',
  '/tmp/x',
])('a tool that writes %s is held to the floor that a command is held to', (path) => {
  const found = refuseWrite({ named: path, real: path, use: 'replace' }, ground);
  expect(found === null ? [] : [found.floor]).toEqual([...judgeLine(`echo x > ${path}`, ground).floors]);
});

test('a name that leads to what acts later is refused by where it leads, and a project by its name', () => {
  const named = '/home/u/p/notes';
  const refused = (real: string) => refuseWrite({ named, real, use: 'edit' }, ground)?.reason ?? null;
  expect([refused('/home/u/p/.git/hooks/post-merge'), refused('/srv/p/notes')]).toEqual([
    'leaves something behind that acts later: /home/u/p/notes',
    null,
  ]);
});
