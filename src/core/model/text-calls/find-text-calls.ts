import { readLines } from '../own-text.ts';
import { announcesCall, leadsToCall } from './announcement.ts';
import { OPENER, readCallsToEnd, toKnownMarks, WEAK_START } from './call-forms.ts';
import { hasPlaceholder, isFitting, type Offered, type PrintedCall } from './printed-call.ts';

/** The calls that an answer holds as text. */
export interface TextCalls {
  readonly calls: readonly PrintedCall[];
  /** The answer without the calls. */
  readonly text: string;
  readonly reasoning: string;
  /** The calls as the model printed them. */
  readonly printed: string;
}

/** The most calls of one answer: more than a user can look at are no answer. */
const MOST_CALLS = 16;

/** Longest text in which calls are looked for. */
const LONGEST = 512 * 1024;

/** The most places that are tried. */
const MOST_PLACES = 32;

/** A name alone is a word of the answer, and no call. */
const BARE_NAME = /^\s*[\w.:-]+\s*$/;

/**
 * Finds the calls that a model printed as text, because its server has no parser for them. They stand at the end of the answer, or of the
 * thoughts if the answer is empty, and each names an offered tool. A text that only mentions a call has more than that around it.
 */
export function findTextCalls(
  { text, reasoning }: { readonly text: string; readonly reasoning: string },
  offered: Offered,
): TextCalls | null {
  const isThought = text.trim() === '';
  const whole = toKnownMarks(isThought ? reasoning : text);
  if (whole.length > LONGEST || whole.trim() === '' || !namesTool(whole, offered)) return null;
  for (const { at, isMarked } of placesIn(whole, isThought)) {
    const lead = whole.slice(0, at);
    const calls = readCallsToEnd(whole, at, offered);
    if (calls === null || calls.length > MOST_CALLS || calls.some(hasPlaceholder)) continue;
    if (!isMarked && (BARE_NAME.test(whole.slice(at)) || !calls.every((call) => isFitting(call, offered)))) continue;
    if (!(isThought ? leadsToCall(lead) : announcesCall(lead, isMarked))) continue;
    const rest = lead.trimEnd();
    const printed = whole.slice(at).trim();
    return isThought ? { calls, text: '', reasoning: rest, printed } : { calls, text: rest, reasoning, printed };
  }
  return null;
}

/** Most answers name no tool at all, and nothing more is looked at. */
function namesTool(text: string, offered: Offered): boolean {
  return [...offered.keys()].some((name) => text.includes(name) || text.includes(name.replace('__', '.')));
}

interface Place {
  readonly at: number;
  readonly isMarked: boolean;
}

/** The places where calls may begin, in order. */
function placesIn(text: string, isThought: boolean): readonly Place[] {
  const places: Place[] = [];
  for (const line of readLines(text)) {
    if (!line.isOwn && !isThought) continue;
    for (const { index } of line.text.matchAll(OPENER))
      if (mayBegin(line.text.slice(0, index))) places.push({ at: line.start + index, isMarked: true });
    if (WEAK_START.test(line.text)) places.push({ at: line.start, isMarked: false });
    if (places.length >= MOST_PLACES) break;
  }
  return places.sort((one, other) => one.at - other.at || Number(other.isMarked) - Number(one.isMarked));
}

/** Whether marks may begin behind these words of a line: alone in it, or behind a whole sentence. */
function mayBegin(words: string): boolean {
  if (words.trim() === '') return !/^(?: {4}|\t)/.test(words);
  return /[.!?…:。！？：]\s*$/.test(words) && (words.split('`').length - 1) % 2 === 0;
}
