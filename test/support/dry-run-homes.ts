import { afterAll, beforeAll } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTree } from '../../src/adapters/dry-run/read-changes.ts';
import { openAttributes, Tree } from '../../src/adapters/dry-run/tree.ts';
import type { OverlayMode } from '../../src/protocol/change-report.ts';
import type { DryRunOutcome, DryRunRequest } from './dry-run-driver.ts';
import { JsonDriver } from './json-driver.ts';
import { AS_NOBODY, NOBODY } from './other-user.ts';
import { hasProgram } from './programs.ts';

const DRIVER = join(import.meta.dir, 'dry-run-driver.ts');
const isRoot = process.getuid?.() === 0;
const USERS = isRoot ? ['the superuser', 'an ordinary user'] : ['an ordinary user'];
const WAYS = ['overlay', 'copy'] as const;
/** No file of a test is newer than this before the test changes it. */
const LONG_AGO = 1_600_000_000;

/** Whether anything can be tried in a dry run here. */
export const CAN_REHEARSE = hasProgram('bwrap') && hasProgram('unshare') && (!isRoot || hasProgram('setpriv'));

/** The user of a dry run, and the layout of the project for it. */
export const REHEARSERS = USERS.flatMap((user) => WAYS.map((way) => [user, way] as const));

/** The actions of tests of dry runs. */
export interface DryRunDeps {
  /** The words before a program that run it as the user. */
  readonly drop: readonly string[];
  /** The folder of all homes. */
  root(): string;
  /** A home with a project in it, made by a script; two of the same script are twins. */
  home(script: string): string;
  /** Runs a script in the project of a home itself. */
  run(home: string, script: string): void;
  dryRun(home: string, text: string, more?: Partial<DryRunRequest>): Promise<DryRunOutcome>;
}

/** Hands for the tests of one user and way, in a folder of their own. */
export function useDryRuns(user: string, way: OverlayMode): DryRunDeps {
  let root = '';
  let count = 0;
  let driver: JsonDriver | undefined;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'dry-run-test-'));
    chmodSync(root, 0o755);
  });
  afterAll(() => {
    driver?.close();
    Bun.spawnSync(['chmod', '-R', 'u+rwX', root]);
    rmSync(root, { recursive: true, force: true });
  });
  const drop = isRoot && user !== 'the superuser' ? AS_NOBODY : [];
  const run = (home: string, script: string): void => {
    const command = [...drop, 'bash', '--noprofile', '--norc', '-c', script];
    Bun.spawnSync(command, { cwd: join(home, 'project'), env: { PATH: process.env.PATH, LC_ALL: 'C', HOME: home } });
  };
  const home = (script: string): string => {
    count += 1;
    const path = join(root, String(count));
    mkdirSync(join(path, 'project'), { recursive: true });
    if (drop.length > 0) Bun.spawnSync(['chown', '-R', `${NOBODY}:${NOBODY}`, path]);
    run(path, `${script}\nfind . -exec touch -h -d @${LONG_AGO} {} +`);
    return path;
  };
  const dryRun: DryRunDeps['dryRun'] = (path, text, more = {}) => {
    driver ??= new JsonDriver([...drop, process.execPath, DRIVER], { PATH: process.env.PATH ?? '', LC_ALL: 'C' });
    return driver.ask<DryRunOutcome>({ text, home: path, way, apply: 'all', ...more }).catch((fault: unknown) => {
      driver = undefined;
      throw fault;
    });
  };
  return { drop, root: () => root, home, run, dryRun };
}

/** The initial contents of a project: files, folders, links of both kinds, names in any bytes, a file with a hole, rights. */
export const SEEDLING = [
  'echo 1 > one; echo 2 > two; mkdir -p folder/inner empty; echo 3 > folder/three; echo 4 > folder/inner/four',
  "ln -s one link; ln -s missing dangling; echo 5 > 'with blank'; echo 6 > $'byte\\xff'; truncate -s 200000 hole",
  'printf "\\0\\1\\2" > binary; chmod 750 folder/three; chmod 600 two; mkfifo pipe',
].join('\n');

/** All of a project: kinds, rights, owners, names that are one file, content, attributes, and the times that nobody has set just now. */
export function snapshot(
  path: string,
  { times = 'old' }: { times?: 'old' | 'all' } = {},
): Readonly<Record<string, string>> {
  const tree = new Tree(join(path, 'project'));
  const attributes = openAttributes();
  const names = new Map<bigint, string>();
  const entries = [...(listTree(tree, 100_000) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    entries.map(([at, { kind, mode, size, modifiedNs, inode, names: many, user, group }]) => {
      const first = names.get(inode) ?? at;
      names.set(inode, first);
      const isOld = modifiedNs < BigInt(LONG_AGO + 1000) * 1_000_000_000n;
      const content = kind === 'file' ? Bun.hash(readFileSync(tree.at(at))) : kind === 'link' ? tree.link(at) : '';
      const time = times === 'all' || isOld ? String(modifiedNs) : 'now';
      const about = [kind, mode.toString(8), size, user, group, many > 1 && kind === 'file' ? `${many} ${first}` : ''];
      return [at, [...about, content, time, attributes.read(tree.at(at))].join(' ')];
    }),
  );
}
