import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { EndpointProfile } from '../../protocol/model.ts';

/** The body of a request with the fields that the profile of its server leaves out, adds or writes in another form. */
export function withProfile(body: JsonObject, profile: EndpointProfile): JsonObject {
  const { stream, tokenLimit, emptyContent, progress, omit = [] } = profile;
  const formed: JsonObject = {
    ...body,
    ...(emptyContent !== undefined && Array.isArray(body.messages)
      ? { messages: body.messages.map((message: Json) => withContent(message, emptyContent)) }
      : {}),
    ...(stream === false ? { stream } : {}),
    ...(progress === true && stream !== false ? { return_progress: true } : {}),
    ...(tokenLimit === undefined ? {} : { [tokenLimit.field]: tokenLimit.tokens }),
  };
  return omit.reduce<JsonObject>((rest, path) => without(rest, path.split('.')), formed);
}

/** A message that has only calls, with its content in the form that the server takes. */
function withContent(message: Json, form: NonNullable<EndpointProfile['emptyContent']>): Json {
  if (!isJsonObject(message) || message.content !== '' || message.role !== 'assistant') return message;
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
