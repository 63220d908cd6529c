import { type EarlierLine, EarlierLines } from '../routing/shell-facts.ts';
import type { UsedDirectory } from './directories.ts';
import type { FoundLine, SearchedHistory } from './history-match.ts';

/** One use of a line. */
export interface LineUse {
  readonly line: string;
  /** Milliseconds since the epoch; 0 where nobody knows. */
  readonly at: number;
  readonly cwd: string;
  /** The directory that it left the shell in, where that is another one. */
  readonly to?: string;
  readonly route: 'command' | 'message' | 'meta';
  /** The author: the user, or the model with the user's consent. */
  readonly who: 'user' | 'model';
  /** The number it is shown with, which no other line ever gets; without one they count from 1. */
  readonly number?: number;
  /** The name of the use until its end is known; empty if it has none. */
  readonly id?: string;
  /** The terminal it was typed in. */
  readonly session?: string;
  /** Null while it runs, where it has none, and where it was lost. */
  readonly exit?: number | null;
}

/** One distinct line, with facts about its uses. */
interface KnownLine extends FoundLine {
  readonly isCommand: boolean;
  newest: number;
  /** Logarithm of how much it was used, where a use of a day ago counts half. */
  weight: number;
  at: number;
  cwd: string;
  who: 'user' | 'model';
  exit: number | null;
  hasWorked: boolean;
}

interface HistoryContext {
  readonly cwd: string;
  readonly session: string;
}

interface Directory {
  /** The one copy of it that all lines share. */
  readonly path: string;
  readonly lines: Set<KnownLine>;
  /** Logarithm of how much it was used, where a use of two weeks ago counts half. */
  weight: number;
}

/** Exit status of a shell that knows no such command. */
const NOT_FOUND = 127;
const HALF_LIFE_MS = 86_400_000;
const DIRECTORY_HALF_LIFE_MS = 14 * HALF_LIFE_MS;
const NOWHERE: HistoryContext = { cwd: '', session: '' };
/** Statuses of what a user ends on purpose: Ctrl-C, a broken pipe, TERM, Ctrl-Z. */
const ENDED_ON_PURPOSE: ReadonlySet<number> = new Set([130, 141, 143, 146, 148]);

/**
 * Earlier lines in memory, for suggestions and searches: one object for each distinct line, and one reference for each use. While a word
 * grows, each answer narrows the result of the last one.
 */
export class HistoryIndex {
  /** The terminal that asks, and the directory it asks from. */
  context: HistoryContext;
  readonly #earlier = new EarlierLines();
  readonly #known = new Map<string, KnownLine>();
  readonly #uses: KnownLine[] = [];
  readonly #numbers: number[] = [];
  /** Uses of the terminal that asks, oldest first. */
  readonly #own: number[] = [];
  readonly #directories = new Map<string, Directory>();
  #last: Directory | null = null;
  readonly #byFirst = new Map<string, KnownLine[]>();
  readonly #running = new Map<string, number>();
  #narrowed: { readonly prefix: string; readonly lines: readonly KnownLine[] }[] = [];

  constructor(context = NOWHERE) {
    this.context = context;
  }

  /** Different lines. */
  get size(): number {
    return this.#known.size;
  }

  /** Whether a line is known. */
  has(line: string): boolean {
    return this.#known.has(line);
  }

  /** The earlier choice of the user for this line, or for a similar one; a line with a missing command did not run. */
  findEarlier(line: string): EarlierLine | null {
    const earlier = this.#earlier.find(line);
    return earlier !== null && this.#known.get(earlier.line)?.exit === NOT_FOUND ? null : earlier;
  }

  /** Takes a use that is newer than all before. */
  add(use: LineUse): void {
    const order = this.#uses.length;
    const { id = '' } = use;
    const directory = this.#visit(use.cwd, use.at);
    if (use.to !== undefined) this.#visit(use.to, use.at);
    const before = this.#known.get(use.line);
    const known = before ?? this.#meet(use);
    if (before?.cwd !== directory.path) directory.lines.add(known);
    if (use.route !== 'meta' && use.who === 'user') this.#earlier.add(use.line, use.route);
    known.weight = addWeight(known.weight, use.at / HALF_LIFE_MS);
    known.newest = order;
    known.at = use.at;
    known.cwd = directory.path;
    known.who = use.who;
    known.exit = use.exit ?? null;
    // A line from another shell has no status, and counts as one that worked.
    known.hasWorked ||= known.exit === 0 || (known.exit === null && id === '');
    this.#uses.push(known);
    this.#numbers.push(use.number ?? (this.#numbers.at(-1) ?? 0) + 1);
    if (use.session !== undefined && use.session === this.context.session) this.#own.push(order);
    if (id !== '' && known.exit === null) this.#running.set(id, order);
  }

  /** Takes the end of a use. */
  end({ id, exit, to }: Pick<LineUse, 'to'> & { readonly id: string; readonly exit: number | null }): void {
    const order = this.#running.get(id);
    const known = order === undefined ? undefined : this.#uses[order];
    if (known === undefined) return;
    if (to !== undefined) this.#visit(to, known.at);
    this.#running.delete(id);
    known.hasWorked ||= exit === 0;
    if (known.newest === order) known.exit = exit;
  }

  /** The rest of the best line that begins with `text`; empty for none. Lines that only ever failed are not offered. */
  suggest(text: string): string {
    if (text === '') return '';
    const here = this.#directories.get(this.context.cwd)?.lines;
    let best: KnownLine | null = null;
    let isBestHere = false;
    for (const known of this.#startingWith(text)) {
      if (known.line.length === text.length || isFailing(known)) continue;
      const isHere = here?.has(known) ?? false;
      if (best === null || (isHere === isBestHere ? isBetter(known, best) : isHere)) {
        best = known;
        isBestHere = isHere;
      }
    }
    return best === null ? '' : best.line.slice(text.length);
  }

  /**
   * A walk from new to old through the lines that begin with `prefix`, those of this directory first. Without a prefix the lines of this
   * terminal come first: what others did is no last line of mine.
   */
  walk(prefix: string): LineWalk {
    return new LineWalk(prefix === '' ? this.#newestFirst() : this.#nearestFirst(prefix), prefix);
  }

  /** The lines for a search. */
  searched(): SearchedHistory {
    const lines = this.#uses.filter((known, order) => known.newest === order).reverse();
    return { lines, here: this.#directories.get(this.context.cwd)?.lines ?? new Set<KnownLine>() };
  }

  /** Commands for history forms, oldest first: those of other terminals before those of this one, so that `!!` is never somebody else's. */
  commands(): readonly string[] {
    const own = new Set(this.#own);
    const others = this.#uses.filter((known, order) => known.isCommand && !own.has(order));
    const mine = this.#own.flatMap((order) => this.#uses[order] ?? []).filter((known) => known.isCommand);
    const lines = [...others, ...mine].map(({ line }) => line);
    return lines.filter((line, at) => line !== lines[at - 1]);
  }

  /** The directories of the lines. */
  directories(): readonly UsedDirectory[] {
    return [...this.#directories.values()].filter(({ path }) => path !== '');
  }

  /** The line shown with a number; undefined for none. */
  numbered(number: number): string | undefined {
    let [low, high] = [0, this.#numbers.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#numbers[middle] ?? 0;
      if (found === number) return this.#uses[middle]?.line;
      if (found < number) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  #meet({ line, route, at, cwd, who }: LineUse): KnownLine {
    const known: KnownLine = {
      line,
      isCommand: route === 'command',
      newest: 0,
      weight: Number.NEGATIVE_INFINITY,
      at,
      cwd,
      who,
      exit: null,
      hasWorked: false,
    };
    this.#known.set(line, known);
    const first = line.charAt(0);
    const sameFirst = this.#byFirst.get(first) ?? [];
    sameFirst.push(known);
    this.#byFirst.set(first, sameFirst);
    this.#narrowed = [];
    return known;
  }

  /** Lines of one directory often follow each other, so the last one is at hand. */
  #directory(path: string): Directory {
    if (this.#last?.path === path) return this.#last;
    let directory = this.#directories.get(path);
    if (directory === undefined) {
      directory = { path, lines: new Set<KnownLine>(), weight: Number.NEGATIVE_INFINITY };
      this.#directories.set(path, directory);
    }
    this.#last = directory;
    return directory;
  }

  #visit(path: string, at: number): Directory {
    const directory = this.#directory(path);
    directory.weight = addWeight(directory.weight, at / DIRECTORY_HALF_LIFE_MS);
    return directory;
  }

  /** Narrows what the text before gave; what was given for shorter texts is kept for the way back. */
  #startingWith(text: string): readonly KnownLine[] {
    while (this.#narrowed.length > 0 && !text.startsWith(this.#narrowed.at(-1)?.prefix ?? '')) this.#narrowed.pop();
    const last = this.#narrowed.at(-1);
    if (last?.prefix === text) return last.lines;
    const from = last?.lines ?? this.#byFirst.get(text.charAt(0)) ?? [];
    const lines = text.length === 1 && last === undefined ? from : from.filter(({ line }) => line.startsWith(text));
    this.#narrowed.push({ prefix: text, lines });
    return lines;
  }

  #nearestFirst(prefix: string): Iterable<string> {
    const here = this.#directories.get(this.context.cwd)?.lines;
    const rank = (known: KnownLine): number => (here?.has(known) ? this.#uses.length : 0) + known.newest;
    return [...this.#startingWith(prefix)].sort((one, other) => rank(other) - rank(one)).map(({ line }) => line);
  }

  *#newestFirst(): Iterable<string> {
    for (const order of this.#own.toReversed()) yield this.#uses[order]?.line ?? '';
    for (let order = this.#uses.length - 1; order >= 0; order--) {
      const known = this.#uses[order];
      if (known?.newest === order) yield known.line;
    }
  }
}

/** A position in a source of lines, which is read as far as somebody walks; each line comes once. `text` is where the walk begins. */
export class LineWalk {
  readonly #source: Iterator<string>;
  readonly #seen: Set<string>;
  readonly #passed: string[] = [];
  #at = -1;

  constructor(source: Iterable<string>, text: string) {
    this.#source = source[Symbol.iterator]();
    this.#seen = new Set([text]);
  }

  /** The next older line; null where there is none, and then the place stays. */
  older(): string | null {
    const passed = this.#passed[this.#at + 1] ?? this.#next();
    if (passed === null) return null;
    this.#at++;
    return passed;
  }

  /** The next newer line; null back at the text the walk began from. */
  newer(): string | null {
    if (this.#at >= 0) this.#at--;
    return this.#passed[this.#at] ?? null;
  }

  #next(): string | null {
    for (let next = this.#source.next(); next.done !== true; next = this.#source.next()) {
      if (this.#seen.has(next.value)) continue;
      this.#seen.add(next.value);
      this.#passed.push(next.value);
      return next.value;
    }
    return null;
  }
}

/** A command that is not there, or that never once worked. */
function isFailing({ exit, hasWorked }: KnownLine): boolean {
  if (exit === null || exit === 0) return false;
  return exit === NOT_FOUND || (!hasWorked && !ENDED_ON_PURPOSE.has(exit));
}

function isBetter(one: KnownLine, other: KnownLine): boolean {
  return one.weight === other.weight ? one.newest > other.newest : one.weight > other.weight;
}

/** Adds a use to a weight, both as logarithms: no weight shrinks as time goes by. */
function addWeight(weight: number, use: number): number {
  const more = Math.max(weight, use);
  return more + Math.log2(1 + 2 ** (Math.min(weight, use) - more));
}

/** How history treats repeated lines: keep all, keep one of several in a row, or keep only the latest. */
export type Duplicates = 'keep' | 'ignore' | 'erase';

/** The user's rules for history. */
export interface HistoryRules {
  /** Patterns for lines to omit, which match the whole line: `*`, `?` and `[a-z]` as in file names. */
  readonly ignore: readonly string[];
  readonly duplicates: Duplicates;
}

/** The default rules. */
export const USUAL_RULES: HistoryRules = { ignore: [], duplicates: 'ignore' };

/** The shell's own history rules, in the words of bash. */
export interface ShellHistoryRules {
  /** `HISTCONTROL`, or the equivalent zsh options. */
  readonly control: string;
  /** Patterns of lines to omit; `&` represents the previous line. */
  readonly ignore: readonly string[];
}

/** The patterns of bash's `HISTIGNORE`, or of zsh's `HISTORY_IGNORE`, a single pattern with alternatives. */
export function parseIgnored(text: string, shell: 'bash' | 'zsh'): readonly string[] {
  const patterns = shell === 'bash' ? text.split(':') : (/^\(([^()]*)\)$/.exec(text)?.[1]?.split('|') ?? [text]);
  return patterns.filter((pattern) => pattern !== '');
}

/** The rules of the shell, or `otherwise` if it has none. */
export function toHistoryRules({ control, ignore }: ShellHistoryRules, otherwise: HistoryRules): HistoryRules {
  const words = control.split(':');
  const isOnce = words.includes('ignoredups') || words.includes('ignoreboth') || ignore.includes('&');
  const duplicates = words.includes('erasedups') ? 'erase' : isOnce ? 'ignore' : otherwise.duplicates;
  return { ignore: [...otherwise.ignore, ...ignore.filter((pattern) => pattern !== '&')], duplicates };
}
