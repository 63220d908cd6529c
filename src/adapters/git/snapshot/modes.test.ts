import { afterAll, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { createCheckpoint } from './checkpoint.ts';

const base = useGitHome('modes', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { git, put, get, has, commit } = workIn(() => cwd);
const { step, run } = stepsIn(() => cwd);
const at = (name: string) => join(cwd, name);
const chmod = (name: string, mode: number) => chmodSync(at(name), mode);
const modeOf = (name: string) => (statSync(at(name)).mode & 0o7777).toString(8);
const remove = (name: string) => rmSync(at(name), { recursive: true });
const isRoot = process.geteuid?.() === 0;
const umask = process.umask(0o022);
afterAll(() => void process.umask(umask));

describe('a file that comes back', () => {
  const MODES = [0o600, 0o640, 0o664, 0o700, 0o750, 0o777, 0o400, 0o644, 0o755];

  test('has the mode that it had, whatever the umask is by then', async () => {
    for (const mode of MODES) {
      put(`f${mode.toString(8)}`, 'x');
      chmod(`f${mode.toString(8)}`, mode);
    }
    await step(() => MODES.map((mode) => remove(`f${mode.toString(8)}`)));
    process.umask(0o002);
    await run('undo');
    process.umask(0o022);
    expect(MODES.map((mode) => modeOf(`f${mode.toString(8)}`))).toEqual(MODES.map((mode) => mode.toString(8)));
  });

  test('has it also where it was changed between two steps, and nothing else of the file', async () => {
    put('a', '1');
    commit();
    await step(() => put('b', '1'));
    chmod('a', 0o600);
    await step(() => remove('a'));
    await run('undo');
    expect([modeOf('a'), get('a')]).toEqual(['600', '1']);
  });

  test('has that of the step where a redo brings it', async () => {
    await step(() => {
      put('secret', '1');
      chmod('secret', 0o600);
    });
    await run('undo');
    await run('redo');
    expect(modeOf('secret')).toBe('600');
  });

  test('has it where the step never ended', async () => {
    put('secret', '1');
    chmod('secret', 0o600);
    await createCheckpoint({ ...STEP, cwd });
    remove('secret');
    await run('undo', 'c1', { secret: 'theirs' });
    expect(modeOf('secret')).toBe('600');
  });

  test('has it though git packed and pruned meanwhile', async () => {
    put('secret', '1');
    chmod('secret', 0o600);
    await step(() => remove('secret'));
    git('gc', '-q', '--prune=now');
    await run('undo');
    expect(modeOf('secret')).toBe('600');
  });

  test('has it where what snapshots go by is gone', async () => {
    put('secret', '1');
    chmod('secret', 0o600);
    await step(() => put('b', '1'));
    rmSync(at('.git/aish/index'), { recursive: true });
    await step(() => remove('secret'));
    await run('undo');
    expect(modeOf('secret')).toBe('600');
  });

  test('has it where the table that goes with the index is gone', async () => {
    put('secret', '1');
    chmod('secret', 0o600);
    await step(() => undefined);
    git('prune', '--expire=now');
    await step(() => remove('secret'));
    await run('undo');
    expect(modeOf('secret')).toBe('600');
  });

  test.skipIf(!isRoot)('belongs to whom it belonged', async () => {
    put('dir/theirs', '1');
    chownSync(at('dir/theirs'), 1234, 4321);
    chownSync(at('dir'), 1234, 1234);
    chmod('dir/theirs', 0o640);
    await step(() => remove('dir'));
    await run('undo');
    const ownerOf = ({ uid, gid }: { uid: number; gid: number }) => [uid, gid];
    expect([ownerOf(statSync(at('dir'))), ownerOf(statSync(at('dir/theirs'))), modeOf('dir/theirs')]).toEqual([
      [1234, 1234],
      [1234, 4321],
      '640',
    ]);
  });
});

describe('a folder that comes back', () => {
  test('is as closed as it was', async () => {
    put('private/in/a', '1');
    chmod('private', 0o700);
    chmod('private/in', 0o500);
    await step(() => {
      chmod('private/in', 0o700);
      remove('private');
    });
    await run('undo');
    expect([modeOf('private'), modeOf('private/in'), get('private/in/a')]).toEqual(['700', '500', '1']);
    chmod('private/in', 0o700);
  });

  test('is so where it was closed after its files were last changed', async () => {
    put('private/a', '1');
    put('other/a', '1');
    await step(() => put('b', '1'));
    chmod('private', 0o700);
    await step(() => {
      remove('private');
      remove('other');
    });
    await run('undo');
    expect([modeOf('private'), modeOf('other')]).toEqual(['700', '755']);
  });

  test('keeps what a redo takes away and an undo brings once more', async () => {
    await step(() => {
      mkdirSync(at('made'), { mode: 0o700 });
      put('made/a', '1');
    });
    await run('undo');
    expect(has('made')).toBe(false);
    await run('redo');
    expect(modeOf('made')).toBe('700');
  });
});

describe('a file whose content goes back', () => {
  test('keeps its bits, those that are for its owner to give too', async () => {
    for (const [name, mode] of Object.entries({ plain: 0o4755, tight: 0o600, odd: 0o744 })) {
      put(name, '1');
      chmod(name, mode);
    }
    await step(() => {
      for (const name of ['plain', 'tight', 'odd']) appendFileSync(at(name), '2');
      chmod('plain', 0o4755);
    });
    await run('undo');
    expect(['plain', 'tight', 'odd'].map(modeOf)).toEqual(['4755', '600', '744']);
  });

  test('is closed again that the step opened, and stays as somebody closed it since', async () => {
    for (const name of ['opened', 'closed since']) put(name, '1');
    chmod('opened', 0o600);
    await step(() => {
      put('fresh', '2');
      renameSync(at('fresh'), at('opened'));
      put('closed since', '2');
    });
    expect(modeOf('opened')).toBe('644');
    chmod('closed since', 0o600);
    await run('undo');
    expect([modeOf('opened'), modeOf('closed since'), get('closed since')]).toEqual(['600', '600', '1']);
  });
});

test('a file with several names keeps those that go back with it', async () => {
  put('a', '1');
  linkSync(at('a'), at('b'));
  put('c', '1');
  linkSync(at('c'), join(base, 'outside'));
  await step(() => {
    appendFileSync(at('a'), '2');
    appendFileSync(at('c'), '2');
  });
  await run('undo');
  const [a, b, c] = ['a', 'b', 'c'].map((name) => statSync(at(name)));
  expect([get('a'), get('b'), get('c'), a?.ino === b?.ino, a?.nlink, c?.nlink]).toEqual(['1', '1', '1', true, 2, 1]);
  expect(readFileSync(join(base, 'outside'), 'utf8')).toBe('12');
});

test('a tree in which all is as git makes it needs no table, and one of a group needs none of every file', async () => {
  put('a', '1');
  await step(() => put('a', '2'));
  const listed = () => git('for-each-ref', '--format=%(refname)', 'refs/aish');
  expect(listed()).toBe('refs/aish/c1/after\nrefs/aish/c1/before\n');
  rmSync(at('.git/aish/index'), { recursive: true });
  for (let file = 0; file < 20; file += 1) put(`group/${file}`, String(file));
  chmod('group', 0o775);
  for (let file = 0; file < 20; file += 1) chmod(`group/${file}`, 0o664);
  await step(() => put('a', '3'));
  const table = git('cat-file', 'blob', 'refs/aish/c2/before-modes').replaceAll('\0', '\n');
  const { uid, gid } = lstatSync(cwd);
  expect(table).toBe(`664 755 775 ${uid} ${gid}\n644 ${uid} ${gid} a\n`);
});

test('a table that somebody planted makes no program that runs as its owner', async () => {
  put('program', '1');
  chmod('program', 0o700);
  await step(() => remove('program'));
  const table = git('cat-file', 'blob', 'refs/aish/c1/before-modes').replace('700 ', '4755 ');
  writeFileSync(at('table'), table);
  const [note = ''] = [git('log', '-1', '--format=%B', 'refs/aish/c1/before')];
  const modes = git('hash-object', '-w', 'table').trim();
  const tree = git('rev-parse', 'refs/aish/c1/before^{tree}').trim();
  const message = note.replace(/^modes: .*$/m, `modes: "${modes}"`);
  git('update-ref', 'refs/aish/c1/before', git('commit-tree', tree, '-m', message).trim());
  await run('undo');
  expect(modeOf('program')).toBe('755');
});

test('a step that changed nothing leaves no table', async () => {
  put('secret', '1');
  chmod('secret', 0o600);
  await step(() => undefined);
  expect(git('for-each-ref', 'refs/aish')).toBe('');
});
