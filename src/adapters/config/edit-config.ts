import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import type { McpServerConfig, ModelConfig } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import { isJsonObject, type Json, type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import { readBeginning } from '../system/file-status.ts';
import { writeAtomically } from '../system/own-file.ts';
import { checkFile, parseFile } from './check-file.ts';
import { type FileText, formatKey, readConfigFile } from './config-file.ts';
import { formatToml } from './format-config.ts';

/** A server as its section of the file says; what has a default may be missing. */
export type ServerSection = Partial<McpServerConfig>;

/** Appends sections of servers to the configuration file. The file that results must be valid, or nothing is written. */
export async function addServers(path: string, servers: Readonly<Record<string, ServerSection>>): Promise<void> {
  const file = readConfigFile(path) ?? { path, text: '' };
  const known = serversOf(await parseFile(file));
  const taken = Object.keys(servers).find((alias) => Object.hasOwn(known, alias));
  if (taken !== undefined) throw serverExists(taken, path);
  const sections = Object.entries(servers).map(([alias, server]) => formatSection(alias, server));
  const text = `${[file.text.trimEnd(), ...sections].filter((part) => part !== '').join('\n\n')}\n`;
  await checkFile({ ...file, text });
  writeConfig(file, text);
}

/** Removes the section of a server. aish edits nothing that it cannot tell from the rest of the file. */
export async function removeServer(path: string, alias: string): Promise<void> {
  const file = readConfigFile(path);
  const before = file === null ? null : await parseFile(file);
  const known = serversOf(before);
  if (file === null || !Object.hasOwn(known, alias)) throw noServerSection(alias, path);
  const text = withoutSection(file.text, alias);
  const after = attempt(() => Bun.TOML.parse(text), null);
  const { [alias]: _, ...expected } = known;
  const isClean = Bun.deepEquals(serversOf(after), expected) && Bun.deepEquals(restOf(after), restOf(before));
  if (!isClean) throw cannotEdit(alias, path);
  writeConfig(file, text);
}

/** Claude Code keeps much more than its servers in the same file. */
const LARGEST_FOREIGN = 64 * 1024 * 1024;

/** The servers in a file of another program: JSON of Claude Code, Cursor and VS Code, or TOML of Codex. Null without the file. */
export function readForeignServers(path: string): Readonly<Record<string, ServerSection>> | null {
  const file = readConfigFile(path, LARGEST_FOREIGN);
  if (file === null) return null;
  const { text } = file;
  const parsed: unknown = parseJsonObject(text) ?? attempt(() => Bun.TOML.parse(text), null);
  const table = isJsonObject(parsed) ? (parsed.mcpServers ?? parsed.servers ?? parsed.mcp_servers) : undefined;
  if (!isJsonObject(table)) throw notServers(path);
  const servers = Object.entries(table).flatMap(([name, server]) =>
    isJsonObject(server) ? [[toAlias(name), toSection(server)] as const] : [],
  );
  return Object.fromEntries(servers);
}

function toSection(server: JsonObject): ServerSection {
  const { command, args, env, cwd, url, headers, bearer_token_env_var, disabled, enabled } = server;
  const isOff = disabled === true || enabled === false;
  return {
    ...(typeof command === 'string' ? { command } : {}),
    ...(Array.isArray(args) ? { args: args.map(String) } : {}),
    ...(isJsonObject(env) ? { env: toTexts(env) } : {}),
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(isJsonObject(headers) ? { headers: toTexts(headers) } : {}),
    ...(typeof bearer_token_env_var === 'string' ? { auth_env: bearer_token_env_var } : {}),
    ...(isOff ? { enabled: false } : {}),
  };
}

function toTexts(table: Readonly<Record<string, Json>>): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, String(value)]));
}

function toAlias(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'server';
}

function formatSection(alias: string, server: ServerSection): string {
  const rows = Object.entries(server).map(([key, value]) => `${key} = ${formatToml(value)}`);
  return [`[mcp.servers.${formatKey([alias])}]`, ...rows].join('\n');
}

/** The text without the table of a server and the tables in it. */
function withoutSection(text: string, alias: string): string {
  const own = new RegExp(`^\\s*\\[\\s*mcp\\s*\\.\\s*servers\\s*\\.\\s*"?${alias}"?\\s*(\\.[^\\]]*)?\\]`);
  let isOwn = false;
  const kept = text.split('\n').filter((line) => {
    if (/^\s*\[/.test(line)) isOwn = own.test(line);
    return !isOwn;
  });
  return `${kept.join('\n').trimEnd()}\n`;
}

function serversOf(parsed: unknown): JsonObject {
  const mcp = isJsonObject(parsed) ? parsed.mcp : undefined;
  const servers = isJsonObject(mcp) ? mcp.servers : undefined;
  return isJsonObject(servers) ? servers : {};
}

/** All but the servers; a table that is empty without them is as good as none. */
function restOf(parsed: unknown): JsonObject {
  if (!isJsonObject(parsed)) return {};
  const { mcp, ...rest } = parsed;
  if (!isJsonObject(mcp)) return rest;
  const { servers: _, ...others } = mcp;
  return Object.keys(others).length === 0 ? rest : { ...rest, mcp: others };
}

/** Writes the file in one step. A link to the file stays one. */
export function writeConfig({ path }: FileText, text: string): void {
  writeAtomically(
    attempt(() => realpathSync(path), path),
    text,
  );
}

const serverExists = (alias: string, path: string) =>
  new AishError('config.exists', `${path} has a server "${alias}" already`, {
    hint: `remove it first: aish mcp remove ${alias}`,
  });
const noServerSection = (alias: string, path: string) =>
  new AishError('mcp.unknown-server', `${path} has no server "${alias}"`, { hint: 'aish mcp list shows the servers' });
const cannotEdit = (alias: string, path: string) =>
  new AishError('config.edit', `aish cannot tell the section of server "${alias}" from the rest of ${path}`, {
    hint: 'remove it with your editor',
  });
const notServers = (path: string) =>
  new AishError('config.foreign', `${path} lists no MCP servers`, {
    hint: 'aish reads the files of Claude Code, Cursor, VS Code and Codex',
  });

/** A model as its section of the file says. */
type ModelSection = Pick<ModelConfig, 'base_url'> & Partial<ModelConfig>;

/** A model file that a `llama-server` of this machine serves. */
interface LocalFile {
  readonly gguf: string;
  readonly cwd: string;
  /** The port to listen on; a free one of the configuration if absent. */
  readonly port?: number | undefined;
  /** Tokens of context; the server's own choice if absent. */
  readonly context?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The first port for a server that aish runs: the usual 8080 is often in use. */
const FIRST_PORT = 8091;

const SERVER = 'llama-server';

/** Appends the section of a model to the configuration file, and changes nothing else in it. An invalid result is not written. */
export async function addModel(path: string, name: string, section: ModelSection): Promise<void> {
  const file = readConfigFile(path) ?? { path, text: '' };
  if (Object.hasOwn(modelsOf(await parseFile(file)), name)) throw modelExists(name, path);
  const rows = Object.entries(section).map(([key, value]) => `${key} = ${formatToml(value)}`);
  const before = file.text === '' || file.text.endsWith('\n') ? file.text : `${file.text}\n`;
  const text = `${before}${before === '' ? '' : '\n'}${[`[models.${formatKey([name])}]`, ...rows].join('\n')}\n`;
  await checkFile({ ...file, text });
  writeConfig(file, text);
}

/** The section for a model file. Throws if there is no such file, or no program to serve it. */
export function sectionOf(
  { gguf, cwd, port, context, env }: LocalFile,
  models: Readonly<Record<string, Pick<ModelConfig, 'base_url'>>>,
): ModelSection {
  const path = resolve(cwd, gguf);
  if (!isGguf(path)) throw notGguf(path);
  if (Bun.which(SERVER, { PATH: env.PATH ?? '' }) === null) throw noServer();
  const chosen = port ?? freePort(Object.values(models).map(({ base_url }) => base_url));
  const size = context === undefined ? [] : ['-c', String(context)];
  return {
    base_url: `http://127.0.0.1:${chosen}`,
    command: SERVER,
    args: ['-m', path, '--port', String(chosen), '--jinja', ...size],
  };
}

/** A model file begins with these letters. */
function isGguf(path: string): boolean {
  return attempt(() => readBeginning(path, 4)?.bytes.toString('latin1'), null) === 'GGUF';
}

/** The first port that no other model of the configuration has. */
function freePort(urls: readonly string[]): number {
  const used = new Set(urls.map((url) => Number(/:(\d+)/.exec(url.replace(/^\w+:\/\//, ''))?.[1])));
  let port = FIRST_PORT;
  while (used.has(port)) port += 1;
  return port;
}

function modelsOf(parsed: unknown): JsonObject {
  const models = isJsonObject(parsed) ? parsed.models : undefined;
  return isJsonObject(models) ? models : {};
}

const modelExists = (name: string, path: string) =>
  new AishError('config.exists', `${path} has a model "${name}" already`, {
    hint: 'choose another name, or change the section with your editor',
  });
const notGguf = (path: string) =>
  new AishError('config.gguf', `${path} is not a readable model file in the GGUF format`, {
    hint: 'download a model as a .gguf file, and name its path',
  });
const noServer = () =>
  new AishError('config.llama-server', `there is no program ${SERVER} on the PATH`, {
    hint: 'install llama.cpp (brew install llama.cpp, or https://github.com/ggml-org/llama.cpp/releases), then try again',
  });
