import { type HistoryEntry, HistoryStore } from '../../../adapters/history/history-store.ts';
import type { HistorySearch, HistorySource } from '../../../core/editor/history-search.ts';
import type { UsedDirectory } from '../../../core/prompt/directories.ts';
import {
  HistoryIndex,
  type HistoryRules,
  type LineWalk,
  type ShellHistoryRules,
  toHistoryRules,
} from '../../../core/prompt/history-index.ts';
import type { EarlierLine } from '../../../core/routing/shell-facts.ts';
import { once } from '../../../core/text/memoize.ts';

interface PromptHistoryOptions {
  /** The file that all terminals share; null where nothing is to be remembered. */
  readonly path: string | null;
  readonly rules: HistoryRules;
  readonly maxLines: number;
  /** Names this terminal among those that write. */
  readonly session: string;
  readonly cwd: string;
  readonly now?: () => number;
}

/** A line that is about to run. */
export type BegunLine = Pick<HistoryEntry, 'line' | 'route' | 'cwd'> & { readonly who?: HistoryEntry['who'] };

/** How a line ended. */
export type EndedLine = Pick<HistoryEntry, 'exit' | 'durationMs' | 'to'>;

/**
 * The history of this terminal: stored in a file that all terminals share, searched in memory. aish reads nothing before it is needed.
 */
export class PromptHistory implements HistorySource {
  readonly #options: PromptHistoryOptions;
  readonly #now: () => number;
  #index: HistoryIndex;
  readonly #store: HistoryStore;
  #rules: HistoryRules;
  #isLoaded = false;
  #begun = 0;
  readonly #waiting: (() => void)[] = [];
  #redact: (line: string) => string = (line) => line;
  /** Lines that were stored with less than was typed here, by what was stored. */
  readonly #typed = new Map<string, string>();
  #soonest: ReturnType<typeof setImmediate> | null = null;

  constructor(options: PromptHistoryOptions) {
    const { path, rules, maxLines, session, cwd } = options;
    this.#options = options;
    this.#rules = rules;
    this.#now = options.now ?? Date.now;
    this.#index = new HistoryIndex({ cwd, session });
    this.#store = new HistoryStore(path, {
      limits: { maxLines, duplicates: rules.duplicates },
      sink: {
        clear: () => {
          this.#index = new HistoryIndex(this.#index.context);
        },
        add: (entry) => {
          const typed = this.#typed.get(entry.line);
          this.#index.add(typed === undefined ? entry : { ...entry, line: typed });
        },
        end: (end) => this.#index.end(end),
      },
    });
  }

  get rules(): HistoryRules {
    return this.#rules;
  }

  get maxLines(): number {
    return this.#options.maxLines;
  }

  /** Applies the history rules of the live shell, in addition to those of the configuration. */
  follow(shell: ShellHistoryRules): void {
    this.#rules = toHistoryRules(shell, this.#options.rules);
  }

  /** From now on no secret that `redact` finds is stored; this terminal remembers a line as it was typed. */
  cover(redact: (line: string) => string): void {
    this.#redact = redact;
  }

  /** False where nothing outlives this terminal. */
  get isKept(): boolean {
    return this.#options.path !== null;
  }

  /** Different lines that are known. */
  get size(): number {
    return this.#loaded().size;
  }

  /** Reads the store behind the prompt, a piece between two keys. A key that needs it meanwhile reads the rest at once. */
  async load(): Promise<void> {
    while (!this.#isLoaded) {
      if (!this.#store.refreshPiece()) this.#isLoaded = true;
      else await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A suggestion is not worth waiting for while a long store is read, and an empty line has none. */
  suggest(text: string): string {
    if (text === '') return '';
    if (!this.#isLoaded && this.#store.isLong) return '';
    return this.#loaded().suggest(text);
  }

  walk(prefix: string): LineWalk {
    return this.#loaded().walk(prefix);
  }

  search(text: string): HistorySearch {
    const {
      HistorySearch,
    }: typeof import('../../../core/editor/history-search.ts') = require('../../../core/editor/history-search.ts');
    return new HistorySearch({ ...this.#loaded().searched(), now: this.#now() }, text);
  }

  /** The earlier choice of the user for this line, or for a similar one; reads nothing from the disk. */
  find(line: string): EarlierLine | null {
    return this.#isLoaded ? this.#index.findEarlier(line) : null;
  }

  /** Commands for history forms, oldest first. */
  commands(): readonly string[] {
    return this.#loaded().commands();
  }

  /** The directories of the lines. */
  directories(): readonly UsedDirectory[] {
    return this.#loaded().directories();
  }

  /** The line with a number of `:history`; undefined for none. */
  numbered(number: number): string | undefined {
    return this.#loaded().numbered(number);
  }

  /**
   * Reads the new lines of other terminals, and takes the shell's directory of now. A store that was never read stays unread: no prompt
   * waits for it.
   */
  refresh(cwd: string): void {
    this.#index.context = { cwd, session: this.#options.session };
    if (this.#isLoaded) this.#store.refresh();
  }

  /**
   * Writes a line that runs, and its end when the answer is called: each a moment later, or before anybody asks this history anything. So
   * the disk is written while the shell works, and behind the prompt.
   */
  note(line: BegunLine): (ended: EndedLine) => void {
    // The line itself may change them.
    const rules = this.#rules;
    let id: string | null = null;
    this.#soon(() => {
      const stored = this.#asStored(line, rules);
      if (stored !== null) id = this.#begin(stored);
    });
    return (ended) => this.#soon(() => this.end(id, ended));
  }

  /** Takes up a line that others entered, where no terminal of this user has it: for as long as this one lasts. */
  hear(line: BegunLine & { readonly at: number }): void {
    const index = this.#loaded();
    const { who = 'user' } = line;
    const { isWorthKeeping } = loadRules();
    if (isWorthKeeping(line.line, this.#rules) && !index.has(line.line)) index.add({ ...line, who });
  }

  /** Writes what waits to be written. */
  flush(): void {
    if (this.#soonest !== null) clearImmediate(this.#soonest);
    this.#soonest = null;
    for (const write of this.#waiting.splice(0)) write();
  }

  /** Writes a line that is about to run; the answer names it for `end`. Null for one that is not kept. */
  begin(line: BegunLine): string | null {
    const stored = this.#asStored(line, this.#rules);
    return stored === null ? null : this.#begin(stored);
  }

  /** A line as it may be on the disk; null for one that is not to be kept. */
  #asStored(line: BegunLine, rules: HistoryRules): BegunLine | null {
    const covered = this.#redact(line.line);
    const { isWorthKeeping } = loadRules();
    if (!isWorthKeeping(covered, rules)) return null;
    if (covered !== line.line) this.#typed.set(covered, line.line);
    return { ...line, line: covered };
  }

  #begin({ line, route, cwd, who = 'user' }: BegunLine): string {
    this.#loaded();
    const { session } = this.#options;
    const id = `${session}.${++this.#begun}`;
    this.#store.begin({ id, line, at: this.#now(), cwd, route, who, session });
    return id;
  }

  /** Writes how a line ended that `begin` named. */
  end(id: string | null, ended: EndedLine): void {
    if (id !== null) this.#store.end({ id, ...ended });
  }

  /** All lines that `:history` shows, oldest first. The last of several equal lines in a row counts. */
  entries(): readonly HistoryEntry[] {
    this.flush();
    const { duplicates } = this.#rules;
    const entries = this.#store.entries();
    if (duplicates === 'keep') return entries;
    if (duplicates === 'ignore') return entries.filter(({ line }, at) => line !== entries[at + 1]?.line);
    const newest = new Map(entries.map(({ line, number }) => [line, number]));
    return entries.filter(({ line, number }) => newest.get(line) === number);
  }

  /** Removes lines from the store and from memory; the answer is how many went. */
  remove(isRemoved: (entry: HistoryEntry) => boolean): number {
    this.flush();
    return this.#store.remove(isRemoved);
  }

  /** Takes lines from elsewhere; the answer is how many were new. */
  merge(lines: readonly HistoryEntry[], options: { readonly onlyIfEmpty?: boolean } = {}): number {
    this.flush();
    return this.#store.merge(this.#covered(lines), options);
  }

  /** Most histories contain no secret, so one check of the whole text suffices. */
  #covered(lines: readonly HistoryEntry[]): readonly HistoryEntry[] {
    const all = lines.map(({ line }) => line).join('\n');
    if (this.#redact(all) === all) return lines;
    return lines.map((entry) => ({ ...entry, line: this.#redact(entry.line) }));
  }

  close(): void {
    this.flush();
    this.#store.close();
  }

  /** Writes after the current work for the line and before its first output is visible, so that a kill loses no line. */
  #soon(write: () => void): void {
    this.#waiting.push(write);
    this.#soonest ??= setImmediate(() => this.flush());
  }

  #loaded(): HistoryIndex {
    if (this.#waiting.length > 0) this.flush();
    if (!this.#isLoaded) this.#store.refresh();
    this.#isLoaded = true;
    return this.#index;
  }
}

/** The rules load with the first line, not with the prompt. */
const loadRules = once<typeof import('../../../core/prompt/kept-line.ts')>(() =>
  require('../../../core/prompt/kept-line.ts'),
);
