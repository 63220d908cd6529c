import { sha256 } from '../text/sha256.ts';

/** A tool's name in two parts. The alias has no dot; the tool's own name may have some. */
interface ToolName {
  readonly alias: string;
  readonly tool: string;
}

/** A function name that every server accepts. */
export const WIRE_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Splits `alias.tool` at its first dot; null when one of the parts is missing. */
export function parseToolName(name: string): ToolName | null {
  const dot = name.indexOf('.');
  if (dot <= 0 || dot === name.length - 1) return null;
  return { alias: name.slice(0, dot), tool: name.slice(dot + 1) };
}

/**
 * The name a tool has on the wire: `alias__tool` where that is allowed and can be read in one way only, else a readable
 * beginning and a hash. It depends on this name alone, so offering another tool never renames this one.
 *
 * The two forms never meet: the plain one holds `__`, the hashed one never does. Two plain ones never meet because the alias
 * ends at the first `__`.
 */
export function toWireName(name: string): string {
  const parsed = parseToolName(name);
  if (parsed === null) return WIRE_NAME.test(name) ? name : toHashedName('', name, 10);
  const { alias, tool } = parsed;
  const plain = `${alias}__${tool}`;
  const unambiguous = !alias.includes('__') && !alias.endsWith('_');
  return unambiguous && WIRE_NAME.test(plain) ? plain : toHashedName(alias, tool, 10);
}

function toHashedName(alias: string, tool: string, digits: number): string {
  const readable = `${alias}_${tool}`.replace(/[^a-zA-Z0-9-]+/g, '_').replace(/^_+/, '');
  const kept = readable.slice(0, 63 - digits).replace(/(?<!_)_+$/, '');
  return `${kept === '' ? 'tool' : kept}_${sha256(`${alias}\0${tool}`).slice(0, digits)}`;
}

/** Whether the list of a command offers a tool. */
export function isOffered(name: string, tools: readonly string[]): boolean {
  return tools.some((one) => one === name || (one.endsWith('.*') && name.startsWith(one.slice(0, -1))));
}
