import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { parseRunRecord, type RunRecord } from '../../protocol/contract.ts';
import { errorCode } from '../../protocol/error.ts';
import { toSafeJson } from '../../protocol/json.ts';
import { TrustStore } from '../config/trust.ts';
import { readOwnFile, writeAtomically } from '../system/own-file.ts';
import { isProcessAlive } from '../system/processes.ts';
import { tooManyRuns } from './messages.ts';

/** So many working copies may wait for the user; beyond that no run begins. */
const MOST_RUNS = 20;

/**
 * The records of autonomous runs in working copies. They lie among aish's own files, which no model can reach. The copies lie beside that
 * folder, because the model works in them.
 */
export class RunStore {
  readonly #records: string;
  readonly #copies: string;
  readonly #trust: TrustStore;

  constructor(state: string) {
    this.#records = join(state, 'runs');
    this.#trust = new TrustStore(state);
    this.#copies = join(dirname(state), '.aish-runs');
  }

  /** All records, oldest first. */
  list(): readonly RunRecord[] {
    const names = attempt(() => readdirSync(this.#records), []);
    const found = names.flatMap((name) => {
      const record = name.endsWith('.json') ? parseRunRecord(readOwnFile(join(this.#records, name)) ?? '') : null;
      return record === null ? [] : [record];
    });
    return found.sort((one, other) => numberOf(one.id) - numberOf(other.id));
  }

  /** The record of a run; null without one. */
  find(id: string): RunRecord | null {
    return /^r\d+$/.test(id) ? parseRunRecord(readOwnFile(this.#path(id)) ?? '') : null;
  }

  /** Takes the next free number. The working copy bears the name of its project. */
  begin(run: Omit<RunRecord, 'id' | 'tree' | 'base' | 'pid' | 'session' | 'endedAt' | 'reason'>): RunRecord {
    const known = this.list();
    if (known.length >= MOST_RUNS) throw tooManyRuns(known.map(({ id }) => id));
    mkdirSync(this.#copies, { recursive: true, mode: 0o700 });
    for (let number = numberOf(known.at(-1)?.id ?? 'r0') + 1; ; number += 1) {
      const id = `r${number}`;
      if (!takeFolder(join(this.#copies, id))) continue;
      const tree = join(this.#copies, id, basename(run.project) || 'project');
      const record = { ...run, id, tree, base: null, pid: null, session: null, endedAt: null, reason: null };
      this.write(record);
      return record;
    }
  }

  write(record: RunRecord): void {
    writeAtomically(this.#path(record.id), `${toSafeJson(record)}\n`);
  }

  /** Writes some facts of a run down. */
  update(id: string, facts: Partial<Omit<RunRecord, 'id'>>): void {
    const record = this.find(id);
    if (record !== null) this.write({ ...record, ...facts });
  }

  /** The folder of a working copy, which goes with its record. */
  folderOf({ id }: Pick<RunRecord, 'id'>): string {
    return join(this.#copies, id);
  }

  /** Trusts the files of a working copy as those of its project, with the same content. */
  trustCopy({ tree, project }: RunRecord): void {
    this.#trust.change((files) => {
      for (const [path, file] of [...files])
        if (path.startsWith(`${project}/`)) files.set(tree + path.slice(project.length), file);
    });
  }

  /** Forgets a run whose working copy is gone. */
  forget({ id, tree }: Pick<RunRecord, 'id' | 'tree'>): void {
    this.#trust.change((files) => {
      for (const path of [...files.keys()]) if (path.startsWith(`${tree}/`)) files.delete(path);
    });
    rmSync(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.#records, `${id}.json`);
  }
}

/** Whether a process works on the run. */
export function isAtWork({ endedAt, pid }: Pick<RunRecord, 'endedAt' | 'pid'>): boolean {
  return endedAt === null && pid !== null && isProcessAlive(pid);
}

function takeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}
