import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CAN_REHEARSE, REHEARSERS, SEEDLING, snapshot, useDryRuns } from '../../../test/support/dry-run-homes.ts';

const isRoot = process.getuid?.() === 0;
const LONG = 120_000;
/** So many random scripts are tried in each way; `AISH_DRY_RUNS` says another number. */
const SCRIPTS = Number(process.env.AISH_DRY_RUNS ?? 2);

describe.skipIf(!CAN_REHEARSE).each(REHEARSERS)('a dry run of %s on %s', (user, way) => {
  const { drop, root, home, run, dryRun } = useDryRuns(user, way);

  test(
    'dropped, leaves a tree that is the same in every byte, mode, link and time, whatever was tried',
    async () => {
      for (let seed = 1; seed <= SCRIPTS; seed += 1) {
        const path = home(SEEDLING);
        const before = snapshot(path, { times: 'all' });
        const outcome = await dryRun(path, scriptOf(seed * 7919), { apply: null });
        expect(outcome.problem).toBeNull();
        expect(snapshot(path, { times: 'all' })).toEqual(before);
        expect(readdirSync(join(path, 'own', 'views'))).toEqual([]);
      }
    },
    LONG,
  );

  test(
    'applied whole, comes to what a run of the same command comes to on a twin',
    async () => {
      for (let seed = 1; seed <= SCRIPTS; seed += 1) {
        const script = scriptOf(seed * 104729);
        const [tried, twin] = [home(SEEDLING), home(SEEDLING)];
        const outcome = await dryRun(tried, script);
        run(twin, script);
        expect({ seed, script, problem: outcome.problem, conflicts: outcome.conflicts }).toEqual({
          seed,
          script,
          problem: null,
          conflicts: [],
        });
        expect({ script, tree: snapshot(tried) }).toEqual({ script, tree: snapshot(twin) });
      }
    },
    LONG,
  );

  test(
    'applied in part, changes exactly the paths that were chosen',
    async () => {
      const path = home(SEEDLING);
      const before = snapshot(path, { times: 'all' });
      const { items, conflicts } = await dryRun(path, 'echo x >> one; rm two; mkdir -p new/deep; echo y > new/deep/z', {
        apply: [1, 3],
      });
      expect([items.map(({ kind, path: at }) => [kind, at]), conflicts]).toEqual([
        [
          ['created', 'new/'],
          ['changed', 'one'],
          ['deleted', 'two'],
        ],
        [],
      ]);
      const after = snapshot(path, { times: 'all' });
      const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
        (at) => before[at] !== after[at],
      );
      expect(differing.sort()).toEqual(['', 'new', 'new/deep', 'new/deep/z', 'two']);
    },
    LONG,
  );

  test(
    'reaches nothing outside by links, absolute paths or temporary files',
    async () => {
      const path = home(`${SEEDLING}\necho safe > ../outside; ln -s ../outside way-out; ln -s "$HOME" far`);
      const mark = join(tmpdir(), `dry-run-mark-${process.pid}-${basename(path)}`);
      const script = [
        'echo bad >> way-out',
        'echo bad > far/outside',
        `echo bad > ${path}/outside`,
        `echo bad > ${mark} && cat ${mark}`,
        'ln ../outside inside && echo bad >> inside',
        'rm -rf ../outside ..',
        'mv one ..',
        `cp -r . ${path}/copied`,
      ].join('\n');
      const { output, problem } = await dryRun(path, script);
      expect([problem, output.includes('Read-only file system')]).toEqual([null, true]);
      expect(readFileSync(join(path, 'outside'), 'utf8')).toBe('safe\n');
      expect([
        existsSync(mark),
        existsSync(join(path, 'copied')),
        readdirSync(path)
          .filter((name) => name !== '.bun')
          .sort(),
      ]).toEqual([false, false, ['outside', 'own', 'project']]);
    },
    LONG,
  );

  test(
    'moves a branch in the view only, and with all that belongs to it when applied',
    async () => {
      const git = 'git -c user.name=a -c user.email=a@b';
      const path = home(`git init -q -b main .; echo 1 > f; git add f; ${git} commit -qm one`);
      const log = (): string =>
        Bun.spawnSync([...drop, 'git', 'log', '--format=%s'], { cwd: join(path, 'project') }).stdout.toString();
      const script = `echo 2 > f; ${git} commit -qam two`;
      const dropped = await dryRun(path, script, { apply: null });
      expect([dropped.exit, log()]).toEqual([0, 'one\n']);
      const { items, conflicts } = await dryRun(path, script);
      expect([items[0]?.kind, items[0]?.about, conflicts]).toEqual([
        'repository',
        expect.stringMatching(/^main [0-9a-f]{7} → [0-9a-f]{7}, \d+ paths in \.git$/),
        [],
      ]);
      expect(log()).toBe('two\none\n');
      const status = ['git', 'status', '--porcelain'];
      expect(Bun.spawnSync([...drop, ...status], { cwd: join(path, 'project') }).stdout.toString()).toBe('');
    },
    LONG,
  );

  test(
    'names and shows what git would run or obey from then on',
    async () => {
      const path = home(`${SEEDLING}\ngit init -q -b main .; rm -f .git/hooks/*`);
      const script =
        'echo evil > .git/hooks/post-commit; printf "[alias]\\n\\tx = !evil\\n" >> .git/config; echo x > .git/note';
      const { items } = await dryRun(path, script);
      const item = items.find(({ kind }) => kind === 'repository');
      expect(item?.about).toBe('config, hooks/post-commit (configures git), 3 paths in .git');
      expect(item?.diff?.match(/^[-+].*$/gm)).toEqual([
        '--- a/.git/config',
        '+++ b/.git/config',
        '+[alias]',
        '+\tx = !evil',
        '--- /dev/null',
        '+++ b/.git/hooks/post-commit',
        '+evil',
      ]);
    },
    LONG,
  );

  test(
    'fails as a run would in a folder that cannot be written to',
    async () => {
      const path = home('echo 1 > f; mkdir locked; chmod 555 locked');
      const { exit, output, items } = await dryRun(path, 'touch locked/x');
      // The superuser has none of its powers there.
      expect([exit, items]).toEqual([1, []]);
      expect(output).toContain('Permission denied');
    },
    LONG,
  );

  test.skipIf(!existsSync('/dev/shm'))(
    'comes to the same where its view is on another file system, and leaves nothing beside',
    async () => {
      const views = mkdtempSync('/dev/shm/dry-run-test-');
      chmodSync(views, 0o777);
      try {
        const script = `${scriptOf(2_750_159)}\nln two again; truncate -s 1000000 wide`;
        const [tried, twin] = [home(SEEDLING), home(SEEDLING)];
        const { problem, conflicts } = await dryRun(tried, script, { views });
        run(twin, script);
        expect([problem, conflicts]).toEqual([null, []]);
        expect({ script, tree: snapshot(tried) }).toEqual({ script, tree: snapshot(twin) });
        expect(readdirSync(views)).toEqual([]);
      } finally {
        rmSync(views, { recursive: true, force: true });
      }
    },
    LONG,
  );

  test.skipIf(!isRoot)(
    'on a disk that is full fails in the view, and the project keeps what it has',
    async () => {
      const views = join(root(), 'full');
      mkdirSync(views);
      const mount = ['mount', '-t', 'tmpfs', '-o', 'size=512k,mode=777', 'tmpfs', views];
      if (Bun.spawnSync(mount).exitCode !== 0) return;
      try {
        const path = home('echo 1 > f');
        const before = snapshot(path, { times: 'all' });
        const { exit, output, problem } = await dryRun(path, 'head -c 2000000 /dev/zero > f', { views, apply: null });
        expect([problem, exit, output.includes('No space left on device')]).toEqual([null, 1, true]);
        expect(snapshot(path, { times: 'all' })).toEqual(before);
      } finally {
        Bun.spawnSync(['umount', views]);
      }
    },
    LONG,
  );

  test(
    'of a large project copies nothing, or says that it is too large',
    async () => {
      const path = home('mkdir {1..200}; touch {1..200}/{1..100}');
      const { problem, items } = await dryRun(path, 'rm -r 7; echo x > 8/1');
      if (way === 'copy') expect(problem).toBe('the project is too large to copy (more than 20000 files and folders)');
      else
        expect([problem, items.map(({ path: at, about }) => [at, about])]).toEqual([
          null,
          [
            ['7/', '100 files, 0 B'],
            ['8/1', '0 B → 2 B'],
          ],
        ]);
    },
    LONG,
  );

  test(
    'keeps what it cannot be told apart by from passing for a name',
    async () => {
      const path = home('echo 1 > f');
      const script = "mv f $'\\xff\\xfe'; echo n > $'a\\nb'; ln -s $'\\xff' $'\\x80'";
      const twin = home('echo 1 > f');
      run(twin, script);
      expect((await dryRun(path, script)).conflicts).toEqual([]);
      expect(snapshot(path)).toEqual(snapshot(twin));
    },
    LONG,
  );
});

const PLACES = [
  'one',
  'two',
  'folder',
  'folder/inner',
  'folder/three',
  'empty',
  'link',
  'hole',
  'new',
  'new/a',
  'binary',
  'pipe',
];

/** A script of random steps; each may fail, as it may in a run. */
function scriptOf(seed: number): string {
  let state = seed;
  const pick = <T>(from: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return from[(state >> 8) % from.length] as T;
  };
  const steps = Array.from({ length: 14 }, () => {
    const [one, other] = [pick(PLACES), pick(PLACES)];
    return pick([
      `[ -p ${one} ] || echo ${state} > ${one}`,
      `[ -p ${one} ] || echo ${state} >> ${one}`,
      `rm -rf ${one}`,
      `mkdir -p ${one}`,
      `mv ${one} ${other}`,
      // Into itself it would come to whatever order the folder is read in.
      `cp -a ${one} ${other.replaceAll('/', '-')}-copy`,
      `chmod ${pick(['700', '644', '755'])} ${one}`,
      `ln -s ${other} ${one}-link`,
      `ln ${one} ${other}-name`,
      `[ -p ${one} ] || echo more >> ${one}-name`,
      `touch -h -d @1500000000.123456789 ${one}`,
      `[ ! -f ${one} ] || sed -i s/1/one/ ${one}`,
      `truncate -s 300000 ${one}-hole`,
      `mkdir -p ${one}/d && echo ${state} > ${one}/d/e`,
      `rmdir ${one}`,
      `rm -rf ${one} && mkdir ${one} && echo ${state} > ${one}/again`,
    ]);
  });
  return `exec 2>/dev/null\n${steps.join('\n')}\ntrue`;
}
