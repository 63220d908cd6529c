import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { offeredName } from '../model-call.ts';
import {
  match,
  type Offered,
  type PrintedCall,
  propertiesOf,
  type Read,
  readLiteral,
  readWord,
  skipBlanks,
  skipComma,
  toCalls,
  toTyped,
} from './printed-call.ts';

/**
 * The forms in which models print calls. Between the marks of a form stand few kinds of bodies, and models mix marks and bodies freely, so
 * marks are skipped wherever they stand, and each reader below reads one kind of body.
 */
type BodyReader = (text: string, at: number, offered: Offered) => Read<readonly PrintedCall[]> | null;

/** Some models put their own name in front of the names of tags. DeepSeek doubles the bars around it at times. */
const NAMESPACE = String.raw`(?:[\w-]+:|longcat_|[｜‖|]{1,2}\w+[｜‖|]{1,2})?`;

/** The marks around and between calls. */
const MARKS: readonly string[] = [
  // Some put the id of a call between two marks.
  String.raw`<\|tool_call:begin\|>\w*`,
  // The special tokens of chat templates.
  String.raw`<\|[^|<>\n]{1,60}\|?>`,
  String.raw`<[^|<>\n]{1,60}\|>`,
  String.raw`<｜[^｜<>\n]{1,60}｜>`,
  String.raw`<\/?${NAMESPACE}(?:tool_?calls?|function_?calls?|tools?|tool_code|tool_use|TOOLCALLS?|steptml)>`,
  String.raw`<(?:start|end)_(?:function_call|of_turn)>(?:model\b)?`,
  String.raw`\[(?:\/?(?:TOOL_CALLS?|ARGS)|(?:END_)?TOOL_REQUEST)\]`,
  String.raw`\[CALL_ID\]\w*`,
  String.raw`\[unused\d+\]|\[\|\w+\|\]|<role>\w+<\/role>|<tool_sep>|✿[A-Z]+✿:?`,
  String.raw`<\/?s>`,
  String.raw`functools(?=\s*\[)`,
];

const MARK = new RegExp(`(?:${MARKS.join('|')})`, 'y');

/** The tags that hold a name. */
const CALL_TAG = 'invoke|tool_call|function_call|function|tool|tool_use|use_tool|call';
const NAMED_TAG = String.raw`<${NAMESPACE}(?:${CALL_TAG})\s+name\s*=\s*["']?([^"'<>\s]+)["']?[^<>]*>`;
const FUNCTION_TAG = String.raw`<function=["']?([^"'<>\s]+?)["']?>`;

/** The places where a printed call may begin: marks that no other text has. */
export const OPENER = new RegExp(`${MARKS.slice(0, -2).join('|')}|functools(?=\\s*\\[)|${FUNCTION_TAG}|${NAMED_TAG}|<invoke>`, 'g');

/** Marks of newer models, and the marks that say the same in the forms below. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
  // MiniMax M3 puts its own mark in front of each tag, and Hunyuan 3 a word behind each name.
  [/\]<\]minimax\[>\[/g, ''],
  [/(?<=<\/?\w+):opensource(?=>)/g, ''],
  // Kimi K3, and the beginning of a mark at its end
  [/<\|(?:open|close)\|>[^<>]*(?:<(?:\|(?:s(?:e(?:p\|?)?)?)?)?)?$/, ''],
  [/<\|open\|>call tool="([^"<>]*)"[^<>]*<\|sep\|>/g, '<invoke name="$1">'],
  [/<\|open\|>argument key="([^"<>]*)"[^<>]*<\|sep\|>/g, '<parameter name="$1">'],
  [/<\|close\|>argument<\|sep\|>/g, '</parameter>'],
  [/<\|close\|>call<\|sep\|>/g, '</invoke>'],
  [/<\|(?:open|close)\|>(?:tools|response|message|json)\b[^<>]*<\|sep\|>/g, ''],
];

/** A text with the marks that the readers know. */
export function toKnownMarks(text: string): string {
  if (!/minimax|:opensource|<\|sep\|>/.test(text)) return text;
  return REWRITES.reduce((known, [mark, same]) => known.replace(mark, same), text);
}

const FENCE = /```(?:json|python|tool_code|tool_calls?|tool|plaintext|text)?[ \t]*(?=\n|<|$)|~~~/y;

/** Words in front of a mark or a list. */
const LEADING = /Action:(?=\s*```)|(?:assistant|function)(?=\s*<)|function call(?=\{)|>>>(?=[\w.]+\n\{)/y;

/** Lines that begin a call in a form without marks. */
export const WEAK_START = new RegExp(
  [
    String.raw`^\s*(?:[{[]|<\w+>|`,
    '```(?:json|tool_code|tool_calls?|tool)?[ \\t]*$',
    String.raw`|Action:|(?:assistant)?(?:commentary )?to=|function call\{|>>>|[\w.]+(?::\d+)?\s*(?:\(|\{|$))`,
  ].join(''),
);

/** Reads calls up to the end of a text. Null if anything but calls and their marks stands there. */
export function readCallsToEnd(text: string, from: number, offered: Offered): readonly PrintedCall[] | null {
  const { value, end } = readCalls(text, from, offered);
  return value.length > 0 && end === text.length ? value : null;
}

/** Reads calls and their marks, up to the first place with anything else. */
export function readCalls(text: string, from: number, offered: Offered): Read<readonly PrintedCall[]> {
  const calls: PrintedCall[] = [];
  for (let at = skipBlanks(text, from); ; at = skipBlanks(text, at)) {
    if (at >= text.length) return { value: calls, end: text.length };
    const skipped = skipMark(text, at, calls.length > 0);
    const body = skipped > at ? { value: [], end: skipped } : readBody(text, at, offered);
    if (body === null) return { value: calls, end: at };
    calls.push(...body.value);
    at = body.end;
  }
}

/** The place behind a mark, a fence, or a sign between two calls. */
function skipMark(text: string, at: number, isBehindCall: boolean): number {
  const mark = match(MARK, text, at) || match(FENCE, text, at) || match(LEADING, text, at);
  if (mark !== '') return at + mark.length;
  return isBehindCall && /[,;]/.test(text[at] ?? '') ? at + 1 : at;
}

function readBody(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  for (const read of BODIES) {
    const body = read(text, at, offered);
    if (body !== null) return body;
  }
  return null;
}

const BODIES: readonly BodyReader[] = [
  readJsonCalls,
  readTaggedCall,
  readOldInvoke,
  readToolTag,
  readOwnForm,
  readAction,
  readPythonList,
  readNamedCall,
];

function readJsonCalls(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  if (text[at] !== '{' && text[at] !== '[') return null;
  const read = readLiteral(text, at);
  const calls = read === null ? null : (toCalls(read.value, offered) ?? toKeyedCalls(read.value, offered));
  return read === null || calls === null ? null : { value: calls, end: read.end };
}

/** Calls whose names are keys: `[{"read": {"path": "a"}}]`. */
function toKeyedCalls(value: Json, offered: Offered): readonly PrintedCall[] | null {
  const calls = (Array.isArray(value) ? value : []).map((one: Json) => {
    const [entry, ...others] = isJsonObject(one) ? Object.entries(one) : [];
    const name = entry === undefined ? null : offeredName(entry[0], offered);
    return name !== null && others.length === 0 && isJsonObject(entry?.[1]) ? { name, arguments: entry[1] } : null;
  });
  return calls.length > 0 && calls.every((call) => call !== null) ? calls : null;
}

/** A tag with a name, then parameters in tags or an object: `<function=read>`, `<invoke name="read">`. */
function readTaggedCall(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  const tag = new RegExp(`(?:${FUNCTION_TAG}|${NAMED_TAG})`, 'y');
  tag.lastIndex = at;
  const found = tag.exec(text);
  const name = offeredName(found?.[1] ?? found?.[2] ?? '', offered);
  if (found === null || name === null) return null;
  const given = readParameters(text, at + found[0].length, offered.get(name));
  return { value: [{ name, arguments: given.value }], end: given.end };
}

const CLOSED_CALL = new RegExp(`</${NAMESPACE}(?:${CALL_TAG}|parameters|arguments)>`, 'y');
const PARAMETER_TAG = '(?:parameter|param|arg|argument)';
const PARAMETER = new RegExp(`<${NAMESPACE}${PARAMETER_TAG}(?:=|\\s+name\\s*=\\s*)["']?([^"'<>\\s]+)["']?([^<>]*)>`, 'y');
const PARAMETER_END = new RegExp(`</${NAMESPACE}${PARAMETER_TAG}>|(?=<parameter=|</function>|</tool_call>)|$`);
const ELEMENT = /<([a-zA-Z_]\w*)>/y;

/** Reads the parameters of a call up to the end tag of the call: tags, pairs of key and value, or one object. */
function readParameters(text: string, from: number, schema: JsonObject | undefined): Read<JsonObject> {
  const given: Record<string, Json> = {};
  let at = skipBlanks(text, from);
  for (;;) {
    const close = match(CLOSED_CALL, text, at) || match(/<(?:parameters|arguments)>/y, text, at);
    if (/^<[pa]/.test(close)) at = skipBlanks(text, at + close.length);
    else if (close !== '') return { value: given, end: closeAll(text, at) };
    const parameter = readParameter(text, at, schema) ?? readElement(text, at, schema) ?? readPair(text, at, schema);
    if (parameter !== null) {
      given[parameter.value[0]] = parameter.value[1];
      at = skipBlanks(text, parameter.end);
      continue;
    }
    const object = text[at] === '{' ? readLiteral(text, at) : null;
    if (object === null || !isJsonObject(object.value)) {
      if (close === '') return { value: given, end: at };
      continue;
    }
    Object.assign(given, object.value);
    at = skipBlanks(text, object.end);
  }
}

function closeAll(text: string, from: number): number {
  let at = from;
  for (let close = match(CLOSED_CALL, text, at); close !== ''; close = match(CLOSED_CALL, text, at))
    at = skipBlanks(text, at + close.length);
  return at;
}

type Parameter = readonly [string, Json];

function readParameter(text: string, at: number, schema: JsonObject | undefined): Read<Parameter> | null {
  PARAMETER.lastIndex = at;
  const found = PARAMETER.exec(text);
  const key = found?.[1];
  if (found === null || key === undefined) return null;
  const start = at + found[0].length;
  const rest = text.slice(start);
  const end = PARAMETER_END.exec(rest);
  const value = trimLines(rest.slice(0, end?.index));
  const isText = /string\s*=\s*["']?true/.test(found[2] ?? '');
  return { value: [key, isText ? value : toTyped(value, key, schema)], end: start + (end?.index ?? 0) + (end?.[0].length ?? 0) };
}

/** An element named like a parameter: `<path>note.txt</path>`. */
function readElement(text: string, at: number, schema: JsonObject | undefined): Read<Parameter> | null {
  ELEMENT.lastIndex = at;
  const key = ELEMENT.exec(text)?.[1];
  if (key === undefined || !Object.hasOwn(propertiesOf(schema), key)) return null;
  const start = at + key.length + 2;
  const end = text.indexOf(`</${key}>`, start);
  if (end === -1) return null;
  return { value: [key, toTyped(trimLines(text.slice(start, end)), key, schema)], end: end + key.length + 3 };
}

/** A key and a value in tags of their own, as GLM writes them. */
function readPair(text: string, at: number, schema: JsonObject | undefined): Read<Parameter> | null {
  const pair =
    /<(?:longcat_)?arg_key>([^<]*)<\/(?:longcat_)?arg_key>\s*<(?:longcat_)?arg_value>([\s\S]*?)(?:<\/(?:longcat_)?arg_value>|$)/y;
  pair.lastIndex = at;
  const found = pair.exec(text);
  const key = found?.[1]?.trim();
  if (found === null || key === undefined || key === '') return null;
  return { value: [key, toTyped(trimLines(found[2] ?? ''), key, schema)], end: at + found[0].length };
}

/** Without the line breaks that the form puts around a value. */
function trimLines(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}

/** `<invoke><tool_name>read</tool_name><parameters>…`, or the same behind another mark, as older templates print it. */
function readOldInvoke(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  const head = /(?:<invoke>\s*)?<(?:tool_name|name)>([^<]*)<\/(?:tool_name|name)>/y;
  head.lastIndex = at;
  const found = head.exec(text);
  const name = offeredName(found?.[1] ?? '', offered);
  if (found === null || name === null) return null;
  const given = readParameters(text, at + found[0].length, offered.get(name));
  return { value: [{ name, arguments: given.value }], end: given.end };
}

/** A tag named like the tool: `<read><path>a</path></read>`. */
function readToolTag(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  const tag = match(ELEMENT, text, at);
  const name = offeredName(tag.slice(1, -1), offered);
  if (name === null) return null;
  const given = readParameters(text, at + tag.length, offered.get(name));
  const close = `</${tag.slice(1)}`;
  return text.startsWith(close, given.end) ? { value: [{ name, arguments: given.value }], end: given.end + close.length } : null;
}

/** `[calls aish.read {"path": "a"}]`: the form in which aish itself writes calls for templates without tools. */
function readOwnForm(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  const head = match(/\[calls\s+/y, text, at);
  if (head === '') return null;
  const call = readNamedCall(text, at + head.length, offered);
  const end = call === null ? -1 : skipBlanks(text, call.end);
  return call === null || text[end] !== ']' ? null : { value: call.value, end: end + 1 };
}

/** `Action: read`, then `Action Input: {"path": "a"}`. */
function readAction(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  const action = /Action:\s*([\w.-]+)\s*\n\s*Action Input:/y;
  action.lastIndex = at;
  const found = action.exec(text);
  const name = offeredName(found?.[1] ?? '', offered);
  if (found === null || name === null) return null;
  const given = readLiteral(text, at + found[0].length);
  return given === null || !isJsonObject(given.value) ? null : { value: [{ name, arguments: given.value }], end: given.end };
}

/** `[read(path="a"), list()]`. */
function readPythonList(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  if (text[at] !== '[') return null;
  const calls: PrintedCall[] = [];
  for (let next = skipBlanks(text, at + 1); next < text.length; ) {
    if (text[next] === ']') return calls.length === 0 ? null : { value: calls, end: next + 1 };
    const call = readPythonCall(text, next, offered);
    if (call === null) return null;
    calls.push(call.value);
    next = skipComma(text, call.end, ']');
    if (next === -1) return null;
  }
  return null;
}

/** `read(path="a")`. A value without a key is the next parameter of the schema. */
function readPythonCall(text: string, at: number, offered: Offered): Read<PrintedCall> | null {
  const head = match(/[\w.]+\s*\(/y, text, at);
  const name = offeredName(head.replace(/\s*\($/, '').replace(/\.call$/, ''), offered);
  if (name === null) return null;
  const positions = Object.keys(propertiesOf(offered.get(name)));
  const given: Record<string, Json> = {};
  for (let next = skipBlanks(text, at + head.length), place = 0; next < text.length; place += 1) {
    if (text[next] === ')') return { value: { name, arguments: given }, end: next + 1 };
    const word = readWord(text, next);
    const sign = word === null ? -1 : skipBlanks(text, word.end);
    const isNamed = word !== null && (text[sign] === '=' || text[sign] === ':');
    const key = isNamed ? word.value : positions[place];
    const value = readLiteral(text, isNamed ? sign + 1 : next);
    if (key === undefined || value === null) return null;
    // An object in the place of a text holds all arguments, as in JavaScript.
    const isWhole = place === 0 && !isNamed && isJsonObject(value.value) && text[skipBlanks(text, value.end)] === ')';
    if (isWhole && toTyped('{}', key, offered.get(name)) === '{}') Object.assign(given, value.value);
    else given[key] = value.value;
    next = skipComma(text, value.end, ')');
    if (next === -1) return null;
  }
  return null;
}

/** Words between the marks that say who speaks and to whom. */
const ROLES = /(?:(?:assistant|commentary|analysis|function(?![\w.])|to=|call:)\s*)*/y;
/** Marks and words between a name and its arguments. */
const BETWEEN = new RegExp(`(?:\\s+|${MARKS.join('|')}|commentary\\b|json\\b|code\\b|\`\`\`(?:json)?)*`, 'y');

/** A name, then its arguments as an object, as pairs, in parentheses, or none. */
function readNamedCall(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  const printed = match(/print\(/y, text, at);
  if (printed !== '') return readPrinted(text, at + printed.length, offered);
  const python = readPythonCall(text, at, offered);
  if (python !== null) return { value: [python.value], end: python.end };
  const roles = match(ROLES, text, at);
  const between = match(new RegExp(`(?:${MARKS.join('|')}|\\s)*`, 'y'), text, at + roles.length);
  for (const start of [at, at + roles.length, at + roles.length + between.length]) {
    const head = match(/[\w.-]+(?::\d+)?/y, text, start);
    const name = offeredName(head, offered);
    if (name === null) continue;
    return readNamedArguments(text, start + head.length, name, offered);
  }
  return null;
}

function readPrinted(text: string, at: number, offered: Offered): Read<readonly PrintedCall[]> | null {
  const call = readPythonCall(text, at, offered);
  const end = call === null ? -1 : skipBlanks(text, call.end);
  return call === null || text[end] !== ')' ? null : { value: [call.value], end: end + 1 };
}

function readNamedArguments(text: string, from: number, name: string, offered: Offered): Read<readonly PrintedCall[]> | null {
  const at = from + match(BETWEEN, text, from).length;
  if (text[at] === '{') {
    const given = readLiteral(text, at);
    return given === null || !isJsonObject(given.value) ? null : { value: [{ name, arguments: given.value }], end: given.end };
  }
  const next = from + match(/(?:\s|<tool_sep>)*/y, text, from).length;
  const given = readParameters(text, next, offered.get(name));
  const isMarked = text.startsWith('<', next) || next >= text.length;
  return isMarked ? { value: [{ name, arguments: given.value }], end: given.end } : null;
}
