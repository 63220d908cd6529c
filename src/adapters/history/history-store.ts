import type { Duplicates, LineUse } from '../../core/prompt/history-index.ts';
import { SharedFile } from './shared-file.ts';

/** One use of a line, as the store keeps it; what is not known is empty. */
export interface HistoryEntry extends Required<Omit<LineUse, 'to'>>, Pick<LineUse, 'to'> {
  readonly durationMs: number | null;
}

/** A line that is begun: its end comes later. */
export type NewLine = Pick<HistoryEntry, 'id' | 'line' | 'at' | 'cwd' | 'route' | 'who' | 'session'>;

/** How a line ended. */
type LineEnd = Pick<HistoryEntry, 'id' | 'exit' | 'durationMs' | 'to'>;

/** A line of the store, as it was parsed and not yet looked at. */
type RawLine = Readonly<Record<string, unknown>>;

/** Receives the lines of a store, and their ends. */
interface RecordSink {
  add(entry: HistoryEntry): void;
  end(end: LineEnd): void;
}

/** A line as a record; what is not known is left out. */
function formatEntry({ id, line, at, cwd, to, route, who, session, exit, durationMs }: HistoryEntry): string {
  return formatJson({
    ...(id === '' || exit !== null ? {} : { id }),
    line,
    at,
    ...(cwd === '' ? {} : { cwd }),
    ...(to === undefined ? {} : { to }),
    route,
    ...(who === 'user' ? {} : { who }),
    ...(session === '' ? {} : { session }),
    ...(exit === null ? {} : { exit }),
    ...(durationMs === null ? {} : { ms: durationMs }),
  });
}

/** The end of a line as a record of its own: it is known only after the line was written. */
function formatEnd({ id, exit, durationMs, to }: LineEnd): string {
  return formatJson({ end: id, exit, ms: durationMs, ...(to === undefined ? {} : { to }) });
}

/** A whole store: its entries with their ends, in the order of their numbers. `next` is the number after the last. */
export function formatStore(entries: readonly HistoryEntry[], next: number): string {
  const [first] = entries;
  const records = [formatJson({ first: first?.number ?? next })];
  let expected = first?.number ?? next;
  for (const entry of entries) {
    if (entry.number > expected) records.push(formatJson({ gap: entry.number - expected }));
    records.push(formatEntry(entry));
    expected = entry.number + 1;
  }
  if (next > expected) records.push(formatJson({ gap: next - expected }));
  return records.join('');
}

/** Reads a store, and gives each line its number. */
class RecordReader {
  readonly #sink: RecordSink;
  /** The number of the next line. */
  next = 1;
  lines = 0;
  ends = 0;

  constructor(sink: RecordSink) {
    this.#sink = sink;
  }

  /** Reads whole lines. It skips a torn line and a foreign one. */
  read(text: string): void {
    for (let rest = text; rest !== ''; ) {
      const { values, read, error } = Bun.JSONL.parseChunk(rest);
      for (const value of values) this.#take(value);
      if (error === null) return;
      const end = rest.indexOf('\n', read + 1);
      rest = end < 0 ? '' : rest.slice(end + 1);
    }
  }

  #take(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const raw = value as RawLine;
    if (typeof raw.line === 'string') {
      if (raw.line === '') return;
      this.lines++;
      this.#sink.add(toEntry(raw, this.next++));
    } else if (typeof raw.end === 'string') {
      this.ends++;
      const to = typeof raw.to === 'string' ? { to: raw.to } : {};
      this.#sink.end({ id: raw.end, exit: toNumber(raw.exit), durationMs: toNumber(raw.ms), ...to });
    } else if (typeof raw.first === 'number') this.next = raw.first;
    else if (typeof raw.gap === 'number') this.next += raw.gap;
  }
}

/** A use of a line with its number. */
function toEntry({ id, line, at, cwd, to, route, who, session, exit, ms }: RawLine, number: number): HistoryEntry {
  const entry: HistoryEntry = {
    number,
    id: toText(id),
    line: toText(line),
    at: toNumber(at) ?? 0,
    cwd: toText(cwd),
    route: route === 'message' || route === 'meta' ? route : 'command',
    who: who === 'model' ? 'model' : 'user',
    session: toText(session),
    exit: toNumber(exit),
    durationMs: toNumber(ms),
  };
  return typeof to === 'string' ? { ...entry, to } : entry;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function formatJson(fields: RawLine): string {
  return `${JSON.stringify(fields)}\n`;
}

/** A listener of the store: receives all lines once, then new ones. */
interface HistorySink extends RecordSink {
  /** The lines changed; the listener receives all of them again. */
  clear(): void;
}

/** How much is kept. */
export interface StoreLimits {
  readonly maxLines: number;
  readonly duplicates: Duplicates;
}

/** So much is read while a key waits: some thousand lines. */
const QUICK_BYTES = 1024 * 1024;
/** Lines by how much there may be more than wanted before the store is written anew. */
const SLACK = 1.25;
/** However few lines there are: a store of pastes must not fill memory. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * The lines typed before, shared by all terminals through one file of JSON lines. A line is written before it runs, so that no crash
 * loses it, and its end as a record of its own. Deleting and tidying up write the file anew; the others notice and read it again.
 */
export class HistoryStore {
  readonly #file: SharedFile;
  readonly #limits: StoreLimits;
  readonly #sink: HistorySink;
  #reader: RecordReader;
  #characters = 0;

  /** Without a path the lines last until aish ends. */
  constructor(path: string | null, options: { readonly limits: StoreLimits; readonly sink: HistorySink }) {
    this.#file = new SharedFile(path);
    this.#limits = options.limits;
    this.#sink = options.sink;
    this.#reader = new RecordReader(this.#sink);
  }

  /** True if to read the rest at once would keep a key waiting. */
  get isLong(): boolean {
    return this.#file.bytesLeft > QUICK_BYTES;
  }

  /** Reads the lines that all terminals wrote since. */
  refresh(): void {
    this.#readNew();
    this.#tidy();
  }

  /** Reads one piece of them, so that no key waits; true if there is more. */
  refreshPiece(): boolean {
    const isMore = this.#readNew({ pieces: 1 });
    if (!isMore) this.#tidy();
    return isMore;
  }

  /** Writes a line that is about to run. */
  begin(line: NewLine): void {
    const text = formatEntry({ ...line, number: 0, exit: null, durationMs: null });
    if (this.#file.append(text)) this.refresh();
    else this.#tell(text);
  }

  /** Writes how a line ended. */
  end(end: LineEnd): void {
    const text = formatEnd(end);
    if (this.#file.append(text)) this.refresh();
    else this.#tell(text);
  }

  /** All lines with their ends, oldest first, read from the file. */
  entries(): readonly HistoryEntry[] {
    return parseStore(this.#file.readAll()).entries;
  }

  /** Removes lines for good, here and for all terminals; the answer is how many went. */
  remove(isRemoved: (entry: HistoryEntry) => boolean): number {
    let count = 0;
    this.#rewrite(({ entries, next }) => {
      const kept = entries.filter((entry) => !isRemoved(entry));
      count = entries.length - kept.length;
      return count === 0 ? null : { entries: kept, next };
    });
    return count;
  }

  /**
   * Puts lines from elsewhere between those there are, by their time; the answer is how many were new. With `onlyIfEmpty` nothing is
   * done where there is any line, which is looked at with the store locked.
   */
  merge(lines: readonly HistoryEntry[], options: { readonly onlyIfEmpty?: boolean } = {}): number {
    let count = 0;
    this.#rewrite(({ entries, next }) => {
      if (options.onlyIfEmpty === true && (entries.length > 0 || next > 1)) return null;
      const fresh = withoutKnown(lines, entries);
      if (fresh.length === 0) return null;
      const kept = limit(inOrder(entries, fresh), this.#limits);
      const added = new Set(fresh);
      count = kept.filter((entry) => added.has(entry)).length;
      return { entries: kept.map((entry, at) => ({ ...entry, number: at + 1 })), next: kept.length + 1 };
    });
    return count;
  }

  close(): void {
    this.#file.close();
  }

  get #isTooMuch(): boolean {
    const { maxLines } = this.#limits;
    const { lines, ends } = this.#reader;
    return lines > maxLines * SLACK || ends > maxLines / 2 || this.#characters > MOST_CHARACTERS * SLACK;
  }

  #startAgain(): void {
    this.#sink.clear();
    this.#reader = new RecordReader(this.#sink);
    this.#characters = 0;
  }

  #readNew(options: { readonly pieces?: number } = {}): boolean {
    return this.#file.readNew(({ text, isAnew }) => {
      if (isAnew) this.#startAgain();
      this.#tell(text);
    }, options);
  }

  #tell(text: string): void {
    this.#characters += text.length;
    this.#reader.read(text);
  }

  /** A store that cannot be tidied up is still a store: the next terminal tries again. */
  #tidy(): void {
    if (!this.#isTooMuch) return;
    try {
      this.#rewrite(({ entries, next, ends }) => {
        const kept = limit(entries, this.#limits);
        return kept.length === entries.length && ends === 0 ? null : { entries: kept, next };
      });
    } catch {
      this.#reader.lines = 0;
      this.#reader.ends = 0;
      this.#characters = 0;
    }
  }

  #rewrite(change: (store: ParsedStore) => Pick<ParsedStore, 'entries' | 'next'> | null): void {
    const isReplaced = this.#file.replace((text) => {
      const changed = change(parseStore(text));
      return changed === null ? null : formatStore(changed.entries, changed.next);
    });
    if (!isReplaced) return;
    if (this.#file.isOnDisk) {
      this.#readNew();
      return;
    }
    this.#startAgain();
    this.#tell(this.#file.readAll());
  }
}

interface ParsedStore {
  readonly entries: readonly HistoryEntry[];
  /** The number after the last. */
  readonly next: number;
  /** Ends that stand behind their lines. */
  readonly ends: number;
}

function parseStore(text: string): ParsedStore {
  const entries: HistoryEntry[] = [];
  const places = new Map<string, number>();
  const reader = new RecordReader({
    add: (entry) => {
      if (entry.id !== '') places.set(entry.id, entries.length);
      entries.push(entry);
    },
    end: (end) => {
      const place = places.get(end.id) ?? -1;
      const entry = entries[place];
      if (entry !== undefined) entries[place] = { ...entry, ...end };
    },
  });
  reader.read(text);
  return { entries, next: reader.next, ends: reader.ends };
}

/** The newest lines, as many as may be kept. */
function limit(entries: readonly HistoryEntry[], { maxLines, duplicates }: StoreLimits): readonly HistoryEntry[] {
  const kept: HistoryEntry[] = [];
  const seen = new Set<string>();
  let characters = 0;
  for (let at = entries.length - 1; at >= 0 && kept.length < maxLines; at--) {
    const entry = entries[at];
    if (entry === undefined || (duplicates === 'erase' && seen.has(entry.line))) continue;
    if (duplicates === 'ignore' && kept.at(-1)?.line === entry.line) continue;
    characters += entry.line.length + entry.cwd.length;
    if (characters > MOST_CHARACTERS) break;
    seen.add(entry.line);
    kept.push(entry);
  }
  return kept.reverse();
}

/** Both lists by time. A line without one stays behind the line it stands behind. */
function inOrder(entries: readonly HistoryEntry[], fresh: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const placed = [entries, fresh].flatMap((list) => {
    let place = 0;
    return list.map((entry) => {
      place = Math.max(place, entry.at);
      return { entry, place };
    });
  });
  return placed.sort((one, other) => one.place - other.place).map(({ entry }) => entry);
}

/** Those that the store does not have; a line without a time is known when its text is. */
function withoutKnown(lines: readonly HistoryEntry[], entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const texts = new Set(entries.map(({ line }) => line));
  const uses = new Set(entries.map(({ at, line }) => `${at} ${line}`));
  return lines.filter(({ at, line }) => (at === 0 ? !texts.has(line) : !uses.has(`${at} ${line}`)));
}
