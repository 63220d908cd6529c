/** Where lines typed before come from, and go to. */
export interface HistorySource {
  /** Oldest first. Asked for with every walk and every ghost, so it must be cheap. */
  lines(): readonly string[];
}

/** History that lives as long as the program; for tests and for a home that cannot be written. */
export class MemoryHistory implements HistorySource {
  readonly #lines: string[];

  constructor(lines: readonly string[] = []) {
    this.#lines = [...lines];
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  add(line: string): void {
    if (isWorthKeeping(line, this.#lines.at(-1))) this.#lines.push(line);
  }
}

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
  /\b\w+:\/\/[^\s/:@]+:[^\s/@]+@/,
];

/** True for a line that seems to hold a password, a token or a key. */
export function looksSecret(line: string): boolean {
  return SECRETS.some((pattern) => pattern.test(line));
}

/** What history keeps: not what begins with a blank, repeats the line before, or looks secret. */
export function isWorthKeeping(line: string, previous: string | undefined): boolean {
  if (line.trim() === '' || /^[ \t]/.test(line)) return false;
  return line !== previous && line.length <= 65_536 && !looksSecret(line);
}

/** The newest line before `from` that begins with `prefix` and differs from `text`; -1 when there is none. */
export function findOlder(lines: readonly string[], from: number, prefix: string, text: string): number {
  for (let at = Math.min(from, lines.length) - 1; at >= 0; at--) {
    const line = lines[at];
    if (line !== undefined && line !== text && line.startsWith(prefix)) return at;
  }
  return -1;
}

/** The same towards newer lines; `lines.length` when there is none. */
export function findNewer(lines: readonly string[], from: number, prefix: string, text: string): number {
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at];
    if (line !== undefined && line !== text && line.startsWith(prefix)) return at;
  }
  return lines.length;
}

/** The newest line before `from` that holds `query`, letter case ignored where the query has no capital; -1 for none. */
export function searchOlder(lines: readonly string[], from: number, query: string): number {
  const exact = query !== query.toLowerCase();
  for (let at = Math.min(from, lines.length) - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if ((exact ? line : line.toLowerCase()).includes(query)) return at;
  }
  return -1;
}

/** What the newest line that goes on from `text` has behind it; empty for none. */
export function suggest(lines: readonly string[], text: string): string {
  if (text === '') return '';
  const at = findOlder(lines, lines.length, text, text);
  return at < 0 ? '' : (lines[at] ?? '').slice(text.length);
}
