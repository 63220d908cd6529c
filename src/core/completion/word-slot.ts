import type { Candidate, Completion } from './completion.ts';
import { CLOSING, OPENING, type Quote, quoteName } from './quote-name.ts';
import { type CursorWord, scanLine } from './scan-line.ts';

/** The part of the word at the cursor that a completion replaces, and how it has to be quoted there. */
export interface WordSlot {
  readonly start: number;
  /** What has to stand before the quoted text: a quote that ends or begins here. */
  readonly before: string;
  readonly quote: Quote;
  /** The part as typed, without quotes. */
  readonly typed: string;
}

/** The slot of the word's part from an offset within it on, such as that behind the last slash. */
export function findSlot(word: CursorWord, from: number): WordSlot {
  const outer = openQuote(word.raw.slice(0, from));
  const start = word.start + from;
  const typed = word.value.slice(readWord(word.raw.slice(0, from)).length);
  if (outer === word.quote && (outer === 'none' || word.quoteStart < start)) {
    return { start, before: '', quote: outer, typed };
  }
  return { start, before: CLOSING[outer] + OPENING[word.quote], quote: word.quote, typed };
}

/** What a part of a word means to the shell, its quotes taken away; expansions stand as typed. */
export function readWord(raw: string): string {
  return scanLine(raw, raw.length)?.word.value ?? raw;
}

/** Puts a candidate into its slot. */
export function fillSlot(slot: WordSlot, candidate: Candidate): Completion {
  const { value, label, description, suffix } = candidate;
  // A name that goes on, as a folder does, leaves its quote open.
  const goesOn = suffix !== undefined && suffix !== ' ';
  const closing = goesOn ? '' : CLOSING[slot.quote];
  return {
    start: slot.start,
    text: candidate.text ?? `${slot.before}${quoteName(value, slot.quote)}${closing}`,
    value,
    ...(label === undefined ? { label: value } : { label }),
    ...(description === undefined ? {} : { description }),
    ...(suffix === undefined ? {} : { suffix }),
  };
}

function openQuote(raw: string): Quote {
  return scanLine(raw, raw.length)?.word.quote ?? 'none';
}
