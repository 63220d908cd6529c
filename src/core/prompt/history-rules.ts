import { findTypedShapes } from '../secrets/shapes.ts';

/** What is kept of a line that was typed before: every use, only the last of several in a row, or only the last of all. */
export type Duplicates = 'keep' | 'ignore' | 'erase';

/** What history keeps, as the user wants it. */
export interface HistoryRules {
  /** Patterns that a whole line matches to be left out: `*`, `?` and `[a-z]` as in file names. */
  readonly ignore: readonly string[];
  readonly duplicates: Duplicates;
}

/** The rules of somebody who has set none. */
export const USUAL_RULES: HistoryRules = { ignore: [], duplicates: 'ignore' };

/** A longer line is a paste that nobody looks for again. */
const LONGEST = 65_536;

/** True for a line that seems to hold a password, a token or a key that was not taken out of it. */
export function looksSecret(line: string): boolean {
  return findTypedShapes(line).length > 0;
}

/** True unless a line begins with a blank, still looks secret, is ignored by a rule, or asks to forget what it names. */
export function isWorthKeeping(line: string, { ignore }: HistoryRules = USUAL_RULES): boolean {
  if (line.trim() === '' || /^[ \t]/.test(line) || line.length > LONGEST) return false;
  if (/^:history\s+delete\b/.test(line) || looksSecret(line)) return false;
  return !ignore.some((pattern) => matchesGlob(line, pattern));
}

/** What a shell itself is told of its history, in the words of bash. */
export interface ShellHistoryRules {
  /** `HISTCONTROL`, or what zsh's options say. */
  readonly control: string;
  /** Patterns of lines to be left out, `&` for the line before. */
  readonly ignore: readonly string[];
}

/** The patterns of bash's `HISTIGNORE`, or of zsh's `HISTORY_IGNORE`, which is one that may hold several. */
export function parseIgnored(text: string, shell: 'bash' | 'zsh'): readonly string[] {
  const patterns = shell === 'bash' ? text.split(':') : (/^\(([^()]*)\)$/.exec(text)?.[1]?.split('|') ?? [text]);
  return patterns.filter((pattern) => pattern !== '');
}

/** What history keeps where a shell is told rules of its own; those given hold where it is told none. */
export function toHistoryRules({ control, ignore }: ShellHistoryRules, otherwise: HistoryRules): HistoryRules {
  const words = control.split(':');
  const isOnce = words.includes('ignoredups') || words.includes('ignoreboth') || ignore.includes('&');
  const duplicates = words.includes('erasedups') ? 'erase' : isOnce ? 'ignore' : otherwise.duplicates;
  return { ignore: [...otherwise.ignore, ...ignore.filter((pattern) => pattern !== '&')], duplicates };
}

/** Whether a whole line matches a pattern with `*`, `?`, `[a-z]` and backslashes. Takes time in proportion to both. */
export function matchesGlob(line: string, pattern: string): boolean {
  const parts = [...pattern.matchAll(/\*+|\\[\s\S]|\[[!^]?\]?[^\]]{0,100}\]|[\s\S]/g)].map(([part]) => part);
  let at = 0;
  let part = 0;
  let star = -1;
  let resume = 0;
  while (at < line.length) {
    const wanted = parts[part];
    if (wanted?.startsWith('*')) {
      star = part++;
      resume = at;
    } else if (wanted !== undefined && matchesOne(line.charAt(at), wanted)) {
      at++;
      part++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++resume;
    } else return false;
  }
  return parts.slice(part).every((rest) => rest.startsWith('*'));
}

function matchesOne(character: string, part: string): boolean {
  if (part === '?') return true;
  if (part.startsWith('\\')) return character === part.charAt(1);
  if (!part.startsWith('[') || part.length < 3) return character === part;
  const isNegated = /^\[[!^]/.test(part);
  const members = part.slice(isNegated ? 2 : 1, -1);
  const ranges = [...members.matchAll(/([\s\S])-([\s\S])|([\s\S])/g)];
  const isIn = ranges.some(([, from, to, one]) =>
    from === undefined || to === undefined ? one === character : from <= character && character <= to,
  );
  return isIn !== isNegated;
}
