import { SHELL_WORDS } from '../../core/commands/argument.ts';
import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { ShellNames, WordKind } from '../../protocol/query.ts';
import { Lookup, NO_DIRECTORIES } from '../shell/lookup.ts';
import { Remembered } from '../shell/remembered.ts';

/** The source of names, and the names that count until it answers. */
interface RemoteNamesDeps {
  readonly askNames: () => Promise<ShellNames | null>;
  readonly askWords: (words: readonly string[]) => Promise<ReadonlySet<string> | null>;
  /** Folders with the programs of this machine. */
  readonly path: string;
  readonly home: string | undefined;
  /** Directory of the session's shell. */
  readonly cwd: () => string;
}

interface Batch {
  readonly words: Set<string>;
  readonly known: Promise<ReadonlySet<string> | null>;
}

/** The most words of one request. */
const MOST_WORDS = 100;
const LONGEST_WORD = 200;
/**
 * The commands that the shell of a session elsewhere would run, and its names. No key waits for the other end: a query for unknown words
 * follows behind it, with the words of one moment together. While that session has no shell, the words of every shell and the programs of
 * this machine count.
 */
export class RemoteNames {
  /** The exports of the shell stay with the session. */
  readonly exportsFile = null;
  readonly options = [];
  readonly directories = NO_DIRECTORIES;
  readonly #deps: RemoteNamesDeps;
  readonly #words = new Remembered<boolean>((word) => this.#ask(word));
  readonly #own: Lookup;
  #batch: Batch | null = null;
  #names: ShellNames | null = null;
  #loading: Promise<void> | null = null;
  #isStale = true;

  constructor(deps: RemoteNamesDeps) {
    this.#deps = deps;
    this.#own = new Lookup({ file: '', exports: '', path: deps.path });
  }

  /** Whether the shell would run a word, as far as is known by now. The caller is typing, and may want all names next. */
  has(word: string): boolean {
    if (this.#isStale) void this.load();
    if (word === '' || word.length > LONGEST_WORD) return false;
    return this.#words.get(word, this.#names?.commands.has(word) ?? false);
  }

  /** Counts up whenever the answer to a word may be another than before. */
  get news(): number {
    return this.#words.news;
  }

  /** Settles when all requested words are known; null when none is open. */
  settled(): Promise<unknown> | null {
    return this.#words.settled();
  }

  /** A command may have changed what the shell knows. */
  expire(): void {
    this.#isStale = true;
    this.#words.expire();
  }

  /** Asks for all names anew. */
  load(): Promise<void> {
    this.#isStale = false;
    const names = this.#deps.askNames().catch(() => null);
    const loading = names.then((answer) => {
      this.#names = answer;
      if (this.#loading === loading) this.#loading = null;
    });
    this.#loading = loading;
    return loading;
  }

  /** All words the shell would run and that are wanted, with what they are to it. */
  async list(isWanted: (word: string) => boolean, cwd: string): Promise<ReadonlyMap<string, WordKind>> {
    await (this.#isStale ? this.load() : this.#loading);
    if (this.#names === null) return this.#own.list(isWanted, cwd);
    return new Map([...this.#names.commands].filter(([word]) => isWanted(word)));
  }

  get aliases(): ReadonlyMap<string, string> {
    return this.#names?.aliases ?? new Map();
  }

  get variables(): readonly string[] {
    return this.#names?.variables ?? [];
  }

  async #ask(word: string): Promise<boolean> {
    const known = await this.#withOthers(word);
    return known === null ? this.#isOwn(word) : known.has(word);
  }

  #withOthers(word: string): Promise<ReadonlySet<string> | null> {
    if (this.#batch === null || this.#batch.words.size >= MOST_WORDS) this.#batch = this.#begin();
    this.#batch.words.add(word);
    return this.#batch.known;
  }

  #begin(): Batch {
    const words = new Set<string>();
    const known = Promise.resolve().then(async () => {
      if (this.#batch?.words === words) this.#batch = null;
      return await this.#deps.askWords([...words]);
    });
    // A lost connection gives no answer; another place reports the loss.
    return { words, known: known.catch(() => null) };
  }

  async #isOwn(word: string): Promise<boolean> {
    if (SHELL_WORDS.has(word)) return true;
    const place = { cwd: this.#deps.cwd(), home: this.#deps.home };
    let found = this.#own.find(word, place);
    // One answer may lead to the next question.
    for (let waits = this.#own.settled(); waits !== null; waits = this.#own.settled()) {
      await waits;
      found = this.#own.find(word, place);
    }
    return found !== null;
  }
}

const KINDS: ReadonlySet<string> = new Set<WordKind>(['alias', 'function', 'builtin', 'keyword', 'file']);

/** Reads the names as a session answers them; null where it has no shell. */
export function readShellNames(value: unknown): ShellNames | null {
  if (!isJsonObject(value)) return null;
  const { commands, aliases, variables } = value;
  return {
    commands: new Map(pairsOf(commands).flatMap(([word, kind]) => (isKind(kind) ? [[word, kind]] : []))),
    aliases: new Map(pairsOf(aliases)),
    variables: Array.isArray(variables) ? variables.filter((name) => typeof name === 'string') : [],
  };
}

function isKind(kind: string): kind is WordKind {
  return KINDS.has(kind);
}

function pairsOf(value: Json | undefined): readonly (readonly [string, string])[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair) => {
    const [name, meaning] = Array.isArray(pair) ? pair : [];
    return typeof name === 'string' && typeof meaning === 'string' ? [[name, meaning] as const] : [];
  });
}

/** The names as they are sent: what `readShellNames` reads. */
export function writeShellNames({ commands, aliases, variables }: ShellNames): Json {
  return { commands: [...commands], aliases: [...aliases], variables };
}
