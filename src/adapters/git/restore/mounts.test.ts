import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome } from '../../../../test/support/git-place.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';

const base = useGitHome('mounts', ADA);

/** Makes a step and takes it back in there; tells what was put back, what was not, and what lies at each path in the end. */
const SCRIPT = `
  const load = (name) => import(${JSON.stringify(import.meta.dir)} + '/' + name);
  const { createCheckpoint, finalizeCheckpoint } = await load('../snapshot/checkpoint.ts');
  const { planRestore } = await load('plan.ts');
  const { applyRestore } = await load('apply.ts');
  const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = await import('node:fs');
  const [, cwd] = process.argv;
  const limits = ${JSON.stringify(USUAL_RETENTION)};
  const write = (content, names) => { for (const name of names) writeFileSync(name, content); };
  mkdirSync('disk/deep');
  const old = ['a', 'disk/a', 'disk/gone', 'disk/.env', 'disk/deep/x'];
  write('mine', old);
  const options = { cwd, label: 'x', toolName: 'w', mode: 'ref', sessionId: 's', at: 1, limits };
  const checkpoint = await createCheckpoint(options);
  write('model', [...old.filter((name) => name !== 'disk/gone'), 'disk/new', 'bind/y', 'filebind']);
  for (const name of ['disk/gone', 'bind/x']) rmSync(name);
  await finalizeCheckpoint(checkpoint);
  const done = await applyRestore(await planRestore({ cwd, id: null, direction: 'undo' }), {}, { sessionId: 's', limits });
  const names = [...old, 'disk/new', 'bind/x', 'bind/y', 'filebind'];
  const found = names.map((name) => [name, existsSync(name) ? readFileSync(name, 'utf8') : null]);
  console.log(JSON.stringify({ restored: done.restored, refused: done.refused, found: Object.fromEntries(found) }));
`;

const WHY = 'a file system is mounted in its place; unmount it first';

/** Runs the script in a project in which another disk, a folder and a file are mounted. */
function undoAmongMounts(kind: 'repository' | 'folder', { isApart }: { readonly isApart: boolean }): unknown {
  const top = join(base, crypto.randomUUID());
  const [project, other] = [join(top, 'project'), join(top, 'other')];
  for (const folder of [project, other]) mkdirSync(folder, { recursive: true });
  for (const name of ['other/x', 'other/y', 'file']) writeFileSync(join(top, name), 'mine');
  const words = ['--dev-bind', '/', '/', ...(isApart ? ['--tmpfs', project] : [])];
  const make = `mkdir -p disk bind && : > filebind${kind === 'repository' ? ' && git init -q' : ''}`;
  const inner = ['--tmpfs', join(project, 'disk'), '--bind', other, join(project, 'bind')];
  const file = ['--bind', join(top, 'file'), join(project, 'filebind'), '--chdir', project];
  if (!isApart) execFileSync('sh', ['-ec', make], { cwd: project, env: process.env });
  const within = isApart ? [] : [...inner, ...file];
  const run = [process.execPath, '-e', SCRIPT, project];
  // A disk of the project's own is there only within: what is mounted in it is so one level deeper.
  const nested = ['bwrap', '--dev-bind', '/', '/', ...inner, ...file, ...run];
  const command = isApart ? ['sh', '-ec', `cd "$0" && ${make} && exec "$@"`, project, ...nested] : run;
  const said = Bun.spawnSync(['bwrap', ...words, ...within, ...command], { env: process.env, stderr: 'inherit' });
  return JSON.parse(said.stdout.toString());
}

for (const isApart of [false, true]) {
  const where = isApart ? ' that lies on another disk than the state folder' : '';
  test.skipIf(Bun.which('bwrap') === null)(
    `in a repository${where}, what is mounted is restored as well, and a mounted file is named`,
    () => {
      expect(undoAmongMounts('repository', { isApart })).toEqual({
        restored: ['a', 'bind/x', 'bind/y', 'disk/.env', 'disk/a', 'disk/deep/x', 'disk/gone', 'disk/new'],
        refused: [{ path: 'filebind', why: WHY }],
        found: {
          a: 'mine',
          'disk/a': 'mine',
          'disk/gone': 'mine',
          'disk/.env': 'mine',
          'disk/deep/x': 'mine',
          'disk/new': null,
          'bind/x': 'mine',
          'bind/y': 'mine',
          filebind: 'model',
        },
      });
    },
  );

  test.skipIf(Bun.which('bwrap') === null)(`in a folder without a repository${where}, another disk is left out`, () => {
    expect(undoAmongMounts('folder', { isApart })).toMatchObject({
      restored: expect.arrayContaining(['a']),
      refused: expect.arrayContaining([]),
      found: { a: 'mine', 'disk/a': 'model', 'disk/gone': null, 'disk/.env': 'model', 'disk/new': 'model' },
    });
  });
}
