import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Elicitation, ElicitationAnswer } from '../../src/adapters/mcp/server-event.ts';
import { McpServers, type ServerConfig } from '../../src/adapters/mcp/servers.ts';
import { AishError } from '../../src/protocol/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/protocol/json.ts';

/*
 * Does for the conformance tool what a user would do: connects to the server, accepts its forms, and calls each of its tools once.
 */

/** An argument that fits its schema. */
function toArgument(schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return 'text';
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum[0] !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'number':
    case 'integer':
      return 2;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return toArguments(schema);
    default:
      return 'text';
  }
}

function toArguments(schema: JsonObject): JsonObject {
  const properties = Object.entries(toProperties(schema));
  return Object.fromEntries(properties.map(([name, property]) => [name, toArgument(property)]));
}

function toProperties({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

/** Accepts a form with its defaults. */
async function accept(request: Elicitation): Promise<ElicitationAnswer> {
  return request.mode === 'form' ? { action: 'accept', content: {} } : { action: 'decline' };
}

const METADATA_URL = 'https://conformance-test.local/client-metadata.json';
/** Most logins for one request, as of a user with patience. */
const MOST_LOGINS = 5;

function readContext(): JsonObject {
  const context: unknown = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  return isJsonObject(context) ? context : {};
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The section of the configuration that a user would write for the scenario. */
function toConfig(url: string, context: JsonObject): ServerConfig {
  const { client_id, client_secret, private_key_pem, signing_algorithm, valid_jwt } = context;
  const base = {
    url,
    oauth_client_metadata_url: METADATA_URL,
    oauth_dpop: process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/dpop') === true,
  };
  if (typeof client_id !== 'string') return base;
  const isAlone = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/client-credentials') === true;
  const config = {
    ...base,
    oauth_client_id: client_id,
    ...(isAlone ? { oauth_grant: 'client_credentials' as const } : {}),
    ...(typeof client_secret === 'string' ? { oauth_client_secret_env: 'CONFORMANCE_SECRET' } : {}),
  };
  if (typeof valid_jwt === 'string')
    return { ...config, oauth_grant: 'jwt_bearer', oauth_assertion_file: toFile(valid_jwt) };
  if (typeof private_key_pem !== 'string') return config;
  const oauth_key_file = toFile(private_key_pem);
  return { ...config, oauth_key_file, oauth_key_algorithm: text(signing_algorithm) || 'ES256' };
}

function toFile(content: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'mcp-secret-')), 'secret');
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

/** Logs in whenever aish says that a login is needed, as the user would, and sends the request again. */
async function withLogins<T>(servers: McpServers, send: () => Promise<T>): Promise<T> {
  const login = () =>
    servers.server('lab').login({ signal: new AbortController().signal, present: (url) => void visit(url) });
  for (let logins = 0; ; logins += 1) {
    try {
      if (logins > 0) await login();
      return await send();
    } catch (thrown) {
      if (!(thrown instanceof AishError) || thrown.code !== 'mcp.login' || logins >= MOST_LOGINS) throw thrown;
      console.error(thrown.message);
    }
  }
}

/** Goes where a browser would go: to the login page, which sends it back at once. */
async function visit(url: string): Promise<void> {
  const response = await fetch(url, { redirect: 'manual' });
  const next = response.headers.get('location');
  if (next !== null) await fetch(new URL(next, url));
}

/** The calls that the scenario names; null if it names none. */
function plannedCalls(context: JsonObject): readonly { readonly name: string; readonly args: JsonObject }[] | null {
  if (!Array.isArray(context.toolCalls)) return null;
  return context.toolCalls.filter(isJsonObject).map((call) => ({
    name: `lab.${String(call.name)}`,
    args: isJsonObject(call.arguments) ? call.arguments : {},
  }));
}

async function main(url: string): Promise<void> {
  const context = readContext();
  const servers = new McpServers({
    servers: { lab: toConfig(url, context) },
    stateDir: mkdtempSync(join(tmpdir(), 'mcp-conformance-')),
    cwd: process.cwd(),
    env: { ...process.env, CONFORMANCE_SECRET: text(context.client_secret) },
    version: 'lab',
    asksUser: true,
    onStatus: (_, line) => line !== null && console.error(line),
  });
  const { signal } = new AbortController();
  try {
    await withLogins(servers, () => servers.server('lab').refresh(signal));
    const { tools } = await servers.tools({ waitMs: 0, signal });
    // A tool that takes a schema gets that of its neighbour, as aish has it.
    const schema = tools.find(({ parameters }) => toProperties(parameters).schema === undefined)?.parameters ?? {};
    const calls =
      plannedCalls(context) ??
      tools.map(({ name, parameters }) => {
        const takesSchema = toProperties(parameters).schema !== undefined;
        return { name, args: takesSchema ? { schema } : toArguments(parameters) };
      });
    for (const { name, args } of calls) {
      // A tool may fail: whether it should is for the tool that watches to say.
      const result = withLogins(servers, () => servers.call(name, args, signal, { onElicitation: accept }));
      console.error(name, await result.catch((thrown: unknown) => String(thrown)));
    }
  } finally {
    await servers.close();
  }
}

if (import.meta.main) {
  await main(process.argv.at(-1) ?? '');
  process.exit(0);
}
