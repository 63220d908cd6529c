import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConfig } from '../../src/adapters/mcp/servers.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { fixtureServer } from './conversation.ts';
import { useFolder } from './test-folder.ts';

/** A server made with the official SDK whose tools the test changes as it likes. */
export interface ChangingServer extends AsyncDisposable {
  readonly config: ServerConfig;
  /** The same as a section of the configuration. */
  readonly section: (alias: string) => string;
  /** The server's tools from the next listing on. */
  define(tools: readonly JsonObject[]): void;
  /** The server's instructions from the next connection on. */
  instruct(text: string): void;
  /** The server's tools after a call of its tool `turn`. */
  defineNext(tools: readonly JsonObject[]): void;
  /** `list` and `call NAME`, in their order. */
  seen(): readonly string[];
}

/** A tool without arguments; `more` is the rest of its definition. */
export function tool(name: string, description: string, more: JsonObject = {}): JsonObject {
  return { name, description, inputSchema: { type: 'object', properties: {} }, ...more };
}

const BASE = useFolder('changing');

/** Starts one over HTTP, or tells how one is started over standard input and output. */
export async function changingServer(way: 'stdio' | 'http', tools: readonly JsonObject[]): Promise<ChangingServer> {
  const file = join(mkdtempSync(join(BASE, 'server-')), 'tools.json');
  const define = (defined: readonly JsonObject[], path = file): void => writeFileSync(path, JSON.stringify(defined));
  define(tools);
  const [command = '', ...args] = fixtureServer('changing.ts', file, way);
  const program = way === 'http' ? Bun.spawn([command, ...args], { stdout: 'pipe', stdin: 'ignore' }) : null;
  const url = program === null ? null : await firstLine(program.stdout);
  return {
    config: url === null ? { command, args } : { url },
    section: (alias) =>
      `[mcp.servers.${alias}]\n${url === null ? `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}` : `url = "${url}"`}\n`,
    define: (defined) => define(defined),
    instruct: (said) => writeFileSync(`${file}.instructions`, said),
    defineNext: (defined) => define(defined, `${file}.next`),
    seen: () => (existsSync(`${file}.seen`) ? readFileSync(`${file}.seen`, 'utf8').trim().split('\n') : []),
    async [Symbol.asyncDispose]() {
      program?.kill('SIGKILL');
      await program?.exited;
    },
  };
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  let said = '';
  for await (const chunk of output) {
    said += new TextDecoder().decode(chunk);
    if (said.includes('\n')) return said.slice(0, said.indexOf('\n'));
  }
  throw new Error(`the server ended: ${said}`);
}
