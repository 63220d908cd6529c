import type { Config, McpServerConfig } from '../../protocol/config.ts';
import { type Named, readEnvFile, readJson, readUrlPasswords } from './assignments.ts';
import { isOrdinary, isRandomLooking, isSecretName, isUuid } from './names.ts';
import { isTooShort, type Secret, SHORTEST_SECRET } from './secret.ts';
import { findShapes } from './shapes.ts';

/** What a name says is told everywhere: the value counts only when it looks drawn at random. */
const TOLD = new RegExp(
  [
    '(?:^|[_.-])(?:ports?|hosts?|hostname|domain|version|commit|sha|revision|branch|tag|region|zone|locale|lang',
    '|language|tz|timezone|level|log|timeout|ttl|schema|path|dir|folder|colou?r|theme|env|environment|mode|name',
    '|title|label|description|format|agent|opts|options|flags|model|image|channel|bucket|driver|user|username|db',
    '|database)$',
  ].join(''),
  'i',
);

/**
 * The secrets of a file of `NAME=value` lines that is kept from others as a whole: every value, but for
 * those that are plainly none. What a value holds of JSON or of a list counts part by part.
 */
export function readSecretEnv(text: string): Named[] {
  return [...readEnvFile(text), ...readRetired(text)].flatMap(secretsOfPair).flatMap(withLines);
}

/** Assignments that were taken out by a comment sign: the value may still open something. */
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

/** A value that may be JSON or a list, and may be a password that begins so. */
function isBracketed(value: string): boolean {
  return /^\s*[[{]/.test(value);
}

/** True when any text may hold all that stands beside the parts that were found. */
function isPlainBut(value: string, parts: readonly Named[]): boolean {
  const known = new Set(parts.flatMap((part) => piecesOf(part.value)));
  return piecesOf(value).every((piece) => known.has(piece) || isPlainPiece(piece));
}

/** What stands between the brackets, quotes and commas of a value. */
function piecesOf(value: string): string[] {
  return value.split(/[[\]{}"',\n]+/).map((piece) => piece.trim().replace(/^[:=]\s*/, ''));
}

/** Of several lines each is one that may be told alone; those of a key are looked for as it is. */
function withLines({ name, value }: Named): Named[] {
  if (!value.includes('\n') || value.includes('PRIVATE KEY')) return [{ name, value }];
  const written = value.split('\n').slice(0, MOST_LINES);
  const lines = written.map((line, at) => ({ name: `${name}.${at + 1}`, value: line.trim() }));
  return [{ name, value }, ...lines.filter((line) => !isPlain(line.value))];
}

function joinNames(name: string, part: string): string {
  return part === '' ? name : `${name}.${part}`;
}

/** The texts of a value that is JSON, or a list in brackets; none where it is one text. */
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

/** More lines of one value are not looked for alone. */
const MOST_LINES = 64;

/** The value of another variable; names are written in letters of one kind. */
const REFERENCE = /\$\{\w[^{}]*\}|\$(?:[A-Z_][A-Z0-9_]*|[a-z_][a-z0-9_]*)(?![A-Za-z0-9])/g;

/** Pieces that are short tell nothing each, but together they are a password: only words and numbers are plain. */
function isPlainPiece(piece: string): boolean {
  const text = piece.trim();
  if (text.length >= SHORTEST_SECRET) return isPlain(text);
  return isFigures(text.toLowerCase()) ? !/[a-z][A-Z]|[A-Z][a-z]/.test(text) : SHORT_PIECE.test(text);
}

const SHORT_PIECE = /^[\s_.*/@:+-]*(?:(?:[A-Z]?[a-z]+|[A-Z]+)\d{0,2}(?:[\s_.*/@:+-]+|$)|(?:v\d{3,}|\d+)(?:[.:/-]|$))*$/;

/** What any text may hold, so that nobody is told anything by it. */
function isPlain(value: string): boolean {
  const text = value.trim();
  if (isOrdinary(text) || isUuid(text)) return true;
  if (/[,;]/.test(text)) return text.split(/[,;=]/).every(isPlainPiece);
  if (text.search(REFERENCE) !== -1) return !isRandomLooking(text.replace(REFERENCE, ''));
  if (/^-{1,2}[A-Za-z]/.test(text))
    return text.split(/[\s=]+/).every((part) => /^-{1,2}[A-Za-z-]+$/.test(part) || isPlain(part.replace(/^-+/, '')));
  return isFigures(text) || isAddress(text) || isWords(text);
}

/** Numbers with units, sizes, moments, colours, times of a timetable. */
function isFigures(text: string): boolean {
  return (
    /^[+-]?\d+(?:\.\d+)?\s?[A-Za-z%]{0,5}$/.test(text) ||
    /^\d+x\d+$/i.test(text) ||
    /^\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-][\d:]+)?$/.test(text) ||
    /^#[0-9a-f]{3,8}$/i.test(text) ||
    /^[\d*/,\s?LW#-]*(?:[A-Z]{3}(?:-[A-Z]{3})?)?$/.test(text)
  );
}

/** Names of hosts, mailboxes and resources, and addresses that let nobody in. */
function isAddress(text: string): boolean {
  const [, path = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@?#]*((?:[/?#][^\s@]*)?)$/i.exec(text) ?? [];
  if (path !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^\s@]*$/i.test(text)) return !path.split(/[/?&=#]/).some(isDrawn);
  if (/^arn:[a-z]/.test(text)) return true;
  return /^(?:[\w.+-]+@|\*\.|@)?(?:[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?\.)+[a-z]{2,14}(?::\d{1,5})?(?:\/[\w./-]*)?$/i.test(text);
}

function isDrawn(part: string): boolean {
  return part.length >= 16 && isRandomLooking(part);
}

/** At most three words, with numbers of versions among them; a pass phrase has more. */
function isWords(text: string): boolean {
  if (/^[a-z]{2,9}\d{1,2}$/.test(text)) return true;
  if (/^@?[\w.-]+(?:\/[\w.-]+)+$/.test(text)) return text.replace(/^@/, '').split('/').every(isWords);
  const parts = text.split(/[-_.:+@/\s]+/).filter((part) => part !== '');
  const isKnown = (part: string): boolean =>
    /^[A-Za-z]{1,14}$|^\d{1,4}$|^\d{8}$|^[A-Za-z]{1,10}\d$|^[A-Za-z]\d{1,2}$|^\d[A-Za-z]$/.test(part);
  return parts.every(isKnown) && parts.filter((part) => /[A-Za-z]{3}/.test(part)).length <= 3;
}

/** The keys and tokens that a configuration names; `variables` are names of further ones that may hold a key. */
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

/** What a server is given: variables whose name says what they are, headers, and what stands in its address. */
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

/** `Authorization`, `X-Api-Key`, `Private-Token` and their like. */
function isSecretHeader(name: string): boolean {
  return isSecretName(name.replace(/^x-/i, '')) || /^(?:proxy-)?authorization$|^cookie$|key$|token$/i.test(name);
}

/** What the user said about variables. */
export interface VariableRules {
  /** These hold a secret, whatever they are called. */
  readonly names: ReadonlySet<string>;
  /** Values that any text may hold, such as the name of the user. */
  readonly ordinary: ReadonlySet<string>;
}

/** A token as it stands in a header. */
const AFTER_SCHEME = /^(?:Bearer|Basic|Token) (\S+)$/i;

/** The secrets in a variable: the whole value when its name says so, the password in an address, and what has the shape of a token. */
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
  // A value of several words is a text that holds a secret, such as a command, and not one itself.
  const isOne = inside.length > 0 && !/\s/.test(value);
  const isWhole = names.has(name) || isOne || (isSecretName(name) && !isOrdinary(value, ordinary));
  return isWhole ? [{ name, value, from }, ...inside] : inside;
}
