import { escapeCode, escapeLength, NO_ESCAPE, OPEN_ESCAPE, readEscape, sequenceEnd } from './escapes.ts';
import {
  asBytes,
  follow,
  isUndecided,
  lettersThere,
  MISSED,
  type Reading,
  skipWrittenSequence,
  toMeant,
  type Work,
} from './follow.ts';
import { ANCHOR, anchorHash, anchorKey, type FormIndex, type Wanted } from './index-of-forms.ts';
import { KIND, letterOf, lettersOnly, OPENS } from './letters.ts';
import { noteOpen, type Open, opened } from './open.ts';
import type { Region } from './region.ts';

/*
 * One pass over the text looks at its letters and figures alone and asks at each whether the last five are the anchor
 * of a form; only there a form is followed. Where an escape such as `%2F` stands, the letters around it are looked at a
 * second time as the escape means them. What stands at the end of a text that may go on is decided later: `open` says
 * from where on.
 */

/** What was found, and from where on it cannot be told yet. */
export interface Search {
  readonly regions: Region[];
  open: Open;
  readonly work: Work;
}

/**
 * Following costs next to nothing in any text but one that was made to begin like a secret everywhere. What is left of such a text when it has
 * cost that much is covered as it is.
 */
const WORK_FOR_EACH_SIGN = 256;
const WORK_FOR_ANY_TEXT = 100_000;

const ESCAPE = 0x1b;

/** What an escape begins with. */
const ESCAPES: readonly string[] = ['%', '\\', '&'];

/** The most signs that fill up the last group of base64 or base32. */
const PADDING = 6;

/** Letters at the end that may begin a form: those of an anchor that is not whole, and of an escape that is cut off. */
const UNSURE = 10;

/** The last letters seen; a power of two. */
const RING = 16;

/** Finds all forms in a text; after a final one nothing comes, so nothing stays open. */
export function searchForms(index: FormIndex, text: string, { final }: { final: boolean }): Search {
  const work = { left: WORK_FOR_ANY_TEXT + text.length * WORK_FOR_EACH_SIGN };
  const search: Search = { regions: [], open: opened(text.length), work };
  const { filter } = index;
  const ring = new Int32Array(RING);
  let seen = 0;
  let key = 0;
  let decodedTo = 0;
  for (let at = 0; at < text.length && work.left > 0; at += 1) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (KIND[code] ?? 0) : 0;
    if (kind === 0) continue;
    if (kind !== OPENS) {
      key = ((key << 5) | (kind & 31)) & 0x1ffffff;
      ring[seen & (RING - 1)] = at;
      seen += 1;
      if (filter[Math.imul(key, 0x9e3779b1) >>> 16] === 1 && seen >= ANCHOR)
        followAll(index.byAnchor.get(key), { text, from: ring[(seen - ANCHOR) & (RING - 1)] ?? 0, search });
    } else if (code === ESCAPE) {
      const end = sequenceEnd(text, at + 1);
      if (end === OPEN_ESCAPE) noteOpen(search.open, at, 0);
      at = end === OPEN_ESCAPE ? text.length : end - 1;
    } else if (at >= decodedTo) {
      const sign = readEscape(text, at);
      if (sign === OPEN_ESCAPE) noteOpen(search.open, at, 0);
      else if (sign >= 0)
        decodedTo = searchReadings(index, { text, from: ring[Math.max(0, seen - 4) & (RING - 1)] ?? 0, search });
    }
  }
  if (final || work.left <= 0) return search;
  for (let back = Math.min(UNSURE, seen); back > 0; back -= 1)
    keepOpen(index, { text, from: ring[(seen - back) & (RING - 1)] ?? 0, search });
  return search;
}

interface Here {
  readonly text: string;
  readonly from: number;
  readonly search: Search;
}

/** Reads escapes as what they stand for: all that there are, and where there are several kinds, each kind alone. */
function searchReadings(index: FormIndex, here: Here): number {
  const end = searchDecoded(index, here, ESCAPES);
  const kinds = ESCAPES.filter((sign) => here.text.slice(here.from, end).includes(sign));
  if (kinds.length > 1) for (const sign of kinds) searchDecoded(index, here, [sign]);
  return end;
}

/** Looks at letters as escapes mean them, from a letter until well after the last escape; gives where it stopped. */
function searchDecoded(index: FormIndex, { text, from, search }: Here, kinds: readonly string[]): number {
  const starts: number[] = [];
  let key = 0;
  let plain = 0;
  let at = from;
  while (at < text.length && plain < ANCHOR && search.work.left > 0) {
    const begin = at;
    let code = text.charCodeAt(at);
    at += 1;
    if (code === ESCAPE) {
      const end = sequenceEnd(text, at);
      if (end === OPEN_ESCAPE) break;
      at = end;
      continue;
    }
    const sign = kinds.includes(text[begin] ?? '') ? readEscape(text, begin) : NO_ESCAPE;
    if (sign === OPEN_ESCAPE) {
      at = begin; // The pass over the text meets it again and keeps it open.
      break;
    }
    if (sign >= 0) {
      code = escapeCode(sign);
      at = begin + escapeLength(sign);
      plain = 0;
    }
    const letter = letterOf(code);
    if (code === ESCAPE) at = skipWrittenSequence(text, at);
    if (at === OPEN_ESCAPE) break;
    if (letter === 0) continue;
    if (sign < 0 && begin > from) plain += 1;
    key = anchorKey(key, letter);
    starts.push(begin);
    const first = starts.at(-ANCHOR);
    if (first !== undefined && index.filter[anchorHash(key)] === 1)
      followAll(index.byAnchor.get(key), { text, from: first, search });
  }
  if (plain < ANCHOR) for (const start of starts.slice(-UNSURE)) keepOpen(index, { text, from: start, search });
  return at === OPEN_ESCAPE ? text.length : at;
}

function followAll(forms: readonly Wanted[] | undefined, here: Here): void {
  for (const form of forms ?? []) followForm(form, here);
}

/** Follows a form and notes where it stands. */
function followForm(form: Wanted, { text, from, search }: Here): void {
  if (search.work.left <= 0) return;
  const end = follow(text, from, form, search.work);
  if (search.work.left <= 0) search.regions.push({ from, to: text.length, secret: form.secret });
  if (isUndecided(end)) leaveOpen(form, { text, from, search }, lettersThere(end));
  if (end === MISSED || isUndecided(end)) return;
  const region = form.kind === 'plain' ? toPlain(text, form, from, end) : toEncoded(text, form, from, end);
  if (region === null) return;
  if (region.to >= text.length && region.to < end + signsAfter(form))
    noteOpen(search.open, region.from, form.letters.length);
  search.regions.push(region);
}

/** Forms that may begin at a letter so near to the end that their anchor has not come yet. */
function keepOpen(index: FormIndex, { text, from, search }: Here): void {
  const sign = readEscape(text, from);
  const first = letterOf(sign >= 0 ? escapeCode(sign) : text.charCodeAt(from));
  for (const form of index.byFirst[first] ?? []) {
    const end = follow(text, from, form, search.work);
    if (isUndecided(end)) leaveOpen(form, { text, from, search }, lettersThere(end));
  }
}

/** What may be a form stays, with the signs in front that may belong to it. */
function leaveOpen({ kind, part, before }: Wanted, { text, from, search }: Here, letters: number): void {
  const signs = kind === 'plain' ? part.search(/[0-9A-Za-z]|$/) : before;
  let start = from;
  while (start > Math.max(0, from - signs) && text.charCodeAt(start - 1) > 0x20) start -= 1;
  const there = text.slice(start);
  // Signs of a value tell of it as its letters do, and so do all the letters with which an escape is written.
  const isAsItIs = kind === 'plain' && part.startsWith(there);
  noteOpen(search.open, start, isAsItIs ? there.length : Math.max(letters, lettersOnly(there).length));
}

/** The most signs that may follow the last letter of a form and belong to it. */
function signsAfter({ kind, part, after }: Wanted): number {
  if (kind === 'plain') return part.length - part.search(/[^0-9A-Za-z]*$/);
  return after > 0 ? after + PADDING : 0;
}

/** The region of a value as it is, with the signs in front and behind that belong to it. */
function toPlain(text: string, form: Wanted, begin: number, end: number): Region | null {
  const { part, secret } = form;
  const [lead = ''] = /^[^0-9A-Za-z]*/.exec(part) ?? [];
  const [trail = ''] = /[^0-9A-Za-z]*$/.exec(part) ?? [];
  if (!form.anyCase) {
    const wanted = part.slice(lead.length, part.length - trail.length);
    const written = text.slice(begin, end);
    if (
      !isMeant(written, wanted, 'written') &&
      !isMeant(written, wanted, 'decoded') &&
      !isMeant(written, wanted, 'bytes')
    )
      return null;
  }
  let from = begin;
  let to = end;
  for (let at = lead.length - 1; at >= 0 && text[from - 1] === lead[at]; at -= 1) from -= 1;
  for (let at = 0; at < trail.length && text[to] === trail[at]; at += 1) to += 1;
  return { from, to, secret };
}

/** True when a text is the value apart from quoting and broken lines. */
function isMeant(text: string, value: string, reading: Reading): boolean {
  const meant = toMeant(text, reading);
  const wanted = reading === 'bytes' ? asBytes(value) : value;
  return meant === wanted || withoutQuotes(meant) === withoutQuotes(wanted);
}

function withoutQuotes(text: string): string {
  return text.replace(/[\\'"]/g, '');
}

/** The region of an encoded value, with the signs beside it that hold bits of it, and its padding. */
function toEncoded(text: string, form: Wanted, begin: number, end: number): Region {
  const { secret, before, after } = form;
  let from = begin;
  let to = end;
  for (let count = 0; count < before && isCoded(text[from - 1]); count += 1) from -= 1;
  for (let count = 0; count < after && isCoded(text[to]); count += 1) to += 1;
  const limit = end + signsAfter(form);
  while (to < limit && text[to] === '=') to += 1;
  return { from, to, secret };
}

function isCoded(sign: string | undefined): boolean {
  return sign !== undefined && /[0-9A-Za-z+/_-]/.test(sign);
}
