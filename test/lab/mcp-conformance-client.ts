import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Elicitation, ElicitationAnswer } from '../../src/adapters/mcp/server-event.ts';
import { McpServers } from '../../src/adapters/mcp/servers.ts';
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

/** The calls that the scenario names; null if it names none. */
function plannedCalls(): readonly { readonly name: string; readonly args: JsonObject }[] | null {
  const context: unknown = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  if (!isJsonObject(context) || !Array.isArray(context.toolCalls)) return null;
  return context.toolCalls.filter(isJsonObject).map((call) => ({
    name: `lab.${String(call.name)}`,
    args: isJsonObject(call.arguments) ? call.arguments : {},
  }));
}

async function main(url: string): Promise<void> {
  const servers = new McpServers({
    servers: { lab: { url } },
    stateDir: mkdtempSync(join(tmpdir(), 'mcp-conformance-')),
    cwd: process.cwd(),
    env: process.env,
    version: 'lab',
    onStatus: (_, line) => line !== null && console.error(line),
  });
  const { signal } = new AbortController();
  try {
    await servers.refresh('lab', signal);
    const { tools } = await servers.tools({ waitMs: 0, signal });
    // A tool that takes a schema gets that of its neighbour, as aish has it.
    const schema = tools.find(({ parameters }) => toProperties(parameters).schema === undefined)?.parameters ?? {};
    const calls =
      plannedCalls() ??
      tools.map(({ name, parameters }) => {
        const takesSchema = toProperties(parameters).schema !== undefined;
        return { name, args: takesSchema ? { schema } : toArguments(parameters) };
      });
    for (const { name, args } of calls) {
      // A tool may fail: whether it should is for the tool that watches to say.
      const result = servers.call(name, args, signal, { onElicitation: accept });
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
