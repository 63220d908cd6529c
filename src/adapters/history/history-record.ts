/** One use of a line, as the store keeps it. */
export interface HistoryEntry {
  /** What it is called by; grows with every line, and is never given again. */
  readonly number: number;
  /** Names it until its end is known; empty for what came from elsewhere. */
  readonly id: string;
  readonly line: string;
  /** Milliseconds since the epoch; 0 where nobody knows. */
  readonly at: number;
  /** Directory it was typed in; empty where nobody knows. */
  readonly cwd: string;
  readonly route: 'command' | 'message' | 'meta';
  /** Who had it run: the person, or the model with the person's consent. */
  readonly who: 'person' | 'model';
  /** The terminal it was typed in; empty where nobody knows. */
  readonly session: string;
  /** Null while it runs, where it has none, and where it was lost. */
  readonly exit: number | null;
  readonly durationMs: number | null;
}

/** A line that is begun: its end comes later. */
export type NewLine = Pick<HistoryEntry, 'id' | 'line' | 'at' | 'cwd' | 'route' | 'who' | 'session'>;

/** How a line ended. */
export type LineEnd = Pick<HistoryEntry, 'id' | 'exit' | 'durationMs'>;

/** What stands in one line of the store. */
export type HistoryRecord =
  | { readonly type: 'line'; readonly entry: Omit<HistoryEntry, 'number'> }
  | { readonly type: 'end'; readonly end: LineEnd }
  /** The number of the next line, where older ones are gone. */
  | { readonly type: 'first'; readonly number: number }
  /** So many lines were taken out here, whose numbers are not given again. */
  | { readonly type: 'gap'; readonly count: number };

/** A line as a record; what is not known is left out. */
export function formatEntry({ id, line, at, cwd, route, who, session, exit, durationMs }: HistoryEntry): string {
  return formatJson({
    ...(id === '' || exit !== null ? {} : { id }),
    line,
    at,
    ...(cwd === '' ? {} : { cwd }),
    route,
    ...(who === 'person' ? {} : { who }),
    ...(session === '' ? {} : { session }),
    ...(exit === null ? {} : { exit }),
    ...(durationMs === null ? {} : { ms: durationMs }),
  });
}

/** The end of a line as a record of its own: it is known only after the line was written. */
export function formatEnd({ id, exit, durationMs }: LineEnd): string {
  return formatJson({ end: id, exit, ms: durationMs });
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

/** Reads one line of the store; null for one that was torn or is none of ours. */
export function parseRecord(text: string): HistoryRecord | null {
  const fields = parseJson(text);
  if (fields === null) return null;
  const { line, end, first, gap } = fields;
  if (typeof line === 'string' && line !== '') return { type: 'line', entry: toEntry(line, fields) };
  if (typeof end === 'string') {
    return { type: 'end', end: { id: end, exit: toNumber(fields.exit), durationMs: toNumber(fields.ms) } };
  }
  if (typeof first === 'number' && first >= 1) return { type: 'first', number: first };
  return typeof gap === 'number' && gap >= 1 ? { type: 'gap', count: gap } : null;
}

function toEntry(line: string, fields: Readonly<Record<string, unknown>>): Omit<HistoryEntry, 'number'> {
  const { id, at, cwd, route, who, session, exit, ms } = fields;
  return {
    id: typeof id === 'string' ? id : '',
    line,
    at: toNumber(at) ?? 0,
    cwd: typeof cwd === 'string' ? cwd : '',
    route: route === 'message' || route === 'meta' ? route : 'command',
    who: who === 'model' ? 'model' : 'person',
    session: typeof session === 'string' ? session : '',
    exit: toNumber(exit),
    durationMs: toNumber(ms),
  };
}

function toNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function formatJson(fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(fields)}\n`;
}

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  if (!text.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
