import { existsSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Fact, foldMemory, type MemoryPlace, placeOf } from '../../core/memory/facts.ts';
import { attempt } from '../../core/text/attempt.ts';
import { type FactLine, formatMemoryLine, type MarkLine, parseSharedLine } from '../../protocol/memory.ts';
import { type FileText, readConfigFile } from '../config/config-file.ts';
import { findProjectFile } from '../config/load.ts';
import { projectAround } from '../config/paths.ts';
import { type Trust, TrustStore } from '../config/trust.ts';
import { SharedFile } from '../history/shared-file.ts';
import { failedMemoryWrite } from './messages.ts';

/** The name of the file with facts, in the state folder and in the `.aish` folder of a project. */
export const MEMORY_NAME = 'memory.jsonl';

/** Further waits for another process that has the lock. */
const LOCK_TRIES = 20;

/** The facts at a place, and the file of the project that aish left out because the user does not trust its content. */
interface MemoryContent {
  readonly facts: readonly Fact[];
  readonly untrusted: { readonly path: string; readonly hasChanged: boolean } | null;
}

/**
 * The facts of the user, in one file for all processes: aish appends lines under a lock and removes none. Facts of a project stand in the
 * project's own file, which counts only with content that the user trusts.
 */
export class MemoryStore {
  readonly place: MemoryPlace;
  readonly #path: string;
  readonly #trust: TrustStore;
  readonly #trustPath: string;
  #here: (MemoryContent & { readonly stamp: string }) | null = null;

  constructor(context: { readonly state: string; readonly cwd: string; readonly home: string }) {
    const { state, cwd, home } = context;
    const project = projectAround(cwd, home);
    this.place = { cwd, project: existsSync(join(project, '.git')) ? project : null, host: hostname() };
    this.#path = join(state, MEMORY_NAME);
    this.#trust = new TrustStore(state);
    this.#trustPath = join(state, 'trust.json');
  }

  /** Another text as soon as the facts may be others. */
  get stamp(): string {
    const paths = [this.#path, this.#trustPath, findProjectFile(this.place.cwd, MEMORY_NAME) ?? ''];
    return paths
      .map((path) => attempt(() => statSync(path), null))
      .map((stat) => `${stat?.size} ${stat?.mtimeMs} ${stat?.ino}`)
      .join();
  }

  /** All facts, or those that count here, which takes a session with many other facts half of the time; those are kept until they change. */
  read(which: 'all' | 'here' = 'all'): MemoryContent {
    if (which === 'all') return this.#read(null);
    const { stamp } = this;
    if (this.#here?.stamp !== stamp) this.#here = { stamp, ...this.#read(this.place) };
    return this.#here;
  }

  #read(place: MemoryPlace | null): MemoryContent {
    const file = this.#readShared();
    const trust: Trust = file === null ? { state: 'unknown' } : this.#trust.look(file.path, file.text);
    const shared = file !== null && trust.state === 'trusted' ? this.#toFacts(file) : [];
    const text = attempt(() => readFileSync(this.#path, 'utf8'), '');
    // The end of the last line may still be on its way from another process.
    const facts = foldMemory(text.slice(0, text.lastIndexOf('\n') + 1), shared, place);
    const isLeftOut = file !== null && trust.state !== 'trusted';
    return { facts, untrusted: isLeftOut ? { path: file.path, hasChanged: trust.state === 'changed' } : null };
  }

  /** Appends lines. Throws if the file cannot be written. */
  append(lines: readonly (FactLine | MarkLine)[]): void {
    if (lines.length === 0) return;
    const file = new SharedFile(this.#path);
    let isWritten = file.append(lines.map(formatMemoryLine).join(''));
    // The file keeps the lines for the next try.
    for (let left = LOCK_TRIES; !isWritten && left > 0; left -= 1) isWritten = file.append('');
    if (!isWritten) throw failedMemoryWrite(this.#path);
  }

  /** Null also for a file that cannot be read: a project must not stop a session. */
  #readShared(): FileText | null {
    const path = findProjectFile(this.place.cwd, MEMORY_NAME);
    return path === null ? null : attempt(() => readConfigFile(path), null);
  }

  #toFacts({ text }: FileText): readonly Fact[] {
    const now = Date.now();
    const place = placeOf('project', this.place);
    return text.split('\n').flatMap((row) => {
      const line = parseSharedLine(row);
      if (line === null) return [];
      const id = `p${new Bun.CryptoHasher('sha256').update(line.text).digest('hex').slice(0, 6)}`;
      return [{ ...line, id, scope: 'project', place, at: now, by: 'user', confirmed: now, uses: [] }];
    });
  }
}
