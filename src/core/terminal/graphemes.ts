/*
 * Characters as users see them. Most text needs no segmenter (its first use costs 1.5 MB): if every code point is a character of its own,
 * the code cuts code points. It uses the segmenter only for combining marks, joiners, flags and the like.
 */

import { once } from '../text/memoize.ts';

/** Made on first use, because most sessions never need it. */
const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/** Stands for folded text; never part of another character. */
const FOLDED = /([\ufdd0-\ufdef])/;

const ASCII = /^[\x00-\x7f]*$/;
/** Latin without combining marks, kana, Han, Hangul syllables, full-width forms: one code point, one character. */
const SIMPLE = /^[\x00-\u02ff\u2010-\u2027\u2500-\u25ff\u3000-\u3029\u3030-\u303c\u3041-\u3096\u30a0-\u9fff\uac00-\ud7a3\uff01-\uff9d]*$/;

/** Cuts text into its characters as users see them. */
export function toGraphemes(text: string): readonly string[] {
  if (SIMPLE.test(text)) return text.split('');
  const graphemes: string[] = [];
  for (const piece of FOLDED.test(text) ? text.split(FOLDED) : [text])
    for (const { segment } of segmenter().segment(piece)) graphemes.push(segment);
  return graphemes;
}

/** Offset of the character that ends at `offset`; lines are segmented alone, so long text stays cheap. */
export function previousBoundary(text: string, offset: number): number {
  if (offset <= 0) return 0;
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  if (start === offset) return offset - 1;
  const before = text.slice(start, offset);
  if (ASCII.test(before.slice(-2))) return offset - 1;
  return offset - (toGraphemes(before).at(-1)?.length ?? 1);
}

/** Offset behind the character that begins at `offset`. */
export function nextBoundary(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (ASCII.test(text.slice(offset, offset + 2))) return offset + 1;
  const end = text.indexOf('\n', offset);
  if (end === offset) return offset + 1;
  const after = text.slice(offset, end < 0 ? undefined : end);
  return offset + (toGraphemes(after)[0]?.length ?? 1);
}

/** The first boundary at or after `offset`: an inserted character may have joined with the one behind it. */
export function snapToBoundary(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return Math.max(0, Math.min(offset, text.length));
  if (ASCII.test(text.slice(offset - 1, offset + 1))) return offset;
  let at = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  for (const grapheme of toGraphemes(text.slice(at, end < 0 ? undefined : end))) {
    if (at >= offset) return at;
    at += grapheme.length;
  }
  return at;
}

/** Columns that text takes on a terminal. */
export function textWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : Bun.stringWidth(text);
}
