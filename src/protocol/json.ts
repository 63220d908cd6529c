/** Any value that survives a round trip through JSON. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object: tool arguments, schemas. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a plain JSON object; the door between `unknown` and typed data. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value that a JSON text stands for; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object that a JSON text stands for; null for any other text. */
export function parseJsonObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/** A JSON object with every text in it changed, and the names of its keys too, unless `keys` says otherwise. */
export function mapTexts(
  value: JsonObject,
  change: (text: string) => string,
  { keys = change }: { readonly keys?: (key: string) => string } = {},
): JsonObject {
  const map = (one: Json): Json => {
    if (typeof one === 'string') return change(one);
    if (isJsonObject(one)) return mapTexts(one, change, { keys });
    return typeof one === 'object' && one !== null ? one.map(map) : one;
  };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [keys(key), map(one)]));
}

/** JSON in one line with nothing in it that a terminal or a reader of lines takes for more than text; reading it gives the same value. */
export function toSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\udb40]|(?<=\udb40)[\udc00-\udfff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** An object of optional fields without those that have no value: none of them is present with undefined. */
export function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> };
export function omitUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
