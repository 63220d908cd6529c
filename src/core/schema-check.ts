import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/**
 * Checks a call's arguments against the plain part of a tool's schema: required keys and the types of the top level.
 * Servers do not enforce schemas dependably, and a missing argument is better said before a person is asked.
 * The answer is null when nothing is wrong. Deeper checks are the tool's own.
 */
export function checkArguments(given: JsonObject, schema: JsonObject): string | null {
  const { required, properties } = schema;
  const missing = Array.isArray(required)
    ? required.filter((key) => typeof key === 'string' && !Object.hasOwn(given, key))
    : [];
  if (missing.length > 0) return `the argument ${missing.map((key) => `"${key}"`).join(' and ')} is missing`;
  if (!isJsonObject(properties)) return null;
  for (const [key, value] of Object.entries(given)) {
    const wanted = typesOf(properties[key]);
    if (wanted.length === 0 || wanted.some((type) => isOfType(value, type))) continue;
    return `the argument "${key}" must be of type ${wanted.join(' or ')}, not ${nameOfType(value)}`;
  }
  return null;
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
