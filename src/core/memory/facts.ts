/* The facts of memory: the fold of their file, those that a request gets, and new ones. */
import {
  FACT_START,
  type FactLine,
  LONGEST_FACT,
  type MarkLine,
  parseMemoryLine,
  type RecalledFact,
  SCOPES,
  type Scope,
} from '../../protocol/memory.ts';
import { estimateTokens } from '../context/estimate.ts';
import { FROM_UNTRUSTED, formatFacts, formatReplaced, REMEMBER } from '../context/messages.ts';
import { readLines } from '../model/model-call.ts';
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

/** Most tokens of all facts in a request, their head and end included. */
export const MEMORY_TOKENS = 300;

/** The usual constants of BM25: how fast a repeated word stops counting, and how much a long fact counts less. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

interface RecallQuery {
  /** The message of the user. */
  readonly text: string;
  readonly place: MemoryPlace;
  readonly now: number;
}

/**
 * The facts for the first message of a session: those that count in its place, best match first, then narrower scopes and newer facts, as
 * many as fit. A fact that a newer one may replace is only sent together with the newer one.
 */
export function recall(facts: readonly Fact[], { text, place, now }: RecallQuery): readonly RecalledFact[] {
  const here = facts.filter((fact) => isLive(fact, now) && isInScope(fact, place) && !isFaded(fact, now));
  const replaced = new Set<string>();
  for (const { supersedes } of here) if (supersedes !== undefined) replaced.add(supersedes);
  if (replaced.size === 0) return fit(bestOf(here, text).map((fact) => toRecalled(fact, undefined)));
  const byId = new Map(here.filter(({ id }) => replaced.has(id)).map((fact) => [fact.id, fact]));
  const latest = here.filter(({ id }) => !replaced.has(id));
  return fit(bestOf(latest, text).map((fact) => toRecalled(fact, byId.get(fact.supersedes ?? ''))));
}

/** No more facts than these fit into a request: to sort thousands of others takes longer than all the rest. */
const MOST_RANKED = 256;

/** The best matches, in their order. Newer facts stand last and mostly come first, so the search begins at the end. */
function bestOf(facts: readonly Fact[], text: string): readonly Fact[] {
  const scores = scoresOf(facts, withoutCommon(toAsked(text), facts));
  const best: { readonly fact: Fact; readonly score: number }[] = [];
  for (let row = facts.length - 1; row >= 0; row -= 1) {
    const [fact, score = 0, last] = [facts[row], scores[row], best[MOST_RANKED - 1]];
    if (fact === undefined || (last !== undefined && score < last.score)) continue;
    let [from, to] = [0, best.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = best[middle];
      if (other !== undefined && (other.score - score || compareUnmatched(fact, other.fact)) < 0) to = middle;
      else from = middle + 1;
    }
    best.splice(from, 0, { fact, score });
    if (best.length > MOST_RANKED) best.pop();
  }
  return best.map(({ fact }) => fact);
}

/** The recalled facts that come from a session with untrusted content, by themselves or by the earlier fact beside them. */
export function untrustedAmong(recalled: readonly RecalledFact[], facts: readonly Fact[]): readonly string[] {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const isUntrusted = (id: string | undefined): boolean => id !== undefined && byId.get(id)?.untrusted !== undefined;
  return recalled.map(({ id }) => id).filter((id) => isUntrusted(id) || isUntrusted(byId.get(id)?.supersedes));
}

/** The facts that share a word with a text, best match first. */
export function searchFacts(facts: readonly Fact[], text: string): readonly Fact[] {
  const scores = scoresOf(facts, toAsked(text));
  const found = facts.map((fact, row) => ({ fact, score: scores[row] ?? 0 })).filter(({ score }) => score > 0);
  return found.sort((one, other) => other.score - one.score).map(({ fact }) => fact);
}

/** An earlier fact that says nearly the same, and so may contradict the text; null without one. */
function findSimilar(facts: readonly Fact[], text: string): Fact | null {
  const words = new Set(toWords(text));
  let best: { readonly fact: Fact; readonly share: number } | null = null;
  for (const fact of facts) {
    const other = new Set(toWords(fact.text));
    const shared = [...words].filter((word) => other.has(word)).length;
    const share = shared / Math.max(1, words.size + other.size - shared);
    if (share >= SIMILAR && share > (best?.share ?? 0)) best = { fact, share };
  }
  return best?.fact ?? null;
}

/** Two facts of two words must share both; of six words, five. */
const SIMILAR = 0.6;

function compareUnmatched(one: Fact, other: Fact): number {
  return SCOPES.indexOf(one.scope) - SCOPES.indexOf(other.scope) || other.at - one.at;
}

function toRecalled(fact: Fact, older: Fact | undefined): RecalledFact {
  const marks = [older === undefined ? '' : formatReplaced(older.text), fact.untrusted === undefined ? '' : FROM_UNTRUSTED];
  return { id: fact.id, text: [fact.text, ...marks.filter((mark) => mark !== '')].join(' ') };
}

/** Room for fewer tokens fits hardly any fact. */
const LEAST_TOKENS = 6;
/** No text has more letters to a token, so a longer one needs no exact count. */
const MOST_LETTERS_A_TOKEN = 4;

function fit(facts: readonly RecalledFact[]): readonly RecalledFact[] {
  const kept: RecalledFact[] = [];
  let left = MEMORY_TOKENS - estimateTokens(formatFacts([]));
  for (const fact of facts) {
    if (fact.text.length > left * MOST_LETTERS_A_TOKEN) continue;
    // A character for the line end, two for its mark; each fact is rounded up.
    const tokens = estimateTokens(`- ${fact.text}\n`);
    if (tokens > left) continue;
    left -= tokens;
    kept.push(fact);
    if (left < LEAST_TOKENS) break;
  }
  return kept;
}

/**
 * The score of each fact by BM25: words that few facts have count most. The length of a fact is that of its text. A session with thousands
 * of facts begins here, so the loops are plain.
 */
function scoresOf(facts: readonly Fact[], asked: readonly string[]): Float64Array {
  const scores = new Float64Array(facts.length);
  if (asked.length === 0) return scores;
  const { counts, having } = countWords(facts, asked);
  const weights = having.map((count) => Math.log(1 + (facts.length - count + 0.5) / (count + 0.5)) * (SATURATION + 1));
  let letters = 0;
  for (const fact of facts) letters += fact.text.length;
  const share = (SATURATION * LENGTH_SHARE * facts.length) / letters;
  for (const [row, found] of counts) {
    const length = SATURATION * (1 - LENGTH_SHARE) + share * (facts[row]?.text.length ?? 0);
    let score = 0;
    for (const [at, count] of found.entries()) if (count > 0) score += ((weights[at] ?? 0) * count) / (count + length);
    scores[row] = score;
  }
  return scores;
}

/** The words of which a fact of thousands is found: a word that most facts have says little about any. A sample shows them. */
function withoutCommon(asked: readonly string[], facts: readonly Fact[]): readonly string[] {
  if (facts.length < SAMPLE * 10) return asked;
  const sample = Array.from({ length: SAMPLE }, (_, at) => facts[Math.floor((at * facts.length) / SAMPLE)]).filter(
    (fact) => fact !== undefined,
  );
  const { having } = countWords(sample, asked);
  return asked.filter((_, at) => (having[at] ?? 0) <= SAMPLE / 2);
}

const SAMPLE = 100;

/** A fact by its place among all, and how often it has each of the words. */
type WordCounts = readonly [row: number, counts: readonly number[]];

/** The facts that have any of the words, and how many facts have each. Only words that begin as one of them are looked at. */
function countWords(facts: readonly Fact[], asked: readonly string[]): { counts: readonly WordCounts[]; having: readonly number[] } {
  const counts: WordCounts[] = [];
  const having = asked.map(() => 0);
  const begins = new RegExp(`(?<![\\p{L}\\p{N}])(?:${asked.join('|')})[\\p{L}\\p{N}]*`, 'gu');
  const places = new Map<string, number>();
  for (let row = 0; row < facts.length; row += 1) {
    const words = facts[row]?.text.toLowerCase().match(begins);
    if (words === null || words === undefined) continue;
    const found = asked.map(() => 0);
    for (const word of words) {
      const place = places.get(word) ?? asked.indexOf(toStem(word));
      places.set(word, place);
      if (place === -1) continue;
      if (found[place] === 0) having[place] = (having[place] ?? 0) + 1;
      found[place] = (found[place] ?? 0) + 1;
    }
    counts.push([row, found]);
  }
  return { counts, having };
}

const STEM = 7;
const SHORTEST_WITH_ENDING = 4;

/** The words of a text without their usual English endings, so that `tests` finds `testing` and `configuration` finds `configure`. */
function toWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map(toStem);
}

function toAsked(text: string): readonly string[] {
  return [...new Set(toWords(text))];
}

function toStem(word: string): string {
  return word.length < SHORTEST_WITH_ENDING ? word : word.replace(/(?:ing|ed|es|s|e)$/, '').slice(0, STEM);
}

/** Most facts that one answer may propose. */
const MOST_PROPOSALS = 3;

/** The facts that are known, and the place and time of a new one. */
interface NewFactContext {
  readonly facts: readonly Fact[];
  readonly place: MemoryPlace;
  readonly now: number;
}

/** A fact as one line without control characters. */
export function toFactText(text: string): string {
  return sanitizeLine(text).replace(/\s+/g, ' ').trim();
}

/** A line with a new fact. It names the known fact that it may contradict; nothing is merged. */
export function createFact(
  line: Omit<FactLine, 'place' | 'at' | 'supersedes'> & { readonly scope: Scope },
  { facts, place, now }: NewFactContext,
): FactLine {
  const known = facts.filter((fact) => isLive(fact, now) && isInScope(fact, place) && !isSameText(fact.text, line.text));
  const similar = findSimilar(known, line.text);
  return { ...line, place: placeOf(line.scope, place), at: now, ...(similar === null ? {} : { supersedes: similar.id }) };
}

/** Whether two facts differ in case at most. */
export function isSameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The facts that an answer proposes: its own lines that begin with `REMEMBER:`, not quoted ones and not those in a code block. */
export function extractProposals(answer: string): readonly string[] {
  const isProposal = (line: string): boolean => line.startsWith(REMEMBER);
  const own = [...readLines(answer, isProposal)].filter(({ text, isOwn }) => isOwn && isProposal(text));
  const facts = own.map(({ text }) => toFactText(text.slice(REMEMBER.length))).filter((text) => text !== '' && text.length <= LONGEST_FACT);
  return [...new Set(facts)].slice(0, MOST_PROPOSALS);
}

/** A summary without the lines that propose facts. */
export function withoutProposals(summary: string): string {
  const lines = summary.split('\n').filter((line) => !line.startsWith(REMEMBER));
  return lines.join('\n').trim();
}
