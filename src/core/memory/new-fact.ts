import { type FactLine, LONGEST_FACT, type Scope } from '../../protocol/memory.ts';
import { REMEMBER } from '../context/messages.ts';
import { readLines } from '../model/own-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { type Fact, isInScope, isLive, type MemoryPlace, placeOf } from './memory-fold.ts';
import { findSimilar } from './recall.ts';

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
