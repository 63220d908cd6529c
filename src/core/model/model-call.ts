/* The calls of a model in its answer: the lines that it says itself, the commands among them, and the arguments of calls. */
import { isJsonObject, type Json, type JsonObject, parseJson, parseJsonObject } from '../../protocol/json.ts';

/** One line of an answer. */
interface AnswerLine {
  readonly text: string;
  /** The place of the line in the answer. */
  readonly start: number;
  /** The line stands outside code fences, block quotes, quotations and HTML: the model says it itself. */
  readonly isOwn: boolean;
}

interface Reading {
  /** The fence that would close the open code block, or null outside of one. */
  readonly fence: string | null;
  /** Inside a block quote, lazy continuation lines included. */
  readonly quoted: boolean;
  /** A quotation mark opened in this paragraph is still open. */
  readonly speech: boolean;
  /** The end tag of the HTML around the line; null outside of HTML. */
  readonly markup: string | null;
}

const PLAIN: Reading = { fence: null, quoted: false, speech: false, markup: null };

/** The lines of an answer. `isAside`: a line of aish's own, whose quotation marks and tags do not count. */
export function* readLines(answer: string, isAside: (line: string) => boolean = () => false): Generator<AnswerLine, void, void> {
  let reading = PLAIN;
  for (const { 0: whole, 1: text = '', index } of answer.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)) {
    if (whole === '' && index > 0 && !/[\r\n]$/.test(answer)) return;
    const isOwn = isOwnText(reading);
    yield { text, start: index, isOwn };
    reading = readLine(reading, text, isOwn && isAside(text));
  }
}

function isOwnText({ fence, quoted, speech, markup }: Reading): boolean {
  return fence === null && markup === null && !quoted && !speech;
}

function readLine(reading: Reading, line: string, isAside: boolean): Reading {
  if (reading.fence !== null) return closesFence(reading.fence, line) ? { ...reading, fence: null } : reading;
  if (reading.markup !== null) return endsMarkup(reading.markup, line) ? PLAIN : reading;
  // In a list a fence stands behind its mark, or as far in as its text.
  const fence = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined && !(fence.startsWith('`') && line.slice(line.indexOf(fence) + fence.length).includes('`')))
    return { ...PLAIN, fence };
  if (line.trim() === '') return PLAIN;
  if (isAside) return reading;
  const markup = markupOf(line);
  if (markup !== null) return { ...PLAIN, markup };
  return { ...PLAIN, quoted: reading.quoted || /^ {0,3}>/.test(line), speech: leavesSpeechOpen(reading.speech, line) };
}

function closesFence(fence: string, line: string): boolean {
  const marks = /^\s*(`+|~+)\s*$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === fence[0] && marks.length >= fence.length;
}

/** The end of the HTML that begins in a line; null if none begins, or if it ends there. */
function markupOf(line: string): string | null {
  const name = /^\s*<(!--|[a-z][\w:-]*)/i.exec(line)?.[1];
  // An address in angle brackets is none.
  if (name === undefined || /^\s*<[a-z][\w+.-]*:\/\//i.test(line)) return null;
  if (name === '!--') return line.includes('-->') ? null : '-->';
  return new RegExp(`</${name}\\s*>|/>`, 'i').test(line) ? null : `</${name.toLowerCase()}`;
}

function endsMarkup(end: string, line: string): boolean {
  return line.toLowerCase().includes(end);
}

function leavesSpeechOpen(open: boolean, line: string): boolean {
  let speech = open;
  for (const [mark] of line.matchAll(/["“„«”»]/g)) {
    if (mark === '"') speech = !speech;
    else speech = '“„«'.includes(mark);
  }
  return speech;
}

/** The most `CMD:` lines one answer may propose. */
const MOST_COMMANDS = 16;

/**
 * The shell commands a final answer proposes: lines that begin with `CMD:`, outside code fences, block quotes, quotations and HTML. An
 * example must not become a proposal, so doubt means no.
 */
export function extractCommands(answer: string): string[] {
  // Some servers leave the thoughts in the text, and their first mark away.
  const own = answer.slice(Math.max(0, answer.lastIndexOf('</think>')));
  if (!own.includes('CMD:')) return [];
  const commands: string[] = [];
  for (const { text, isOwn } of readLines(own, (line) => commandOf(line) !== null)) {
    const command = isOwn ? commandOf(text) : null;
    if (command !== null) commands.push(command);
  }
  return commands.slice(0, MOST_COMMANDS);
}

function commandOf(line: string): string | null {
  if (!line.startsWith('CMD:')) return null;
  const text = line.slice(4).trim();
  const inCode = /^`([^`]+)`$/.exec(text)?.[1];
  const command = (inCode ?? text).trim();
  return command === '' ? null : command;
}

/**
 * The arguments of a call; null if they are no object. Servers encode them twice, or put them into a code block, into a list of one, behind
 * an empty object, or under a name such as `arguments` that the tool does not have.
 */
export function parseArguments(text: string, { properties }: JsonObject = {}): JsonObject | null {
  const given = parseJsonObject(text.trim() === '' ? '{}' : text) ?? unwrapArguments(parseJson(bareArguments(text)));
  const [only, ...others] = Object.keys(given ?? {});
  const isNested = only !== undefined && others.length === 0 && NESTS.has(only);
  if (given === null || !isNested || (isJsonObject(properties) && Object.hasOwn(properties, only))) return given;
  return unwrapArguments(given[only]) ?? given;
}

const NESTS: ReadonlySet<string> = new Set(['arguments', 'args', 'input', 'parameters', 'kwargs']);

function bareArguments(text: string): string {
  const fenced = /^\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/.exec(text)?.[1];
  return (fenced ?? text).replace(/^\s*\{\s*\}\s*(?=\{)/, '');
}

function unwrapArguments(value: unknown): JsonObject | null {
  if (typeof value === 'string') return parseJsonObject(value);
  const [one, ...more] = Array.isArray(value) ? value : [value];
  return more.length === 0 && isJsonObject(one) ? one : null;
}

/**
 * Checks a call's arguments against the plain part of a tool's schema: required keys and the types of the top level. Servers do not enforce
 * schemas dependably, and a missing argument should be reported before the user decides. The answer is null when nothing is wrong. Deeper
 * checks are the tool's own.
 */
export function checkArguments(given: JsonObject, schema: JsonObject): string | null {
  const { required, properties } = schema;
  const missing = Array.isArray(required) ? required.filter((key) => typeof key === 'string' && !Object.hasOwn(given, key)) : [];
  const names = missing.map((key) => `"${key}"`).join(', ');
  if (missing.length > 0) return missing.length === 1 ? `the argument ${names} is missing` : `the arguments ${names} are missing`;
  if (!isJsonObject(properties)) return null;
  for (const [key, value] of Object.entries(given)) {
    const wanted = typesOf(properties[key]);
    if (wanted.length === 0 || wanted.some((type) => isOfType(value, type))) continue;
    return `the argument "${key}" must be of type ${wanted.join(' or ')}, not ${nameOfType(value)}`;
  }
  return null;
}

/**
 * The arguments in the types of the schema. Small models write `1` for the handle `%1`, other values as text, and null for an argument that
 * they leave out.
 */
export function fitArguments(given: JsonObject, { properties, required }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return given;
  const fitted = Object.entries(given).flatMap(([key, value]): [string, Json][] => {
    const [wanted, ...others] = typesOf(properties[key]);
    if (wanted === undefined || others.length > 0 || isOfType(value, wanted)) return [[key, value]];
    if (value === null) return Array.isArray(required) && required.includes(key) ? [[key, value]] : [];
    return [[key, fitValue(value, wanted)]];
  });
  return Object.fromEntries(fitted);
}

function fitValue(value: Json, wanted: string): Json {
  if (typeof value === 'number' && wanted === 'string') return String(value);
  const read = typeof value === 'string' ? parseJson(value) : undefined;
  const isValue = typeof read === 'number' || typeof read === 'boolean' || Array.isArray(read) || isJsonObject(read);
  return isValue && isOfType(read, wanted) ? read : value;
}

function typesOf(property: Json | undefined): string[] {
  if (!isJsonObject(property)) return [];
  const { type } = property;
  const types: readonly Json[] = Array.isArray(type) ? type : [type ?? null];
  return types.every((name) => typeof name === 'string') ? types.map(String) : [];
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number';
  if (!['string', 'boolean', 'object', 'array', 'null'].includes(type)) return true;
  return nameOfType(value) === type;
}

function nameOfType(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Words in front of a name that belong to a form of calls. */
const NAME_PREFIX = /^(?:functions?|tools?|default_api|namespace\.functions)[.:/]/;

/** The offered name that a model means by a name: some leave marks of their template around it. Null if there is none. */
export function offeredName(written: string, offered: { has(name: string): boolean }): string | null {
  const plain = written.replace(/<\|[\s\S]*$/, '').replace(/^[\s"'`]+|[\s"'`]+$/g, '');
  const bare = plain.replace(NAME_PREFIX, '');
  const forms = [plain, bare, plain.replace(/:\d+$/, ''), bare.replace(/:\d+$/, '')];
  return forms.flatMap((form) => [form, form.replace('.', '__'), form.replace(/\(\)$/, '')]).find((form) => offered.has(form)) ?? null;
}

/** Signs that are part of every form of printed calls. Plain prose has none of them, and nothing more is loaded for it. */
export const SIGNS = /[<[{`_✿]/;

/** Words that begin a line in a form whose signs come later. */
export const FIRST_WORDS: readonly string[] = ['Action:', 'function call{', 'functools[', '>>>', ']<]minimax'];
