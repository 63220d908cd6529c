import { decodeUri } from '../../core/text/attempt.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { formatDropped, NO_SCHEMA, NOT_OBJECT_SCHEMA } from './messages.ts';

/** A schema a model server takes, and what had to be changed for it. */
interface RepairedSchema {
  readonly schema: JsonObject;
  readonly warnings: readonly string[];
}

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const ONE = `items additionalProperties contains propertyNames not if then else unevaluatedProperties
  additionalItems`.split(/\s+/);
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const MAX_DEPTH = 48;

/**
 * Makes a tool's input schema acceptable to every model server. One dangling `$ref` or unknown `type` makes llama.cpp refuse the
 * whole request, every other tool with it; a part that cannot be kept becomes `{}`, and the server still checks the arguments itself.
 */
export function repairSchema(input: unknown): RepairedSchema {
  if (!isJsonObject(input)) return { schema: emptySchema(), warnings: [NO_SCHEMA] };
  const repair = new Repair(input);
  const schema = repair.part(input, 0);
  if (!isJsonObject(schema) || ('type' in schema && schema.type !== 'object' && !includesObject(schema.type)))
    return { schema: emptySchema(), warnings: [...repair.warnings, NOT_OBJECT_SCHEMA] };
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return { schema: { ...schema, type: 'object', properties }, warnings: repair.warnings };
}

function emptySchema(): JsonObject {
  return { type: 'object', properties: {} };
}

function includesObject(type: Json | undefined): boolean {
  return Array.isArray(type) && type.includes('object');
}

class Repair {
  readonly warnings: string[] = [];
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  part(value: Json, depth: number): Json {
    if (typeof value === 'boolean') return {};
    if (!isJsonObject(value)) return this.#drop('a part that is not a schema');
    if (depth > MAX_DEPTH) return this.#drop(`parts nested deeper than ${MAX_DEPTH}`);
    if (value.$ref !== undefined && !this.#resolves(value.$ref)) {
      this.#drop(`a $ref to the missing ${JSON.stringify(value.$ref).slice(0, 80)}`);
      return typeof value.description === 'string' ? { description: value.description } : {};
    }
    return Object.fromEntries(Object.entries(value).flatMap(([key, child]) => this.#entry(key, child, depth)));
  }

  #entry(key: string, child: Json, depth: number): [string, Json][] {
    if (key === 'type') return this.#type(child);
    if (key === 'required') return this.#required(child);
    if (MAPS.includes(key)) return this.#map(key, child, depth);
    if (LISTS.includes(key) && Array.isArray(child)) return [[key, child.map((item) => this.part(item, depth + 1))]];
    if (!ONE.includes(key)) return [[key, child]];
    // `additionalProperties: false` and the like mean something as they are.
    return [[key, typeof child === 'boolean' ? child : this.part(child, depth + 1)]];
  }

  #map(key: string, child: Json, depth: number): [string, Json][] {
    if (!isJsonObject(child)) {
      this.#drop(`a "${key}" that is not an object`);
      return [];
    }
    return [[key, Object.fromEntries(Object.entries(child).map(([name, part]) => [name, this.part(part, depth + 1)]))]];
  }

  #type(child: Json): [string, Json][] {
    const types = (Array.isArray(child) ? child : [child]).filter(
      (type) => typeof type === 'string' && TYPES.has(type),
    );
    const asked = Array.isArray(child) ? child.length : 1;
    if (types.length < asked) this.#drop(`the unknown type ${JSON.stringify(child).slice(0, 80)}`);
    const [only] = types;
    if (only === undefined) return [];
    return [['type', types.length === 1 && !(Array.isArray(child) && asked === 1) ? only : types]];
  }

  #required(child: Json): [string, Json][] {
    if (Array.isArray(child)) return [['required', child.filter((name) => typeof name === 'string')]];
    // Drafts before 4 marked a property itself; as a list it would be refused.
    this.#drop('a "required" that is not a list');
    return [];
  }

  #resolves(reference: Json): boolean {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
    let place: Json | undefined = this.#root;
    for (const step of reference.slice(1).split('/').slice(1)) {
      const name = decodeUri(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(place)) place = place[Number(name)];
      else place = isJsonObject(place) && Object.hasOwn(place, name) ? place[name] : undefined;
    }
    return place !== undefined && /^#(\/|$)/.test(reference);
  }

  #drop(what: string): JsonObject {
    const warning = formatDropped(what);
    if (!this.warnings.includes(warning)) this.warnings.push(warning);
    return {};
  }
}
