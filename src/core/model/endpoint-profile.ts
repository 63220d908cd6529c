/* The profile of a server: what its refusals teach, and the form of the requests that follow. */
import type { EndpointProfile } from '../../protocol/endpoint-profile.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Message, ModelRequest, OfferedTool } from '../../protocol/model.ts';
import { readContent } from './chunk-shapes.ts';
import { REASONING_FIELDS } from './completion-assembler.ts';

/** One thing that a refusal teaches about a server. */
export type Lesson =
  /** An optional field of the request that the server refuses, as a path without positions: `messages.reasoning_content`. */
  | { readonly type: 'omit'; readonly field: string }
  /** The server refuses the role `tool`, so calls and results go as text. */
  | { readonly type: 'text-tool-turns' }
  | { readonly type: 'no-tools' }
  | { readonly type: 'most-tools'; readonly count: number }
  /** The server refuses the role `system`, so its text goes in front of the first message of the user. */
  | { readonly type: 'fold-system' }
  | { readonly type: 'empty-content'; readonly form: EmptyContent }
  | { readonly type: 'content'; readonly form: NonNullable<EndpointProfile['content']> }
  /** A field that the server demands. */
  | { readonly type: 'add'; readonly field: string }
  | { readonly type: 'token-limit'; readonly field: TokenLimitField; readonly tokens: number }
  | { readonly type: 'no-stream' }
  /** Only the smallest subset of JSON Schema goes with a tool. */
  | { readonly type: 'plain-schema' }
  /** The server named nothing: every optional field is left out. */
  | { readonly type: 'plainest' };

/** `text`: no content beside calls is taken, so calls and results go as text. */
type EmptyContent = NonNullable<EndpointProfile['emptyContent']> | 'text';
type TokenLimitField = NonNullable<EndpointProfile['tokenLimit']>['field'];

/** The fields of a message or a request that any server can do without. */
export const OPTIONAL_FIELDS: readonly string[] = [
  'stream_options',
  ...REASONING_FIELDS.map((name) => `messages.${name}`),
  'messages.reasoning_details',
  'messages.tool_calls.extra_content',
  'return_progress',
  'parallel_tool_calls',
];

/** The values of fields that aish sends only to servers that demand them: the usual ones. */
export const DEMANDED_FIELDS: Readonly<Record<string, Json>> = {
  'tools.function.strict': false,
  'tools.function.parameters.additionalProperties': false,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  n: 1,
  user: 'aish',
};

/** The profile after a lesson; null if the profile holds the lesson already. */
export function applyLesson(profile: EndpointProfile, lesson: Lesson): EndpointProfile | null {
  const next = withLesson(profile, lesson);
  return JSON.stringify(next) === JSON.stringify(profile) ? null : next;
}

function withLesson(profile: EndpointProfile, lesson: Lesson): EndpointProfile {
  switch (lesson.type) {
    case 'omit':
      return { ...profile, omit: addFields(profile, [lesson.field]) };
    case 'text-tool-turns':
      return { ...profile, toolTurns: 'text' };
    case 'no-tools':
      return { ...profile, tools: 'none' };
    case 'most-tools':
      return { ...profile, mostTools: lesson.count };
    case 'fold-system':
      return { ...profile, system: 'user' };
    case 'empty-content':
      return lesson.form === 'text' ? { ...profile, toolTurns: 'text' } : { ...profile, emptyContent: lesson.form };
    case 'content':
      return { ...profile, content: lesson.form };
    case 'add':
      return { ...profile, add: [...new Set([...(profile.add ?? []), lesson.field])].sort() };
    case 'token-limit':
      return { ...profile, tokenLimit: { field: lesson.field, tokens: lesson.tokens } };
    case 'no-stream':
      return { ...profile, stream: false, omit: addFields(profile, ['stream_options']) };
    case 'plain-schema':
      return { ...profile, schema: 'plain' };
    case 'plainest':
      return { ...profile, omit: addFields(profile, OPTIONAL_FIELDS) };
  }
}

function addFields({ omit = [] }: EndpointProfile, fields: readonly string[]): readonly string[] {
  return [...new Set([...omit, ...fields])].sort();
}

/** A request in the form that a server takes, by its profile. */
export function projectRequest(request: ModelRequest, profile: EndpointProfile): ModelRequest {
  const tools = projectTools(request.tools, profile);
  const isText = profile.toolTurns === 'text' || profile.tools === 'none';
  const spoken = isText ? toTextTurns(request.messages) : request.messages;
  return { messages: profile.system === 'user' ? foldSystem(spoken) : spoken, tools };
}

function projectTools(tools: readonly OfferedTool[], { tools: taken, mostTools, schema }: EndpointProfile): readonly OfferedTool[] {
  if (taken === 'none') return [];
  const some = mostTools === undefined ? tools : tools.slice(0, mostTools);
  return schema === 'plain' ? some.map((tool) => ({ ...tool, parameters: toPlainSchema(tool.parameters) })) : some;
}

/** The messages with calls and results as text, for servers that know no such turns. Roles still alternate. */
export function toTextTurns(messages: readonly Message[]): readonly Message[] {
  const names = new Map<string, string>();
  const spoken: Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    join(spoken, toTextTurn(message, names));
  }
  return spoken;
}

function toTextTurn(message: Message, names: ReadonlyMap<string, string>): Message {
  if (message.role === 'tool') return { role: 'user', content: `[tool: ${names.get(message.toolCallId) ?? 'unknown'}] ${message.content}` };
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
  const calls = message.toolCalls.map((call) => `[calls ${call.name} ${call.arguments}]`);
  return { role: 'assistant', content: [message.content, ...calls].filter((part) => part !== '').join('\n') };
}

function join(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (last?.role !== 'user' || message.role !== 'user') {
    messages.push(message);
    return;
  }
  const images = [...(last.images ?? []), ...(message.images ?? [])];
  const joined = { role: 'user', content: `${last.content}\n\n${message.content}` } as const;
  messages[messages.length - 1] = images.length === 0 ? joined : { ...joined, images };
}

/** The system text in front of the first message of the user. */
function foldSystem(messages: readonly Message[]): readonly Message[] {
  const [system, first, ...rest] = messages;
  if (system?.role !== 'system') return messages;
  if (first?.role !== 'user') return [{ role: 'user', content: system.content }, ...messages.slice(1)];
  return [{ ...first, content: `${system.content}\n\n${first.content}` }, ...rest];
}

/** The keywords of JSON Schema that every server takes. */
const KEYWORDS: ReadonlySet<string> = new Set(['type', 'description', 'properties', 'required', 'items', 'enum']);

const TYPES: ReadonlySet<string> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);

/** True for a schema within the subset that every server takes: one type for each value, and no further keywords. */
export function isPlainSchema(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return schema === undefined;
  if (typeof schema.type !== 'string' || !TYPES.has(schema.type)) return false;
  if (!Object.keys(schema).every((name) => KEYWORDS.has(name))) return false;
  const inner = isJsonObject(schema.properties) ? Object.values(schema.properties) : [];
  return inner.every(isPlainSchema) && isPlainSchema(schema.items);
}

/** The nearest schema within that subset. It allows more than the original; the server of the tool checks the arguments. */
export function toPlainSchema(schema: Json | undefined): JsonObject {
  const one = mainVariant(schema);
  const type = typeOf(one);
  const plain: Record<string, Json> = { type };
  if (typeof one.description === 'string') plain.description = one.description;
  if (Array.isArray(one.enum) && type === 'string') {
    const values = one.enum.filter((value: Json) => typeof value === 'string');
    if (values.length > 0) plain.enum = values;
  }
  if (type === 'array') plain.items = toPlainSchema(one.items ?? { type: 'string' });
  if (type === 'object') {
    const properties = isJsonObject(one.properties) ? one.properties : {};
    plain.properties = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, toPlainSchema(inner)]));
    const required = Array.isArray(one.required) ? one.required.filter((name: Json) => typeof name === 'string' && name in properties) : [];
    if (required.length > 0) plain.required = required;
  }
  return plain;
}

/** The first variant that is not null, or all parts joined. */
function mainVariant(schema: Json | undefined): JsonObject {
  if (!isJsonObject(schema)) return {};
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (Array.isArray(variants)) {
    const chosen = variants.find((one: Json) => isJsonObject(one) && one.type !== 'null');
    const { anyOf: _, oneOf: __, ...rest } = schema;
    return { ...mainVariant(chosen), ...rest };
  }
  if (!Array.isArray(schema.allOf)) return schema;
  const { allOf, ...rest } = schema;
  return Object.assign({}, ...allOf.map(mainVariant), rest);
}

function typeOf({ type, properties, items, enum: values, const: only }: JsonObject): string {
  const named = Array.isArray(type) ? type.find((one: Json) => typeof one === 'string' && one !== 'null') : type;
  if (typeof named === 'string' && TYPES.has(named)) return named;
  if (properties !== undefined) return 'object';
  if (items !== undefined) return 'array';
  const sample = Array.isArray(values) ? values[0] : only;
  return typeof sample === 'number' || typeof sample === 'boolean' ? typeof sample : 'string';
}

/** The body of a request with the fields that the profile of its server leaves out, adds or writes in another form. */
export function withProfile(body: JsonObject, profile: EndpointProfile): JsonObject {
  const { stream, tokenLimit, emptyContent, content, progress, omit = [], add = [] } = profile;
  const formed: JsonObject = {
    ...body,
    ...((emptyContent !== undefined || content !== undefined) && Array.isArray(body.messages)
      ? { messages: body.messages.map((message: Json) => inForm(withContent(message, emptyContent), content)) }
      : {}),
    ...(stream === false ? { stream } : {}),
    ...(progress === true && stream !== false ? { return_progress: true } : {}),
    ...(tokenLimit === undefined ? {} : { [tokenLimit.field]: tokenLimit.tokens }),
  };
  const whole = add.reduce<JsonObject>((rest, path) => {
    const isForTools = path.startsWith('tool') || path.startsWith('parallel');
    return isForTools && rest.tools === undefined ? rest : withField(rest, path.split('.'), DEMANDED_FIELDS[path] ?? null);
  }, formed);
  return omit.reduce<JsonObject>((rest, path) => without(rest, path.split('.')), whole);
}

/** The object with a field that it has not; a list on the way stands for each of its entries. */
function withField(value: JsonObject, [name = '', ...rest]: readonly string[], given: Json): JsonObject {
  if (rest.length === 0) return { [name]: given, ...value };
  const inner = value[name];
  if (Array.isArray(inner)) return { ...value, [name]: inner.map((one: Json) => (isJsonObject(one) ? withField(one, rest, given) : one)) };
  return isJsonObject(inner) ? { ...value, [name]: withField(inner, rest, given) } : value;
}

/** A message with its content as a list of parts, or as text without images. */
function inForm(message: Json, form: EndpointProfile['content']): Json {
  if (!isJsonObject(message) || form === undefined) return message;
  const { content } = message;
  if (form === 'parts')
    return typeof content === 'string' ? { ...message, content: content === '' ? [] : [{ type: 'text', text: content }] } : message;
  return Array.isArray(content) ? { ...message, content: readContent(content).text } : message;
}

/** A message that has only calls, with its content in the form that the server takes. */
function withContent(message: Json, form: EndpointProfile['emptyContent']): Json {
  if (form === undefined || !isJsonObject(message) || message.content !== '' || message.role !== 'assistant') return message;
  if (form === 'null') return { ...message, content: null };
  if (form === 'space') return { ...message, content: ' ' };
  const { content: _, ...rest } = message;
  return rest;
}

/** The object without a field; a list on the way stands for each of its entries. */
function without(value: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const inner = value[name];
  if (inner === undefined) return value;
  if (rest.length === 0) {
    const { [name]: _, ...others } = value;
    return others;
  }
  return { ...value, [name]: withoutInside(inner, rest) };
}

function withoutInside(value: Json, path: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((one: Json) => withoutInside(one, path));
  return isJsonObject(value) ? without(value, path) : value;
}
