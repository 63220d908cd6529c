import { lstatSync, readlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FolderState, isStill, lookAtState } from '../system/folder-state.ts';

const MOST_LINKS = 32;

/** The value that a look found, and all paths that it depends on, there or not; null if it depends on the content of a file, too. */
export interface Look<T> {
  readonly value: T;
  readonly paths: readonly string[] | null;
}

/**
 * Keeps what a look at many paths found, for as long as no folder on the ways to them has changed: the state of a folder pins the names in
 * it, what each of them is, and where its links lead. The content and the mode of a file are not pinned.
 */
export class WhileUnchanged<T> {
  /** The states are null where they may have changed just now. */
  #last: {
    readonly key: readonly unknown[];
    readonly states: ReadonlyMap<string, FolderState> | null;
    readonly value: T;
  } | null = null;

  /** Looks again if the key or a folder is another one. */
  get(key: readonly unknown[], look: () => Look<T>): T {
    const last = this.#last;
    if (last !== null && last.states !== null && hasSame(last.key, key) && isUnchanged(last.states)) return last.value;
    const begun = Date.now();
    const { value, paths } = look();
    this.#last = { key, states: paths === null ? null : statesOnWays(paths, begun), value };
    return value;
  }
}

/** Whether two lists have the same items in the same order. */
export function hasSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** The list before, if the one of now has the same items. */
export function keepSame<T>(before: readonly T[], now: readonly T[]): readonly T[] {
  return hasSame(before, now) ? before : now;
}

function isUnchanged(states: ReadonlyMap<string, FolderState>): boolean {
  for (const [folder, state] of states) if (!isStill(folder, state)) return false;
  return true;
}

/** The states of the folders on the ways to some paths; null if one of them changed just now, or since a look at them began. */
function statesOnWays(paths: Iterable<string>, lookedAt: number): ReadonlyMap<string, FolderState> | null {
  const way = new Way();
  for (const path of paths) way.follow(path);
  const states = new Map<string, FolderState>();
  for (const folder of way.folders) {
    const state = lookAtState(folder, lookedAt);
    if (state === null) return null;
    states.set(folder, state);
  }
  return states;
}

/** The target of the link at a path; or whether anything else is there. */
type Step = { readonly target: string } | 'there' | 'nothing';

/** Follows paths, link by link. */
export class Way {
  /** The folders that were gone through. */
  readonly folders = new Set<string>();
  readonly #steps = new Map<string, Step>();

  /** Follows a path as far as it leads. `onLink` hears of each link on the way. */
  follow(path: string, onLink: (link: string, target: string) => void = () => {}): void {
    let rest = path.split('/').filter(Boolean);
    let at = '';
    for (let count = 0; count < MOST_LINKS; ) {
      const [name, ...others] = rest;
      if (name === undefined) return;
      this.folders.add(at === '' ? '/' : at);
      const next = `${at}/${name}`;
      const step = this.#steps.get(next) ?? stepAt(next);
      this.#steps.set(next, step);
      if (step === 'nothing') return;
      rest = others;
      at = step === 'there' ? next : '';
      if (step === 'there') continue;
      onLink(next, step.target);
      rest = [...resolve(next, '..', step.target).split('/').filter(Boolean), ...others];
      count += 1;
    }
  }
}

function stepAt(path: string): Step {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'nothing';
    return stat.isSymbolicLink() ? { target: readlinkSync(path) } : 'there';
  } catch {
    return 'nothing'; // It lies in a file, or in a folder that is closed to us.
  }
}
