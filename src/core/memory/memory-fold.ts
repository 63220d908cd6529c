import { FACT_START, type FactLine, type MarkLine, parseMemoryLine, type Scope } from '../../protocol/memory.ts';
import { sanitizeLine, sanitizeText } from '../text/sanitize.ts';

/** A request of a session that contained a fact. */
interface FactUse {
  readonly session: string;
  /** The first turn; the fact stayed in the requests of later turns. */
  readonly turn: number;
  readonly at: number;
}

/** A fact with everything that later lines say about it. */
export interface Fact extends FactLine {
  /** Its number in the file; `p` and a hash for a fact of a project's file. */
  readonly id: string;
  readonly uses: readonly FactUse[];
  readonly withdrawn?: number;
}

/** The place of a session. */
export interface MemoryPlace {
  readonly cwd: string;
  /** The root of the project; null outside of a work tree, where the directory takes its place. */
  readonly project: string | null;
  readonly host: string;
}

/** A fact that was not used or confirmed for so long is not sent, until the user confirms it again. */
const FADES_AFTER_MS = 180 * 24 * 60 * 60 * 1000;

/**
 * The facts of a memory file, oldest first. `shared` are those of the project's file; marks count for them, too. A line that cannot be read
 * changes no other line, and a fact keeps its number because lines are never removed. With a place, facts that do not count there are left
 * out. Characters that hide are left out: the escapes of a
 * JSON text can spell them, and the user who looks at the file does not see what the model would read.
 */
export function foldMemory(text: string, shared: readonly Fact[] = [], place: MemoryPlace | null = null): readonly Fact[] {
  const facts = new Map<string, Fact & { uses: FactUse[] }>();
  for (const fact of shared) add(facts, fact, fact.id);
  let count = 0;
  const mayCount = place === null ? null : mayCountIn(place);
  for (const line of text.split('\n')) {
    if (line.startsWith(FACT_START)) count += 1;
    if (mayCount?.test(line) === false) continue;
    const read = parseMemoryLine(line);
    if (read === null) continue;
    if ('mark' in read) for (const id of read.of) applyMark(facts, id, read);
    else if (place === null || isInScope(read, place)) add(facts, read, `${count}`);
  }
  return [...facts.values()];
}

/** Finds the lines of marks and of facts that may count in a place: its names stand in them as they are, or behind an escape. */
function mayCountIn({ cwd, project, host }: MemoryPlace): RegExp {
  const folders = cwd.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'));
  const names = [...new Set(['/', ...folders, project ?? cwd, host, 'everywhere'])].map((name) =>
    JSON.stringify(name).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  );
  return new RegExp(`"mark"|\\\\|${names.join('|')}`);
}

function add(facts: Map<string, Fact & { uses: FactUse[] }>, fact: FactLine, id: string): void {
  // A fact is one line already, so most need no second look at their blanks.
  const text = sanitizeText(fact.text) === fact.text ? fact.text : sanitizeLine(fact.text);
  // The line was made for this fact alone; a copy of each takes longer than all the rest.
  if (text !== '') facts.set(id, Object.assign(fact, { id, text, uses: [] }));
}

function applyMark(facts: Map<string, Fact & { uses: FactUse[] }>, id: string, { mark, at, session, turn }: MarkLine): void {
  const fact = facts.get(id);
  if (fact === undefined) return;
  if (mark === 'used') fact.uses.push({ session: session ?? '', turn: turn ?? 0, at });
  else facts.set(id, { ...fact, [mark]: at });
}

/** Whether the user accepted the fact and it is still true. */
export function isLive({ confirmed, withdrawn, expires }: Fact, now: number): boolean {
  return confirmed !== undefined && withdrawn === undefined && (expires === undefined || expires > now);
}

/** Whether the fact waits for the user. */
export function isProposed({ confirmed, withdrawn }: Fact): boolean {
  return confirmed === undefined && withdrawn === undefined;
}

/** Whether nothing has used or confirmed a live fact for long. */
export function isFaded(fact: Fact, now: number): boolean {
  return isLive(fact, now) && now - Math.max(fact.confirmed ?? 0, fact.uses.at(-1)?.at ?? 0) > FADES_AFTER_MS;
}

/** Whether a fact counts in a place. */
export function isInScope({ scope, place }: Pick<Fact, 'scope' | 'place'>, { cwd, project, host }: MemoryPlace): boolean {
  switch (scope) {
    case 'everywhere':
      return true;
    case 'host':
      return place === host;
    case 'project':
      return place === (project ?? cwd);
    case 'directory':
      return cwd === place || cwd.startsWith(place === '/' ? place : `${place}/`);
  }
}

/** The value of `place` for a fact with this scope. */
export function placeOf(scope: Scope, { cwd, project, host }: MemoryPlace): string {
  return { directory: cwd, project: project ?? cwd, host, everywhere: '' }[scope];
}
