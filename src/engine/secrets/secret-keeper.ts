import type { SecretFiles, SecretPlace } from '../../adapters/secrets/sources.ts';
import { readAssignments } from '../../core/secrets/assignments.ts';
import { concealRecord } from '../../core/secrets/conceal-record.ts';
import { listConfiguredSecrets } from '../../core/secrets/configured.ts';
import { secretsOfVariable, type VariableRules } from '../../core/secrets/environment.ts';
import type { LiveStream } from '../../core/secrets/live-stream.ts';
import type { SecretByteStream } from '../../core/secrets/matcher.ts';
import { type Secret, SHORTEST_SECRET } from '../../core/secrets/secret.ts';
import type { Cover } from '../../core/session/conceal-event.ts';
import type { AttachedFile } from '../../protocol/attachment.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { Config } from '../../protocol/config.ts';
import { CleanTexts } from './clean-texts.ts';
import { SecretBook } from './secret-book.ts';
import { coverBytes, coverWords } from './secret-pieces.ts';

/** What a keeper knows from the start. */
export interface SecretKeeperOptions {
  readonly config: Pick<Config, 'models' | 'mcp'> & Partial<Pick<Config, 'secrets'>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further variables that hold a key whatever they are called. */
  readonly keyVariables?: readonly string[];
}

/** Where secrets are looked for, and what the shell exports there. */
export interface KeeperPlace extends SecretPlace {
  readonly exports?: Readonly<Record<string, string>>;
  /** What ran just now, whose output is about to be shown: the files that its text names are read, and the whole project is looked through. */
  readonly ran?: string;
}

/** Variables that the shell sets itself, at every command anew. */
const PASSING: ReadonlySet<string> = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);

/**
 * Knows the secrets of a session and takes them out of what leaves it: those the configuration names, those of the
 * environment and of files where such things are kept, those a person types, and what has the shape of one.
 */
export class SecretKeeper {
  readonly #options: SecretKeeperOptions;
  readonly #told: SecretBook;
  readonly #rules: VariableRules;
  readonly #cover: Cover = { text: (text) => this.conceal(text), known: (text) => this.concealKnown(text) };
  /** Values of variables that were looked at, so that a refresh looks at new ones alone. */
  readonly #seen = new Map<string, string>();
  /** A short text is looked through as quickly as it is found again. */
  readonly #clean = new CleanTexts({ shortest: 64, longest: 4096, most: 32 });
  /** The words that the schemas of all tools have in common. */
  readonly #words = new CleanTexts({ shortest: 0, longest: 32, most: 256 });
  #unread: (() => void) | null;
  #files: SecretFiles | null = null;
  #findNamed: typeof import('./named-files.ts').secretFilesIn | null = null;
  #exports: Readonly<Record<string, string | undefined>>;
  #variables: ReadonlySet<string> | null = null;

  constructor({ config, env, keyVariables }: SecretKeeperOptions) {
    this.#options = { config, env };
    this.#told = new SecretBook(config.secrets?.public);
    this.#rules = { names: new Set(config.secrets?.names), ordinary: ordinaryOf(env) };
    this.#exports = env;
    this.#unread = () => this.#learnVariables(env);
    this.#told.learn(listConfiguredSecrets(config, env, keyVariables));
  }

  /** What is known; the environment is looked at when something is asked for the first time, behind the prompt. */
  get #book(): SecretBook {
    const read = this.#unread;
    this.#unread = null;
    read?.();
    return this.#told;
  }

  /** Looks where secrets may have changed. Never throws. */
  async refresh(place: KeeperPlace): Promise<void> {
    this.#files ??= await this.#openFiles();
    const looking = this.#files.lookThrough(place);
    if (place.ran !== undefined) {
      await this.#noteFilesFirst(place.ran, place);
      await looking;
    }
    this.learn(this.#files.read(place));
    if (place.exports !== undefined) {
      this.#exports = place.exports;
      this.#variables = null;
      this.#learnVariables(place.exports);
    }
    await inSlices(this.#book.prepare());
  }

  /** What a person should know of files that were not read to their end; told once. */
  takeNote(): string | null {
    return this.#files?.takeNote() ?? null;
  }

  /**
   * Learns what is in the files that a text names which is about to run: its output is covered as it comes. Null where there is none, as mostly,
   * so that nobody waits. Never throws.
   */
  lookAhead(text: string, place: SecretPlace): Promise<void> | null {
    if (this.#files === null || this.#findNamed === null) return this.#lookAheadFirst(text, place);
    return this.#noteFiles(text, place) === 0 ? null : this.#learnFiles(this.#files, place);
  }

  async #lookAheadFirst(text: string, place: SecretPlace): Promise<void> {
    this.#files ??= await this.#openFiles();
    if ((await this.#noteFilesFirst(text, place)) > 0) await this.#learnFiles(this.#files, place);
  }

  async #learnFiles(files: SecretFiles, place: SecretPlace): Promise<void> {
    this.learn(files.read(place));
    await inSlices(this.#book.prepare());
  }

  async #noteFilesFirst(text: string, place: SecretPlace): Promise<number> {
    this.#findNamed ??= (await import('./named-files.ts')).secretFilesIn;
    return this.#noteFiles(text, place);
  }

  /** How many files there are. */
  #noteFiles(text: string, place: SecretPlace): number {
    const { cwd, project, home } = place;
    const found = this.#findNamed?.(text, { cwd, project: project ?? cwd, home }) ?? [];
    this.#files?.note(found, place);
    return found.length;
  }

  async #openFiles(): Promise<SecretFiles> {
    const { SecretFiles } = await import('../../adapters/secrets/sources.ts');
    return new SecretFiles(this.#options.config.secrets?.files);
  }

  /** Learns the secrets that a line typed by the person sets or hands over. */
  learnLine(line: string): void {
    const pairs = readAssignments(line);
    this.learn(pairs.flatMap(({ name, value }) => secretsOfVariable(name, value, this.#rules)).map(toTyped));
    this.#book.learnShapes(this.concealKnown(line));
  }

  /** Learns what is in the files that a message takes along. */
  learnAttached(files: readonly AttachedFile[]): void {
    for (const file of files) if (file.type === 'text') this.learn(this.#files?.readText(file.path, file.text) ?? []);
  }

  /** Learns values that another part knows to be secret, such as a token of a server. */
  learn(secrets: readonly Secret[]): void {
    if (this.#book.learn(secrets)) this.#variables = null;
  }

  /** Names that stood for values in what was said before this program ran: they are given to no other value by chance. */
  reserve(names: Iterable<string>): void {
    this.#book.reserve(names);
  }

  /** The text with a placeholder where a secret stood. */
  conceal(text: string): string {
    const { edition } = this;
    if (this.#clean.has(text, edition)) return text;
    const covered = this.#concealAll(text);
    if (covered === text) this.#clean.add(text, edition);
    return covered;
  }

  #concealAll(text: string): string {
    const known = this.concealKnown(text);
    if (known.length < SHORTEST_SHAPE) return known;
    const { isNew, isShort } = this.#book.learnShapes(known);
    const clean = isNew ? this.concealKnown(known) : known;
    return isShort ? this.#book.coverShapes(clean) : clean;
  }

  /** The same, but only of what is known to be secret: for text that means something to a program, such as the arguments of a call. */
  concealKnown(text: string): string {
    const { edition } = this;
    if (this.#words.has(text, edition)) return text;
    const covered = this.#book.matcher.conceal(text);
    if (covered === text) this.#words.add(text, edition);
    return covered;
  }

  /** Both ways for who covers whole facts and requests. */
  get cover(): Cover {
    return this.#cover;
  }

  /** What is known, as a whole: another one when there is more. */
  get edition(): object {
    return this.#book.matcher;
  }

  /** A record without the secrets in what was typed and printed. */
  concealRecord(record: CommandRecord): CommandRecord {
    return concealRecord(record, (text) => this.conceal(text));
  }

  /** Takes secrets out of a text that comes in pieces, and tells it at once. */
  stream(): LiveStream {
    return coverWords(this.#book);
  }

  /** The same for bytes, whatever they are, line by line. */
  byteStream(): SecretByteStream {
    const stream = coverBytes(this.#book);
    return {
      push: (bytes) =>
        toBytes(stream.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'))),
      end: () => toBytes(stream.end()),
    };
  }

  /** The value a placeholder stands for; null when there is no such secret. */
  valueOf(name: string): string | null {
    return this.#book.valueOf(name);
  }

  /** The names of the secrets and where each is known from, never a value. */
  names(): readonly { readonly name: string; readonly from: string }[] {
    return this.#book.secrets.map(({ name, from }) => ({ name, from }));
  }

  /** Exported variables whose value is a known secret. */
  variables(): ReadonlySet<string> {
    this.#variables ??= new Set(
      Object.entries(this.#exports).flatMap(([name, value]) => (this.#book.has(value?.trim() ?? '') ? [name] : [])),
    );
    return this.#variables;
  }

  #learnVariables(env: Readonly<Record<string, string | undefined>>): void {
    const plain: Secret[] = [];
    for (const [name, value] of Object.entries(env)) {
      if (value === undefined || this.#seen.get(name) === value || PASSING.has(name)) continue;
      this.#seen.set(name, value);
      const found = secretsOfVariable(name, value, this.#rules);
      this.learn(found);
      if (found.length === 0 && value.length >= SHORTEST_SECRET) plain.push({ name, value, from: 'environment' });
    }
    // Such as the options of a program with a token among them.
    this.learn(plain.filter(({ value }) => this.concealKnown(value) !== value));
  }
}

/** Work that leaves the key presses a turn between its steps. */
async function inSlices(steps: Iterable<void>): Promise<void> {
  let began = performance.now();
  for (const _ of steps) {
    if (performance.now() - began < SLICE_MS) continue;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    began = performance.now();
  }
}

/** No key press waits longer than about this. */
const SLICE_MS = 4;

/** No shape of a secret is shorter. */
const SHORTEST_SHAPE = 12;

/** Names that stand in every path and every prompt. */
function ordinaryOf(env: Readonly<Record<string, string | undefined>>): ReadonlySet<string> {
  return new Set([env.USER, env.LOGNAME, env.HOME, env.HOSTNAME, env.SHELL].flatMap((value) => value ?? []));
}

function toTyped(secret: Secret): Secret {
  return { ...secret, from: 'typed' };
}

/** Text as single bytes, placeholders in it as UTF-8. */
function toBytes(text: string): Uint8Array {
  return Buffer.from(
    text.replace(/[^\0-\xff]+/g, (other) => Buffer.from(other).toString('latin1')),
    'latin1',
  );
}
