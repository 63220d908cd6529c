/** What is kept of a line that was typed before: every use, only the last of several in a row, or only the last of all. */
export type Duplicates = 'keep' | 'ignore' | 'erase';

/** What history keeps, as the person wants it. */
export interface HistoryRules {
  /** Patterns that a whole line matches to be left out: `*`, `?` and `[a-z]` as in file names. */
  readonly ignore: readonly string[];
  readonly duplicates: Duplicates;
}

/** The rules of somebody who has set none. */
export const USUAL_RULES: HistoryRules = { ignore: [], duplicates: 'ignore' };

/** A longer line is a paste that nobody looks for again. */
const LONGEST = 65_536;

const SECRETS: readonly RegExp[] = [
  /(password|passwd|passphrase|token|secret|api[_-]?key|access[_-]?key|credential)s?[\w-]{0,40}["']?\s{0,8}[=:]\s{0,8}\S/i,
  /--(password|passwd|pass|token|secret|api-key|access-key)(\s+|=)\S/i,
  /(^|[\s;|&])(mysql|mysqldump|mysqladmin|mariadb|sshpass|smbclient|redis-cli|mongo|mongosh|ldapsearch|docker\s+login)\b.{0,200}\s-[pwa]\s?\S/,
  /\s-p\s+(secret|pass\w*)\b/i,
  /(^|\s)(-u|--user)[=\s]\S+:\S/,
  /\bauthorization:\s*\S/i,
  /\bbearer\s+[\w.~+/-]{8}/i,
  /\b(sk|pk|rk)[-_][A-Za-z0-9_-]{12}/,
  /\b(ghp|gho|ghu|ghs|ghr|glpat|xox[abprs]|dop_v1|shpat)[-_][A-Za-z0-9_-]{10}/,
  /\b(npm|hf)_[A-Za-z0-9]{16}/,
  /\bgithub_pat_[A-Za-z0-9_]{10}/,
  /\b(AKIA|ASIA)[A-Z0-9]{12}/,
  /\bAIza[A-Za-z0-9_-]{20}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b\w{1,40}:\/\/[^\s/:@]{1,200}:[^\s/@]+@/,
];

/** True for a line that seems to hold a password, a token or a key. */
export function looksSecret(line: string): boolean {
  return SECRETS.some((pattern) => pattern.test(line));
}

/** What stands in the place of a secret, with the quote before it. */
const COVERED = /["']?⟨secret:[^⟩]{1,80}⟩/;

/** The same for what is left where secrets were taken out of a line. */
function stillLooksSecret(line: string): boolean {
  if (!COVERED.test(line)) return looksSecret(line);
  return line.split(COVERED).some((part) => looksSecret(part.replace(/\b(bearer|basic)\s*$/i, '')));
}

/** True unless a line begins with a blank, still looks secret, is ignored by a rule, or asks to forget what it names. */
export function isWorthKeeping(line: string, { ignore }: HistoryRules = USUAL_RULES): boolean {
  if (line.trim() === '' || /^[ \t]/.test(line) || line.length > LONGEST) return false;
  if (/^:history\s+delete\b/.test(line) || stillLooksSecret(line)) return false;
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
  const parts = [...pattern.matchAll(/\*+|\\[\s\S]|\[[!^]?\]?[^\]]*\]|[\s\S]/g)].map(([part]) => part);
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
