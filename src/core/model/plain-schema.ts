import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';

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
