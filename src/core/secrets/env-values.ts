import type { Config, McpServerConfig } from '../../protocol/config.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { type Named, readEnvFile, readJson, readUrlPasswords } from './assignments.ts';
import { isOrdinary, isRandomLooking, isSecretName, isUuid } from './names.ts';
import { isTooShort, type Secret, SHORTEST_SECRET } from './secret.ts';
import { findShapes } from './shapes.ts';

/** Names without meaning for secrets: their value counts only if it looks random. */
const TOLD = joinedRegExp(
  'i',
  '(?:^|[_.-])(?:ports?|hosts?|hostname|domain|version|commit|sha|revision|branch|tag|region|zone|locale|lang',
  '|language|tz|timezone|level|log|timeout|ttl|schema|path|dir|folder|colou?r|theme|env|environment|mode|name',
  '|title|label|description|format|agent|opts|options|flags|model|image|channel|bucket|driver|user|username|db',
  '|database)$',
);

/** The secrets of a protected `NAME=value` file: every value except obvious non-secrets, with JSON and lists part by part. */
export function readSecretEnv(text: string): Named[] {
  return [...readEnvFile(text), ...readRetired(text)].flatMap(secretsOfPair).flatMap(withLines);
}

/** Commented-out assignments: their values may still be valid. */
function readRetired(text: string): Named[] {
  return Array.from(text.matchAll(/^[ \t]*#+[ \t]*(?:export[ \t]+)?([A-Z][A-Z0-9_]*)=(\S+)[ \t]*$/gm), (found) => ({
    name: found[1] ?? '',
    value: (found[2] ?? '').replace(/^(["'])(.*)\1$/, '$2'),
  }));
}

function secretsOfPair({ name, value }: Named): Named[] {
  const passwords = readUrlPasswords(value).map((one) => ({ name: `${name}.password`, value: one.value }));
  if (passwords.length > 0) return [{ name, value }, ...passwords];
  const parts = partsOf(value).filter((part) => isSecretValue(part.name || name, part.value));
  const found = parts.map((part) => ({ name: joinNames(name, part.name), value: part.value }));
  const isWhole = isSecretName(name) || (isBracketed(value) ? !isPlainBut(value, parts) : isSecretValue(name, value));
  return isWhole ? [{ name, value }, ...found] : found;
}

/** Whether a value may be JSON or a list; a password may start the same way. */
function isBracketed(value: string): boolean {
  return /^\s*[[{]/.test(value);
}

/** Whether the text around the found parts is ordinary. */
function isPlainBut(value: string, parts: readonly Named[]): boolean {
  const known = new Set(parts.flatMap((part) => piecesOf(part.value)));
  return piecesOf(value).every((piece) => known.has(piece) || isPlainPiece(piece));
}

/** The text between the brackets, quotes and commas of a value. */
function piecesOf(value: string): string[] {
  return value.split(/[[\]{}"',\n]+/).map((piece) => piece.trim().replace(/^[:=]\s*/, ''));
}

/** Adds each line of a value of several lines; a private key is searched for as a whole. */
function withLines({ name, value }: Named): Named[] {
  if (!value.includes('\n') || value.includes('PRIVATE KEY')) return [{ name, value }];
  const written = value.split('\n').slice(0, MOST_LINES);
  const lines = written.map((line, at) => ({ name: `${name}.${at + 1}`, value: line.trim() }));
  return [{ name, value }, ...lines.filter((line) => !isPlain(line.value))];
}

function joinNames(name: string, part: string): string {
  return part === '' ? name : `${name}.${part}`;
}

/** The texts of a value that is JSON, or a list in brackets; none for a single text. */
function partsOf(value: string): readonly Named[] {
  if (!isBracketed(value)) return [];
  const pairs = readJson(value);
  if (pairs.length > 0 && pairs.every((pair) => pair.value !== value)) return pairs;
  return Array.from(value.matchAll(/(?:["']([\w.-]+)["']\s*:\s*)?["']([^"']+)["']/g), (found) => ({
    name: found[1] ?? '',
    value: found[2] ?? '',
  }));
}

function isSecretValue(name: string, value: string): boolean {
  if (isOrdinary(value)) return false;
  if (isSecretName(name)) return true;
  if (TOLD.test(name)) return isDrawn(value) && !/[\s/:]/.test(value) && !isPlain(value);
  return !isPlain(value);
}

/** The maximum number of lines of one value that are searched for separately. */
const MOST_LINES = 64;

/** A reference to another variable, in letters of one case. */
const REFERENCE = /\$\{\w[^{}]*\}|\$(?:[A-Z_][A-Z0-9_]*|[a-z_][a-z0-9_]*)(?![A-Za-z0-9])/g;

/** Short pieces are harmless on their own, but together they may be a password: only words and numbers are ordinary. */
function isPlainPiece(piece: string): boolean {
  const text = piece.trim();
  if (text.length >= SHORTEST_SECRET) return isPlain(text);
  return isFigures(text.toLowerCase()) ? !/[a-z][A-Z]|[A-Z][a-z]/.test(text) : SHORT_PIECE.test(text);
}

const SHORT_PIECE = /^[\s_.*/@:+-]*(?:(?:[A-Z]?[a-z]+|[A-Z]+)\d{0,2}(?:[\s_.*/@:+-]+|$)|(?:v\d{3,}|\d+)(?:[.:/-]|$))*$/;

/** Whether any text may contain the value, so that showing it reveals nothing. */
function isPlain(value: string): boolean {
  const text = value.trim();
  if (isOrdinary(text) || isUuid(text)) return true;
  if (/[,;]/.test(text)) return text.split(/[,;=]/).every(isPlainPiece);
  if (text.search(REFERENCE) !== -1) return !isRandomLooking(text.replace(REFERENCE, ''));
  if (/^-{1,2}[A-Za-z]/.test(text))
    return text.split(/[\s=]+/).every((part) => /^-{1,2}[A-Za-z-]+$/.test(part) || isPlain(part.replace(/^-+/, '')));
  return isFigures(text) || isAddress(text) || isWords(text);
}

/** Numbers with units, sizes, timestamps, colours, schedule times. */
function isFigures(text: string): boolean {
  return (
    /^[+-]?\d+(?:\.\d+)?\s?[A-Za-z%]{0,5}$/.test(text) ||
    /^\d+x\d+$/i.test(text) ||
    /^\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-][\d:]+)?$/.test(text) ||
    /^#[0-9a-f]{3,8}$/i.test(text) ||
    /^[\d*/,\s?LW#-]*(?:[A-Z]{3}(?:-[A-Z]{3})?)?$/.test(text)
  );
}

/** Host names, mailboxes, resource names, and addresses without credentials. */
function isAddress(text: string): boolean {
  const [, path = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@?#]*((?:[/?#][^\s@]*)?)$/i.exec(text) ?? [];
  if (path !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^\s@]*$/i.test(text)) return !path.split(/[/?&=#]/).some(isDrawn);
  if (/^arn:[a-z]/.test(text)) return true;
  return /^(?:[\w.+-]+@|\*\.|@)?(?:[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?\.)+[a-z]{2,14}(?::\d{1,5})?(?:\/[\w./-]*)?$/i.test(text);
}

function isDrawn(part: string): boolean {
  return part.length >= 16 && isRandomLooking(part);
}

/** At most three words, possibly with version numbers; a pass phrase has more. */
function isWords(text: string): boolean {
  if (/^[a-z]{2,9}\d{1,2}$/.test(text)) return true;
  if (/^@?[\w.-]+(?:\/[\w.-]+)+$/.test(text)) return text.replace(/^@/, '').split('/').every(isWords);
  const parts = text.split(/[-_.:+@/\s]+/).filter((part) => part !== '');
  const isKnown = (part: string): boolean =>
    /^[A-Za-z]{1,14}$|^\d{1,4}$|^\d{8}$|^[A-Za-z]{1,10}\d$|^[A-Za-z]\d{1,2}$|^\d[A-Za-z]$/.test(part);
  return parts.every(isKnown) && parts.filter((part) => /[A-Za-z]{3}/.test(part)).length <= 3;
}

/** The keys and tokens in the configuration; `variables` are names of further variables that may contain a key. */
export function listConfiguredSecrets(
  { models, mcp }: Pick<Config, 'models' | 'mcp'>,
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[] = [],
): Secret[] {
  const servers = Object.entries(mcp.servers);
  const named = [
    ...Object.values(models).map((model) => model.key_env),
    ...servers.map(([, server]) => server.auth_env),
    ...variables,
  ].flatMap((name) => (name === undefined ? [] : [{ name, value: env[name]?.trim() ?? '', from: 'environment' }]));
  const written = servers.map(([alias, server]) => ({ name: `${alias}.auth_token`, value: server.auth_token ?? '', from: 'config' }));
  const theirs = servers.flatMap(([alias, server]) => secretsOfServer(alias, server));
  return [...named, ...written, ...theirs].filter(({ value }) => !isTooShort(value));
}

/** Secrets given to an MCP server: variables whose names suggest a secret, headers, and credentials in its address. */
function secretsOfServer(alias: string, { env = {}, headers = {}, url = '' }: McpServerConfig): Secret[] {
  const from = 'config';
  const rules = { names: new Set(Object.keys(env).filter(isSecretName)), ordinary: new Set<string>() };
  const variables = Object.entries(env).flatMap(([name, value]) => secretsOfVariable(name, value, rules));
  const credentials = Object.entries(headers).filter(([name]) => isSecretHeader(name));
  return [
    ...variables.map((variable) => ({ ...variable, from })),
    ...credentials.map(([name, value]) => ({ name: `${alias}.${name}`, value: value.replace(/^\w+ +/, ''), from })),
    ...readUrlPasswords(url).map(({ value }) => ({ name: `${alias}.url`, value, from })),
  ];
}

/** `Authorization`, `X-Api-Key`, `Private-Token` and similar headers. */
function isSecretHeader(name: string): boolean {
  return isSecretName(name.replace(/^x-/i, '')) || /^(?:proxy-)?authorization$|^cookie$|key$|token$/i.test(name);
}

/** The user's rules about variables. */
export interface VariableRules {
  /** Variables that contain a secret, whatever their names suggest. */
  readonly names: ReadonlySet<string>;
  /** Values that any text may contain, such as the user name. */
  readonly ordinary: ReadonlySet<string>;
}

/** A token in a header. */
const AFTER_SCHEME = /^(?:Bearer|Basic|Token) (\S+)$/i;

/** The secrets in a variable: the whole value if the name suggests a secret, a URL's password, and anything in the format of a token. */
export function secretsOfVariable(name: string, written: string, { names, ordinary }: VariableRules): Secret[] {
  const value = written.trim();
  const from = 'environment';
  if (isTooShort(value)) return [];
  const token = value.includes(' ') ? AFTER_SCHEME.exec(value)?.[1] : undefined;
  const inside = [
    ...readUrlPasswords(value).map((one) => ({ name: `${name}.password`, value: one.value, from })),
    ...findShapes(value).map((one) => ({ name: one.value === value ? name : `${name}.${one.name}`, value: one.value, from })),
    ...(token === undefined ? [] : [{ name: `${name}.token`, value: token, from }]),
  ].filter((one) => !isOrdinary(one.value, ordinary));
  // A value of several words is a text that contains a secret, such as a command, and not a secret itself.
  const isOne = inside.length > 0 && !/\s/.test(value);
  const isWhole = names.has(name) || isOne || (isSecretName(name) && !isOrdinary(value, ordinary));
  return isWhole ? [{ name, value, from }, ...inside] : inside;
}
