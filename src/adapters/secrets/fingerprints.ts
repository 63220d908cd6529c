import { join } from 'node:path';
import { type Secret, SHORTEST_SECRET } from '../../core/secrets/secret.ts';
import { succeeds } from '../../core/text/attempt.ts';
import { readOwnFile, writeAtomically } from '../system/own-file.ts';

/** More values of one project are not remembered; the oldest go first. */
const MOST = 2000;

/** More words of one text are not looked up. */
const MOST_LOOKUPS = 5000;

/** Longer values are remembered line by line, as a key is. */
const LONGEST = 512;

/** Enough of a hash to distinguish values. */
const HASH_LETTERS = 16;

/** Possible values: a run of signs without those that surround values, and the text behind a sign until the end of its line. */
const WORDS: readonly RegExp[] = [/[^\s"'`,;=:<>(){}[\]|⟨⟩]{8,512}/g, /(?<=[=:])[^\n⟨⟩]{8,512}(?=\n|$)/g];

/** A line of the file: a hash, the length of the value, and its name. */
interface Remembered {
  readonly length: number;
  readonly name: string;
}

/**
 * The former values in the files of a project, as fingerprints alone: aish recognizes a replaced value if the history of the repository
 * shows it. The hashes are salted, in a file that only its owner may read.
 */
export class Fingerprints {
  readonly #path: string;
  #salt = '';
  #known: Map<string, Remembered> | null = null;
  readonly #lengths = new Set<number>();
  /** The values that this program added, with their names, so that no value is hashed twice. */
  readonly #added = new Map<string, string>();

  /** Those of a project, in a folder for all of them. */
  constructor(folder: string, project: string) {
    this.#path = join(folder, new Bun.CryptoHasher('sha256').update(project).digest('hex').slice(0, 32));
  }

  /** Remembers values. Never throws: what cannot be written is forgotten with the program. */
  add(secrets: readonly Secret[]): void {
    let isNew = false;
    for (const { name, value } of secrets) {
      if (this.#added.has(value)) continue;
      this.#added.set(value, name);
      isNew = this.#addDeps(name, value) || isNew;
    }
    if (isNew) this.#write();
  }

  /** The values in a text that are remembered. */
  find(text: string): readonly Secret[] {
    const known = this.#read();
    if (known.size === 0) return [];
    const found: Secret[] = [];
    let lookups = 0;
    for (const [word] of WORDS.flatMap((pattern) => [...text.matchAll(pattern)])) {
      for (const value of readingsOf(word)) {
        if (!this.#lengths.has(value.length) || this.#added.has(value)) continue;
        lookups += 1;
        if (lookups > MOST_LOOKUPS) return found;
        const remembered = known.get(this.#hash(value));
        if (remembered !== undefined) found.push({ name: remembered.name, value, from: 'an earlier session' });
      }
    }
    return found;
  }

  #addDeps(name: string, value: string): boolean {
    return partsOf(value).filter((part) => this.#addPart(name, part)).length > 0;
  }

  #addPart(name: string, value: string): boolean {
    const known = this.#read();
    if (this.#salt === '') this.#salt = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
    const hash = this.#hash(value);
    if (known.has(hash)) return false;
    known.set(hash, { length: value.length, name: name.replace(/\s+/g, '-').slice(0, 72) });
    this.#lengths.add(value.length);
    return true;
  }

  #hash(value: string): string {
    return new Bun.CryptoHasher('sha256', this.#salt).update(value).digest('hex').slice(0, HASH_LETTERS);
  }

  #read(): Map<string, Remembered> {
    if (this.#known !== null) return this.#known;
    this.#known = new Map();
    const text = readOwnFile(this.#path);
    if (text === null) return this.#known;
    const [salt = '', ...lines] = text.split('\n');
    this.#salt = salt;
    for (const line of lines) {
      const [hash = '', length = '', name = ''] = line.split(' ');
      if (hash.length !== HASH_LETTERS || !/^\d+$/.test(length)) continue;
      this.#known.set(hash, { length: Number(length), name });
      this.#lengths.add(Number(length));
    }
    return this.#known;
  }

  /**
   * Adds the values of this program to what is in the file by now: another aish of the project may have written it, with a salt of its own.
   */
  #write(): void {
    this.#known = null;
    for (const [value, name] of this.#added) this.#addDeps(name, value);
    const lines = [...this.#read()].slice(-MOST).map(([hash, { length, name }]) => `${hash} ${length} ${name}\n`);
    // A state that cannot be written holds nothing back.
    succeeds(() => writeAtomically(this.#path, `${this.#salt}\n${lines.join('')}`));
  }
}

/** A value, or the lines of one that has several. */
function partsOf(value: string): readonly string[] {
  const parts = value.includes('\n') || value.length > LONGEST ? value.split('\n').map((line) => line.trim()) : [value];
  return parts.filter((part) => part.length >= SHORTEST_SECRET && part.length <= LONGEST && !part.startsWith('-----'));
}

/** A word as it stands, and without what may stand around it. */
function readingsOf(word: string): ReadonlySet<string> {
  const bare = word.trim();
  const [user = ''] = bare.split('@', 1);
  return new Set([
    bare,
    user,
    bare.replace(/^[+>-]/, ''),
    bare.replace(/^["'`]|["'`,;]{1,4}$/g, ''),
    bare.replace(/[.!?]{1,4}$/, ''),
  ]);
}
