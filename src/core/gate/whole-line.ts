import { find } from './findings.ts';
import type { Finding, Part } from './verdict.ts';

/** So many blanks or empty lines in a row put what follows out of sight; so many commands before it bury it. */
const PADDING = /[ \t]{40}|(\n\s*){8}/;
const MANY_PARTS = 40;

/** Judges the layout of a line: what destroys must not stand where nobody looks. */
export function judgeLayout(text: string, parts: readonly Part[]): readonly Finding[] {
  const destroys = parts.some((part) => part.findings.some((finding) => finding.class === 'destructive'));
  if (!destroys || !(PADDING.test(text) || parts.length > MANY_PARTS)) return [];
  return [find('hides', 'a command far behind others')];
}

const FETCHERS: readonly string[] = ['curl', 'wget', 'aria2c', 'http', 'fetch', 'scp', 'rsync', 'ftp', 'git'];

/** What was fetched into a file and is run later in the same line was seen by nobody. */
export function judgeFetched(parts: readonly Part[]): readonly Finding[] {
  const fetched = new Set<string>();
  const found: Finding[] = [];
  for (const { words, findings } of parts) {
    const runs = findings.some((finding) => finding.reason.startsWith('runs code'));
    const known = words.flatMap((word) => (word === null ? [] : [word.replace(/^\.\//, '')]));
    const file = runs ? known.find((word) => fetched.has(word)) : undefined;
    if (file !== undefined) found.push(find('remote code', file));
    if (FETCHERS.includes(words[0] ?? ''))
      for (const word of known.slice(1)) if (!word.startsWith('-')) addFile(fetched, word);
  }
  return found;
}

/** A file by its own name, or by the end of the address it comes from. */
function addFile(fetched: Set<string>, word: string): void {
  fetched.add(word);
  const name = word.split('/').at(-1) ?? '';
  if (/^\w+:\/\//.test(word) && name !== '') fetched.add(name);
}
