/* A call that a model printed: the values in its text, and the call that they make. */
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { offeredName } from '../model-call.ts';

/** A call that a model printed as text. */
export interface PrintedCall {
  /** The name as the request offers it. */
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The offered tools: the schema of the arguments by the name on the wire. */
export type Offered = ReadonlyMap<string, JsonObject>;

const NAME_KEYS: readonly string[] = ['name', 'tool', 'tool_name', 'function_name', 'recipient_name', 'function', 'action'];
const ARGUMENT_KEYS: readonly string[] = ['arguments', 'parameters', 'args', 'input', 'tool_input', 'action_input', 'params', 'kwargs'];

/** Keys beside name and arguments. Any other key means that the object describes something else, such as a tool. */
const OTHER_KEYS: ReadonlySet<string> = new Set(['id', 'type', 'index', 'call_id', 'tool_call_id']);
const CALL_TYPES: ReadonlySet<Json | undefined> = new Set([undefined, 'function', 'tool_use', 'tool_call', 'function_call', 'tool']);

/** Keys that hold a call, or a list of calls. */
const HOLDERS: readonly string[] = ['tool_calls', 'tool_call', 'function_call', 'function_calls', 'tool_uses', 'calls'];
/** Keys beside a holder, with their values in a message that holds nothing else. */
const HOLDER_KEYS: Readonly<Record<string, readonly Json[]>> = { role: ['assistant'], content: [null, ''], type: ['message'] };

/** The calls in a value of JSON: a call, a list of calls, or a message that holds calls. Null if the value is anything else. */
export function toCalls(value: Json, offered: Offered): readonly PrintedCall[] | null {
  if (Array.isArray(value)) {
    const calls = value.map((one) => toCalls(one, offered));
    return calls.length > 0 && calls.every((one) => one !== null) ? calls.flat() : null;
  }
  if (!isJsonObject(value)) return null;
  const holder = HOLDERS.find((key) => Object.hasOwn(value, key));
  if (holder !== undefined) {
    const isPlain = Object.entries(value).every(([key, one]) => key === holder || (HOLDER_KEYS[key] ?? []).includes(one));
    return isPlain ? toCalls(value[holder] ?? null, offered) : null;
  }
  const call = toCall(value, offered);
  return call === null ? null : [call];
}

function toCall(value: JsonObject, offered: Offered): PrintedCall | null {
  if (isJsonObject(value.function)) {
    const { function: inner, ...rest } = value;
    return isJsonObject(inner) && hasOnly(rest, []) && CALL_TYPES.has(rest.type) ? toCall(inner, offered) : null;
  }
  const nameKey = NAME_KEYS.find((key) => typeof value[key] === 'string');
  const argumentsKey = ARGUMENT_KEYS.find((key) => Object.hasOwn(value, key));
  if (nameKey === undefined || argumentsKey === undefined) return null;
  if (!hasOnly(value, [nameKey, argumentsKey]) || !CALL_TYPES.has(value.type)) return null;
  const name = offeredName(String(value[nameKey]), offered);
  const given = toArguments(value[argumentsKey]);
  return name === null || given === null || isSchema(given) ? null : { name, arguments: given };
}

/** True for the parameters of a tool that is described, not called. */
function isSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' && (properties === undefined || isJsonObject(properties));
}

function hasOnly(value: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key) || OTHER_KEYS.has(key));
}

/** Arguments are an object, the text of one, or nothing. */
function toArguments(value: Json | undefined): JsonObject | null {
  if (value === null || value === '' || value === undefined) return {};
  if (typeof value !== 'string') return isJsonObject(value) ? value : null;
  const inner: Read<Json> | null = readLiteral(value, 0);
  return inner !== null && value.slice(inner.end).trim() === '' && isJsonObject(inner.value) ? inner.value : null;
}

/** A parameter that came as bare text, as the type that the schema names: only a text stays as it is. */
export function toTyped(text: string, key: string, schema: JsonObject | undefined): Json {
  const type = schemaType(key, schema);
  if (type === 'string') return text;
  const read = readLiteral(text, 0);
  if (read === null || text.slice(read.end).trim() !== '') return text;
  return typeof read.value === 'string' || type === undefined ? text : read.value;
}

function schemaType(key: string, schema: JsonObject | undefined): Json | undefined {
  const property = propertiesOf(schema)[key];
  return isJsonObject(property) ? property.type : undefined;
}

/** The parameters that a schema names, in order. */
export function propertiesOf(schema: JsonObject | undefined): JsonObject {
  return isJsonObject(schema?.properties) ? schema.properties : {};
}

/** True for texts that stand for a value in an example. */
const PLACEHOLDER = /^(?:\.{3}|…|<[\w ./-]+>|\{[\w ]*\}|\[[\w ]+\])$/;

/** True if an argument only stands for a value, as in documentation. */
export function hasPlaceholder({ arguments: given }: PrintedCall): boolean {
  return Object.values(given).some((value) => typeof value === 'string' && PLACEHOLDER.test(value.trim()));
}

/** True if the arguments are exactly of the kind the schema asks for: every required one is there, and each one is known. */
export function isFitting({ name, arguments: given }: PrintedCall, offered: Offered): boolean {
  const schema = offered.get(name);
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const known = propertiesOf(schema);
  const isOpen = Object.keys(known).length === 0;
  return (
    required.every((key) => Object.hasOwn(given, String(key))) && Object.keys(given).every((key) => isOpen || Object.hasOwn(known, key))
  );
}

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
