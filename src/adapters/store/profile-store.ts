import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { EndpointProfile } from '../../protocol/model.ts';
import { type ProfileNote, parseStoredProfile, type StoredProfile } from '../../protocol/stored-profile.ts';
import { writeAtomically } from '../system/own-file.ts';

/** A server may be updated, so aish learns anew after this time; that costs one refused request. */
const KEPT_MS = 60 * 24 * 60 * 60 * 1000;

/** Most servers in the file; the oldest go first. */
const MOST = 200;

/** The profiles of servers, in one file for all processes. A process reads it before each request, and another may have changed it. */
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

  /** Keeps a profile, and adds the reasons to those before. A failed write does no harm: aish learns again. */
  keep(baseUrl: string, model: string, profile: EndpointProfile, learned: readonly Omit<ProfileNote, 'at'>[]): void {
    const stored = this.#read();
    const key = toKey(baseUrl, model);
    const at = this.#now();
    const notes = [...(stored.get(key)?.notes ?? []), ...learned.map((note) => ({ ...note, at }))];
    stored.delete(key);
    this.#write(stored.set(key, { profile, notes, at }));
  }

  /** Removes the profile; false if there was none. */
  forget(baseUrl: string, model: string): boolean {
    const stored = this.#read();
    const isThere = stored.delete(toKey(baseUrl, model));
    if (isThere) this.#write(stored);
    return isThere;
  }

  #read(): Map<string, StoredProfile> {
    const text = attempt(() => readFileSync(this.#path, 'utf8'), '');
    const found = Object.entries(parseJsonObject(text) ?? {}).flatMap(([key, value]) => {
      const stored = parseStoredProfile(value);
      return stored !== null && Math.abs(this.#now() - stored.at) < KEPT_MS ? [[key, stored] as const] : [];
    });
    return new Map(found);
  }

  #write(stored: ReadonlyMap<string, StoredProfile>): void {
    attempt(() => {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeAtomically(this.#path, `${JSON.stringify(Object.fromEntries([...stored].slice(-MOST)), null, 2)}\n`);
    }, undefined);
  }
}

function toKey(baseUrl: string, model: string): string {
  return `${baseUrl} ${model}`;
}
