import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { EndpointProfile, Message, ModelRequest, OfferedTool } from '../../protocol/model.ts';
import { readContent } from './chunk-shapes.ts';
import { DEMANDED_FIELDS } from './endpoint-profile.ts';

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
