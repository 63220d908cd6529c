import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';

const KEY = 'x-mcp-header';
/** A name of a header (RFC 9110 §5.1). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<Json> = new Set(['string', 'integer', 'boolean']);
const MAX_DEPTH = 64;

/** Why the marks of a schema that put arguments into headers break the protocol. */
type HeaderFault = 'place' | 'name' | 'type' | 'twice';

/**
 * Looks for marks that put an argument into a header. They may stand only on a property of a plain type, reached by properties alone, with
 * a name of its own. A tool with a faulty mark must not be offered on such a connection. Null for no fault.
 */
export function findHeaderFault(schema: Json | undefined): HeaderFault | null {
  return isJsonObject(schema) ? visit(schema, { isReachable: false, isPath: true, seen: new Set(), depth: 0 }) : null;
}

interface Position {
  /** A mark may stand here. */
  readonly isReachable: boolean;
  /** Only properties lead here. */
  readonly isPath: boolean;
  readonly seen: Set<string>;
  readonly depth: number;
}

function visit(node: JsonObject, position: Position): HeaderFault | null {
  if (position.depth > MAX_DEPTH) return null;
  const own = Object.hasOwn(node, KEY) ? checkMark(node, position) : null;
  if (own !== null) return own;
  for (const [key, child] of Object.entries(node)) {
    // Values are data, whatever they look like.
    if (['default', 'const', 'enum', 'examples', KEY].includes(key)) continue;
    const fault = key === 'properties' ? visitProperties(child, position) : visitOthers(child, position);
    if (fault !== null) return fault;
  }
  return null;
}

function visitProperties(properties: Json, position: Position): HeaderFault | null {
  if (!isJsonObject(properties)) return null;
  for (const child of Object.values(properties)) {
    const below = { ...position, isReachable: position.isPath, depth: position.depth + 1 };
    const fault = isJsonObject(child) ? visit(child, below) : null;
    if (fault !== null) return fault;
  }
  return null;
}

/** Lists of schemas, schemas by name, and single ones: no mark may stand below any of them. */
function visitOthers(value: Json, position: Position): HeaderFault | null {
  const below = { ...position, isReachable: false, isPath: false, depth: position.depth + 1 };
  const nodes = Array.isArray(value) ? value : [value];
  for (const node of nodes) {
    const fault = isJsonObject(node) ? visit(node, below) : null;
    if (fault !== null) return fault;
  }
  return null;
}

function checkMark(node: JsonObject, { isReachable, seen }: Position): HeaderFault | null {
  const name = node[KEY];
  if (!isReachable) return 'place';
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'name';
  if (!TYPES.has(node.type ?? null)) return 'type';
  if (seen.has(name.toLowerCase())) return 'twice';
  seen.add(name.toLowerCase());
  return null;
}
