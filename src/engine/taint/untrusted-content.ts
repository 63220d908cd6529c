import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readOwnFile, writeAtomically } from '../../adapters/system/own-file.ts';
import { isBelow } from '../../core/commands/place.ts';
import { type TaintState, toSource } from '../../core/session/taint-state.ts';
import { succeeds } from '../../core/text/attempt.ts';
import { parseJson } from '../../protocol/json.ts';

/** The oldest entry goes first. */
const MOST = 1000;

/**
 * Files of projects that were downloaded, or written by a model that had read untrusted content, kept from session to session until a user
 * trusts them. A whole project is none of them: what a pull brings is the work of those who write it.
 */
export class UntrustedContent {
  readonly #path: string;
  #read: { readonly key: string; readonly paths: readonly string[] } = { key: '', paths: [] };

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, 'text-of-others.json');
  }

  /** Those that are still there in a project. */
  below(project: string): readonly string[] {
    return this.#load().filter((path) => path !== project && isBelow(path, project) && existsSync(path));
  }

  /** Takes over what a session learned of such files, or that a user trusted what it had read and written of them. */
  follow(before: TaintState, after: TaintState, cwd: string): void {
    if (before.paths === after.paths && before.sources === after.sources) return;
    const known = this.#load();
    const isLifted = after.sources.length === 0 && after.paths.length === 0;
    const kept = isLifted ? known.filter((path) => !isTrusted(path, before)) : known;
    const fresh = after.paths.filter((path) => !known.includes(path) && !isBelow(cwd, path));
    if (kept.length < known.length || fresh.length > 0) this.#save([...kept, ...fresh]);
  }

  /** Another session may have written it meanwhile. */
  #load(): readonly string[] {
    const key = keyOf(this.#path);
    if (key !== this.#read.key) this.#read = { key, paths: key === '' ? [] : readPaths(this.#path) };
    return this.#read.paths;
  }

  #save(paths: readonly string[]): void {
    const kept = paths.filter((path) => existsSync(path)).slice(-MOST);
    // The session itself knows of them all the same.
    succeeds(() => writeAtomically(this.#path, `${JSON.stringify(kept, null, 1)}\n`));
  }
}

/** A user who trusts the content trusts the files that it came from. */
function isTrusted(path: string, { paths, sources }: TaintState): boolean {
  const read = sources.flatMap(({ kind, name }) => (kind === 'file' ? [name] : []));
  return paths.some((one) => isBelow(path, one)) || read.includes(toSource('file', path).name);
}

function keyOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeNs} ${found.size}`;
}

function readPaths(path: string): readonly string[] {
  const value = parseJson(readOwnFile(path) ?? '');
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
