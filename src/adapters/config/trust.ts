import { join } from 'node:path';
import { parseJsonObject } from '../../protocol/json.ts';
import { readOwnFile, writeAtomically } from '../system/own-file.ts';
import { isTable } from './config-file.ts';

interface TrustedFile {
  readonly sha256: string;
  /** Its content, to show later changes. */
  readonly text: string;
}

/** The trust of a project's file. */
export type Trust =
  | { readonly state: 'trusted' }
  /** The user trusted another content of it. */
  | { readonly state: 'changed'; readonly before: string }
  | { readonly state: 'unknown' };

/** The user's trust in files of projects, each by its path and exact content, in a private file. */
export class TrustStore {
  readonly #path: string;

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, 'trust.json');
  }

  /** The trust of a file with this content. */
  look(path: string, text: string): Trust {
    const known = this.#read().get(path);
    if (known === undefined) return { state: 'unknown' };
    return known.sha256 === hash(text) ? { state: 'trusted' } : { state: 'changed', before: known.text };
  }

  /** Trusts a file with exactly this content. */
  trust(path: string, text: string): void {
    this.change((files) => files.set(path, { sha256: hash(text), text }));
  }

  /** Withdraws the trust; false if there was none. */
  untrust(path: string): boolean {
    let was = false;
    this.change((files) => {
      was = files.delete(path);
    });
    return was;
  }

  /** Changes the list of trusted files. */
  change(change: (files: Map<string, TrustedFile>) => void): void {
    const files = this.#read();
    change(files);
    writeAtomically(this.#path, `${JSON.stringify({ files: Object.fromEntries(files) }, null, 2)}\n`);
  }

  /** An unreadable store trusts nothing. */
  #read(): Map<string, TrustedFile> {
    const files = new Map<string, TrustedFile>();
    for (const [path, file] of Object.entries(readTable(this.#path))) {
      if (!isTable(file) || typeof file.sha256 !== 'string' || typeof file.text !== 'string') continue;
      files.set(path, { sha256: file.sha256, text: file.text });
    }
    return files;
  }
}

function readTable(path: string): Readonly<Record<string, unknown>> {
  const { files } = parseJsonObject(readOwnFile(path) ?? '') ?? {};
  return isTable(files) ? files : {};
}

/** By Bun's own hasher: `node:crypto` takes longer to load than everything else that a first prompt reads. */
function hash(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}
