import { decodeUri } from '../text/attempt.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { isSecretName } from './names.ts';

/** A value and its name. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

/** A shell word after `=`: quoted in one of three ways, or up to a space or an operator. */
const SHELL_VALUE = /\$?"((?:[^"\\]|\\[\s\S])*)"|\$?'((?:[^'\\]|\\[\s\S])*)'|((?:[^\s;&|()"'\\]|\\.)+)/y;

/** The assignments in a shell line, such as `export NAME=value`, `NAME=value program` and `set -x NAME value`. */
export function readAssignments(line: string): Named[] {
  const found: Named[] = [];
  for (const { index, 0: whole, 1: name = '', 2: option = '' } of line.matchAll(
    /(?<![\w$-])([A-Za-z_]\w*)\+?=|\bset\s+(?:--?(?!set\s)\w+\s+)*([A-Za-z_]\w*)\s+/g,
  )) {
    const word = readShellWord(line, index + whole.length);
    const called = name || option;
    if (word !== null && called !== '') found.push({ name: called, value: word.value });
  }
  return found;
}

/** The shell word at a position, without quotes, and its end; null if there is none. */
function readShellWord(line: string, from: number): { readonly value: string; readonly end: number } | null {
  let value = '';
  let at = from;
  for (;;) {
    SHELL_VALUE.lastIndex = at;
    const [whole, double, single, bare] = SHELL_VALUE.exec(line) ?? [];
    if (whole === undefined) return at === from ? null : { value, end: at };
    if (double !== undefined) value += double.replace(/\\(["$`\\\n])/g, (_, sign: string) => (sign === '\n' ? '' : sign));
    else if (single !== undefined) value += whole.startsWith('$') ? readEscapes(single) : single;
    else value += (bare ?? '').replace(/\\(.)/g, '$1');
    at += whole.length;
  }
}

/** A line of a file of variables. */
const ENV_LINE = joinedRegExp(
  'gm',
  String.raw`^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:][ \t]*(?:"((?:[^"\\]|\\[\s\S]){0,16384})"|'([^']{0,16384})'`,
  String.raw`|\x60([^\x60]{0,16384})\x60|["'\x60]?([^\n]*))`,
);

/** The pairs of a file of `NAME=value` lines. Quoted values may span lines, and an unclosed quote ends with its line. */
export function readEnvFile(text: string): Named[] {
  const line = ENV_LINE;
  return Array.from(text.matchAll(line), ([, name = '', double, ...others]) => {
    const [single, tick, bare] = others;
    const value = double === undefined ? (single ?? tick ?? withoutComment(bare ?? '')) : readEscapes(double);
    return { name, value };
  }).filter(({ value }) => value !== '');
}

/** The pairs of INI, TOML, YAML and similar formats, one per line; a YAML block has several lines. */
export function readKeyed(text: string): Named[] {
  const found: Named[] = [];
  const line = /^([ \t]*)(?:- +)?(["']?)([\w.:/@-]+?)\2(?:[ \t]*=[ \t]*|[ \t]*:[ \t]+)(\S[^\n]*)$/gm;
  for (const { index, 0: whole, 1: indent = '', 3: name = '', 4: written = '' } of text.matchAll(line)) {
    const isBlock = /^[|>][+-]?\d?\s*$/.test(written);
    const value = isBlock ? readBlock(text.slice(index + whole.length + 1), indent) : withoutQuotes(written.trim());
    if (value !== '') found.push({ name, value });
  }
  return found;
}

/** The text values in JSON, by key; none for invalid JSON. */
export function readJson(text: string): Named[] {
  const found: Named[] = [];
  const visit = (name: string, value: unknown): void => {
    if (typeof value === 'string') found.push({ name, value });
    else if (Array.isArray(value)) for (const one of value) visit(name, one);
    else if (typeof value === 'object' && value !== null) for (const [key, one] of Object.entries(value)) visit(key, one);
  };
  try {
    visit('', JSON.parse(text));
  } catch {
    return readKeyed(text.replace(/,[ \t]*$/gm, ''));
  }
  return found;
}

/** The passwords of a netrc file, by machine. */
export function readNetrc(text: string): Named[] {
  const words = text.replace(/^[^\S\n\r\u2028\u2029]*#.*$/gm, '').match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  const found: Named[] = [];
  let machine = 'default';
  words.forEach((word, at) => {
    const value = withoutQuotes(words[at + 1] ?? '');
    if (word === 'machine') machine = value;
    if (word === 'password' && value !== '') found.push({ name: machine, value });
  });
  return found;
}

/** The passwords in URLs of a text, as written and decoded, by host. */
export function readUrlPasswords(text: string): Named[] {
  if (!text.includes('://')) return [];
  const url = /\b[a-z][a-z0-9+.-]{0,60}:\/\/([^\s/:@"'<>]*):([^\s/@"'<>]+)@([\w.-]+)/gi;
  const lonely = /\bhttps?:\/\/([^\s/:@"'<>]{16,})(?::x-oauth-basic)?@([\w.-]+)/gi;
  return [
    ...Array.from(text.matchAll(url), ([, , value = '', name = '']) => ({ name, value })),
    ...Array.from(text.matchAll(lonely), ([, value = '', name = '']) => ({ name, value })),
  ].flatMap(({ name, value }) => [...new Set([value, decodeUri(value)])].map((one) => ({ name, value: one })));
}

/** The pairs whose name suggests a secret value. */
export function withSecretNames(pairs: readonly Named[]): Named[] {
  return pairs.filter(({ name }) => isSecretName(name));
}

function readBlock(after: string, indent: string): string {
  const lines: string[] = [];
  for (const line of after.split('\n')) {
    if (line.trim() !== '' && !(line.startsWith(indent) && /^[ \t]/.test(line.slice(indent.length)))) break;
    lines.push(line.trim());
  }
  return lines.join('\n').trim();
}

function withoutComment(text: string): string {
  return text.replace(/(?:^|\s)#.*$/s, '').trim();
}

function withoutQuotes(text: string): string {
  const quoted = /^(["'])((?:(?!\1)[^\\]|\\.)*)\1/.exec(text);
  if (quoted === null) return withoutComment(text.replace(/(?<![ \t])[ \t]+;.*$/s, '')).replace(/,$/, '');
  return quoted[1] === '"' ? readEscapes(quoted[2] ?? '') : (quoted[2] ?? '');
}

function readEscapes(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, sign: string) => ({ n: '\n', r: '\r', t: '\t' })[sign] ?? sign);
}

/** A word of a line without quotes, and its quoted range. */
export interface TypedWord {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** A command of a line, as far as needed to find passwords in it. */
export interface TypedCommand {
  readonly words: readonly TypedWord[];
  /** Words fed by `<<<`. */
  readonly fed: readonly TypedWord[];
  /** The output is piped to the next command. */
  readonly isPiped: boolean;
  /** The command is inside `$(…)` or `<(…)` of the previous command. */
  readonly isInner: boolean;
}

/** The maximum number of words read from a line. */
const MOST_WORDS = 2000;

const OPERATOR = /\|\||&&|\|&?|;+|&(?!>)|\n|[()`{}](?=\s|$)|[()`]/y;
const REDIRECTION = /\d{0,10}(?:<<<|<<-?|>>|>\||[<>]&|&>>?|<>|[<>](?!\())\s*/y;

/** The commands of a line, roughly: quoted text is one word, and a substitution is a separate command. */
export function readTyped(line: string): readonly TypedCommand[] {
  const found: TypedCommand[] = [];
  let words: TypedWord[] = [];
  let fed: TypedWord[] = [];
  let isInner = false;
  let count = 0;
  const end = (operator: string): void => {
    if (words.length > 0 || fed.length > 0) found.push({ words, fed, isPiped: /^\|&?$/.test(operator), isInner });
    words = [];
    fed = [];
    isInner = operator === '(' || operator === '`';
  };
  for (let at = 0; at < line.length && count < MOST_WORDS; ) {
    const operator = matchAt(OPERATOR, line, at);
    if (operator !== '') {
      end(operator);
      at += operator.length;
      continue;
    }
    const redirection = matchAt(REDIRECTION, line, at);
    at += redirection.length;
    const word = redirection === '' && /\s/.test(line[at] ?? '') ? null : readShellWord(line, at);
    if (word === null) {
      at += 1;
      continue;
    }
    count += 1;
    const read = { text: word.value, from: at, to: word.end };
    if (redirection.includes('<<<')) fed.push(read);
    else if (redirection === '') words.push(read);
    at = word.end;
  }
  end('');
  return found;
}

function matchAt(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? '';
}
