import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { McpRpcError } from '../../src/adapters/mcp/failure.ts';
import type { ResultBlock } from '../../src/adapters/mcp/result.ts';
import { McpServers, type ServerConfig } from '../../src/adapters/mcp/servers.ts';
import { OutputStore } from '../../src/adapters/store/outputs.ts';
import { formatExcerpt } from '../../src/core/context/output-excerpt.ts';
import { toWireName } from '../../src/core/model/tool-name.ts';
import { sanitizeText } from '../../src/core/text/sanitize.ts';
import { SessionOutputs } from '../../src/engine/shell/session-outputs.ts';
import { keepText } from '../../src/engine/tools/tool-outputs.ts';
import type { CommandRecord } from '../../src/protocol/command.ts';
import { AishError, toErrorFact } from '../../src/protocol/error.ts';
import { isJsonObject, type Json, type JsonObject, omitUndefined } from '../../src/protocol/json.ts';

interface Options {
  readonly connectTimeoutMs?: number;
  readonly listTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  readonly maxResultBytes?: number;
  readonly approveAll?: boolean;
}

const KINDS: Readonly<Record<string, string>> = {
  'mcp.timeout': 'timeout',
  'mcp.cancelled': 'cancelled',
  'mcp.rpc': 'rpc',
  'mcp.auth': 'auth',
  'mcp.login': 'auth',
  'mcp.closed': 'closed',
  'mcp.held': 'approval',
  'mcp.unreachable': 'transport',
  'mcp.http': 'transport',
  'mcp.too-large': 'transport',
  'mcp.protocol': 'transport',
};

const STATE_DIR = process.env.AISH_MCP_STATE_DIR ?? mkdtempSync(join(tmpdir(), 'mcp-driver-'));
/** The characters of one result that a model gets in a session. */
const MODEL_CHARACTERS = 64 * 1024;

/** Answers requests of a scorer, one JSON object each, with the class that the shell uses. An approval pins a definition. */
export class Driver {
  #servers: McpServers | null = null;
  #options: Options = {};
  readonly #events: JsonObject[] = [];
  readonly #warnings: string[] = [];
  readonly #calls = new Map<string, AbortController>();
  readonly #records: CommandRecord[] = [];
  readonly #outputs = new SessionOutputs({
    store: new OutputStore({ folder: join(STATE_DIR, 'outputs') }),
    records: () => this.#records,
    redact: (text) => text,
    tell: () => {},
  });

  async answer(request: JsonObject): Promise<JsonObject> {
    switch (request.op) {
      case 'open':
        return this.#open(request);
      case 'connect':
        await this.#use().connect(text(request.alias), toConfig(request.server));
        return {};
      case 'disconnect':
        await this.#use().disconnect(text(request.alias));
        return {};
      case 'tools':
        return this.#tools();
      case 'call':
        return this.#call(request);
      case 'cancel':
        this.#calls.get(text(request.callId))?.abort();
        return {};
      case 'approve':
        await this.#approve(text(request.tool));
        return {};
      case 'refresh':
        await this.#use().server(text(request.alias)).refresh(new AbortController().signal);
        return {};
      case 'events':
        return { events: this.#events.splice(0) };
      case 'ping':
        return {};
      case 'close':
        await this.close();
        return {};
      default:
        throw new AishError('lab.unknown', `unknown op ${String(request.op)}`);
    }
  }

  async close(): Promise<void> {
    await this.#servers?.close();
  }

  kill(): void {
    this.#servers?.killAllNow();
  }

  #use(): McpServers {
    if (this.#servers === null) throw new AishError('lab.closed', 'no servers are open');
    return this.#servers;
  }

  #open({ servers, opts }: JsonObject): JsonObject {
    this.#options = isJsonObject(opts) ? (opts as Options) : {};
    const { connectTimeoutMs, listTimeoutMs, callTimeoutMs, maxResultBytes } = this.#options;
    const configs = isJsonObject(servers) ? Object.entries(servers) : [];
    this.#servers = new McpServers({
      servers: Object.fromEntries(configs.map(([alias, server]) => [alias, toConfig(server)])),
      stateDir: STATE_DIR,
      cwd: process.cwd(),
      env: process.env,
      version: 'lab',
      asksUser: true,
      limits: omitUndefined({
        connectMs: connectTimeoutMs,
        listMs: listTimeoutMs,
        callMs: callTimeoutMs,
        maxMessageBytes: maxResultBytes,
      }),
      onStatus: ({ alias }, line) => {
        if (line === null) return;
        this.#warnings.push(line);
        this.#events.push({ type: 'notice', alias, text: line });
      },
      onEvent: (event) => {
        const { type, ...rest } = JSON.parse(JSON.stringify(event)) as JsonObject & { readonly type: string };
        this.#events.push({ type: type.replaceAll('-', '_'), ...rest });
      },
    });
    this.#servers.start();
    return {};
  }

  async #tools(): Promise<JsonObject> {
    const servers = this.#use();
    const { connectTimeoutMs = 30_000, listTimeoutMs = 10_000 } = this.#options;
    const signal = new AbortController().signal;
    const { tools, held } = await servers.tools({ waitMs: connectTimeoutMs + listTimeoutMs, signal });
    const rows = [...tools, ...held].map(({ name, description }) => {
      const standing = servers.standingOf(name);
      return {
        alias: name.slice(0, name.indexOf('.')),
        name: name.slice(name.indexOf('.') + 1),
        display: sanitizeText(name),
        wireName: toWireName(name),
        description,
        displayDescription: sanitizeText(description),
        changed: standing === 'held' || standing === 'moved',
        warnings: this.#warnings.filter((line) => line.includes(name)),
      };
    });
    const states = servers
      .statuses()
      .map(({ alias, state, error, era }) => [alias, omitUndefined({ state, error, era })]);
    return { tools: rows, servers: Object.fromEntries(states) };
  }

  async #call(request: JsonObject): Promise<JsonObject> {
    const servers = this.#use();
    const name = await this.#resolve(text(request.tool));
    if (this.#options.approveAll === false && servers.standingOf(name) !== 'reviewed')
      throw new AishError('mcp.held', `${name} is not approved`);
    const callId = text(request.callId ?? request.id);
    const stop = new AbortController();
    this.#calls.set(callId, stop);
    const args = isJsonObject(request.args) ? request.args : {};
    try {
      const result = await servers.call(name, args, stop.signal, {
        ...omitUndefined({ timeoutMs: number(request.timeoutMs), totalTimeoutMs: number(request.maxTotalTimeoutMs) }),
        onProgress: (progress) => this.#events.push({ type: 'progress', callId, tool: name, ...progress }),
      });
      const { isError, blocks, structured, warnings } = result;
      const { text: shown, ...kept } = await this.#keep(name, result.text);
      return {
        isError,
        text: shown,
        displayText: sanitizeText(shown),
        blocks: blocks.map(describeBlock),
        ...omitUndefined({ structured }),
        ...kept,
        warnings: [...warnings],
      };
    } finally {
      this.#calls.delete(callId);
    }
  }

  /** Shortens a text as a session does, and keeps the whole. */
  async #keep(line: string, whole: string): Promise<{ text: string; truncated: boolean; fullPath?: string }> {
    if (whole.length <= MODEL_CHARACTERS) return { text: whole, truncated: false };
    const record = await keepText(
      { name: line, arguments: {} },
      { text: whole, isError: false },
      { outputs: this.#outputs, cwd: process.cwd() },
    );
    this.#records.push(record);
    const fullPath = await this.#outputs.store.plainFile(record);
    return { text: formatExcerpt(record, MODEL_CHARACTERS), truncated: true, fullPath };
  }

  /** A tool by its full name, or by its name on the wire. */
  async #resolve(name: string): Promise<string> {
    const servers = this.#use();
    if (name.includes('.') && servers.describe(name) !== null) return name;
    const { tools, held } = await servers.tools({ waitMs: 0, signal: new AbortController().signal });
    return [...tools, ...held].find((tool) => toWireName(tool.name) === name)?.name ?? name;
  }

  async #approve(tool: string): Promise<void> {
    const name = await this.#resolve(tool);
    await this.#use().approve(name, null, new AbortController().signal);
  }
}

function describeBlock(block: ResultBlock): JsonObject {
  return block.type === 'text' ? { type: 'text' } : { type: block.type, mimeType: block.mimeType };
}

function toConfig(value: Json | undefined): ServerConfig {
  if (!isJsonObject(value)) return {};
  const { bearer, ...config } = value;
  return { ...(config as ServerConfig), ...(typeof bearer === 'string' ? { auth_token: bearer } : {}) };
}

function text(value: Json | undefined): string {
  return value === undefined ? '' : String(value);
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function toFailure(thrown: unknown): JsonObject {
  const { code, message } = toErrorFact(thrown);
  const rpc: JsonObject = thrown instanceof McpRpcError ? { code: thrown.rpcCode } : {};
  return { kind: KINDS[code] ?? 'unknown', message, ...rpc };
}

async function main(): Promise<void> {
  const driver = new Driver();
  const end = (): void => void driver.close().finally(() => process.exit(0));
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, end);
  process.on('exit', () => driver.kill());
  const print = (answer: JsonObject): void => void process.stdout.write(`${JSON.stringify(answer)}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const request: unknown = line.trim() === '' ? null : JSON.parse(line);
    if (!isJsonObject(request)) continue;
    const { id = null } = request;
    void driver
      .answer(request)
      .then((answer) => print({ id, ok: true, ...answer }))
      .catch((thrown: unknown) => print({ id, ok: false, error: toFailure(thrown) }))
      .finally(() => request.op === 'close' && process.exit(0));
  }
  end();
}

if (import.meta.main) await main();
