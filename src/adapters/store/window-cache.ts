import { join } from 'node:path';
import { succeeds } from '../../core/text/attempt.ts';
import { isJsonObject, type Json, parseJsonObject } from '../../protocol/json.ts';
import type { ContextWindow } from '../../protocol/model.ts';
import { readOwnFile, writeAtomically } from '../system/own-file.ts';

/** The known window of a model. */
export type KnownWindow = Omit<ContextWindow, 'model'>;

/** Most models in the cache; the oldest entry goes first. */
const MOST = 100;

/** A server may restart with another context, so an entry expires after this time. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Stores learned windows between processes. Losing it does no harm. */
export class WindowCache {
  readonly #path: string;
  readonly #now: () => number;

  constructor(cacheFolder: string, now: () => number = Date.now) {
    this.#path = join(cacheFolder, 'context-windows.json');
    this.#now = now;
  }

  read(): ReadonlyMap<string, KnownWindow> {
    const known = new Map<string, KnownWindow>();
    for (const [key, entry] of Object.entries(parseJsonObject(readOwnFile(this.#path) ?? '') ?? {})) {
      const window = toWindow(entry, this.#now());
      if (window !== null) known.set(key, window);
    }
    return known;
  }

  /** A failed write does no harm: aish learns the window again. */
  write(windows: ReadonlyMap<string, KnownWindow>): void {
    const entries = [...windows].slice(-MOST).map(([key, window]) => [key, { ...window, at: this.#now() }] as const);
    succeeds(() => writeAtomically(this.#path, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`));
  }
}

function toWindow(entry: Json | undefined, now: number): KnownWindow | null {
  if (!isJsonObject(entry)) return null;
  const { tokens, origin, at } = entry;
  if (typeof tokens !== 'number' || !Number.isInteger(tokens) || tokens <= 0) return null;
  if (origin !== 'server' && origin !== 'refusal') return null;
  if (typeof at !== 'number' || Math.abs(now - at) > KEPT_MS) return null;
  return { tokens, origin };
}
