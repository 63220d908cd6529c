import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import { writeAtomically } from '../system/own-file.ts';
import { isTable } from './key-path.ts';

interface TrustedFile {
  readonly sha256: string;
  /** Kept to show what has changed since. */
  readonly text: string;
}

/** How far a file of a project is trusted. */
export type Trust =
  | { readonly state: 'trusted' }
  /** It was, with another content. */
  | { readonly state: 'changed'; readonly before: string }
  | { readonly state: 'unknown' };

/** The user's word on files of projects: each by its path and its exact content, in a file that is theirs alone. */
export class TrustStore {
  readonly #path: string;

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, 'trust.json');
  }

  /** What was said of a file with this content. */
  look(path: string, text: string): Trust {
    const known = this.#read().get(path);
    if (known === undefined) return { state: 'unknown' };
    return known.sha256 === hash(text) ? { state: 'trusted' } : { state: 'changed', before: known.text };
  }

  /** Trusts a file with this content, and with no other. */
  trust(path: string, text: string): void {
    this.#write(this.#read().set(path, { sha256: hash(text), text }));
  }

  /** Takes the word back; false where there was none. */
  untrust(path: string): boolean {
    const files = this.#read();
    const was = files.delete(path);
    if (was) this.#write(files);
    return was;
  }

  /** A store that cannot be read trusts nothing. */
  #read(): Map<string, TrustedFile> {
    const files = new Map<string, TrustedFile>();
    for (const [path, file] of Object.entries(readTable(this.#path))) {
      if (!isTable(file) || typeof file.sha256 !== 'string' || typeof file.text !== 'string') continue;
      files.set(path, { sha256: file.sha256, text: file.text });
    }
    return files;
  }

  #write(files: ReadonlyMap<string, TrustedFile>): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeAtomically(this.#path, `${JSON.stringify({ files: Object.fromEntries(files) }, null, 2)}\n`);
  }
}

function readTable(path: string): Readonly<Record<string, unknown>> {
  const { files } = parseJsonObject(attempt(() => readFileSync(path, 'utf8'), '')) ?? {};
  return isTable(files) ? files : {};
}

/** By Bun's own hasher: `node:crypto` takes longer to load than everything else that a first prompt reads. */
function hash(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}
