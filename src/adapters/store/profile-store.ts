import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyLesson } from '../../core/model/endpoint-profile.ts';
import { attempt } from '../../core/text/attempt.ts';
import { parseStoredProfile, type StoredProfile } from '../../protocol/endpoint-profile.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { Learned } from '../model/request-completion.ts';
import { takeLock, writeAtomically } from '../system/own-file.ts';
import { systemCalls } from '../system/system-calls.ts';

/** A server may be updated, so aish learns anew after this time; that costs one refused request. */
const KEPT_MS = 60 * 24 * 60 * 60 * 1000;

/** Most servers in the file; the oldest go first. */
const MOST = 200;

/** Nobody holds the lock for so long. After that, aish writes without it. */
const LOCK_TRIES = 2500;
const LOCK_PAUSE_MS = 2;

/**
 * The profiles of servers, in one file for all processes. A process reads it before each request. It changes the file under a lock, so that
 * it loses no lesson of another process.
 */
export class ProfileStore {
  readonly #path: string;
  readonly #now: () => number;

  constructor(stateFolder: string, now: () => number = Date.now) {
    this.#path = join(stateFolder, 'model-profiles.json');
    this.#now = now;
  }

  /** The profile of a model at an address; null if nothing is known. */
  find(baseUrl: string, model: string): StoredProfile | null {
    return this.#read().get(toKey(baseUrl, model)) ?? null;
  }

  /** The profiles of one model at an address, or of all models there. */
  ofServer(baseUrl: string, model: string | null): (readonly [model: string, stored: StoredProfile])[] {
    const prefix = toKey(baseUrl, '');
    return [...this.#read()].flatMap(([key, stored]) => {
      const isMeant = model === null ? key.startsWith(prefix) : key === toKey(baseUrl, model);
      return isMeant ? [[key.slice(prefix.length), stored] as const] : [];
    });
  }

  /** Adds lessons with their reasons to a profile. A failed write does no harm: aish learns again. */
  keep(baseUrl: string, model: string, learned: readonly Learned[]): void {
    const key = toKey(baseUrl, model);
    const at = this.#now();
    this.#change((stored) => {
      const { profile = {}, notes = [] } = stored.get(key) ?? {};
      const taught = learned.reduce((known, { lesson }) => applyLesson(known, lesson) ?? known, profile);
      const added = learned.map(({ text, said }) => ({ at, text, said }));
      stored.delete(key);
      stored.set(key, { profile: taught, notes: [...notes, ...added], at });
    });
  }

  /** Removes the profile; false if there was none. */
  forget(baseUrl: string, model: string): boolean {
    const isThere = this.find(baseUrl, model) !== null;
    if (isThere) this.#change((stored) => void stored.delete(toKey(baseUrl, model)));
    return isThere;
  }

  #read(): Map<string, StoredProfile> {
    // Mostly there is none, and an error takes longer than a look.
    const text = existsSync(this.#path) ? attempt(() => readFileSync(this.#path, 'utf8'), '') : '';
    const found = Object.entries(parseJsonObject(text) ?? {}).flatMap(([key, value]) => {
      const stored = parseStoredProfile(value);
      return stored !== null && Math.abs(this.#now() - stored.at) < KEPT_MS ? [[key, stored] as const] : [];
    });
    return new Map(found);
  }

  #change(change: (stored: Map<string, StoredProfile>) => void): void {
    attempt(() => {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const fd = openSync(`${this.#path}.lock`, 'a', 0o600);
      try {
        const release = waitForLock(fd, `${this.#path}.lock`);
        const stored = this.#read();
        change(stored);
        writeAtomically(this.#path, `${JSON.stringify(Object.fromEntries([...stored].slice(-MOST)), null, 2)}\n`);
        release?.();
      } finally {
        closeSync(fd);
      }
    }, undefined);
  }
}

function waitForLock(fd: number, path: string): (() => void) | null {
  for (let left = LOCK_TRIES; left > 0; left -= 1) {
    const release = takeLock(fd, path, systemCalls());
    if (release !== null) return release;
    Bun.sleepSync(LOCK_PAUSE_MS);
  }
  return null;
}

function toKey(baseUrl: string, model: string): string {
  return `${baseUrl} ${model}`;
}
