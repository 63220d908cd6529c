import { compareSequences } from '../../../core/diff.ts';

/** Where a line differs from the one it took the place of: from and to, in code units. */
export type ChangedRange = readonly [from: number, to: number];

/** The ranges of both lines of a pair. */
export interface ChangedWords {
  readonly before: readonly ChangedRange[];
  readonly after: readonly ChangedRange[];
}

/** Longer lines, and ones that have more words, are shown as replaced whole. */
const LONGEST_LINE = 500;
const MOST_WORDS = 120;

/** Lines that share less than this part of their letters are no versions of each other. */
const LEAST_SHARED = 0.4;

const NOTHING: ChangedWords = { before: [], after: [] };

/** The words in which two versions of a line differ; nothing where they are another line altogether. */
export function findChangedWords(before: string, after: string): ChangedWords {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return NOTHING;
  const [old, fresh] = [splitWords(before), splitWords(after)];
  if (old.length > MOST_WORDS || fresh.length > MOST_WORDS) return NOTHING;
  const found = { before: [] as ChangedRange[], after: [] as ChangedRange[] };
  const at = { before: 0, after: 0 };
  let shared = 0;
  for (const { kind, line: word } of compareSequences(old, fresh)) {
    if (kind === ' ' && word.trim() !== '') shared += word.length;
    if (kind !== '+') at.before = addRange(found.before, at.before, word, kind === '-');
    if (kind !== '-') at.after = addRange(found.after, at.after, word, kind === '+');
  }
  const length = Math.max(before.replace(/\s/g, '').length, after.replace(/\s/g, '').length);
  return shared >= length * LEAST_SHARED ? found : NOTHING;
}

/** Neighbours become one range. The answer is where the next word begins. */
function addRange(ranges: ChangedRange[], from: number, word: string, isChanged: boolean): number {
  const to = from + word.length;
  const last = ranges.at(-1);
  if (!isChanged) return to;
  if (last?.[1] === from) ranges[ranges.length - 1] = [last[0], to];
  else ranges.push([from, to]);
  return to;
}

/** Words, the blanks between them and single signs, so that a changed sign does not make a new word of what stands beside it. */
function splitWords(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}\p{M}_]+|\s+|./gsu) ?? [];
}
