import { toShownUrl } from '../../core/model/server-fault.ts';
import { toShownWords } from '../../core/secrets/shapes.ts';
import { type AishError, formatError, toErrorFact } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolResult } from '../../protocol/tool.ts';
import { orAborted } from '../system/patience.ts';
import type { Connection, Limits } from './connection.ts';
import { redact, type ServerConfig, toSecrets } from './credentials.ts';
import { loadWire, type Wire } from './lazy.ts';
import * as messages from './messages.ts';
import type { PinStore } from './pin-store.ts';
import type { StdioTransport } from './stdio-transport.ts';
import { type CachedServer, type Era, type ToolCache, toIdentity } from './tool-cache.ts';
import type { ToolDefinition } from './tool-definition.ts';
import { type ReviewState, ToolList } from './tool-list.ts';
import { type ServerReview, ToolPins } from './tool-pins.ts';

/** The state of a server. */
export interface ServerStatus {
  readonly alias: string;
  readonly state: 'idle' | 'connecting' | 'connected' | 'failed' | 'disabled';
  /** Address without credentials, for a server spoken to over HTTP. */
  readonly url?: string;
  /** Program and arguments, for one that is started here. */
  readonly command?: string;
  readonly toolCount: number;
  /** Whether a user has looked at what it says of its tools; absent while they are not known. */
  readonly review?: ReviewState;
  readonly error?: string;
  /** The server's own version. */
  readonly version?: string;
}

interface ServerSurroundings {
  readonly cache: ToolCache;
  readonly pins: PinStore;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version we name ourselves with. */
  readonly version: string;
  readonly running: Set<StdioTransport>;
  /** True when a user wrote this host into the configuration, so that a token may go to it in clear text. */
  readonly trustsHost: boolean;
  /** Other limits than the usual ones; a server's own `timeout_ms` comes before them. */
  readonly limits: Partial<Limits>;
  onStatus(status: ServerStatus, line: string | null): void;
  /** Told that tools are no longer what they were when somebody last decided about them. */
  onReplaced(isMeant: (name: string) => boolean): void;
}

const LIMITS: Limits = {
  connectMs: 30_000,
  listMs: 10_000,
  callMs: 60_000,
  callTotalMs: 600_000,
  maxMessageBytes: 32 * 1024 * 1024,
};
const ERA_VALID_MS = 7 * 24 * 3600 * 1000;
const MAX_RETRY_MS = 30_000;

/** One configured server: its tools as last known, and a connection when one is needed. */
export class McpServer {
  readonly alias: string;
  readonly config: ServerConfig;
  readonly #around: ServerSurroundings;
  readonly #limits: Limits;
  readonly #ended = new AbortController();
  readonly #identity: string;
  readonly #pins: ToolPins;
  /** The tools as last known. */
  readonly list: ToolList;
  #state: ServerStatus['state'];
  #error: string | null = null;
  #version: string | null = null;
  #era: { readonly era: Era; readonly at: number } | null = null;
  #connection: Connection | null = null;
  #opening: Promise<Connection> | null = null;
  #failures = 0;
  #retryAt = 0;
  /** The list of the open connection, which is renewed behind it. */
  #listing: Promise<void> | null = null;
  /** A call was called off, and none has come to its end since. */
  #wasStopped = false;

  constructor(alias: string, config: ServerConfig, around: ServerSurroundings) {
    this.alias = alias;
    this.config = config;
    this.#around = around;
    const identity = toIdentity(config, around.cwd);
    this.#identity = identity;
    this.#pins = new ToolPins(around.pins, alias, identity);
    this.list = new ToolList({
      alias,
      pins: this.#pins,
      recall: () => around.cache.read(identity),
      trustsReadOnly: config.trust_read_only === true,
    });
    this.#state = config.enabled === false ? 'disabled' : 'idle';
    const own = config.timeout_ms === undefined ? {} : { callMs: config.timeout_ms };
    this.#limits = { ...LIMITS, ...around.limits, ...own };
  }

  get status(): ServerStatus {
    const count = this.list.definitions?.length;
    const version = this.#version ?? this.list.remembered?.version ?? null;
    const { url, command, args = [] } = this.config;
    return {
      alias: this.alias,
      state: this.#state,
      ...(url === undefined ? {} : { url: toShownUrl(url) }),
      ...(command === undefined
        ? {}
        : { command: redact(toShownWords([command, ...args]).join(' '), toSecrets(this.config, null)) }),
      toolCount: count ?? 0,
      ...(count === undefined ? {} : { review: this.list.reviewState }),
      ...(this.#error === null ? {} : { error: this.#error }),
      ...(version === null ? {} : { version }),
    };
  }

  get isEnabled(): boolean {
    return this.#state !== 'disabled';
  }

  /** Tells what is held back, once for every change of that. */
  announceHeld(): void {
    const line = this.list.heldNotice();
    if (line !== null) this.#announce(line);
  }

  /** The changes that a user must review to trust the tools as the server lists them now. */
  async review(signal: AbortSignal): Promise<ServerReview> {
    await this.refresh(signal);
    const { url, command } = this.status;
    return this.list.review(url ?? command ?? '');
  }

  /** Takes the user's word on the tools back; false where there was none. */
  forgetReview(): boolean {
    return this.#pins.forget();
  }

  /** True when asking a server that failed again is due; a user's own wish does not ask this. */
  get mayRetry(): boolean {
    return performance.now() >= this.#retryAt;
  }

  /** The open connection, opening it if need be. */
  connect(): Promise<Connection> {
    if (this.#connection !== null) return Promise.resolve(this.#connection);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /** Asks for the tool list anew, connecting first where needed. */
  async refresh(signal: AbortSignal): Promise<void> {
    const wire = await loadWire();
    const connection = await this.#reach(signal);
    try {
      await orAborted(this.#refresh(wire, connection), signal);
    } catch (thrown) {
      throw this.#explain(wire, thrown, 'listing', signal, connection.lastWords);
    }
  }

  /** Runs a tool. Sent again only where the server said that it knew nothing of the session and so did nothing. */
  async call(name: string, args: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    const wire = await loadWire();
    for (let attempt = 1; ; attempt += 1) {
      const before = this.list.find(name);
      const connection = await this.#reach(signal);
      await this.#checkDefinition(name, before, signal);
      try {
        const schema = this.list.find(name)?.tool.parameters ?? {};
        const result = wire.toToolResult(await connection.callTool(name, args, schema, signal));
        this.#wasStopped = false;
        return result;
      } catch (thrown) {
        this.#wasStopped ||= signal.aborted;
        const sessionLost = connection.hasSession && wire.isSessionLost(wire.sdk, thrown);
        if (sessionLost || wire.isConnectionLost(wire.sdk, thrown)) await this.#drop(connection);
        if (!sessionLost || attempt > 1) throw this.#explain(wire, thrown, 'calling', signal, connection.lastWords);
      }
    }
  }

  /**
   * After a halt: ends a server that got a cancellation and does not answer any more; true when it did. The server is started again on use.
   */
  async endIfMute(withinMs: number): Promise<boolean> {
    const connection = this.#connection;
    if (!this.#wasStopped || connection === null || (await connection.isAnswering(withinMs))) return false;
    this.#wasStopped = false;
    if (this.#connection === connection) {
      this.#connection = null;
      this.#state = 'idle';
    }
    await connection.kill();
    return true;
  }

  async close(): Promise<void> {
    this.#ended.abort(messages.disconnected(this.alias));
    const connection = this.#connection;
    this.#connection = null;
    if (this.#state !== 'disabled') this.#state = 'idle';
    await connection?.close();
  }

  /** The called definition must be the one of the decision: a server may report another definition only once it is connected. */
  async #checkDefinition(name: string, before: ToolDefinition | undefined, signal: AbortSignal): Promise<void> {
    if (this.#pins.isWatched) await orAborted(this.#listing ?? Promise.resolve(), signal);
    const now = this.list.find(name);
    if (now !== undefined && this.#pins.standingOf(now) === 'held')
      throw messages.notReviewed(`${this.alias}.${name}`, this.alias);
    if (this.#pins.isWatched && before !== undefined && before.fingerprint !== now?.fingerprint)
      throw messages.changedSince(`${this.alias}.${name}`, this.alias);
  }

  async #reach(signal: AbortSignal): Promise<Connection> {
    try {
      return await orAborted(this.connect(), signal);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      throw messages.stoppedEarly(this.alias);
    }
  }

  async #open(): Promise<Connection> {
    this.#become('connecting', null);
    const wire = await loadWire();
    try {
      const connection = await this.#openWith(wire);
      await this.#adopt(wire, connection);
      return connection;
    } catch (thrown) {
      const error = this.#explain(wire, thrown, 'connecting', this.#ended.signal, '');
      this.#fail(error);
      throw error;
    }
  }

  #openWith({ sdk, dial }: Wire): Promise<Connection> {
    const { cwd, env, running, trustsHost, version } = this.#around;
    return dial({
      sdk,
      clientVersion: version,
      alias: this.alias,
      config: this.config,
      cwd,
      env,
      running,
      trustsHost,
      knownEra: this.#knownEra(),
      limits: this.#limits,
      signal: this.#ended.signal,
      onWarning: (line) => this.#announce(line),
      onToolsChanged: () => void loadWire().then((wire) => this.#refreshQuietly(wire)),
      onClosed: (lastWords) => this.#lost(lastWords),
    });
  }

  /** Takes a fresh connection into use. Without a list it is not usable; with a remembered one it is, and the list is renewed behind it. */
  async #adopt(wire: Wire, connection: Connection): Promise<void> {
    if (this.#ended.signal.aborted) {
      await connection.close();
      this.#ended.signal.throwIfAborted();
    }
    this.#connection = connection;
    this.#version = connection.version;
    this.#era = { era: connection.era, at: Date.now() };
    const isFirst = this.list.definitions === null;
    if (isFirst) {
      try {
        await this.#refresh(wire, connection);
      } catch (thrown) {
        await this.#drop(connection);
        throw thrown;
      }
    }
    this.#failures = 0;
    this.#retryAt = 0;
    const count = this.list.definitions?.length ?? 0;
    this.#become('connected', isFirst ? messages.formatConnected(this.alias, count) : null);
    if (!isFirst) this.#refreshQuietly(wire);
  }

  #refreshQuietly(wire: Wire): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#listing = this.#refresh(wire, connection).catch((thrown: unknown) => {
      if (this.#connection !== connection) return;
      const error = this.#explain(wire, thrown, 'listing', this.#ended.signal, connection.lastWords);
      this.#announce(messages.formatOldTools(error.message));
    });
  }

  async #refresh(wire: Wire, connection: Connection): Promise<void> {
    const listed = await connection.listTools(this.#ended.signal);
    const { definitions, warnings } = wire.toToolListing(this.alias, listed);
    const before = this.list.definitions;
    // A line of its own reports the held tools of a reviewed server.
    const isReviewed = this.#pins.read().reviewed !== null;
    const notices =
      before === null ? warnings : isReviewed ? [] : wire.describeChanges(this.alias, before, definitions);
    const tools = this.list.replace(definitions);
    for (const line of notices) this.#announce(line);
    this.announceHeld();
    const replaced = wire.findReplaced(before ?? [], definitions);
    if (replaced.size > 0) this.#around.onReplaced((name) => replaced.has(name));
    this.#writeCache({ tools, version: connection.version, era: connection.era, at: Date.now() });
  }

  #writeCache(server: CachedServer): void {
    try {
      this.#around.cache.write(this.#identity, server);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      this.#announce(messages.formatNotCached(this.alias, why));
    }
  }

  #knownEra(): Era | null {
    const known = this.#era ?? this.list.remembered;
    const era = known !== null && Date.now() - known.at < ERA_VALID_MS ? known.era : null;
    return this.config.url === undefined ? (era ?? 'legacy') : era;
  }

  async #drop(connection: Connection): Promise<void> {
    if (this.#connection === connection) {
      this.#connection = null;
      this.#state = 'idle';
    }
    await connection.close();
  }

  #lost(lastWords: string): void {
    if (this.#connection === null || this.#ended.signal.aborted) return;
    this.#connection = null;
    const why = redact(lastWords || messages.CONNECTION_CLOSED, this.#secrets());
    this.#fail(messages.lost(this.alias, why));
  }

  #fail(error: AishError): void {
    this.#failures += 1;
    this.#retryAt = performance.now() + Math.min(MAX_RETRY_MS, 500 * 2 ** this.#failures);
    if (this.#ended.signal.aborted) return;
    this.#error = error.message;
    this.#state = 'failed';
    this.#announce(formatError(toErrorFact(error)).replace('\n ', ';'));
  }

  #explain(
    wire: Wire,
    thrown: unknown,
    doing: 'connecting' | 'listing' | 'calling',
    signal: AbortSignal,
    lastWords: string,
  ): AishError {
    const { url, command } = this.status;
    const place = url ?? command ?? '';
    return wire.toMcpError(thrown, {
      sdk: wire.sdk,
      alias: this.alias,
      doing,
      place,
      lastWords,
      secrets: this.#secrets(),
      signal,
    });
  }

  #secrets(): readonly string[] {
    const { auth_token, auth_env } = this.config;
    return toSecrets(this.config, auth_token ?? (auth_env === undefined ? null : (this.#around.env[auth_env] ?? null)));
  }

  #become(state: ServerStatus['state'], line: string | null): void {
    this.#state = state;
    this.#error = null;
    this.#announce(line);
  }

  #announce(line: string | null): void {
    this.#around.onStatus(this.status, line);
  }
}
