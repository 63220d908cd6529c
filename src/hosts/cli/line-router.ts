import { resolve } from 'node:path';
import { KnownCalls } from '../../adapters/shell/known-calls.ts';
import { Remembered } from '../../adapters/shell/remembered.ts';
import { isThere } from '../../adapters/system/presence.ts';
import type { Route } from '../../core/router/route.ts';
import type { routeLine } from '../../core/router.ts';
import type { KnownSession } from './known-session.ts';
import { routeHandle } from './privacy.ts';
import type { Setup } from './setup.ts';

/** What the live shell tells at the moment of routing. */
export interface LiveFacts {
  /** Null while there is none. */
  readonly live: KnownSession | null;
  readonly cwd: string;
  readonly lastExit: number;
}

/** What a router of lines asks and tells. */
export interface LineRouterParts {
  readonly facts: () => LiveFacts;
  /** Something has become known that may change what is shown of the typed line. */
  readonly onRefined: () => void;
}

const NOTHING: Route = { type: 'nothing' };

/** Longest wait for a disk before a line that was entered is routed by what is known. */
const PATIENCE_MS = 500;

/** By then the prompt after a command has been painted. */
const PROMPT_STANDS_MS = 10;

interface Remembering {
  readonly news: number;
  settled(): Promise<unknown> | null;
}

/**
 * Routes lines by what the live shell and its directory know. No key waits for that: what is not known yet is looked up behind the prompt,
 * and the answer is refined when it has come. The rules are many, so they are loaded behind the first prompt.
 */
export class LineRouter {
  readonly #facts: () => LiveFacts;
  readonly #onRefined: () => void;
  readonly #known: KnownCalls;
  readonly #files = new Remembered<boolean>(isThere);
  readonly #kind: 'bash' | 'zsh';
  readonly #loading: Promise<void>;
  #rules: typeof routeLine | null = null;
  /** The line that was routed last, and by how much news. */
  #last: { readonly line: string; readonly cwd: string; readonly news: number; readonly route: Route } | null = null;
  #isRefining = false;
  /** The line whose route is to be worked out when its key has been echoed. */
  #glanced: string | null = null;
  /** Words that no shell knew when they were looked up last. */
  readonly #unknown = new Set<string>();
  /** Something on the screen waits for an answer, whatever it will be. */
  #isGuessed = false;

  constructor({ env, loaded }: Setup, parts: LineRouterParts) {
    this.#facts = parts.facts;
    this.#onRefined = parts.onRefined;
    this.#known = new KnownCalls(env.HOME ?? '/');
    this.#kind = (loaded.config.shell.program ?? env.SHELL ?? '').endsWith('zsh') ? 'zsh' : 'bash';
    this.#loading = this.#load();
  }

  /** Settles when lines can be routed. */
  async loaded(): Promise<void> {
    await this.#loading;
  }

  /** Settles when all that decides about this line is known, or a disk is too slow for it. */
  async settled(line: string): Promise<void> {
    await this.#loading;
    this.route(line);
    if (this.#waits() === null) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, PATIENCE_MS);
    await Promise.race([this.#refined(() => line), late.promise]);
    clearTimeout(timer);
  }

  /** A command may have changed what is known. The calls of a project are looked up when the prompt stands, before the first key. */
  refresh(): void {
    this.#files.expire();
    this.#known.expire();
    this.#unknown.clear();
    this.#last = null;
    setTimeout(() => this.#known.has('', this.#facts().cwd), PROMPT_STANDS_MS).unref();
  }

  /** Where a line goes, by what is known so far; nowhere yet while the rules are loaded. */
  route(line: string): Route {
    const { live, cwd } = this.#facts();
    const handle = routeHandle(line, live);
    if (handle !== null) {
      // A glance takes the line that was routed last for worked out.
      this.#last = { line, cwd, news: this.#news, route: handle };
      return handle;
    }
    if (this.#rules === null) return { type: 'nothing' };
    const news = this.#news;
    const isSame = this.#last?.line === line && this.#last.cwd === cwd && this.#last.news === news;
    const route = isSame && this.#last !== null ? this.#last.route : this.#ask(this.#rules, line, this.#facts());
    this.#last = { line, cwd, news, route };
    // Also of a line that was routed before: the shell may have begun to tell what it knows since.
    if (!this.#isRefining && this.#waits() !== null) void this.#refine(line);
    return route;
  }

  #ask(rules: typeof routeLine, line: string, { live, cwd, lastExit }: LiveFacts): Route {
    const shell = live?.sharedShell.shell ?? null;
    return rules(line, {
      shell: this.#kind,
      lastExit,
      knows: (word) => shell !== null && shell.lookup(word) !== null,
      knowsCall: (words) => this.#known.has(words, cwd),
      hasFile: (name) => this.#files.get(resolve(cwd, name), false),
    });
  }

  /** False in the first moments, while the rules are loaded and the shell has not told its names. */
  get knowsCommands(): boolean {
    const shell = this.#facts().live?.sharedShell.shell ?? null;
    return this.#rules !== null && !this.#isBooting && shell !== null && shell.lookups.news > 0;
  }

  /**
   * Where a line goes, for what is shown while it is typed: the answer to the line before until this one is worked out, right behind the
   * echo of the key. So no key waits for the rules.
   */
  glance(line: string): Route {
    const last = this.#last;
    const isCheap = line.trim() === '' || /^\s*[:!?]/.test(line);
    if (isCheap || last === null || last.line === line || this.#isBooting) return this.toShow(line);
    if (this.#glanced === null) setImmediate(() => this.#workOut(last.route.type));
    this.#glanced = line;
    return last.route.type === 'nothing' ? last.route : { ...last.route, text: line };
  }

  /** Where a line goes, for what stays on the screen: nowhere while that is undecided. */
  toShow(line: string): Route {
    return this.isUndecided(line) ? NOTHING : this.route(line);
  }

  #workOut(shown: Route['type']): void {
    const line = this.#glanced ?? '';
    this.#glanced = null;
    const route = this.toShow(line);
    if (route.type !== shown) this.#onRefined();
  }

  /** Before the shell is ready a line that looks like a message may yet turn out to be a command. */
  isUndecided(line: string): boolean {
    if (this.route(line).type !== 'message' || line.trimStart().startsWith('?')) return false;
    return this.#isBooting;
  }

  get #isBooting(): boolean {
    return (this.#facts().live?.sharedShell.shell?.state ?? 'boot') === 'boot';
  }

  /** Tells once that something has become known which may change what is on the screen. */
  async #refine(line: string): Promise<void> {
    const before = this.#news;
    this.#isRefining = true;
    await this.#refined(() => this.#last?.line ?? line);
    this.#isRefining = false;
    const isWanted = this.#isGuessed || this.#news !== before;
    this.#isGuessed = false;
    if (isWanted) this.#onRefined();
  }

  /** An answer may lead to another question. */
  async #refined(line: () => string): Promise<void> {
    for (let waits = this.#waits(); waits !== null; waits = this.#waits()) {
      await waits;
      this.route(line());
    }
  }

  get #sources(): readonly Remembering[] {
    const shell = this.#facts().live?.sharedShell.shell ?? null;
    return shell === null ? [this.#files, this.#known] : [this.#files, this.#known, shell.lookups];
  }

  get #news(): number {
    return this.#sources.reduce((sum, { news }) => sum + news, 0);
  }

  #waits(): Promise<unknown> | null {
    const waits = this.#sources.map((source) => source.settled()).filter((wait) => wait !== null);
    return waits.length === 0 ? null : Promise.all(waits);
  }

  /** Whether a word exists at the place of a command; null while that is not known. */
  knows(word: string): boolean | null {
    const shell = this.#facts().live?.sharedShell.shell ?? null;
    if (shell === null || shell.state === 'boot') return null;
    if (shell.lookup(word) !== null) return true;
    const isOpen = this.#waits() !== null;
    if (!isOpen) this.#unknown.add(word);
    else if (!this.#isRefining) void this.#refine(this.#last?.line ?? '');
    // What was unknown a moment ago stays so while it is looked up again: a word does not blink.
    if (this.#unknown.has(word)) return false;
    this.#isGuessed = true;
    return null;
  }

  async #load(): Promise<void> {
    // After the first prompt is on the screen: this is the largest part of the program that the prompt needs.
    await new Promise((done) => setTimeout(done, 0));
    this.#rules = (await import('../../core/router.ts')).routeLine;
  }
}
