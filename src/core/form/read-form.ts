import { type Form, type FormField, type FormOption, TEXT_FORMATS } from '../../protocol/form.ts';
import { isJsonObject, type Json, type JsonObject, omitUndefined } from '../../protocol/json.ts';

/** A form with more fields than this is refused: nobody would read them. */
const MOST_FIELDS = 50;
const MOST_OPTIONS = 200;

/** A request of a server as the protocol has it. */
export type ServerRequest =
  | { readonly mode: 'form'; readonly alias: string; readonly message: string; readonly schema: JsonObject }
  | { readonly mode: 'url'; readonly alias: string; readonly message: string; readonly url: string };

/** The form of a request; null if it asks for what no form of MCP has. */
export function readForm(request: ServerRequest): Form | null {
  const { alias: server, message } = request;
  if (request.mode === 'url') return isWebAddress(request.url) ? { server, message, fields: [], url: request.url } : null;
  const { properties, required } = request.schema;
  if (!isJsonObject(properties)) return null;
  const names = Object.entries(properties);
  if (names.length > MOST_FIELDS) return null;
  const needed = textsOf(required) ?? [];
  const fields = names.map(([name, schema]) => readField(name, schema, needed.includes(name)));
  return fields.every((field) => field !== null) ? { server, message, fields } : null;
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s/?#]+\S*$/i.test(url);
}

function readField(name: string, schema: Json | undefined, isRequired: boolean): FormField | null {
  if (!isJsonObject(schema)) return null;
  const title = textOf(schema.title) ?? name;
  const any = { name, title, isRequired, ...omitUndefined({ about: textOf(schema.description) }) };
  switch (schema.type) {
    case 'string':
      return readText(any, schema);
    case 'number':
    case 'integer':
      return {
        ...any,
        type: 'number',
        isInteger: schema.type === 'integer',
        ...omitUndefined({
          minimum: numberOf(schema.minimum),
          maximum: numberOf(schema.maximum),
          preset: numberOf(schema.default),
        }),
      };
    case 'boolean':
      return { ...any, type: 'boolean', ...(typeof schema.default === 'boolean' ? { preset: schema.default } : {}) };
    case 'array':
      return readChoices(any, schema);
    default:
      return null;
  }
}

type Any = Pick<FormField, 'name' | 'title' | 'about' | 'isRequired'>;

function readText(any: Any, schema: JsonObject): FormField | null {
  const preset = omitUndefined({ preset: textOf(schema.default) });
  if (schema.enum !== undefined || schema.oneOf !== undefined) {
    const options = readOptions(schema, schema.oneOf);
    return options === null ? null : { ...any, type: 'choice', options, ...preset };
  }
  const format = TEXT_FORMATS.find((known) => known === schema.format);
  const lengths = { minLength: numberOf(schema.minLength), maxLength: numberOf(schema.maxLength) };
  return { ...any, type: 'text', ...omitUndefined({ format, ...lengths }), ...preset };
}

function readChoices(any: Any, schema: JsonObject): FormField | null {
  const { items } = schema;
  const options = isJsonObject(items) ? readOptions(items, items.anyOf ?? items.oneOf) : null;
  if (options === null) return null;
  const limits = { minItems: numberOf(schema.minItems), maxItems: numberOf(schema.maxItems) };
  return { ...any, type: 'choices', options, ...omitUndefined({ ...limits, preset: textsOf(schema.default) }) };
}

/** The values of an `enum`, with the titles of the older form `enumNames`, or those of `titled`. */
function readOptions(schema: JsonObject, titled: Json | undefined): readonly FormOption[] | null {
  if (Array.isArray(titled)) {
    const options = titled.flatMap((one: Json) => {
      const value = isJsonObject(one) ? textOf(one.const) : undefined;
      return value === undefined || !isJsonObject(one) ? [] : [{ value, title: textOf(one.title) ?? value }];
    });
    return fit(options, titled.length);
  }
  const values = textsOf(schema.enum);
  const names = textsOf(schema.enumNames) ?? [];
  return values === undefined
    ? null
    : fit(
        values.map((value, at) => ({ value, title: names[at] ?? value })),
        values.length,
      );
}

function fit(options: readonly FormOption[], wanted: number): readonly FormOption[] | null {
  return options.length === wanted && wanted > 0 && wanted <= MOST_OPTIONS ? options : null;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textsOf(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item: Json) => typeof item === 'string');
  return texts.length === value.length ? texts : undefined;
}
