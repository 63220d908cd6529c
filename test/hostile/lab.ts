import { test } from 'bun:test';
import type { CallOptions } from '../../src/adapters/mcp/server-event.ts';
import type { KnownTools, ServerConfig, ServerStatus } from '../../src/adapters/mcp/servers.ts';
import type { AishError } from '../../src/protocol/error.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { createMcpHost, failureOf, type TestMcpHost } from '../support/mcp-server.ts';
import type { Answers } from '../support/script.ts';
import { type ScriptedServer, scriptedServer, type Way } from '../support/scripted-server.ts';

const LONG = 60_000;
const BOTH: readonly Way[] = ['stdio', 'http'];
const signal = new AbortController().signal;

type HostOptions = Parameters<typeof createMcpHost>[1];

/** One thing that servers do to real hosts, and what aish does then. */
export interface Row {
  /** The row of the table, as a sentence. */
  readonly row: string;
  /** The ways to a server to which it applies; both without it. */
  readonly ways?: readonly Way[];
  readonly run: (lab: Lab) => Promise<void>;
}

/** A test for each row and way. */
export function runRows(rows: readonly Row[]): void {
  for (const { row, ways, run } of rows)
    for (const way of ways ?? BOTH)
      test(
        `${row} (${way})`,
        async () => {
          await using lab = new Lab(way);
          await run(lab);
        },
        LONG,
      );
}

/** aish with one server, `lab`, that answers by a script. */
export class Lab implements AsyncDisposable {
  readonly way: Way;
  readonly #open: { close(): Promise<void> }[] = [];
  #host: TestMcpHost | null = null;
  #server: ScriptedServer | null = null;

  constructor(way: Way) {
    this.way = way;
  }

  /** Starts the server, and aish with it. */
  async start(answers: Answers, config: Partial<ServerConfig> = {}, options: HostOptions = {}): Promise<void> {
    const server = await this.serve(answers);
    this.#server = server;
    this.host({ lab: { ...server.config, ...config } }, options);
  }

  /** Another server. */
  async serve(answers: Answers, banner = ''): Promise<ScriptedServer> {
    return this.use(await scriptedServer(this.way, answers, banner));
  }

  /** Closes something when the test ends. */
  use<Part extends { close(): Promise<void> }>(part: Part): Part {
    this.#open.push(part);
    return part;
  }

  /** aish with these servers. */
  host(servers: Readonly<Record<string, ServerConfig>>, options: HostOptions = {}): TestMcpHost {
    const host = createMcpHost(servers, options);
    this.#open.unshift(host.servers);
    this.#host = host;
    return host;
  }

  /** aish once more, with what it remembers. */
  again(config: Partial<ServerConfig> = {}, options: HostOptions = {}): TestMcpHost {
    const { stateDir } = this.aish;
    return this.host({ lab: { ...this.server.config, ...config } }, { ...options, stateDir });
  }

  get aish(): TestMcpHost {
    if (this.#host === null) throw new Error('aish has not started');
    return this.#host;
  }

  get server(): ScriptedServer {
    if (this.#server === null) throw new Error('the server has not started');
    return this.#server;
  }

  /** The text of a call. */
  async call(tool = 'echo', args: JsonObject = {}, options: CallOptions = {}): Promise<string> {
    return (await this.aish.servers.call(`lab.${tool}`, args, signal, options)).text;
  }

  failure(tool = 'echo', options: CallOptions = {}): Promise<AishError> {
    return failureOf(this.aish.servers.call(`lab.${tool}`, {}, signal, options));
  }

  refresh(): Promise<void> {
    return this.aish.servers.server('lab').refresh(signal);
  }

  tools(): Promise<KnownTools> {
    return this.aish.servers.tools({ waitMs: 30_000, signal });
  }

  async names(): Promise<readonly string[]> {
    return (await this.tools()).tools.map(({ name }) => name);
  }

  get status(): ServerStatus | undefined {
    return this.aish.servers.statuses()[0];
  }

  /** How many messages of a method the server got. */
  count(method: string): number {
    return this.server.seen().filter((message) => message.method === method).length;
  }

  /** How often the server was started; over HTTP, how often aish shook hands with it. */
  get starts(): number {
    const isStart = (message: JsonObject): boolean =>
      this.way === 'stdio' ? message.pid !== undefined : message.method === 'initialize';
    return this.server.seen().filter(isStart).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#open.splice(0)) await part.close();
  }
}
