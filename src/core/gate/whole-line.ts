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

/** A file in a reason: it is written by what stands there. */
const WRITTEN = /(?:replaces |inside the project: )([\w./-]+)$/;

/** What was fetched into a file and is run later in the same line was seen by nobody. */
export function judgeFetched(parts: readonly Part[]): readonly Finding[] {
  const fetched = new Set<string>();
  const found: Finding[] = [];
  let hasFetched = false;
  for (const { words, findings } of parts) {
    const runs = findings.some((finding) => finding.reason.startsWith('runs code'));
    const known = words.flatMap((word) => (word === null ? [] : [word.replace(/^\.\//, '')]));
    const file = runs ? known.find((word) => fetched.has(word)) : undefined;
    if (file !== undefined) found.push(find('remote code', file));
    const written = findings.flatMap(({ reason }) => WRITTEN.exec(reason)?.[1]?.replace(/^\.\//, '') ?? []);
    if (hasFetched) for (const word of written) addFile(fetched, word);
    if (
      FETCHERS.includes(words[0] ?? '') &&
      (words[0] !== 'git' || /^(clone|fetch|pull|archive)$/.test(words[1] ?? ''))
    ) {
      hasFetched = true;
      for (const word of [...known.slice(1), ...written]) if (!word.startsWith('-')) addFile(fetched, word);
    }
  }
  return found;
}

/** Everything of a project goes to a remote that the line itself has added. */
export function judgeNewRemote(parts: readonly Part[]): readonly Finding[] {
  const added = new Set<string>();
  for (const { words } of parts) {
    if (words[0] !== 'git') continue;
    const operands = words.slice(1).flatMap((word) => (word === null || word.startsWith('-') ? [] : [word]));
    if (operands[0] === 'remote' && /^(add|set-url)$/.test(operands[1] ?? '') && operands[2] !== undefined)
      added.add(operands[2]);
    const isAll = words.some((word) => /^(--all|--mirror|--branches)$/.test(word ?? ''));
    if (operands[0] === 'push' && isAll && added.has(operands[1] ?? ''))
      return [find('leaks', 'the whole history, to a remote that the line has added')];
  }
  return [];
}

/** Scripts of a repository that the line itself has cloned, once it stands in there; its declared tasks are asked about. */
export function judgeCloned(parts: readonly Part[]): readonly Finding[] {
  const cloned = new Set<string>();
  let isInside = false;
  for (const { words, findings } of parts) {
    const known = words.flatMap((word) => (word === null || word.startsWith('-') ? [] : [word.replace(/^\.\//, '')]));
    const runs = findings.some(({ reason }) => reason.startsWith(RUNS));
    const isBelow = known.some((word) => [...cloned].some((folder) => word.startsWith(`${folder}/`)));
    if (runs && (isInside || isBelow)) return [find('remote code', 'what was cloned')];
    if (known[0] === 'git' && known[1] === 'clone')
      for (const word of known.slice(2)) cloned.add((word.split('/').at(-1) ?? '').replace(/\.git$/, ''));
    if ((known[0] === 'cd' || known[0] === 'pushd') && cloned.has((known[1] ?? '').replace(/\/$/, ''))) isInside = true;
  }
  return [];
}

const RUNS = find('runs').reason;

/** A file by its own name, or by the end of the address it comes from: `x.example/install.sh` is one without `https://`. */
function addFile(fetched: Set<string>, word: string): void {
  fetched.add(word);
  const name = word
    .replace(/[?#].*$/s, '')
    .split(/[/:]/)
    .at(-1);
  if (name !== undefined && name !== '') fetched.add(name);
}

/** Prints what it reads, when it is given names that nobody knows from the text. */
const SHOWS: ReadonlySet<string> = new Set(
  'cat tac nl head tail less more bat batcat sed awk gawk mawk grep egrep fgrep rg strings od xxd hexdump base64 base32 cut paste sort uniq rev fold jq yq column diff cp'.split(
    ' ',
  ),
);
const SECRET_FILE =
  /(^|[/*\\^(|])\.env\b(?!\.?(example|sample|template|dist|schema))|\.(pem|p12|pfx|key)\b|\bid_(rsa|dsa|ecdsa|ed25519)|\.(ssh|aws|netrc|npmrc|kube|gnupg|pgpass)\b|\.git-credentials|_history\b|^credentials(\.json)?$|^(shadow|env)$/;

/** What a search for secrets finds is a secret, for whatever then prints the files it names. */
export function judgeFound(parts: readonly Part[]): readonly Finding[] {
  const shows = parts.some(({ words }) => words.slice(1).includes(null) && SHOWS.has(words[0] ?? ''));
  if (!shows) return [];
  const named = parts.flatMap(({ words }) => words.slice(1)).find((word) => word !== null && SECRET_FILE.test(word));
  return named === undefined || named === null ? [] : [find('secrets', `what is found by ${named}`)];
}

/** What one part of a line prints may go into a connection that the shell itself opens, in whatever way the two are joined. */
export function judgeShellConnection(parts: readonly Part[]): readonly Finding[] {
  const findings = parts.flatMap((part) => part.findings);
  const isOpen = findings.some(({ reason }) => /opens a connection: ["']?\/dev\/(tcp|udp)\//.test(reason));
  if (
    isOpen &&
    parts.some(
      ({ words, findings: own }) =>
        (SHELL.test(words[0] ?? '') && !words.includes('-c')) ||
        own.some(({ reason }) => reason.startsWith(UNKNOWN_COMMAND)),
    )
  )
    return [find('remote code', 'a shell for another machine')];
  const printed = isOpen ? findings.find(({ reason }) => reason.startsWith(PRINTS_SECRETS)) : undefined;
  return printed === undefined ? [] : [find('leaks', 'credentials')];
}

const SHELL = /^(\/\S*\/)?(ba|da|z|k|a|mk|c|tc)?sh$|^eval$/;
const UNKNOWN_COMMAND = `${find('unclear').reason}: the command`;
const PRINTS_SECRETS = find('secrets').reason;

const ENDLESS = /\/dev\/(zero|u?random|full)\b/;
const BOUNDED = /\bhead\b|\bcount=|\btimeout\b|\s-\w*[Nln]\s*\d|--(bytes|length|lines|random-source)|\bshuf\b|\bread\b/;
const HOARDS = /\b(tail|tac|sort|shuf|rev|wc|sponge|awk|python3?)\b[^|;]*\/dev\/(zero|u?random|full)\b(?!\S*=)/;
const HUGE = /\b(head|dd|fallocate|truncate)\b[^|;]*(-c|bs=|count=|--bytes[= ])\s*(\d+[GTPE]|\d{10,})/;

/** Commands to which words in quotes are a text, and nothing that they open or run. */
const TAKES_TEXT = /^(echo|printf|e?grep|fgrep|rg|ag|ack|git|logger)$/;

/** A line without the texts that it prints, looks for or keeps as a message. */
function withoutTexts(line: string, parts: readonly Part[]): string {
  const [saying, others] = [parts.filter(takesText), parts.filter((part) => !takesText(part))];
  const texts = saying.flatMap(({ words }) => words.filter((word) => word !== null && /\s/.test(word)));
  const rest = texts.reduce<string>((left, text) => left.replaceAll(text ?? '', ' '), line);
  // What such a text becomes a command by is a part of its own.
  return [rest, ...others.map(({ words }) => words.join(' '))].join(' ; ');
}

function takesText({ words: [name] }: Part): boolean {
  return TAKES_TEXT.test(name ?? '');
}

/** What never ends fills memory or a disk when it is kept. */
export function judgeEndless(line: string, parts: readonly Part[]): readonly Finding[] {
  const text = withoutTexts(line, parts);
  const adds = parts.some(({ findings }) => findings.some((one) => one.reason.startsWith('adds or edits')));
  const isEndless = ENDLESS.test(text) || parts.some(({ words }) => words[0] === 'yes');
  const fills = adds && isEndless && (!BOUNDED.test(text) || HUGE.test(text));
  const hoards = ENDLESS.test(text) && (!BOUNDED.test(text) || HOARDS.test(text)) && !/of=\/dev\/null/.test(text);
  const isWide = text.split(/\s/).some((word) => countOf(word) > 1_000_000);
  return fills || hoards || isWide ? [find('destroys', 'fills memory or a disk without end')] : [];
}

/** How many words the ranges in braces of one word make. */
function countOf(word: string): number {
  let count = 1;
  for (const [, from = '', to = ''] of word.matchAll(/\{(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?\}/g))
    count *= Math.abs(Number(to) - Number(from)) + 1;
  return count;
}
