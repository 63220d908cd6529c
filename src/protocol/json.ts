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
