import type { NamedFiles } from '../../adapters/files/private-files.ts';
import type { Fingerprints } from '../../adapters/secrets/fingerprints.ts';
import type { SecretContext, SecretFiles } from '../../adapters/secrets/sources.ts';
import { nextTurn } from '../../adapters/system/patience.ts';
import { readAssignments } from '../../core/secrets/assignments.ts';
import { listConfiguredSecrets, secretsOfVariable, type VariableRules } from '../../core/secrets/env-values.ts';
import type { LiveStream, SecretByteStream } from '../../core/secrets/live-stream.ts';
import { type Cover, redactRecord } from '../../core/secrets/redact-event.ts';
import { type Secret, SHORTEST_SECRET } from '../../core/secrets/secret.ts';
import { findTypedShapes } from '../../core/secrets/shapes.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { Config } from '../../protocol/config.ts';
import type { AttachedFile } from '../../protocol/model.ts';
import { coverBytes, coverWords, Redactor } from './redactor.ts';

interface SecretStoreOptions {
  readonly config: Pick<Config, 'models' | 'mcp'> & Partial<Pick<Config, 'secrets'>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further variables that hold a key whatever they are called. */
  readonly keyVariables?: readonly string[];
  /** The folder where fingerprints of what projects once held are kept; nothing is remembered without it. */
  readonly memory?: string;
}

/** The places to search for secrets, and the variables that the shell exports there. */
export interface SecretSearch extends SecretContext {
  readonly exports?: Readonly<Record<string, string>>;
  /**
   * The command that just ran, whose output is about to appear: the files that its text names are read, and the whole project is searched.
   */
  readonly ran?: string;
}

/** Variables that the shell sets itself, at every command anew. */
const PASSING: ReadonlySet<string> = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);

/**
 * Knows the secrets of a session and redacts them in all text that leaves it: those the configuration names, those of the environment and
 * of the usual files, those a user types, and texts with the shape of one.
 */
export class SecretStore {
  readonly #options: SecretStoreOptions;
  readonly #told: Redactor;
  readonly #rules: VariableRules;
  readonly #cover: Cover = {
    text: (text) => this.redact(text),
    known: (text) => this.redactKnown(text),
    line: (line) => this.redactLine(line),
    edition: () => this.edition,
  };
  /** Values of variables that were looked at, so that a refresh looks at new ones alone. */
  readonly #seen = new Map<string, string>();
  /** A short text is looked through as quickly as it is found again. */
  readonly #clean = new CleanTexts({ shortest: 64, longest: 4096, most: 32 });
  /** The words that the schemas of all tools have in common. */
  readonly #words = new CleanTexts({ shortest: 0, longest: 32, most: 256 });
  /** Texts that were just searched in slices, in their redacted form. */
  readonly #long = new CleanTexts({ shortest: LONGEST_AT_ONCE + 1, longest: Number.POSITIVE_INFINITY, most: 2 });
  #unread: (() => void) | null;
  #files: SecretFiles | null = null;
  readonly #memory: string | null;
  #fingerprints: { readonly of: string; readonly all: Fingerprints } | null = null;
  #named: NamedFiles | null = null;
  #exports: Readonly<Record<string, string | undefined>>;
  #variables: ReadonlySet<string> | null = null;

  constructor({ config, env, keyVariables, memory }: SecretStoreOptions) {
    this.#memory = memory ?? null;
    this.#options = { config, env };
    this.#told = new Redactor(config.secrets?.public);
    this.#rules = { names: new Set(config.secrets?.names), ordinary: ordinaryOf(env) };
    this.#exports = env;
    this.#unread = () => this.#learnVariables(env);
    this.#told.learn(listConfiguredSecrets(config, env, keyVariables));
  }

  /** The known secrets. The environment is read at the first use, behind the prompt. */
  get #redactor(): Redactor {
    const read = this.#unread;
    this.#unread = null;
    read?.();
    return this.#told;
  }

  /** Looks where secrets may have changed. Never throws. */
  async refresh(context: SecretSearch): Promise<void> {
    this.#files ??= await this.#openFiles();
    const looking = this.#files.lookThrough(context);
    if (context.ran !== undefined) {
      if (context.ran !== '') await this.#noteFilesFirst(context.ran, context);
      await looking;
    }
    const found = this.#files.read(context);
    this.learn(found);
    await this.#remember(found, context);
    if (context.exports !== undefined && context.exports !== this.#exports) {
      this.#variables = null;
      this.#learnVariables(context.exports);
      this.#exports = context.exports;
    }
    await inSlices(this.#redactor.prepare());
  }

  /** Keeps fingerprints of the values in the files of a place, and recognizes former values by earlier fingerprints. */
  async #remember(found: readonly Secret[], { cwd, project }: SecretContext): Promise<void> {
    if (this.#memory === null) return;
    const of = project ?? cwd;
    if (this.#fingerprints?.of !== of) {
      const { Fingerprints } = await import('../../adapters/secrets/fingerprints.ts');
      const all = new Fingerprints(this.#memory, of);
      this.#fingerprints = { of, all };
      this.#redactor.recall = (text) => all.find(text);
    }
    this.#fingerprints.all.add(found);
  }

  /** A note for the user about files that were not read to their end; given once. */
  takeNote(): string | null {
    return this.#files?.takeNote() ?? null;
  }

  /**
   * Learns what is in the files that a text names which is about to run: its output is covered as it comes. Null where there is none, as
   * mostly, so that nobody waits. Never throws.
   */
  lookAhead(text: string, context: SecretContext): Promise<void> | null {
    if (this.#files === null || this.#named === null) return this.#lookAheadFirst(text, context);
    return this.#noteFiles(text, context) === 0 ? null : this.#learnFiles(this.#files, context);
  }

  async #lookAheadFirst(text: string, context: SecretContext): Promise<void> {
    this.#files ??= await this.#openFiles();
    if ((await this.#noteFilesFirst(text, context)) > 0) await this.#learnFiles(this.#files, context);
  }

  async #learnFiles(files: SecretFiles, context: SecretContext): Promise<void> {
    this.learn(files.read(context));
    await inSlices(this.#redactor.prepare());
  }

  async #noteFilesFirst(text: string, context: SecretContext): Promise<number> {
    this.#named ??= new (await import('../../adapters/files/private-files.ts')).NamedFiles();
    return this.#noteFiles(text, context);
  }

  /** How many files there are. */
  #noteFiles(text: string, context: SecretContext): number {
    const { cwd, project, home } = context;
    const found = this.#named?.find(text, { cwd, project: project ?? cwd, home }) ?? [];
    this.#files?.note(found, context);
    return found.length;
  }

  async #openFiles(): Promise<SecretFiles> {
    const { SecretFiles } = await import('../../adapters/secrets/sources.ts');
    return new SecretFiles(this.#options.config.secrets?.files);
  }

  /** Learns the secrets that a line typed by the user sets or passes on. */
  learnLine(line: string): void {
    const pairs = readAssignments(line);
    this.learn(pairs.flatMap(({ name, value }) => secretsOfVariable(name, value, this.#rules)).map(toTyped));
    this.#redactor.learnShapes(this.redactKnown(line), findTypedShapes);
  }

  /** Learns what a user typed where a program turned the echo off. It is known to this session alone, and stands in no file. */
  learnHidden(typed: string): void {
    const value = typed.trim();
    if (value.length < SHORTEST_HIDDEN) return;
    this.#redactor.learn([{ name: 'typed-password', value, from: 'typed' }], { isMeant: true });
  }

  /** Learns the secrets in the files that a message attaches. */
  learnAttached(files: readonly AttachedFile[]): void {
    for (const file of files) if (file.type === 'text') this.learn(this.#files?.readText(file.path, file.text) ?? []);
  }

  /** Learns values that another part knows to be secret, such as a token of a server. */
  learn(secrets: readonly Secret[]): void {
    if (this.#redactor.learn(secrets)) this.#variables = null;
  }

  /** Reserves names that stood for values in texts from before this program ran, so that no other value gets them by chance. */
  reserve(names: Iterable<string>): void {
    this.#redactor.reserve(names);
  }

  /** The text with a placeholder where a secret stood. */
  redact(text: string): string {
    const { edition } = this;
    if (this.#clean.has(text, edition) || this.#long.has(text, edition)) return text;
    const covered = this.#redactAll(text);
    if (covered === text) this.#clean.add(text, edition);
    return covered;
  }

  /** The same for a long text: keys have their turn meanwhile, and `redact` of the result costs nothing. */
  async redactLong(text: string): Promise<string> {
    if (text.length <= LONGEST_AT_ONCE) return this.redact(text);
    const known = this.redactKnown(text);
    let isShort = false;
    for (const window of windowsOf(known)) {
      isShort = this.#redactor.learnShapes(window).isShort || isShort;
      await nextTurn();
    }
    // Secrets that are redacted only as a whole word need the whole text.
    const covered = isShort ? this.redact(known) : this.redactKnown(known);
    this.#long.add(covered, this.edition);
    return covered;
  }

  #redactAll(text: string, find?: typeof findTypedShapes): string {
    const known = this.redactKnown(text);
    if (find === undefined && known.length < SHORTEST_SHAPE) return known;
    const { isNew, isShort } = this.#redactor.learnShapes(known, find);
    const clean = isNew ? this.redactKnown(known) : known;
    return isShort ? this.#redactor.coverShapes(clean, { find }) : clean;
  }

  /** A line that a user typed without what it passes on: a word where a password stands is covered there alone. */
  redactLine(line: string): string {
    return this.#redactAll(line, findTypedShapes);
  }

  /** The same, but only for known secrets: for text that means something to a program, such as the arguments of a call. */
  redactKnown(text: string): string {
    const { edition } = this;
    if (this.#words.has(text, edition)) return text;
    const covered = this.#redactor.matcher.redact(text);
    if (covered === text) this.#words.add(text, edition);
    return covered;
  }

  /** Both ways for who covers whole facts and requests. */
  get cover(): Cover {
    return this.#cover;
  }

  /** The set of known secrets, as a whole: a new object when there are more. */
  get edition(): object {
    return this.#redactor.matcher;
  }

  /** A record without the secrets in the typed line and the output. */
  redactRecord(record: CommandRecord): CommandRecord {
    return redactRecord(record, this.#cover);
  }

  /** Takes secrets out of a text that comes in pieces, and tells it at once. */
  stream(): LiveStream {
    return coverWords(this.#redactor);
  }

  /** The same for bytes, whatever they are, line by line. */
  byteStream(): SecretByteStream {
    const stream = coverBytes(this.#redactor);
    return {
      push: (bytes) =>
        toBytes(stream.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'))),
      end: () => toBytes(stream.end()),
    };
  }

  /** The value a placeholder stands for; null when there is no such secret. */
  valueOf(name: string): string | null {
    return this.#redactor.valueOf(name);
  }

  /** The names of the secrets and where each is known from, never a value. */
  names(): readonly { readonly name: string; readonly from: string }[] {
    return this.#redactor.secrets.map(({ name, from }) => ({ name, from }));
  }

  /** Exported variables whose value is a known secret. */
  variables(): ReadonlySet<string> {
    this.#variables ??= new Set(
      Object.entries(this.#exports).flatMap(([name, value]) => (this.#redactor.has(value?.trim() ?? '') ? [name] : [])),
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
    this.learn(plain.filter(({ value }) => this.redactKnown(value) !== value));
  }
}

/** A long text in windows that overlap by as much as a key of several lines is long, begun at a blank where there is one near. */
function* windowsOf(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += LONGEST_AT_ONCE / 2) {
    const near = text.slice(Math.max(0, at - NEAR), at);
    const blank = Math.max(near.lastIndexOf('\n'), near.lastIndexOf(' ')) + 1;
    yield text.slice(blank === 0 ? at : at - near.length + blank, at + LONGEST_AT_ONCE);
  }
}

/** Characters that are looked through without a turn for the keys. */
const LONGEST_AT_ONCE = 64 * 1024;
const NEAR = 1024;

/** Work that leaves the key presses a turn between its steps. */
async function inSlices(steps: Iterable<void>): Promise<void> {
  let began = performance.now();
  for (const _ of steps) {
    if (performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}

/** No key press waits longer than about this. */
const SLICE_MS = 4;

/** A hidden input is meant as a secret, but a shorter one would be redacted in every other word. */
const SHORTEST_HIDDEN = 6;

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
  const asBytes = (): string => text.replace(/[^\0-\xff]+/g, (other) => Buffer.from(other).toString('latin1'));
  return Buffer.from(text.includes('⟨') ? asBytes() : text, 'latin1');
}

/** Which texts are kept: how long they are, and the most of them. */
interface CleanTextsOptions {
  readonly shortest: number;
  readonly longest: number;
  readonly most: number;
}

/**
 * Texts without secrets. Repeated texts, such as the words of tools and a line on its way from the prompt into log and history, are
 * searched once. The result holds for the secrets known then.
 */
export class CleanTexts {
  readonly #options: CleanTextsOptions;
  readonly #texts = new Set<string>();
  #known: object | null = null;

  constructor(options: CleanTextsOptions) {
    this.#options = options;
  }

  has(text: string, known: object): boolean {
    return this.#fits(text) && this.#known === known && this.#texts.has(text);
  }

  add(text: string, known: object): void {
    if (!this.#fits(text)) return;
    if (this.#known !== known) this.#texts.clear();
    this.#known = known;
    this.#texts.add(text);
    if (this.#texts.size <= this.#options.most) return;
    for (const oldest of this.#texts) {
      this.#texts.delete(oldest);
      return;
    }
  }

  #fits({ length }: string): boolean {
    return length >= this.#options.shortest && length <= this.#options.longest;
  }
}
