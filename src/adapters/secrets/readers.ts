import { basename } from 'node:path';
import { isEnvironmentFile } from '../../core/commands/protected-files.ts';
import {
  type Named,
  readEnvFile,
  readJson,
  readKeyed,
  readNetrc,
  readUrlPasswords,
  withSecretNames,
} from '../../core/secrets/assignments.ts';
import { readSecretEnv } from '../../core/secrets/env-values.ts';
import { isOrdinary, isSecretName } from '../../core/secrets/names.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { findShapes } from '../../core/secrets/shapes.ts';

/** Makes secrets of the text of a file. */
export type Reader = (text: string) => readonly Secret[];

/** An environment file: every value that is not plainly none. */
export function envReader(from: string): Reader {
  return (text) => toSecrets([...readSecretEnv(text), ...shaped(text)], { from });
}

/** A file of which every value is secret, because the user said so. */
export function wholeReader(from: string, path: string): Reader {
  return (text) => {
    if (text.includes('PRIVATE KEY')) return keyReader(from, from)(text);
    const pairs = path.endsWith('.json') ? readJson(text) : [...readEnvFile(text), ...readKeyed(text)];
    const alone = pairs.length === 0 && !text.trim().includes('\n') ? [{ name: from, value: text.trim() }] : [];
    return toSecrets([...pairs, ...alone, ...shaped(text)], { from });
  };
}

/** Passwords by machine. */
export function netrcReader(from: string): Reader {
  return (text) => toSecrets(readNetrc(text), { from, prefix: 'netrc' });
}

/** INI, TOML and YAML: values by their names, passwords in addresses, and what has the shape of a token. */
export function keyedReader(from: string, prefix: string): Reader {
  return (text) => {
    const pairs = withSecretNames(readKeyed(text)).map(({ name, value }) => ({ name: lastPart(name), value }));
    return toSecrets([...pairs, ...pairs.flatMap(decoded), ...readUrlPasswords(text), ...shaped(text)], {
      from,
      prefix,
    });
  };
}

/** JSON: values by their names, and what has the shape of a token; `also` are names that are secret in this file alone. */
export function jsonReader(from: string, prefix: string, also: readonly string[] = []): Reader {
  return (text) => {
    const pairs = readJson(text).filter(({ name }) => isSecretName(name) || also.includes(name));
    return toSecrets([...pairs, ...pairs.flatMap(decoded), ...shaped(text)], { from, prefix });
  };
}

/** Names of values that are secret in a file that holds little else. */
const KEPT_NAMES: ReadonlySet<string> = new Set([
  'auth',
  'key',
  'pass',
  'pw',
  'identitytoken',
  'registrytoken',
  'session',
  'sid',
]);

/** A file in which a program keeps what lets it in: values by their names, what stands alone in it, and what has the shape of a token. */
export function keptReader(from: string, prefix: string): Reader {
  return (text) => {
    if (text.includes('\0')) return [];
    const all = /^\s*[[{]/.test(text) ? readJson(text) : [...readKeyed(text), ...readDefinitions(text)];
    const pairs = all
      .map(({ name, value }) => ({ name: lastPart(name), value }))
      .filter(({ name }) => isSecretName(name) || KEPT_NAMES.has(name.toLowerCase()));
    const alone = /^\s*(\S{6,512})\s*$/.exec(text)?.[1];
    const passwords = all.length > 0 ? [] : readColumns(text);
    const isLonely = alone !== undefined && passwords.length === 0 && !/^[[{<]/.test(alone);
    const lonely = isLonely ? [{ name: 'value', value: alone }] : [];
    const found = [...pairs, ...pairs.flatMap(decoded), ...lonely, ...passwords, ...readUrlPasswords(text)];
    return toSecrets([...found, ...shaped(text)], { from, prefix });
  };
}

/** Reads only texts with the shape of a secret. */
function shapeReader(from: string): Reader {
  return (text) => toSecrets(shaped(text), { from });
}

/** `define('DB_PASSWORD', '…')`, and `Password=…;` in a text of several. */
function readDefinitions(text: string): Named[] {
  const define = /\bdefine\(\s*['"](\w+)['"]\s*,\s*['"]([^'"\n]+)['"]/g;
  const listed = /\b(password|pwd|accountkey|sharedaccesskey)\s*=\s*([^;"'\s]+)/gi;
  return [...text.matchAll(define), ...text.matchAll(listed)].map(([, name = '', value = '']) => ({
    name: name.toLowerCase() === 'pwd' ? 'password' : name,
    value,
  }));
}

/** `host:port:database:user:password` and `user:password`, as few files have it. */
function readColumns(text: string): Named[] {
  return Array.from(text.matchAll(/^[^\s:#]+(?::[^\s:]+){0,3}:(\S{6,})$/gm), ([, value = '']) => ({
    name: 'password',
    value: value.replace(/\\(.)/g, '$1'),
  }));
}

/** The private keys of a file; a file without one has no secret. */
export function keyReader(from: string, name: string): Reader {
  return (text) =>
    toSecrets(
      shaped(text).flatMap((one) => (one.name === 'private-key' ? [{ ...one, name }] : [])),
      { from },
    );
}

function shaped(text: string): Named[] {
  return findShapes(text).map(({ name, value }) => ({ name, value }));
}

/** The values in a base64 text: a user with a password, or a key. */
function decoded({ name, value }: Named): Named[] {
  if (value.length < 12 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return [];
  const text = Buffer.from(value, 'base64').toString('utf8');
  if (!/^[\x20-\x7e\s]+$/.test(text)) return [];
  const password = /^[^\s:]+:(\S+)$/.exec(text)?.[1];
  if (password !== undefined) return [{ name: `${name}.password`, value: password }];
  return text.includes('PRIVATE KEY') ? shaped(text).map((one) => ({ ...one, name: `${name}.key` })) : [];
}

function toSecrets(pairs: readonly Named[], { from, prefix }: { from: string; prefix?: string }): Secret[] {
  const first = new Map(pairs.toReversed().map((pair) => [pair.value, pair]));
  return pairs
    .filter((pair) => first.get(pair.value) === pair && !isOrdinary(pair.value))
    .map(({ name, value }) => ({ name: prefix === undefined ? name : `${prefix}.${name}`, value, from }));
}

/** `//registry.example/:_authToken` is named by its last part. */
function lastPart(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':')) + 1);
}

/** How a file is read whose name or place says that it holds secrets; `from` names it to a user. */
export function readerOf(path: string, from: string): Reader {
  const name = basename(path);
  if (isEnvironmentFile(name)) return envReader(from);
  if (/^[._]netrc$/.test(name)) return netrcReader(from);
  if (/_history$|^\.history$|^\.viminfo$|^\.lesshst$/.test(name)) return shapeReader(from);
  if (/\.(?:pem|key|ppk)$|^id_/.test(name)) return keyReader(from, name);
  return keptReader(from, name.replace(/^\.|\.[a-z]+$/g, '') || name);
}

/** The usual names of environment files come first, so that many others never take their place. */
export function rankOfEnvFile(name: string): number {
  const rank = USUAL.indexOf(name);
  return rank === -1 ? USUAL.length : rank;
}

const USUAL: readonly string[] = [
  ...['.env', '.env.local', '.env.development', '.env.development.local', '.env.production', '.env.production.local'],
  ...['.env.test', '.env.test.local', '.env.staging', '.envrc', '.dev.vars', 'terraform.tfvars'],
];
