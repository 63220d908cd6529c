import type { Json } from '../../../protocol/json.ts';

/** A value read from a text, and the place behind it. */
export interface Read<T> {
  readonly value: T;
  readonly end: number;
}

/** Deepest nesting that is read. */
const DEEPEST = 64;

const NAMED: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** Marks around a text, the longer first. Gemma writes texts between marks of its own. */
const QUOTES: readonly string[] = ['"""', "'''", '<escape>', '<|"|>', '"', "'"];

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' };

/** The end of a call whose last brace is missing. */
const UNCLOSED = /^\s*(?:$|<\/(?:tool|function)_?calls?>)/;

const NUMBER = /-?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_][\w-]*/y;
const BLANKS = /\s*/y;

/** The place of the next character that is no blank. */
export function skipBlanks(text: string, at: number): number {
  return at + match(BLANKS, text, at).length;
}

/** The text that a sticky pattern matches at a place; empty for none. */
export function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/**
 * Reads one literal: JSON, or the same as Python writes it. Models mix the two, leave a comma behind the last item, and put line breaks
 * into texts. Null if there is no literal.
 */
export function readLiteral(text: string, at: number, depth = 0): Read<Json> | null {
  const start = skipBlanks(text, at);
  if (depth > DEEPEST) return null;
  const quoted = readString(text, start);
  if (quoted !== null) return quoted;
  const first = text[start];
  if (first === '{') return readObject(text, start, depth);
  if (first === '[') return readItems(text, start + 1, ']', depth);
  if (first === '(') return readItems(text, start + 1, ')', depth);
  const number = match(NUMBER, text, start);
  if (number !== '') return { value: Number(number.replaceAll('_', '')), end: start + number.length };
  const word = match(WORD, text, start);
  const named = NAMED.get(word);
  return named === undefined ? null : { value: named, end: start + word.length };
}

/** Reads a text between quotation marks. */
function readString(text: string, at: number): Read<string> | null {
  const quote = QUOTES.find((mark) => text.startsWith(mark, at));
  if (quote === undefined) return null;
  let value = '';
  let from = at + quote.length;
  const isRaw = quote.startsWith('<');
  for (let end = from; end < text.length; end += 1) {
    if (text.startsWith(quote, end)) return { value: value + text.slice(from, end), end: end + quote.length };
    if (isRaw || text[end] !== '\\') continue;
    const read = readEscape(text, end);
    value += text.slice(from, end) + read.value;
    from = read.end;
    end = read.end - 1;
  }
  return null;
}

function readEscape(text: string, at: number): Read<string> {
  const code = /^\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(text.slice(at, at + 6));
  const digits = code?.[1] ?? code?.[2];
  if (code !== null && digits !== undefined) return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: at + code[0].length };
  const letter = text[at + 1] ?? '';
  const plain = /["'\\/]/.test(letter) ? letter : `\\${letter}`;
  return { value: ESCAPES[letter] ?? plain, end: at + 1 + letter.length };
}

function readObject(text: string, at: number, depth: number): Read<Json> | null {
  const entries: [string, Json][] = [];
  for (let next = skipBlanks(text, at + 1); next < text.length; ) {
    if (text[next] === '}') return { value: Object.fromEntries(entries), end: next + 1 };
    const key = readString(text, next) ?? readWord(text, next);
    const colon = key === null ? -1 : skipBlanks(text, key.end);
    if (key === null || text[colon] !== ':') return null;
    const value = readLiteral(text, colon + 1, depth + 1);
    if (value === null) return null;
    entries.push([key.value, value.value]);
    next = skipComma(text, value.end, '}');
    // Small models forget braces at the end of a call.
    if (next === -1) return UNCLOSED.test(text.slice(value.end)) ? { value: Object.fromEntries(entries), end: value.end } : null;
  }
  return null;
}

function readItems(text: string, at: number, close: string, depth: number): Read<Json> | null {
  const items: Json[] = [];
  for (let next = skipBlanks(text, at); next < text.length; ) {
    if (text[next] === close) return { value: items, end: next + 1 };
    const value = readLiteral(text, next, depth + 1);
    if (value === null) return null;
    items.push(value.value);
    next = skipComma(text, value.end, close);
    if (next === -1) return null;
  }
  return null;
}

/** The place behind a comma, or of the closing mark; -1 if there is neither. */
export function skipComma(text: string, at: number, close: string): number {
  const next = skipBlanks(text, at);
  if (text[next] === ',') return skipBlanks(text, next + 1);
  return text[next] === close ? next : -1;
}

/** Reads a bare word, as keys and parameters have. */
export function readWord(text: string, at: number): Read<string> | null {
  const word = match(WORD, text, at);
  return word === '' ? null : { value: word, end: at + word.length };
}
