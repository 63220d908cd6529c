import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ImpactTree } from './impact-tree.ts';

/** One thing in a tree. */
export interface Thing {
  readonly type: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly size: number;
  /** A hash of a file's content, or the target of a link. */
  readonly content: string;
  /** When a file was written last, in nanoseconds; a folder's and a link's time say nothing. */
  readonly written: bigint;
  /** Tells whether it has to be read again. */
  readonly stamp: string;
}

/** Everything below a folder, by its path from there. */
export type Snapshot = ReadonlyMap<string, Thing>;

/** The real changes of a line, as paths from the tree's base. */
export interface Truth {
  readonly deleted: readonly string[];
  readonly created: readonly string[];
  /** Content, mode, kind, target or time of writing are other ones. */
  readonly changed: readonly string[];
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly exit: number | null;
}

/** Takes the snapshot of a folder; what is as it was in an earlier one is not read again. */
export function takeSnapshot(folder: string, earlier: Snapshot = new Map()): Snapshot {
  const snapshot = new Map<string, Thing>();
  const visit = (below: string): void => {
    for (const name of readdirSync(join(folder, below))) {
      const path = below === '' ? name : `${below}/${name}`;
      const thing = lookAt(join(folder, path), earlier.get(path));
      snapshot.set(path, thing);
      if (thing.type === 'folder') visit(path);
    }
  };
  visit('');
  return snapshot;
}

function lookAt(path: string, earlier: Thing | undefined): Thing {
  const stat = lstatSync(path, { bigint: true });
  const stamp = `${stat.ino} ${stat.ctimeNs} ${stat.mtimeNs} ${stat.size} ${stat.mode}`;
  if (earlier?.stamp === stamp) return earlier;
  const plain = { mode: Number(stat.mode & 0o7777n), size: 0, content: '', written: 0n, stamp };
  if (stat.isDirectory()) return { ...plain, type: 'folder' };
  if (stat.isSymbolicLink()) return { ...plain, type: 'link', content: readlinkSync(path) };
  if (!stat.isFile()) return { ...plain, type: 'other' };
  const content = createHash('sha256').update(readFileSync(path)).digest('hex');
  return { ...plain, type: 'file', size: Number(stat.size), content, written: stat.mtimeNs };
}

/** A copy of the tree on which lines are run for real, one after the other, each on the tree as it was. */
export class TreeCopy {
  readonly #tree: ImpactTree;
  readonly #folder: string;
  #before: Snapshot = new Map();

  constructor(tree: ImpactTree) {
    this.#tree = tree;
    this.#folder = mkdtempSync(join(dirname(tree.base), 'aish-impact-copy-'));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs a line. The copy stands where the tree stands; nothing else can be written, and there is no network. */
  async run(line: string, cwd: string): Promise<Truth> {
    const before = await this.#ready();
    const exit = await finish(confine(line, cwd, this.#folder, this.#tree), this.#tree.env);
    const after = takeSnapshot(this.#folder, before);
    const truth = { ...compare(before, after), before, after, exit };
    await this.#putBack(truth);
    return truth;
  }

  async #ready(): Promise<Snapshot> {
    if (this.#before.size > 0) return this.#before;
    await finish(['cp', '-a', `${this.#tree.base}/.`, this.#folder]);
    this.#before = takeSnapshot(this.#folder);
    return this.#before;
  }

  /** Makes the copy again where much of it is another; else mends what is. */
  async #putBack({ deleted, created, changed, before }: Truth): Promise<void> {
    const lost = [...deleted, ...changed];
    if (lost.length + created.length === 0) return;
    for (const path of created) rmSync(join(this.#folder, path), { recursive: true, force: true });
    for (const path of lost) {
      const was = before.get(path);
      if (was?.type === 'folder' && changed.includes(path)) chmodSync(join(this.#folder, path), was.mode);
      else rmSync(join(this.#folder, path), { recursive: true, force: true });
    }
    // A file as new as the original stays as it is.
    await finish(['cp', '-au', `${this.#tree.base}/.`, this.#folder]);
    this.#before = takeSnapshot(this.#folder, before);
    const left = compare(before, this.#before);
    if (left.deleted.length + left.created.length + left.changed.length > 0)
      throw new Error(`the copy could not be put back: ${JSON.stringify(left)}`);
  }
}

function confine(line: string, cwd: string, copy: string, { base, env }: ImpactTree): readonly string[] {
  const around = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--bind', copy, base];
  const apart = ['--unshare-all', '--die-with-parent', '--new-session', '--chdir', cwd, '--clearenv'];
  const named = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
  return ['timeout', '-k', '1', '3', 'bwrap', ...around, ...apart, ...named, 'bash', '--norc', '-c', line];
}

async function finish(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<number | null> {
  const environment = env === undefined ? {} : { env: { ...env } };
  const child = Bun.spawn([...command], { stdio: ['ignore', 'ignore', 'ignore'], ...environment });
  await child.exited;
  return child.exitCode;
}

function compare(before: Snapshot, after: Snapshot): Pick<Truth, 'deleted' | 'created' | 'changed'> {
  const changed = [...after].filter(([path, thing]) => {
    const was = before.get(path);
    return was !== undefined && !isSame(was, thing);
  });
  return {
    deleted: [...before.keys()].filter((path) => !after.has(path)).sort(),
    created: [...after.keys()].filter((path) => !before.has(path)).sort(),
    changed: changed.map(([path]) => path).sort(),
  };
}

function isSame(one: Thing, other: Thing): boolean {
  const { type, mode, content, written } = one;
  return type === other.type && mode === other.mode && content === other.content && written === other.written;
}
