import { type RecalledFact, SCOPES } from '../../protocol/memory.ts';
import { estimateTokens } from '../context/estimate.ts';
import { formatFacts } from '../context/messages.ts';
import { type Fact, isFaded, isInScope, isLive, type MemoryPlace } from './memory-fold.ts';
import { FROM_UNTRUSTED, formatReplaced } from './messages.ts';

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
  const here = facts.filter((fact) => isLive(fact, now) && !isFaded(fact, now) && isInScope(fact, place));
  const byId = new Map(here.map((fact) => [fact.id, fact]));
  const replaced = new Set(here.flatMap(({ supersedes }) => supersedes ?? []));
  const ranked = rank(
    here.filter(({ id }) => !replaced.has(id)),
    text,
  ).sort((one, other) => other.score - one.score || compareUnmatched(one.fact, other.fact));
  return fit(ranked.map(({ fact }) => toRecalled(fact, byId)));
}

/** Those of the recalled facts whose text comes from a session with untrusted content: their own text, or that of the earlier fact beside it. */
export function untrustedAmong(recalled: readonly RecalledFact[], facts: readonly Fact[]): readonly string[] {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const isUntrusted = (id: string | undefined): boolean => id !== undefined && byId.get(id)?.untrusted !== undefined;
  return recalled.map(({ id }) => id).filter((id) => isUntrusted(id) || isUntrusted(byId.get(id)?.supersedes));
}

/** The facts that share a word with a text, best match first. */
export function searchFacts(facts: readonly Fact[], text: string): readonly Fact[] {
  const found = rank(facts, text).filter(({ score }) => score > 0);
  return found.sort((one, other) => other.score - one.score).map(({ fact }) => fact);
}

/** An earlier fact that says nearly the same, and so may contradict the text; null without one. */
export function findSimilar(facts: readonly Fact[], text: string): Fact | null {
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

function toRecalled(fact: Fact, byId: ReadonlyMap<string, Fact>): RecalledFact {
  const older = fact.supersedes === undefined ? undefined : byId.get(fact.supersedes);
  const marks = [older === undefined ? '' : formatReplaced(older.text), fact.untrusted === undefined ? '' : FROM_UNTRUSTED];
  return { id: fact.id, text: [fact.text, ...marks.filter((mark) => mark !== '')].join(' ') };
}

/** Room for fewer tokens fits hardly any fact. */
const LEAST_TOKENS = 6;

function fit(facts: readonly RecalledFact[]): readonly RecalledFact[] {
  const kept: RecalledFact[] = [];
  let left = MEMORY_TOKENS - estimateTokens(formatFacts([]));
  for (const fact of facts) {
    // A character for the line end, two for its mark; each fact is rounded up.
    const tokens = estimateTokens(`- ${fact.text}\n`);
    if (tokens > left) continue;
    left -= tokens;
    kept.push(fact);
    if (left < LEAST_TOKENS) break;
  }
  return kept;
}

/** Scores facts by BM25: words that few facts have count most. The length of a fact is that of its text. */
function rank(facts: readonly Fact[], text: string): { readonly fact: Fact; readonly score: number }[] {
  const asked = new Set(toWords(text));
  const documents = facts.map((fact) => ({ fact, counts: countWords(fact.text, asked) }));
  const having = new Map<string, number>();
  for (const { counts } of documents) for (const word of counts.keys()) having.set(word, (having.get(word) ?? 0) + 1);
  const average = facts.reduce((sum, fact) => sum + fact.text.length, 0) / Math.max(1, facts.length);
  const weigh = (word: string): number => {
    const count = having.get(word) ?? 0;
    return Math.log(1 + (facts.length - count + 0.5) / (count + 0.5));
  };
  return documents.map(({ fact, counts }) => {
    const length = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * fact.text.length) / average);
    const scores = [...counts].map(([word, count]) => (weigh(word) * count * (SATURATION + 1)) / (count + length));
    return { fact, score: scores.reduce((sum, one) => sum + one, 0) };
  });
}

const NO_WORDS: ReadonlyMap<string, number> = new Map();

/** How often a text has each of the words. Most texts have none, and are not split. */
function countWords(text: string, asked: ReadonlySet<string>): ReadonlyMap<string, number> {
  const lower = text.toLowerCase();
  if (![...asked].some((word) => lower.includes(word))) return NO_WORDS;
  const counts = new Map<string, number>();
  for (const word of toWords(text)) if (asked.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const STEM = 7;
const SHORTEST_WITH_ENDING = 4;

/** The words of a text without their usual English endings, so that `tests` finds `testing` and `configuration` finds `configure`. */
function toWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length < SHORTEST_WITH_ENDING ? word : word.replace(/(?:ing|ed|es|s|e)$/, '').slice(0, STEM)));
}
