import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLog } from '../../src/adapters/store/event-log.ts';
import { listSessions } from '../../src/adapters/store/sessions.ts';
import { NOT_BEGUN, UNKNOWN_OUTCOME } from '../../src/core/session/messages.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import type { Random } from '../fidelity/random.ts';
import { Home } from './aish.ts';
import { send, startScriptedMcpServer, type TestMcpServer, toInitializeResult } from './mcp-server.ts';
import {
  calls,
  held,
  type ModelServer,
  type Reply,
  type ScriptedCall,
  type SeenRequest,
  startModelServer,
  text,
  textAndCalls,
} from './model-server.ts';
import type { WireMessage } from './request-check.ts';

const MARK_TOOL: JsonObject = {
  name: 'mark',
  description: 'Marks a token',
  inputSchema: { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
};

/** The last message, for which the model has nothing to do. */
export const LAST_WORDS = 'is all well?';

/** Tokens that every other model can hold: a session of some turns has to be compacted. */
const WINDOW = 2048;

/** More requests than any run of this has. */
const MOST_REQUESTS = 20_000;

/** How often something was seen, so that a test cannot pass with nothing having happened. */
export interface CrashTally {
  requests: number;
  done: number;
  unknown: number;
  notBegun: number;
  /** Facts of each type in the logs. */
  readonly facts: Record<string, number>;
}

/**
 * A user's machine on which every side effect counts: each has a token of its own, and the program that carries it out writes the token
 * down. The model's information about a token must match the event, and no token may be there twice.
 */
export class CrashWorld {
  readonly home = new Home();
  readonly model: ModelServer;
  readonly random: Random;
  /** The file to which the commands write. */
  readonly #requestLog = join(this.home.root, 'ledger');
  readonly #programs = join(this.home.root, 'bin');
  /** Tokens that the server was called with. */
  readonly #served: string[] = [];
  #servers: TestMcpServer | null = null;
  #tokens = 0;

  constructor(random: Random) {
    this.random = random;
    const answer = (request: SeenRequest): Reply => this.#answer(request);
    const window = random.below(2) === 0 ? {} : { window: { tokens: WINDOW, silent: false } };
    this.model = startModelServer({ script: Array.from({ length: MOST_REQUESTS }, () => answer), ...window });
  }

  /** Sets the machine up. */
  async open(): Promise<void> {
    this.#servers = await startScriptedMcpServer((response, { method, message }) => {
      if (method !== 'POST' || message === null) return send(response, 405, {});
      if (message.id === undefined) return void response.writeHead(202).end();
      const answer = { jsonrpc: '2.0', id: message.id, result: this.#serve(message) };
      setTimeout(() => send(response, 200, answer), message.method === 'tools/call' ? this.random.below(120) : 0);
    });
    mkdirSync(this.#programs);
    for (const name of ['mark-it', 'note-it', 'slow-mark']) {
      const path = join(this.#programs, name);
      // Between what it does and its end there is time to be killed in.
      const wait = name === 'slow-mark' ? 'sleep 0.3\n' : 'sleep 0.03\n';
      writeFileSync(path, `#!/bin/sh\necho "$1" >> ${this.#requestLog}\n${wait}echo "marked $1"\n`);
      chmodSync(path, 0o755);
    }
    writeFileSync(this.#requestLog, '');
    const more = [
      `[mcp.servers.counter]\nurl = "${this.#servers.url}"`,
      '[mcp.auto_approve]\n"counter.*" = true',
      '[safety]\napprove = ["mark-it", "slow-mark"]',
    ];
    this.home.useModel(this.model.url, more.join('\n'));
    await this.home.run(['mcp', 'tools'], { env: this.env });
  }

  async close(): Promise<void> {
    await this.#servers?.close();
    await this.model.close();
    this.home[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The environment with the programs that write tokens down. */
  get env(): Record<string, string> {
    return { PATH: `${this.#programs}:${this.home.env.PATH}` };
  }

  /** A token nobody had yet. */
  token(): string {
    this.#tokens += 1;
    return `t${this.#tokens}t`;
  }

  /** A command with a side effect that counts: a rule allows it, unless it is a note. */
  command(): string {
    return `${this.random.pick(['mark-it', 'note-it', 'mark-it', 'slow-mark'])} ${this.token()}`;
  }

  /** The faults in the events, in view of the model's information; empty if there are none. */
  faults(tally: CrashTally): string[] {
    const marked = [...readFileSync(this.#requestLog, 'utf8').split('\n'), ...this.#served];
    const counts = new Map<string, number>();
    for (const token of marked) if (token !== '') counts.set(token, (counts.get(token) ?? 0) + 1);
    const faults = [...counts].filter(([, count]) => count > 1).map(([token, count]) => `${token}: ${count} times`);
    for (const [token, said] of this.#told()) {
      const count = counts.get(token) ?? 0;
      if (said.includes(`marked ${token}`)) {
        // A command that ran on an overlay alone, and changed nothing of the project, reports that it ran in there.
        const times = said.includes('in a sandbox') ? 0 : 1;
        tally.done += times;
        if (count !== times) faults.push(`${token}: told as done ${times} times, happened ${count} times`);
      } else if (said === NOT_BEGUN) {
        tally.notBegun += 1;
        if (count !== 0) faults.push(`${token}: told as never begun, happened ${count} times`);
      } else if (said === UNKNOWN_OUTCOME) tally.unknown += 1;
    }
    tally.requests += this.model.requests.length;
    for (const { path } of listSessions(this.home.state)) {
      for (const { event } of readLog(path)) tally.facts[event.type] = (tally.facts[event.type] ?? 0) + 1;
    }
    if (existsSync(join(this.home.work, '.git/index.lock'))) faults.push('the index is locked');
    return [...faults, ...this.model.failures];
  }

  /** Whether the model knows that a call of it ran. */
  get hasDone(): boolean {
    return [...this.#told()].some(
      ([token, said]) => said.includes(`marked ${token}`) && !said.includes('in a sandbox'),
    );
  }

  /** The model's information about the token of each call, in any request. */
  #told(): ReadonlyMap<string, string> {
    const told = new Map<string, string>();
    for (const { body } of this.model.requests) {
      const tokens = new Map(body.messages.flatMap(tokensOf));
      for (const { role, tool_call_id: id = '', content } of body.messages) {
        const token = tokens.get(id);
        if (role === 'tool' && token !== undefined) told.set(token, String(content));
      }
    }
    return told;
  }

  #serve(message: JsonObject): JsonObject {
    if (message.method === 'initialize') return toInitializeResult();
    if (message.method === 'tools/list') return { tools: [MARK_TOOL] };
    const { arguments: given } = isJsonObject(message.params) ? message.params : {};
    const token = isJsonObject(given) ? String(given.token) : '';
    if (message.method === 'tools/call') this.#served.push(token);
    return { content: [{ type: 'text', text: `marked ${token}` }] };
  }

  #answer({ body }: SeenRequest): Reply {
    const { random } = this;
    if (body.tools === undefined || String(body.messages.at(-1)?.content).endsWith(LAST_WORDS))
      return text('That is all there is to say.');
    const late = Bun.sleep(random.below(25));
    const count = random.below(4);
    if (count === 0) {
      const line = random.below(2) === 0 ? `\nCMD: ${this.command()}` : '';
      return held(text(`It is done as you said, as far as I see.${line}`), late);
    }
    const list = Array.from({ length: count }, () => this.#call());
    return held(random.below(2) === 0 ? calls(...list) : textAndCalls('I go on with it now.', ...list), late);
  }

  #call(): ScriptedCall {
    switch (this.random.below(6)) {
      case 0:
      case 1:
        return { name: 'counter__mark', arguments: { token: this.token() } };
      case 2:
        return { name: 'aish__read_file', arguments: { path: 'README' } };
      case 3:
        return { name: 'aish__write_file', arguments: { path: `made-${this.random.below(9)}`, content: this.token() } };
      default:
        return { name: 'aish__exec', arguments: { command: this.command() } };
    }
  }

  /** A line of the user's work at the files, beside aish. */
  edit(): void {
    appendFileSync(join(this.home.work, 'README'), 'a line of the user\n');
  }
}

function tokensOf({ tool_calls: list = [] }: WireMessage): [string, string][] {
  return list.flatMap((call): [string, string][] => {
    const token = /t\d+t/.exec(call.function.arguments)?.[0];
    return token === undefined ? [] : [[call.id, token]];
  });
}
