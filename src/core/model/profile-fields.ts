import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { EndpointProfile } from '../../protocol/model.ts';
import { DEMANDED_FIELDS } from './endpoint-profile.ts';
import { readContent } from './message-parts.ts';

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
