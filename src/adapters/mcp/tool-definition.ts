import { isHidden, isJoiner, isVariationSelector, mayJoin, mayVary } from '../../core/text/hidden-character.ts';
import { nameSome } from '../../core/text/truncate.ts';
import { isJsonObject, type Json, type JsonObject, mapTexts } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import * as messages from './messages.ts';
import { repairSchema } from './repair-schema.ts';
import { INSTRUCTIONS, type Reviewable } from './tool-pins.ts';

/** One tool of a server: as the rest of the program uses it, and a fingerprint of how it came, which tells a changed definition. */
export interface ToolDefinition extends Reviewable {
  readonly tool: Tool;
  /** The schema that the server promises for structured results. */
  readonly outputSchema?: JsonObject;
}

/** The text of a server about all its tools together. */
export interface Instructions extends Reviewable {
  /** Without hidden characters. */
  readonly text: string;
}

/** The usable tools of a listing, in a stable order, and a line for each that is not usable as it is. */
export interface ToolListing {
  readonly definitions: readonly ToolDefinition[];
  readonly warnings: readonly string[];
}

/** Everything a user approves by; a change of any of it is a different tool. */
const MEANING = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/**
 * Turns what a server listed into tools. A bad tool costs itself, never its neighbours. `mirrored`: calls carry marked arguments in
 * headers too.
 */
export function toToolListing(
  alias: string,
  listed: readonly unknown[],
  { mirrored }: { readonly mirrored: boolean } = { mirrored: false },
): ToolListing {
  const definitions = new Map<string, ToolDefinition>();
  const warnings: string[] = [];
  for (const raw of listed) {
    const name = isJsonObject(raw) ? raw.name : undefined;
    if (!isJsonObject(raw) || typeof name !== 'string' || !isToolName(name)) {
      warnings.push(messages.formatNamelessTool(alias));
    } else if (definitions.has(name)) {
      warnings.push(messages.formatListedTwice(`${alias}.${name}`));
    } else if (mirrored && findHeaderFault(raw.inputSchema) !== null) {
      warnings.push(messages.formatBadHeaderMark(`${alias}.${name}`));
    } else {
      const repaired = repairSchema(raw.inputSchema);
      warnings.push(...repaired.warnings.map((warning) => `${alias}.${name} ${warning}`));
      definitions.set(name, toDefinition(alias, name, raw, repaired.schema));
    }
  }
  const sorted = [...definitions.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  return { definitions: sorted, warnings };
}

/** The rest of longer instructions counts nowhere. */
const LONGEST_INSTRUCTIONS = 4000;

/** The instructions of a server, as it wrote them; null without any. */
export function toInstructions(raw: string | null): Instructions | null {
  const instructions = (raw ?? '').slice(0, LONGEST_INSTRUCTIONS);
  const text = stripHidden(instructions).trim();
  const meaning = { instructions };
  return text === '' ? null : { name: INSTRUCTIONS, text, fingerprint: toFingerprint(meaning), meaning };
}

/** Full names of the tools that are no longer what they were: their definition changed, or they are gone. */
export function findReplaced(before: readonly ToolDefinition[], after: readonly ToolDefinition[]): ReadonlySet<string> {
  const now = new Map(after.map(({ name, fingerprint }) => [name, fingerprint]));
  const replaced = before.filter(({ name, fingerprint }) => now.get(name) !== fingerprint);
  return new Set(replaced.map(({ tool }) => tool.name));
}

const MOST_NAMED = 5;

/** One line for each difference a user should know of: a definition that changed, a tool that came or went. */
export function describeChanges(
  alias: string,
  before: readonly ToolDefinition[],
  after: readonly ToolDefinition[],
): string[] {
  const old = new Map(before.map((definition) => [definition.name, definition.fingerprint]));
  const current = new Set(after.map((definition) => definition.name));
  const changed = after.filter(({ name, fingerprint }) => old.has(name) && old.get(name) !== fingerprint);
  const added = after.flatMap(({ name }) => (old.has(name) ? [] : [name]));
  const gone = before.flatMap(({ name }) => (current.has(name) ? [] : [name]));
  const lines = changed.map(({ tool }) => messages.formatChangedDefinition(tool.name));
  if (added.length > 0) lines.push(messages.formatNewTools(alias, nameSome(added, MOST_NAMED)));
  if (gone.length > 0) lines.push(messages.formatGoneTools(alias, nameSome(gone, MOST_NAMED)));
  return lines;
}

function isToolName(name: string): boolean {
  return name.length <= 256 && /^[^\s\p{C}]+$/u.test(name);
}

function toDefinition(alias: string, name: string, raw: JsonObject, parameters: JsonObject): ToolDefinition {
  const annotations = isJsonObject(raw.annotations) ? raw.annotations : {};
  const texts = [raw.description, raw.title, annotations.title];
  const description = texts.find((text) => typeof text === 'string' && text.trim() !== '');
  const tool: Tool = {
    name: `${alias}.${name}`,
    description: typeof description === 'string' ? stripHidden(description) : name,
    parameters: mapTexts(parameters, stripHidden, { keys: (key) => key }),
    // A server's word about itself is shown and decides nothing.
    effect: 'write',
    ...(annotations.readOnlyHint === true ? { hint: 'read' } : {}),
  };
  const meaning = Object.fromEntries(Object.entries(raw).filter(([key]) => MEANING.includes(key)));
  const { outputSchema } = raw;
  return {
    name,
    tool,
    // The fingerprint is over the text as it came, hidden characters included.
    fingerprint: toFingerprint(meaning),
    ...(isJsonObject(outputSchema) ? { outputSchema } : {}),
    meaning,
  };
}

function toFingerprint(meaning: JsonObject): string {
  return new Bun.CryptoHasher('sha256').update(toCanonicalJson(meaning, 0)).digest('hex');
}

/** JSON with sorted keys. Past a depth no honest schema has, the rest is taken as it is written. */
function toCanonicalJson(value: Json, depth: number): string {
  if (depth > 400) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => toCanonicalJson(item, depth + 1)).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${toCanonicalJson(item, depth + 1)}`).join()}}`;
}

const MAY_HIDE = /[^\n\t\x20-\x7e]/;

/**
 * The text without characters that a reader does not see and a model does: controls, marks of direction, tags, and joiners or selectors
 * with nothing to act on. New lines and tabs stay.
 */
function stripHidden(text: string): string {
  if (!MAY_HIDE.test(text)) return text;
  const points = Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
  const kept = points.filter((point, at) => {
    if (point === 0x0a || point === 0x09) return true;
    const around = { before: points[at - 1] ?? 0, after: points[at + 1] ?? 0 };
    if (isJoiner(point)) return mayJoin(point, around);
    return isVariationSelector(point) ? mayVary(point, around) : !isHidden(point);
  });
  return kept.length === points.length ? text : kept.map((point) => String.fromCodePoint(point)).join('');
}

const HEADER_MARK = 'x-mcp-header';
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
  const own = Object.hasOwn(node, HEADER_MARK) ? checkMark(node, position) : null;
  if (own !== null) return own;
  for (const [key, child] of Object.entries(node)) {
    // Values are data, whatever they look like.
    if (['default', 'const', 'enum', 'examples', HEADER_MARK].includes(key)) continue;
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
  const name = node[HEADER_MARK];
  if (!isReachable) return 'place';
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'name';
  if (!TYPES.has(node.type ?? null)) return 'type';
  if (seen.has(name.toLowerCase())) return 'twice';
  seen.add(name.toLowerCase());
  return null;
}
