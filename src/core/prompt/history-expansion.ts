type HistoryExpansion =
  | { readonly type: 'unchanged' }
  /** `look` if the user should see the line before it runs: it was named by number, or should only be printed. */
  | { readonly type: 'expanded'; readonly text: string; readonly look: boolean }
  /** The reference is invalid, and nothing runs. */
  | { readonly type: 'error'; readonly message: string };

interface Event {
  readonly text: string;
  readonly length: number;
  readonly byNumber: boolean;
}

/** The text and the length of a designator such as `!ssh:$:h`. */
interface Found {
  readonly text: string;
  readonly length: number;
  readonly look: boolean;
}

/** Earlier lines, in order and by number. */
interface History {
  readonly lines: readonly string[];
  readonly numbered: (number: number) => string | undefined;
}

class NoSuchEvent extends Error {}

/**
 * Expands `!!`, `!$`, `!-2`, `!?word?`, `!git:1`, `!!:s/a/b/` and `^a^b` as bash does: not within single quotes, not after a backslash, and
 * not before a space, `=` or the end. `lines` contains earlier command lines, oldest first. `numbered` resolves `!12`; by default it counts
 * those lines from 1.
 */
export function expandHistory(
  line: string,
  lines: readonly string[],
  numbered: (number: number) => string | undefined = (number) => lines[number - 1],
): HistoryExpansion {
  const history: History = { lines, numbered };
  try {
    const quick = expandQuick(line, history);
    return quick ?? expandEvents(line, history);
  } catch (error) {
    if (error instanceof NoSuchEvent) return { type: 'error', message: error.message };
    throw error;
  }
}

/** `^a^b`: the last line with the first match replaced; text after a third `^` is appended. */
function expandQuick(line: string, history: History): HistoryExpansion | null {
  const [, from = '', to = '', rest = ''] = /^\^((?:\\.|[^^\n\\])+)\^((?:\\.|[^^\n\\])*)(?:\^(.*))?$/s.exec(line) ?? [];
  if (from === '') return null;
  const last = lastLine(history);
  const text = substitute(last, withoutEscapes(from, '^'), withoutEscapes(to, '^'), { all: false });
  if (text === null) throw new NoSuchEvent(`the last command has no "${from}" in it: ${last}`);
  return { type: 'expanded', text: text + rest, look: false };
}

function expandEvents(line: string, history: History): HistoryExpansion {
  let text = '';
  let changed = false;
  let look = false;
  let quoted = false;
  for (let at = 0; at < line.length; ) {
    const character = line.charAt(at);
    const skip = quoted && character !== '\\' && character !== '"' ? 0 : skipQuoted(line, at);
    if (character === '"') quoted = !quoted;
    if (skip > 0 || !isEvent(line, at, quoted)) {
      const taken = Math.max(1, skip);
      text += line.slice(at, at + taken);
      at += taken;
      continue;
    }
    const found = readDesignator(line.slice(at), history, text);
    text += found.text;
    at += found.length;
    changed = true;
    look ||= found.look;
  }
  return changed ? { type: 'expanded', text, look } : { type: 'unchanged' };
}

/** Length of text in which no history reference can start: an escaped character, a single-quoted string. */
function skipQuoted(line: string, at: number): number {
  const character = line.charAt(at);
  if (character === '\\') return 2;
  if (character !== "'") return 0;
  const end = line.indexOf("'", at + 1);
  return end < 0 ? line.length - at : end + 1 - at;
}

function isEvent(line: string, at: number, quoted: boolean): boolean {
  if (line[at] !== '!') return false;
  const next = line[at + 1];
  if (next === undefined || /[\s=(]/.test(next) || (quoted && next === '"')) return false;
  const before = line.slice(0, at);
  // `$!`, `${!name}` and `[!a-z]` are shell syntax.
  return !/\$$|\$\{$/.test(before) && !(before.endsWith('[') && line.indexOf(']', at) > at);
}

function readDesignator(rest: string, history: History, before: string): Found {
  const event = readEvent(rest, history, before);
  const words = readWords(rest.slice(event.length), event);
  let length = event.length + (words?.length ?? 0);
  let text = words?.text ?? event.text;
  let look = event.byNumber;
  for (;;) {
    const modified = readModifier(rest.slice(length), text);
    if (modified === null) return { text, length, look };
    ({ text } = modified);
    length += modified.length;
    look ||= modified.look;
  }
}

function readEvent(rest: string, history: History, before: string): Event {
  const [number = ''] = /^!-?\d+/.exec(rest) ?? [];
  if (number !== '') return byNumber(number, history);
  if (rest.startsWith('!!')) return { text: lastLine(history), length: 2, byNumber: false };
  if (rest.startsWith('!#')) return { text: before, length: 2, byNumber: false };
  if (/^!(?:[$^*]|:[\d^$*%-])/.test(rest)) return { text: lastLine(history), length: 1, byNumber: false };
  const [inside, searched = ''] = /^!\?([^?\n]+)\??/.exec(rest) ?? [];
  if (inside !== undefined) {
    const text = history.lines.findLast((line) => line.includes(searched));
    return { text: orFail(text, `no command with "${searched}" in it`), length: inside.length, byNumber: false };
  }
  const [begin = '!'] = /^![^\s:;&|()<>"'^$*-]*[^\s:;&|()<>"'^$*]?/.exec(rest) ?? [];
  const text = history.lines.findLast((line) => line.startsWith(begin.slice(1)));
  return { text: orFail(text, `no command begins with "${begin.slice(1)}"`), length: begin.length, byNumber: false };
}

function byNumber(number: string, history: History): Event {
  const count = Number(number.slice(1));
  const text = count < 0 ? history.lines.at(count) : history.numbered(count);
  return {
    text: orFail(text, count < 0 ? `there are not ${-count} commands before this one` : `there is no line ${count} in the history`),
    length: number.length,
    byNumber: count > 0,
  };
}

/** `:2`, `:^`, `$`, `:1-3`, `:2*`; null for the whole line. */
function readWords(rest: string, event: Event): { readonly text: string; readonly length: number } | null {
  const found = /^(?::(?=[\d^$*%-])|(?=[\^$*]))(?:(\*)|([\d]+|[\^$%])?(?:(-)([\d]+|[\^$])?|(\*))?)/.exec(rest);
  if (found === null || found[0] === '' || found[0] === ':') return null;
  const words = toWords(event.text);
  const end = words.length - 1;
  const [whole, all, first, range, last, star] = found;
  const from = all === undefined ? toIndex(first, end, range === undefined ? 0 : 0) : 1;
  const to = all !== undefined || star !== undefined ? end : range === undefined ? from : toIndex(last, end, Math.max(from, end - 1));
  const isEmptyStar = (all !== undefined || star !== undefined) && from === end + 1;
  if (!isEmptyStar && (from > to || to > end)) throw new NoSuchEvent(`"${event.text}" has no word ${whole}`);
  return { text: words.slice(from, to + 1).join(' '), length: whole.length };
}

function toIndex(word: string | undefined, end: number, otherwise: number): number {
  if (word === undefined) return otherwise;
  if (word === '^') return 1;
  return word === '$' || word === '%' ? end : Number(word);
}

function readModifier(rest: string, text: string): Found | null {
  const [swap, global, delimiter = '/'] = /^:(g|a)?s(\S)/.exec(rest) ?? [];
  if (swap !== undefined) return readSubstitution(rest, text, { all: global !== undefined, delimiter, length: swap.length });
  const [whole, letter = ''] = /^:([htrepqx])(?![a-z0-9])/i.exec(rest) ?? [];
  return whole === undefined ? null : { text: modify(text, letter), length: whole.length, look: letter === 'p' };
}

function modify(text: string, letter: string): string {
  switch (letter) {
    case 'h':
      return text.replace(/\/[^/]*$/, '');
    case 't':
      return text.replace(/^.*\//s, '');
    case 'r':
      return text.replace(/\.[^./]*$/, '');
    case 'e':
      return /\.[^./]*$/.exec(text)?.[0] ?? '';
    case 'q':
      return `'${text.replaceAll("'", "'\\''")}'`;
    case 'x':
      return text
        .split(/\s+/)
        .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
        .join(' ');
    default:
      return text;
  }
}

function readSubstitution(
  rest: string,
  text: string,
  options: { readonly all: boolean; readonly delimiter: string; readonly length: number },
): Found {
  const { all, delimiter } = options;
  const parts: string[] = [''];
  let at = options.length;
  for (; at < rest.length && parts.length < 3 && rest[at] !== '\n'; at++) {
    const character = rest.charAt(at);
    if (character === delimiter) parts.push('');
    else if (character === '\\' && rest[at + 1] === delimiter) parts[parts.length - 1] += rest.charAt(++at);
    else parts[parts.length - 1] += character;
  }
  const [from = '', to = ''] = parts;
  const changed = substitute(text, from, to, { all });
  if (changed === null || from === '') throw new NoSuchEvent(`there is no "${from}" to replace in: ${text}`);
  return { text: changed, length: at, look: false };
}

/** An `&` in the new text represents the old one. */
function substitute(text: string, from: string, to: string, { all }: { readonly all: boolean }): string | null {
  if (!text.includes(from)) return null;
  const fresh = to.replace(/\\?&/g, (found) => (found === '&' ? from : '&'));
  return all ? text.replaceAll(from, () => fresh) : text.replace(from, () => fresh);
}

function withoutEscapes(text: string, delimiter: string): string {
  return text.replaceAll(`\\${delimiter}`, delimiter);
}

/** Splits a line into words as the shell does: quotes keep text together, operators are separate words. */
function toWords(line: string): readonly string[] {
  const word = /(?:\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|`[^`]*`?|\$\([^)]*\)|[^\s;&|<>()'"`\\])+/;
  const operator = /\d{0,10}(?:<<<|<<-?|>>|>\||[<>]&|&>>?|[<>])|;;|&&|\|\||\|&|[;&|()]/;
  return line.match(new RegExp(`${operator.source}|${word.source}|\\\\`, 'gs')) ?? [];
}

function lastLine(history: History): string {
  return orFail(history.lines.at(-1), 'there is no command before this one');
}

function orFail(text: string | undefined, message: string): string {
  if (text === undefined) throw new NoSuchEvent(message);
  return text;
}
