import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { sha256 } from '../text/sha256.ts';
import { readLines } from './own-text.ts';

/** The most `CMD:` lines one answer may propose. */
const MOST_COMMANDS = 16;

/**
 * The shell commands a final answer proposes: lines that begin with `CMD:`, outside code fences, block quotes, quotations and HTML. An
 * example must not become a proposal, so doubt means no.
 */
export function extractCommands(answer: string): string[] {
  // Some servers leave the thoughts in the text, and their first mark away.
  const own = answer.slice(Math.max(0, answer.lastIndexOf('</think>')));
  if (!own.includes('CMD:')) return [];
  const commands: string[] = [];
  for (const { text, isOwn } of readLines(own, (line) => commandOf(line) !== null)) {
    const command = isOwn ? commandOf(text) : null;
    if (command !== null) commands.push(command);
  }
  return commands.slice(0, MOST_COMMANDS);
}

function commandOf(line: string): string | null {
  if (!line.startsWith('CMD:')) return null;
  const text = line.slice(4).trim();
  const inCode = /^`([^`]+)`$/.exec(text)?.[1];
  const command = (inCode ?? text).trim();
  return command === '' ? null : command;
}

/**
 * Checks a call's arguments against the plain part of a tool's schema: required keys and the types of the top level. Servers do not enforce
 * schemas dependably, and a missing argument should be reported before the user decides. The answer is null when nothing is wrong. Deeper
 * checks are the tool's own.
 */
export function checkArguments(given: JsonObject, schema: JsonObject): string | null {
  const { required, properties } = schema;
  const missing = Array.isArray(required) ? required.filter((key) => typeof key === 'string' && !Object.hasOwn(given, key)) : [];
  if (missing.length > 0) return `the argument ${missing.map((key) => `"${key}"`).join(' and ')} is missing`;
  if (!isJsonObject(properties)) return null;
  for (const [key, value] of Object.entries(given)) {
    const wanted = typesOf(properties[key]);
    if (wanted.length === 0 || wanted.some((type) => isOfType(value, type))) continue;
    return `the argument "${key}" must be of type ${wanted.join(' or ')}, not ${nameOfType(value)}`;
  }
  return null;
}

/** The arguments with a number written as text where the schema takes only text: small models write `1` for the handle `%1`. */
export function fitArguments(given: JsonObject, { properties }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return given;
  const fitted = Object.entries(given).map(([key, value]) => {
    const wanted = typesOf(properties[key]);
    return [key, typeof value === 'number' && wanted.length === 1 && wanted[0] === 'string' ? String(value) : value];
  });
  return Object.fromEntries(fitted);
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
