import { findTypedShapes } from '../secrets/shapes.ts';
import { readPattern } from '../text/glob.ts';
import { type HistoryRules, USUAL_RULES } from './history-index.ts';

/** A longer line is a paste that nobody searches for. */
const LONGEST = 65_536;

/** Whether a line seems to contain an unredacted password, token or key. */
export function looksSecret(line: string): boolean {
  return findTypedShapes(line).length > 0;
}

/**
 * Whether history keeps a line. It omits lines that start with a space, still look secret, match an ignore pattern, or ask to forget what
 * they name.
 */
export function isWorthKeeping(line: string, { ignore }: HistoryRules = USUAL_RULES): boolean {
  if (line.trim() === '' || /^[ \t]/.test(line) || line.length > LONGEST) return false;
  if (/^:history\s+delete\b/.test(line) || looksSecret(line)) return false;
  return !ignore.some((pattern) => readPattern(pattern)(line));
}
