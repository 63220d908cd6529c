import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { offeredName } from '../model-call.ts';
import { type Read, readLiteral } from './literal.ts';

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
