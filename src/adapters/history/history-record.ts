import type { LineUse } from '../../core/prompt/history-index.ts';

/** One use of a line, as the store keeps it; what is not known is empty. */
export interface HistoryEntry extends Required<Omit<LineUse, 'to'>>, Pick<LineUse, 'to'> {
  readonly durationMs: number | null;
}

/** A line that is begun: its end comes later. */
export type NewLine = Pick<HistoryEntry, 'id' | 'line' | 'at' | 'cwd' | 'route' | 'who' | 'session'>;

/** How a line ended. */
export type LineEnd = Pick<HistoryEntry, 'id' | 'exit' | 'durationMs' | 'to'>;

/** A line of the store, as it was parsed and not yet looked at. */
type RawLine = Readonly<Record<string, unknown>>;

/** Receives the lines of a store, and their ends. */
export interface RecordSink {
  add(entry: HistoryEntry): void;
  end(end: LineEnd): void;
}

/** A line as a record; what is not known is left out. */
export function formatEntry({ id, line, at, cwd, to, route, who, session, exit, durationMs }: HistoryEntry): string {
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
export function formatEnd({ id, exit, durationMs, to }: LineEnd): string {
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
export class RecordReader {
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
  return {
    number,
    id: typeof id === 'string' ? id : '',
    line: typeof line === 'string' ? line : '',
    at: toNumber(at) ?? 0,
    cwd: typeof cwd === 'string' ? cwd : '',
    ...(typeof to === 'string' ? { to } : {}),
    route: route === 'message' || route === 'meta' ? route : 'command',
    who: who === 'model' ? 'model' : 'user',
    session: typeof session === 'string' ? session : '',
    exit: toNumber(exit),
    durationMs: toNumber(ms),
  };
}

function toNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function formatJson(fields: RawLine): string {
  return `${JSON.stringify(fields)}\n`;
}
