import { toUtf8 } from '../utf8.ts';
import { escapeCode, escapeLength, NO_ESCAPE, OPEN_ESCAPE, readEscape, sequenceEnd } from './escapes.ts';
import type { Wanted } from './index-of-forms.ts';
import { KIND, letterOf, OPENS } from './letters.ts';

/** The form does not stand here. */
export const MISSED = -1;

/** The text ends before it can be told; what is less tells how many letters of the form stand there. */
const UNDECIDED = -2;

/** Nothing else can be meant than what is written. */
const NO_ESCAPE_HERE = -1e9;

/** How escapes are read: as the characters they stand for, as bytes of UTF-8, which each character is then, or as they are written. */
export type Reading = 'written' | 'decoded' | 'bytes';

/** More signs between two letters part them. */
const WIDEST_GAP = 64;

const ESCAPE = 0x1b;

/** What has been followed so far. */
interface Trail {
  at: number;
  /** The letter of the form that is to come. */
  next: number;
  /** Signs since the last letter. */
  gap: number;
}

/** How much may still be done for one text. */
export interface Work {
  left: number;
}

/** What a step costs that reads an escape; one that reads a letter costs 1. */
const ESCAPE_COST = 32;

/** Where following ends. */
interface Limits {
  readonly farthest: number;
  ways: number;
  readonly work: Work;
}

/** So often an escape may turn out not to be meant; a text that can be read in more ways is given up. */
const MOST_WAYS = 16;

/** True when more text may make a form of what stands there. */
export function isUndecided(end: number): boolean {
  return end <= UNDECIDED && end > NO_ESCAPE_HERE;
}

/** How many letters of a form stand where it is undecided. */
export function lettersThere(end: number): number {
  return UNDECIDED - end;
}

function undecided(letters: number): number {
  return UNDECIDED - letters;
}

/**
 * Where a form ends that begins at a letter of the text, whatever signs stand between its letters. What may be an escape is
 * tried both ways: as what it stands for, and as it is written.
 */
export function follow(text: string, from: number, form: Wanted, work: Work): number {
  const limits = { farthest: from + 512 + form.codes.length * 32, ways: MOST_WAYS, work };
  return followOn(text, form, { at: from, next: 0, gap: 0 }, limits);
}

function followOn(text: string, form: Wanted, trail: Trail, limits: Limits): number {
  const { codes, letters, anyCase } = form;
  let otherwise = MISSED;
  while (trail.next < codes.length) {
    if (trail.at >= text.length) return Math.min(otherwise, undecided(trail.next));
    const code = text.charCodeAt(trail.at);
    limits.work.left -= 1;
    if (code === ESCAPE) {
      trail.at = sequenceEnd(text, trail.at + 1);
      if (trail.at === OPEN_ESCAPE) return Math.min(otherwise, undecided(trail.next));
      continue;
    }
    if (code < 128 && KIND[code] === OPENS) {
      const end = followEscape(text, form, trail, limits);
      if (end >= 0) return end;
      if (isUndecided(end)) otherwise = Math.min(otherwise, end);
      if (end !== NO_ESCAPE_HERE) limits.ways -= 1;
    }
    const letter = letterOf(code);
    trail.at += 1;
    if (letter === 0) {
      trail.gap += 1;
      if (trail.gap > WIDEST_GAP || trail.at > limits.farthest) return otherwise;
    } else if (letter === codes[trail.next] && (anyCase || code === letters.charCodeAt(trail.next))) {
      trail.next += 1;
      trail.gap = 0;
    } else return otherwise;
  }
  return trail.at;
}

/** Goes on behind an escape, read as what it stands for. */
function followEscape(text: string, form: Wanted, { at, next, gap }: Readonly<Trail>, limits: Limits): number {
  limits.work.left -= ESCAPE_COST;
  const sign = readEscape(text, at);
  if (sign === OPEN_ESCAPE) return undecided(next);
  if (sign === NO_ESCAPE || limits.ways <= 0) return NO_ESCAPE_HERE;
  const code = escapeCode(sign);
  const after = at + escapeLength(sign);
  if (code === ESCAPE) {
    const end = skipWrittenSequence(text, after);
    return end === OPEN_ESCAPE ? undecided(next) : followOn(text, form, { at: end, next, gap }, limits);
  }
  const letter = letterOf(code);
  if (letter === 0) return gap < WIDEST_GAP ? followOn(text, form, { at: after, next, gap: gap + 1 }, limits) : MISSED;
  if (letter !== form.codes[next] || !(form.anyCase || code === form.letters.charCodeAt(next))) return MISSED;
  return followOn(text, form, { at: after, next: next + 1, gap: 0 }, limits);
}

/** The text between two places as it was meant: without sequences and broken lines, escapes read. */
export function toMeant(text: string, reading: Reading): string {
  let meant = '';
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === ESCAPE) {
      const end = sequenceEnd(text, at + 1);
      at = end === OPEN_ESCAPE ? text.length : end;
      continue;
    }
    const sign = reading === 'written' ? NO_ESCAPE : readEscape(text, at);
    if (sign < 0) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      meant += reading === 'bytes' ? asBytes(character) : character;
      at += character.length;
      continue;
    }
    at += escapeLength(sign);
    const character = String.fromCodePoint(escapeCode(sign));
    if (escapeCode(sign) === ESCAPE) at = Math.max(at, skipWrittenSequence(text, at));
    else meant += reading === 'bytes' && escapeCode(sign) > 0xff ? asBytes(character) : character;
  }
  return meant.replace(/[\r\n]/g, '');
}

/** One character for each byte of a text in UTF-8. */
export function asBytes(text: string): string {
  return String.fromCharCode(...toUtf8(text));
}

/** Where a sequence ends whose ESC was itself written as an escape, such as `\x1b[31m`; `at` is after that escape. */
export function skipWrittenSequence(text: string, at: number): number {
  return at < text.length && text.charCodeAt(at) !== 0x5b ? at : sequenceEnd(text, at);
}
