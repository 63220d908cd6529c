import { type ChildProcess, spawn } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type AishError, errorCode } from '../../protocol/error.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../protocol/json.ts';
import { settlesWithin } from '../system/patience.ts';
import { describeStartFault } from '../system/start-fault.ts';
import { cannotStart, formatExit, serverGone, tooLarge } from './messages.ts';
import { findDescendants, killStrays, type ServerProcesses } from './server-processes.ts';

/** The end of what a server says beside the protocol: the cause of a failure stands last. */
const TAIL_BYTES = 2048;
/** A line of it that would fill the screen, and its beginning. */
const LONG_LINE = /([^\n]{200})[^\n]+/gu;
/** The code of JSON-RPC for an error without one. */
const INTERNAL_ERROR = -32603;

/** The id of a request that no client of the SDK sends. */
const DISCOVERY = 'aish-discovery';

/** Nothing survives SIGKILL, but dead processes nobody has collected still count as a group; they are not waited for any longer. */
const KILL_MS = 200;

/** A process that ends closes its output first; its status follows. */
const END_MS = 500;

interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  /** Time to end by itself, and again after SIGTERM. */
  readonly graceMs: number;
  /** Every transport whose processes may still run is in here, so that a leaving program can end them. */
  readonly running: ServerProcesses;
}

/**
 * A server as a child process. The child leads a process group of its own, so wrappers (npx, uvx, sh) cannot leave
 * the real server behind; its standard error is always drained and the end of it kept for error texts.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #options: StdioOptions;
  readonly #frames: LineFrames;
  readonly #mark: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  #exited: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #announced = false;
  #delivered: Promise<void> = Promise.resolve();
  #stderr = '';
  #noise = '';
  #end = '';
  #fault = '';
  /** The requests without an answer. */
  readonly #waiting = new Set<RequestId>();
  readonly #discovered = Promise.withResolvers<void>();

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#frames = new LineFrames(options.maxMessageBytes);
    this.#mark = options.running.createMark();
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** True after the end of the process. */
  get hasExited(): boolean {
    return this.#end !== '';
  }

  /** The server's last text on standard error or beside the protocol, and the way it ended: the usual reason for a lost connection. */
  get lastWords(): string {
    if (this.#fault !== '') return this.#fault;
    const words = (this.#stderr.trim() || this.#noise.trim()).replace(LONG_LINE, '$1…');
    return [this.#end, words].filter((part) => part !== '').join(': ');
  }

  async start(): Promise<void> {
    const { command, args, cwd, running } = this.#options;
    const env = { ...this.#options.env, ...this.#mark };
    const fail = (error: Error): AishError => {
      const { why, hint } = describeStartFault(error);
      return cannotStart(command, cwd, why, hint, error);
    };
    // Some faults are thrown, and others are events.
    const child = attemptStart(() => spawn(command, [...args], { cwd, env, detached: true, stdio: 'pipe' }), fail);
    this.#child = child;
    running.add(this);
    const started = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<void>();
    this.#exited = exited.promise;
    child.once('spawn', () => started.resolve());
    child.once('error', (error) => {
      started.reject(fail(error));
      exited.resolve();
      if (child.pid === undefined) running.delete(this);
    });
    child.once('exit', (code, signal) => {
      // An end that aish brought about explains nothing.
      if (this.#closing === null) this.#end = formatExit(code, signal);
      exited.resolve();
    });
    // 'close' comes after the last byte of both pipes, so the last words are complete. A helper that keeps them open must not delay it for
    // ever.
    child.once('close', () => this.#announceEnd());
    void exited.promise.then(() => waitForClose(child)).then(() => this.#announceEnd());
    // A server that closes its end of the pipe answers no more, although it may live on.
    // Its last message may lack the line break.
    child.stdout?.on('end', () => this.#receive(Buffer.of(NEWLINE)));
    child.stdout?.on('end', () => void settlesWithin(exited.promise, END_MS).then(() => this.#announceEnd()));
    child.stdout?.on('data', (bytes: Buffer) => this.#receive(bytes));
    child.stderr?.on('data', (bytes: Buffer) => {
      this.#stderr = keepTail(this.#stderr, bytes);
    });
    // A server that died answers a write with EPIPE; its exit is what gets reported.
    child.stdin?.on('error', (error) => this.onerror?.(error));
    await started.promise;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(serverGone(this.lastWords));
    if ('method' in message && 'id' in message) this.#waiting.add(message.id);
    else if ('method' in message && isRequestId(message.params?.requestId))
      this.#waiting.delete(message.params.requestId);
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Asks beside the handshake for the stateless revisions. Settles only if the server speaks them. */
  discover(params: JsonObject): Promise<void> {
    void this.send({ jsonrpc: '2.0', id: DISCOVERY, method: 'server/discover', params }).catch(() => {});
    return this.#discovered.promise;
  }

  /** Ends the server and everything it started: end of input, then SIGTERM, then SIGKILL to the whole group. */
  close(): Promise<void> {
    this.#closing ??= this.#endAll();
    return this.#closing;
  }

  /** Kills the whole group at once; for an exit handler, where nothing can be awaited. */
  killNow(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  }

  async #endAll(): Promise<void> {
    const child = this.#child;
    const { graceMs, running } = this.#options;
    if (child?.pid !== undefined) {
      const below = findDescendants(child.pid);
      child.stdin?.end();
      await settlesWithin(this.#exited, graceMs);
      if (isGroupAlive(child.pid)) {
        signalGroup(child.pid, 'SIGTERM');
        if (!(await waitForGroupEnd(child.pid, graceMs))) {
          signalGroup(child.pid, 'SIGKILL');
          await waitForGroupEnd(child.pid, KILL_MS);
        }
      }
      await this.#exited;
      killStrays(below, this.#mark);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
    running.delete(this);
    this.#announceEnd();
  }

  #announceEnd(): void {
    if (this.#announced) return;
    this.#announced = true;
    // Processes that a crashed server left running have no client any more.
    void this.close();
    this.onclose?.();
  }

  #receive(bytes: Buffer): void {
    if (this.#announced) return;
    try {
      // The SDK handles notices a little later than answers: a notice ahead of an answer must have its turn before it.
      for (const line of this.#frames.push(bytes))
        this.#delivered = this.#delivered
          .then(() => this.#deliver(line))
          .catch((error: Error) => this.onerror?.(error));
    } catch (thrown) {
      this.#fault = thrown instanceof Error ? thrown.message : String(thrown);
      this.#child?.stdout?.destroy();
      this.#announceEnd();
    }
  }

  #deliver(line: string): void {
    const found = parseMessages(line, this.#waiting);
    for (const message of found) {
      if (!('method' in message) && isRequestId(message.id)) this.#waiting.delete(message.id);
      if (!('id' in message) || 'method' in message || message.id !== DISCOVERY) this.onmessage?.(message);
      else if ('result' in message && Array.isArray(message.result.supportedVersions)) this.#discovered.resolve();
    }
    if (found.length === 0 && line.trim() !== '')
      this.#noise = keepTail(this.#noise, Buffer.from(`${line.slice(0, 500)}\n`));
  }
}

const MESSAGE_START = /\{\s*"(?:jsonrpc|id|method|params|result|error)"/;

function attemptStart<T>(start: () => T, fail: (error: Error) => AishError): T {
  try {
    return start();
  } catch (thrown) {
    throw fail(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}

/** The JSON-RPC messages of a line: one, or those of a batch. None for anything else, which many servers print by mistake. */
function parseMessages(line: string, waiting: ReadonlySet<RequestId>): readonly JSONRPCMessage[] {
  // A byte order mark, or a text without a line break, may stand before the first message.
  const value = parseJson(line.startsWith('[') ? line : line.slice(Math.max(0, line.search(MESSAGE_START))));
  return (Array.isArray(value) ? value : [value])
    .map((one) => toMessage(one, waiting))
    .filter((message) => message !== null);
}

type RequestId = string | number;

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

/** A message; null for a value that is none. A malformed answer becomes an answer of the right form: its request must not wait for it. */
function toMessage(value: unknown, waiting: ReadonlySet<RequestId>): JSONRPCMessage | null {
  if (isMessage(value)) return value;
  if (!isJsonObject(value)) return null;
  const { result, error } = value;
  // A server that cannot read a request answers without its id.
  const id = value.id === null && waiting.size === 1 && error !== undefined ? [...waiting][0] : value.id;
  // A line of a log may look like an answer.
  const isAnswer = value.jsonrpc === '2.0' || result !== undefined || error !== undefined;
  if (!isRequestId(id) || !isAnswer || (value.jsonrpc !== '2.0' && !waiting.has(id))) return null;
  if (error !== undefined && error !== null) return { jsonrpc: '2.0', id, error: toRpcError(error) };
  // No request has a malformed result, so its reader rejects it.
  return { jsonrpc: '2.0', id, result: isJsonObject(result) ? result : { malformed: result ?? null } };
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0') return false;
  if (typeof value.method === 'string') return true;
  const { id, result, error } = value;
  return id !== null && (error === undefined ? isJsonObject(result) : result === undefined && isRpcError(error));
}

function isRpcError(error: unknown): boolean {
  return isJsonObject(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}

function toRpcError(error: unknown): { code: number; message: string } {
  const { code, message } = isJsonObject(error) ? error : { code: null, message: error };
  const said = typeof message === 'string' ? message : (JSON.stringify(error) ?? '');
  return { code: typeof code === 'number' && Number.isInteger(code) ? code : INTERNAL_ERROR, message: said };
}

function keepTail(text: string, bytes: Buffer): string {
  const recent = bytes.length > TAIL_BYTES ? bytes.subarray(-TAIL_BYTES) : bytes;
  return (text + recent.toString('utf8')).slice(-TAIL_BYTES);
}

async function waitForClose(child: ChildProcess): Promise<void> {
  const closed = Promise.withResolvers<void>();
  child.once('close', () => closed.resolve());
  await settlesWithin(closed.promise, 200);
}

/** True while any process of the group is there. */
function isGroupAlive(leader: number): boolean {
  return signalGroup(leader, 0);
}

/** Sends a signal to every process of a group; false when the group has gone. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (thrown) {
    // EPERM: somebody is there who is not ours to signal, for example after a setuid program.
    return errorCode(thrown) === 'EPERM';
  }
}

/** Waits until the group has gone, at most `limitMs`. Only a process can be awaited by an event, a group has to be looked at. */
async function waitForGroupEnd(leader: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isGroupAlive(leader)) {
    if (performance.now() >= deadline) return false;
    await Bun.sleep(10);
  }
  return true;
}

const NEWLINE = 0x0a;

/** Cuts a byte stream into lines. Each byte is looked at once and joined once, so the cost grows with the size and not its square. */
export class LineFrames {
  readonly #limit: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** The lines that `bytes` completes. Throws when one line grows past the limit. */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#hold(bytes.subarray(start, end));
      lines.push(this.#takeLine());
      start = end + 1;
    }
    if (start < bytes.length) this.#hold(bytes.subarray(start));
    return lines;
  }

  #hold(part: Uint8Array): void {
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > this.#limit) throw tooLarge(this.#limit);
    this.#pending.push(part);
  }

  #takeLine(): string {
    const line = Buffer.concat(this.#pending, this.#pendingBytes).toString('utf8');
    this.#pending = [];
    this.#pendingBytes = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
