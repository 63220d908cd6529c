import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '../../protocol/json.ts';

/** So many models are remembered; what was learned first goes first. */
const MOST = 100;

/** How much models can hold, as it was learned, kept between processes. It may be lost at any time. */
export class WindowCache {
  readonly #path: string;

  constructor(cacheFolder: string) {
    this.#path = join(cacheFolder, 'context-windows.json');
  }

  read(): ReadonlyMap<string, number> {
    const known = new Map<string, number>();
    for (const [key, tokens] of Object.entries(readObject(this.#path)))
      if (typeof tokens === 'number' && Number.isInteger(tokens) && tokens > 0) known.set(key, tokens);
    return known;
  }

  /** Nothing depends on it: where it cannot be written, it is learned again. */
  write(windows: ReadonlyMap<string, number>): void {
    const fresh = `${this.#path}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(fresh, `${JSON.stringify(Object.fromEntries([...windows].slice(-MOST)), null, 2)}\n`, {
        mode: 0o600,
      });
      renameSync(fresh, this.#path);
    } catch {}
  }
}

function readObject(path: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
