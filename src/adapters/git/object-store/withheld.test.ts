import { describe, expect, test } from 'bun:test';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { createCheckpoint } from '../snapshot/checkpoint.ts';
import { pruneCheckpoints } from '../snapshot/prune.ts';
import { diffStep, timeline } from '../snapshot/timeline.ts';
import { openRepository } from './repository.ts';
import { sweepWithheld } from './withheld.ts';

const base = useGitHome('withheld', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put, get, has, commit } = workIn(() => cwd);
const { step, plan, run, states } = stepsIn(() => cwd);

const SECRETS = [
  '.env',
  '.netrc',
  'deep/terraform.tfvars',
  'kubeconfig',
  'deep/.env.local',
  'server.key',
  'home/.aws/config',
];
const canary = (name: string) => `canary-${name.replace('/', '-')}-4f2a9b`;

/** All that git holds in a repository, reachable or not. */
function everyObject(where: string): string {
  const args = ['cat-file', '--batch-all-objects', '--batch', '--buffer'];
  return Bun.spawnSync(['git', ...args], { cwd: where }).stdout.toString('latin1');
}

function readable(content: string): readonly string[] {
  return SECRETS.map(canary).filter((value) => content.includes(value));
}

/** All files below a folder, and who may read what. */
function walk(folder: string): readonly { readonly path: string; readonly mode: number }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const stat = lstatSync(join(folder, name));
    return { path: join(folder, name), mode: stat.mode & (stat.isDirectory() ? 0o77 : 0o177) };
  });
}

describe('files that may hold a secret', () => {
  test('are in no object of the repository, are pushed nowhere, and an undo brings all of them back', async () => {
    put('a', 'mine');
    commit();
    for (const name of SECRETS) put(name, canary(name));
    chmodSync(join(cwd, '.netrc'), 0o600);
    await step(() => put('a', 'model'));
    await step(() => {
      put('.env', 'rotated');
      put('server.key', `${canary('server.key')} changed`);
      for (const name of ['.netrc', 'deep/terraform.tfvars', 'kubeconfig']) rmSync(join(cwd, name));
      put('deep/credentials.json', 'new');
    });
    await step(() => rmSync(join(cwd, 'deep'), { recursive: true }));
    expect(readable(everyObject(cwd))).toEqual([]);
    const mirror = join(base, `mirror-${crypto.randomUUID()}`);
    git('init', '-q', '--bare', mirror);
    git('push', '-q', '--mirror', mirror);
    expect([readable(everyObject(mirror)), everyObject(mirror).includes('model')]).toEqual([[], true]);
    const inGit = walk(join(cwd, '.git')).filter(({ path }) => lstatSync(path).isFile());
    expect(readable(inGit.map(({ path }) => readFileSync(path, 'latin1')).join(''))).toEqual([]);
    for (let at = 0; at < 3; at += 1) expect((await run('undo')).refused).toEqual([]);
    expect(SECRETS.map(get)).toEqual(SECRETS.map(canary));
    expect([lstatSync(join(cwd, '.netrc')).mode & 0o777, has('deep/credentials.json'), get('a')]).toEqual([
      0o600,
      false,
      'mine',
    ]);
    for (let at = 0; at < 3; at += 1) expect((await run('redo')).refused).toEqual([]);
    expect([get('.env'), has('deep'), has('kubeconfig'), get('a')]).toEqual(['rotated', false, false, 'model']);
    expect(readable(everyObject(cwd))).toEqual([]);
  });

  test('lie where nobody but their owner may look', async () => {
    put('.env', canary('.env'));
    await step(() => put('.env', 'other'));
    const { withheldFolder } = await openRepository(cwd);
    expect(withheldFolder).toStartWith(join(base, 'home/.local/state/aish/'));
    expect(walk(withheldFolder).filter(({ mode }) => mode !== 0)).toEqual([]);
    expect(lstatSync(withheldFolder).mode & 0o77).toBe(0);
  });

  test('changed since are asked about, are merged, and are shown and counted as others are', async () => {
    put('.env', 'one\ntwo\nthree\n');
    await step(() => put('.env', 'one\ntwo\nTHREE\n'));
    put('.env', 'ONE\ntwo\nTHREE\n');
    const made = await plan();
    expect(made.paths.map(({ path, state, choices }) => [path, state, choices])).toEqual([
      ['.env', 'conflict', ['mine', 'theirs', 'merged']],
    ]);
    expect((await timeline(cwd))[0]?.counts).toEqual({ added: 0, changed: 1, removed: 0 });
    const diff = await diffStep({ cwd, id: 'c1', of: 'step', paths: ['.env'] });
    expect(diff).toBe(
      'diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1,3 +1,3 @@\n one\n two\n-three\n+THREE\n',
    );
    await run('undo', null, { '.env': 'merged' });
    expect([get('.env'), everyObject(cwd).includes('THREE')]).toEqual(['ONE\ntwo\nthree\n', false]);
  });

  test('that git tracks are withheld as well, since they may have changed, and one that comes to be ignored stays known', async () => {
    put('.env', 'committed');
    commit();
    put('.env', canary('.env'));
    await step(() => {
      put('.gitignore', '.env\n');
      put('.env', 'model');
    });
    expect(readable(everyObject(cwd))).toEqual([]);
    expect((await run('undo')).restored).toEqual(['.env', '.gitignore']);
    expect(get('.env')).toBe(canary('.env'));
  });

  test('of checkpoints from before are undone out of the repository', async () => {
    put('.env', canary('.env'));
    await step(() => put('.env', 'new'));
    // The snapshots as they were then: the file in the tree, and no list.
    for (const [side, content] of Object.entries({ before: canary('.env'), after: 'new' })) {
      const ref = `refs/aish/c1/${side}`;
      const blob = Bun.spawnSync(['git', 'hash-object', '-w', '--stdin'], { cwd, stdin: Buffer.from(content) });
      const tree = Bun.spawnSync(['git', 'mktree'], {
        cwd,
        stdin: Buffer.from(`100644 blob ${blob.stdout.toString().trim()}\t.env\n`),
      });
      const message = git('log', '-1', '--format=%B', ref).replace(/^withheld: .*\n/m, '');
      git('update-ref', ref, git('commit-tree', tree.stdout.toString().trim(), '-m', message.trim()).trim());
    }
    expect((await run('undo')).restored).toEqual(['.env']);
    expect([get('.env'), await states()]).toEqual([canary('.env'), ['c2 c1 done', 'c1  undone']]);
    expect((await run('redo')).restored).toEqual(['.env']);
    expect([get('.env'), readable(everyObject(cwd))]).toEqual(['new', [canary('.env')]]);
    const page = readFileSync(join(import.meta.dir, '../../../../docs/storage.md'), 'utf8');
    const removal = /```\n(git for-each-ref [^`]*)```/.exec(page)?.[1] ?? '';
    expect(Bun.spawnSync(['sh', '-ec', removal], { cwd, env: process.env }).exitCode).toBe(0);
    expect(readable(everyObject(cwd))).toEqual([]);
  });

  test('are not committed in passing by mode "commit"', async () => {
    put('a', '1');
    commit();
    put('a', '2');
    put('.env', canary('.env'));
    const touches = ['a', '.env'].map((name) => join(cwd, name));
    const options = { cwd, label: 'x', toolName: 'write', mode: 'commit', sessionId: 's', at: 1, touches } as const;
    const { label } = await createCheckpoint({ ...options, limits: USUAL_RETENTION });
    expect(label).toBe('x (not committed: .env, because it may contain a secret and git does not track it)');
    expect([git('ls-tree', '--name-only', '-r', 'HEAD'), readable(everyObject(cwd))]).toEqual(['a\n', []]);
  });

  test('go with the checkpoints that hold them', async () => {
    for (const value of ['1', '2', '3']) {
      await step(() => put('.env', value));
    }
    const repository = await openRepository(cwd);
    const contents = () => readdirSync(join(repository.withheldFolder, 'contents')).length;
    await pruneCheckpoints(repository, { limits: { steps: 1, bytes: 1e9 }, live: new Set() });
    expect(contents()).toBe(3);
    const named = git('for-each-ref', '--format=%(contents)', 'refs/aish').match(/(?<=^withheld: ")[0-9a-f]+/gm);
    sweepWithheld(repository.withheldFolder, new Set(named), Date.now() + 3_600_000);
    expect(contents()).toBe(2);
    expect((await run('undo')).restored).toEqual(['.env']);
    expect(get('.env')).toBe('2');
  });
});

describe('names that git forbids', () => {
  const NAMES = ['.Git', 'git~1', '.git ', '.git::$INDEX_ALLOCATION', '.GIT/x', 'deep/.giT/y', 'a\\.git', '.g\u200cit'];

  test('are kept as well, and an undo brings back what a step made of them', async () => {
    put('a.txt', 'a');
    commit();
    for (const name of NAMES) if (name !== '.GIT/x') put(name, 'mine');
    symlinkSync('nowhere', join(cwd, '.gitmodules'));
    await step(() => {
      for (const name of NAMES) put(name, 'model');
      rmSync(join(cwd, '.gitmodules'));
      put('.gitmodules', 'model');
      put('a.txt', 'model');
    });
    const { restored, refused } = await run('undo');
    expect([restored.toSorted(), refused]).toEqual([[...NAMES, '.gitmodules', 'a.txt'].toSorted(), []]);
    expect(NAMES.map((name) => (has(name) ? get(name) : null))).toEqual(
      NAMES.map((name) => (name === '.GIT/x' ? null : 'mine')),
    );
    expect([readlinkSync(join(cwd, '.gitmodules')), git('fsck', '--full', '--strict', '--no-dangling')]).toEqual([
      'nowhere',
      '',
    ]);
    await run('redo');
    expect([...NAMES, '.gitmodules', 'a.txt'].map(get)).toEqual([...NAMES, '.', '.'].map(() => 'model'));
  });

  test('in a tree were planted, and nothing is done to them', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    const blob = git('rev-parse', 'refs/aish/c1/before:a').trim();
    const raw = (entries: readonly (readonly [string, string, string])[]) =>
      Buffer.concat(
        entries.flatMap(([mode, name, object]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')]),
      );
    const keep = (kind: string, content: Buffer) =>
      Bun.spawnSync(['git', 'hash-object', '-w', '--literally', '-t', kind, '--stdin'], { cwd, stdin: content })
        .stdout.toString()
        .trim();
    const inner = keep('tree', raw([['100644', 'config', blob]]));
    const names = ['.g\u200cit', 'GIT~1'];
    const tree = keep('tree', raw([...names.map((name) => ['40000', name, inner] as const), ['100644', 'a', blob]]));
    const message = git('log', '-1', '--format=%B', 'refs/aish/c1/before').trim();
    git('update-ref', 'refs/aish/c1/before', git('commit-tree', tree, '-m', message).trim());
    const { restored, refused } = await run('undo');
    const why = "the path is inside git's own data";
    expect([restored, refused]).toEqual([['a'], names.map((name) => ({ path: `${name}/config`, why }))]);
    expect(names.map((name) => has(name))).toEqual([false, false]);
  });
});

test('what aish keeps in a home directory that is a repository is in no checkpoint of it', async () => {
  const saved = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = join(cwd, '.local/state');
  try {
    put('.env', canary('.env'));
    mkdirSync(join(cwd, '.local/state/other'), { recursive: true });
    put('.local/state/other/file', 'kept');
    await step(() => put('.env', 'new'));
    await step(() => put('.env', 'newer'));
    expect([readable(everyObject(cwd)), git('ls-tree', '-r', '--name-only', 'refs/aish/c2/after')]).toEqual([
      [],
      '.local/state/other/file\n',
    ]);
  } finally {
    if (saved === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = saved;
  }
});
