import { resolve } from 'node:path';
import { KnownNames } from '../../../adapters/completion/known-names.ts';
import type { ShellReport } from '../../../adapters/shell/background.ts';
import { KnownCalls } from '../../../adapters/shell/known-calls.ts';
import type { Lookup } from '../../../adapters/shell/lookup.ts';
import { type ShellChoice, type ShellKind, toShellKind } from '../../../adapters/shell/program.ts';
import { Remembered } from '../../../adapters/shell/remembered.ts';
import type { Shell } from '../../../adapters/shell/shell.ts';
import type { WholeLines } from '../../../adapters/shell/whole-line.ts';
import { isThere } from '../../../adapters/system/file-status.ts';
import { withTimeout } from '../../../adapters/system/patience.ts';
import type { Completion } from '../../../core/completion/completion.ts';
import type { CompletionRequest } from '../../../core/editor/line-editor-options.ts';
import {
  type Entered,
  isMarked,
  type LineContext,
  type Understood,
  understand,
} from '../../../core/prompt/understand.ts';
import type { Route } from '../../../core/routing/router.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';

/** The facts of the prompt at this moment, besides the answers of disks and the shell. */
export interface PromptContext extends Pick<LineContext, 'asksModel' | 'history' | 'isPrivate'> {
  /** Null while no session is open. */
  readonly client: Pick<SessionClient, 'state'> | null;
  readonly shell: KnownShell | null;
  readonly cwd: string;
}

/** The sources of the facts about a line, and the receiver of news of them. */
interface LineFactsDeps extends ShellChoice {
  readonly context: () => PromptContext;
  /** Something has become known that may change how the typed line is shown. */
  readonly onNews: () => void;
}

/** Longest wait for a disk before an entered line is routed by the known facts. */
const PATIENCE_MS = 500;

/** The most questions about files in one reading: a paste of thousands of lines would have the disk asked without end. */
const MOST_FILES = 1000;

/** By then the prompt after a command has been painted. */
const PROMPT_STANDS_MS = 10;

const NOTHING: Route = { type: 'nothing' };

/** A line as it was understood, and the facts by which it was: the value holds while they do. */
interface Memo {
  readonly line: string;
  readonly facts: readonly unknown[];
  readonly value: Understood;
}

/**
 * Facts of the shell and the disks that decide about a line. No key waits for an answer: an open query runs behind the prompt, and the line
 * is understood anew when the answer has come. The rules of routing are many, so they load behind the first prompt.
 */
export class LineFacts {
  readonly #deps: LineFactsDeps;
  readonly #calls: KnownCalls;
  readonly #names: KnownNames;
  readonly #files = new Remembered<boolean>(isThere);
  readonly #kind: ShellKind;
  readonly #loaded = Promise.withResolvers<void>();
  #isLoading = false;
  #rules: Pick<LineContext, 'routeLine' | 'toBashForms'> = { routeLine: null, toBashForms: null };
  #last: Memo | null = null;
  /** The last command that the shell checked, and whether the shell found it whole. */
  #asked: { readonly command: string; readonly isWhole: Promise<boolean> } | null = null;
  /** Loads with the first line about which the shell will be asked. */
  #whole: Promise<WholeLines> | null = null;
  #isRefining = false;
  /** The line to understand when its key has been echoed. */
  #glanced: string | null = null;
  /** Words that no shell knew when they were looked up last. */
  readonly #unknown = new Set<string>();
  /** Something on the screen waits for an answer, whatever it will be. */
  #isGuessed = false;

  constructor(deps: LineFactsDeps) {
    const { program, env } = deps;
    this.#deps = deps;
    this.#calls = new KnownCalls(env.HOME ?? '/');
    this.#names = new KnownNames(env.HOME ?? '/', env);
    this.#kind = toShellKind(program ?? env.SHELL ?? '') ?? 'bash';
  }

  /** Settles when lines can be routed, some time after the first look at one. */
  get ready(): Promise<void> {
    return this.#loaded.promise;
  }

  /** Settles when lines can be routed. */
  async loaded(): Promise<void> {
    this.#load();
    await this.#loaded.promise;
  }

  /** The line with `!!`, `!$` or another reference to history at the cursor replaced; null where no such word ends there. */
  completeHistory({ text, cursor }: Pick<CompletionRequest, 'text' | 'cursor'>): readonly Completion[] | null {
    const before = text.slice(0, cursor);
    if (!/!\S+$/.test(before)) return null;
    const { entered } = this.understand(before);
    if (entered.type === 'error') return [];
    const isExpanded = entered.type === 'run' ? entered.isExpanded : entered.because === 'look first';
    return isExpanded ? [{ start: 0, text: entered.text, suffix: '' }] : null;
  }

  /** The line as far as the known facts explain it. */
  understand(line: string): Understood {
    this.#load();
    const last = this.#last;
    const facts = this.#factsAbout(line);
    const isKnown = last?.facts.every((fact, at) => fact === facts[at]) === true;
    const value = isKnown ? last.value : understand(line, this.#context());
    // To understand a line may have been to ask for more, which is a fact of its own.
    if (!isKnown) this.#last = { line, facts: this.#factsAbout(line), value };
    if (!isKnown && value.whole === 'asked') this.#prepareShell();
    // Also of a line that was understood before: the shell may have begun since to answer.
    if (!this.#isRefining && this.#open() !== null) void this.#refine(line);
    return value;
  }

  /**
   * The route of a line, for the display while it is typed: the answer for the line before until this one is understood, right behind the
   * echo of the key. So no key waits for the rules.
   */
  glance(line: string): Route {
    const last = this.#last;
    if (line === '') {
      // The first key finds it understood, and the paint of a prompt does not wait for that.
      if (last === null) setImmediate(() => void (this.#last ?? this.understand('')));
      return NOTHING;
    }
    if (isMarked(line) || last === null || last.line === line || this.#isBooting) return this.understand(line).shown;
    const { shown } = last.value;
    if (this.#glanced === null) setImmediate(() => this.#workOut(shown.type));
    this.#glanced = line;
    return shown.type === 'nothing' ? shown : { ...shown, text: line };
  }

  /**
   * Settles when all answers have come that may change where an entered line goes, or a disk is too slow for them; null where it waits for
   * none. Before the shell is ready no line waits here.
   */
  answers(line: string): Promise<void> | null {
    return this.understand(line).waitsFor === 'answers' && !this.#isBooting ? this.#answered(line) : null;
  }

  /** False where Enter begins another line; a promise where only the user's own shell can tell. */
  isWhole(line: string): boolean | Promise<boolean> {
    const { whole, route } = this.understand(line);
    // The scan does not know these blocks of fish.
    const mayBeOpen = this.#kind === 'fish' && route.type === 'command' && /\b(?:begin|switch)\b/.test(route.text);
    return (whole === 'asked' || mayBeOpen) && route.type !== 'nothing'
      ? this.#isWholeForShell(route.text)
      : whole === 'whole';
  }

  /**
   * Decides about an entered line. It waits for all facts about the line, in this order: the rules, the startup files of the shell if the
   * line looks like a message, disks, and the shell if only that can tell whether the line is whole. `booted` settles when the startup
   * files have run or take too long; the answer is whether the user cancelled the wait.
   */
  async enter(line: string, booted: () => Promise<boolean>): Promise<Entered> {
    await this.loaded();
    const isCalledOff = this.understand(line).waitsFor === 'shell' && (await booted());
    if (isCalledOff) return { type: 'put back', text: line, because: 'called off' };
    if (this.understand(line).waitsFor !== null) await this.#answered(line);
    const isWhole = await this.isWhole(line);
    const { entered } = this.understand(line);
    // The same line means another one when the history has grown.
    this.#last = null;
    return isWhole ? entered : { type: 'put back', text: line, because: 'goes on' };
  }

  /** The route of a line, once all facts about it are known, or a disk is too slow. */
  async routeOf(line: string): Promise<Route> {
    await this.loaded();
    if (this.understand(line).waitsFor === 'answers') await this.#answered(line);
    return this.understand(line).route;
  }

  /** A command may have changed the facts. The calls of a project are looked up when the prompt is drawn, before the first key. */
  refresh(): void {
    this.#files.expire();
    this.#calls.expire();
    this.#names.expire();
    this.#unknown.clear();
    this.#last = null;
    setTimeout(() => this.#calls.has('', this.#deps.context().cwd), PROMPT_STANDS_MS).unref();
  }

  /** Whether a word exists at the place of a command; null while that is not known. */
  knows(word: string): boolean | null {
    const shell = this.#shell;
    if (shell === null || shell.state === 'boot') return null;
    if (shell.lookup(word) !== null) return true;
    const isOpen = this.#open() !== null;
    if (!isOpen) this.#unknown.add(word);
    else if (!this.#isRefining) void this.#refine(this.#last?.line ?? '');
    // A word that was unknown a moment ago stays so during a new lookup: a word does not blink.
    if (this.#unknown.has(word)) return false;
    this.#isGuessed = true;
    return null;
  }

  #context(): LineContext {
    const { client, cwd, ...context } = this.#deps.context();
    const shell = this.#shell;
    const isBooting = this.#isBooting;
    const jobs = shell?.report.jobs.map(({ number }) => number) ?? [];
    let files = 0;
    return {
      ...context,
      ...this.#rules,
      shell: this.#kind,
      // Before the shell is ready, what looks like a message may yet be a command: it waits.
      asksModel: context.asksModel || isBooting,
      isBooting,
      knowsCommands: !isBooting && shell !== null && shell.lookups.news > 0,
      isAsking: () => this.#open() !== null,
      handles: client === null ? null : { jobs, hasOutput: (wanted) => hasOutput(client, wanted) },
      knows: (word) => shell !== null && shell.lookup(word) !== null,
      knowsCall: (words) => this.#calls.has(words, cwd),
      hasRef: (name) => this.#names.hasRef(name, cwd),
      hasHost: (name) => this.#names.hasHost(name),
      hasContainer: (name) => this.#names.hasContainer(name),
      hasFile: (name) => (files++ < MOST_FILES ? this.#files.get(resolve(cwd, name), false) : null),
    };
  }

  /** The facts on which the reading of a line depends. */
  #factsAbout(line: string): readonly unknown[] {
    const { client, cwd, isPrivate, asksModel } = this.#deps.context();
    const jobs = this.#shell?.report.jobs.length;
    return [
      line,
      cwd,
      this.#news,
      client,
      isPrivate,
      asksModel,
      this.#rules,
      this.#isBooting,
      jobs,
      this.#open() !== null,
    ];
  }

  get #shell(): KnownShell | null {
    return this.#deps.context().shell;
  }

  get #isBooting(): boolean {
    return (this.#shell?.state ?? 'boot') === 'boot';
  }

  #workOut(shown: Route['type']): void {
    const line = this.#glanced ?? '';
    this.#glanced = null;
    if (this.understand(line).shown.type !== shown) this.#deps.onNews();
  }

  async #answered(line: string): Promise<void> {
    await withTimeout(
      this.#refined(() => line),
      PATIENCE_MS,
    );
  }

  /** Reports once that a new fact may change the screen. */
  async #refine(line: string): Promise<void> {
    const before = this.#news;
    this.#isRefining = true;
    await this.#refined(() => this.#last?.line ?? line);
    this.#isRefining = false;
    const isWanted = this.#isGuessed || this.#news !== before;
    this.#isGuessed = false;
    if (isWanted) this.#deps.onNews();
  }

  /** An answer may lead to another question. */
  async #refined(line: () => string): Promise<void> {
    for (let open = this.#open(); open !== null; open = this.#open()) {
      await open;
      this.understand(line());
    }
  }

  get #sources(): readonly { readonly news: number; settled(): Promise<unknown> | null }[] {
    const shell = this.#shell;
    return [this.#files, this.#calls, ...this.#names.sources, ...(shell === null ? [] : [shell.lookups])];
  }

  get #news(): number {
    return this.#sources.reduce((sum, { news }) => sum + news, 0);
  }

  /** Settles when all open queries are answered; null if nothing is open. */
  #open(): Promise<unknown> | null {
    const open = this.#sources.map((source) => source.settled()).filter((wait) => wait !== null);
    return open.length === 0 ? null : Promise.all(open);
  }

  /** Behind the echo of the key: at Enter the parsers have started. */
  #prepareShell(): void {
    setTimeout(() => void this.#wholeLines().then((whole) => whole.prepare()), 0);
  }

  #isWholeForShell(command: string): Promise<boolean> {
    if (this.#asked?.command !== command) this.#asked = { command, isWhole: this.#askShell(command) };
    return this.#asked.isWhole;
  }

  async #askShell(command: string): Promise<boolean> {
    const whole = await this.#wholeLines();
    const isWhole = await whole.isWhole(command);
    whole.prepare();
    return isWhole;
  }

  #wholeLines(): Promise<WholeLines> {
    this.#whole ??= import('../../../adapters/shell/whole-line.ts').then(
      ({ WholeLines }) => new WholeLines(this.#deps),
    );
    return this.#whole;
  }

  /** Begins with the first prompt, behind its paint: the rules are the largest part of the program that the prompt needs. */
  #load(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    setTimeout(() => void this.#loadRules().then(this.#loaded.resolve, this.#loaded.reject), 0);
  }

  async #loadRules(): Promise<void> {
    const [{ routeLine }, { toBashForms }] = await Promise.all([
      import('../../../core/routing/router.ts'),
      import('../../../core/routing/fish-forms.ts'),
    ]);
    this.#rules = { routeLine, toBashForms: this.#kind === 'fish' ? toBashForms : null };
  }
}

function hasOutput({ state }: Pick<SessionClient, 'state'>, wanted: number): boolean {
  return state.outputs.some(({ handle }) => handle === wanted);
}

/** The shell of a session, as far as it helps with a line that is typed: of this process, or at the other end of a connection. */
export interface KnownShell {
  readonly state: Shell['state'];
  /** The shell's meaning of a line's first word; null when it knows no such word, as far as is known by now. */
  lookup(word: string): string | null;
  readonly lookups: Pick<Lookup, 'news' | 'settled' | 'list' | 'aliases' | 'variables' | 'options' | 'directories'> & {
    readonly exportsFile: string | null;
    readonly abbreviations?: Lookup['abbreviations'];
  };
  /** The user gave up the line that was typed. */
  readonly cancelLine?: () => void;
  readonly report: Pick<ShellReport, 'jobs'> & Partial<Pick<ShellReport, 'history' | 'pushed'>>;
}
