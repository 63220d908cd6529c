import { resolve } from 'node:path';
import { type JsonObject, omitUndefined } from '../../protocol/json.ts';
import { orAborted } from '../system/patience.ts';
import { Pace } from './call-limits.ts';
import { Catalogue, type ReviewState, type ServerPrompt, type ServerResource } from './catalogue.ts';
import type { Connection, Limits, ServerRequest } from './connection.ts';
import type { ServerConfig } from './credentials.ts';
import { loadWire, type Wire } from './lazy.ts';
import { type LinkDeps, type LinkState, ServerLink } from './link.ts';
import * as messages from './messages.ts';
import type { LoginDeps } from './oauth-session.ts';
import type { ServerResult } from './result.ts';
import type { CallOptions, ListKind, LogEntry, ServerEvent } from './server-event.ts';
import { type CachedServer, type Era, type ToolCache, toIdentity } from './tool-cache.ts';
import type { ToolDefinition } from './tool-definition.ts';
import { type PinStore, type ServerReview, ToolPins } from './tool-pins.ts';

/** The state of a server. */
export interface ServerStatus {
  readonly alias: string;
  readonly state: LinkState;
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
  /** The family of revisions that an open connection speaks. */
  readonly era?: Era;
}

interface ServerSurroundings extends LinkDeps {
  readonly cache: ToolCache;
  readonly pins: PinStore;
  /** True if the sessions can put forms of servers before their users. */
  readonly asksUser: boolean;
  readonly hasRules: boolean;
  /** Other limits than the usual ones; a server's own `timeout_ms` comes before them. */
  readonly limits: Partial<Limits>;
  onStatus(status: ServerStatus, line: string | null): void;
  /** Told that tools are no longer what they were when somebody last decided about them. */
  onReplaced(isMeant: (name: string) => boolean): void;
  onEvent(event: ServerEvent): void;
}

interface RequestOptions {
  readonly doing?: messages.Doing;
  /** The tool that is called, whose definition must be the one of the decision. */
  readonly tool?: string;
  /** The user asks for it: a pause after a failure does not hold it back. */
  readonly byUser?: boolean;
}

const LIMITS: Limits = {
  connectMs: 30_000,
  listMs: 10_000,
  callMs: 60_000,
  callTotalMs: 600_000,
  maxMessageBytes: 32 * 1024 * 1024,
};
const ERA_VALID_MS = 7 * 24 * 3600 * 1000;
const MOST_LOG_ENTRIES = 200;

/** One configured server: the link to it, its catalogue, and the calls of its tools. */
export class McpServer {
  readonly alias: string;
  readonly config: ServerConfig;
  readonly link: ServerLink;
  readonly catalogue: Catalogue;
  /** The newest lines of the server's log, oldest first. Untrusted. */
  readonly log: LogEntry[] = [];
  readonly #around: ServerSurroundings;
  readonly #identity: string;
  readonly #pins: ToolPins;
  #version: string | null = null;
  #era: { readonly era: Era; readonly at: number } | null = null;
  /** The list of the open connection, which is renewed behind it. */
  #listing: Promise<void> | null = null;
  /** The list has changed since it was asked for. */
  #isStale = false;
  /** Some servers say with each list that it has changed. */
  readonly #renewals = new Pace(1, 3);
  /** A call was called off, and none has come to its end since. */
  #wasStopped = false;
  #login: { readonly stop: AbortController; paste(address: string): void } | null = null;

  constructor(alias: string, config: ServerConfig, around: ServerSurroundings) {
    this.alias = alias;
    this.config = config;
    this.#around = around;
    this.#identity = toIdentity(config, around.cwd);
    this.#pins = new ToolPins(around.pins, alias, this.#identity);
    this.catalogue = this.#createCatalogue();
    this.link = this.#createLink();
  }

  get status(): ServerStatus {
    const count = this.catalogue.definitions?.length;
    const version = this.#version ?? this.catalogue.remembered?.version ?? null;
    const { state, error, connection } = this.link;
    return {
      alias: this.alias,
      state,
      ...this.link.place,
      toolCount: count ?? 0,
      ...(count === undefined ? {} : { review: this.catalogue.reviewState }),
      ...(error === null ? {} : { error }),
      ...(version === null ? {} : { version }),
      ...(connection === null ? {} : { era: connection.era }),
    };
  }

  /** Tells what is held back, once for every change of that. */
  announceHeld(): void {
    const line = this.catalogue.heldNotice();
    if (line !== null) this.#announce(line);
  }

  /** The changes that a user must review to trust the tools as the server lists them now. */
  async review(signal: AbortSignal): Promise<ServerReview> {
    await this.refresh(signal);
    const { url, command } = this.status;
    return this.catalogue.review(url ?? command ?? '');
  }

  /** Approves the tools as they are known now, or one of them. `pin`: the fingerprint that the approval is for; null for any. */
  async approve(name: string | null, pin: string | null, signal: AbortSignal): Promise<void> {
    // A list from an earlier run has no content to compare with later.
    if (this.catalogue.definitions?.some(({ meaning }) => meaning === undefined) !== false) await this.refresh(signal);
    const found = name === null ? null : this.catalogue.find(name);
    if (found === undefined) throw messages.noTool(`${this.alias}.${name}`);
    const now = found === null ? this.catalogue.fingerprint : found.fingerprint;
    if (pin !== null && pin !== now) throw messages.otherPin(found === null ? this.alias : found.tool.name, now);
    if (found === null) this.#pins.pin(this.catalogue.reviewable);
    else this.#pins.approve(found);
  }

  /** Takes the user's word on the tools back; false where there was none. */
  forgetReview(): boolean {
    return this.#pins.forget();
  }

  /** Asks for the tool list anew, connecting first where needed. */
  async refresh(signal: AbortSignal): Promise<void> {
    const send = (wire: Wire, connection: Connection) => {
      this.catalogue.clear();
      return orAborted(this.catalogue.refreshTools(wire, connection, this.link.ended), signal);
    };
    await this.#withConnection(signal, send, { doing: 'listing', byUser: true });
    this.link.restore();
  }

  /** Runs a tool. */
  async call(name: string, args: JsonObject, signal: AbortSignal, options: CallOptions): Promise<ServerResult> {
    const send = async (wire: Wire, connection: Connection) => {
      const definition = this.catalogue.find(name);
      const value = await connection.callTool(name, args, definition?.tool.parameters ?? {}, signal, options);
      const schema = definition?.outputSchema;
      return wire.toServerResult(value, schema === undefined ? null : { sdk: wire.sdk, schema });
    };
    return this.#withConnection(signal, send, { doing: 'calling', tool: name });
  }

  /** The resources and templates, as the server lists them. */
  resources(signal: AbortSignal): Promise<readonly ServerResource[]> {
    return this.#withConnection(signal, (_, connection) => this.catalogue.resources(connection, signal));
  }

  /** The prompts, as the server lists them. */
  prompts(signal: AbortSignal): Promise<readonly ServerPrompt[]> {
    return this.#withConnection(signal, (_, connection) => this.catalogue.prompts(connection, signal));
  }

  /** The text of a resource. `isAttached`: aish tells the user when the resource changes later. */
  async readResource(uri: string, signal: AbortSignal, { isAttached = false } = {}): Promise<string> {
    const text = await this.#ask({ method: 'resources/read', params: { uri } }, signal, (wire) => wire.toResourceText);
    if (isAttached) this.link.connection?.watch(uri);
    return text;
  }

  /** The messages of a prompt, as one text. */
  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string> {
    const params = { name, arguments: { ...args } };
    return this.#ask({ method: 'prompts/get', params }, signal, (wire) => wire.toPromptText);
  }

  /** Values for an argument of a prompt that begin as typed; an error from a server that completes nothing. */
  complete(prompt: string, argument: { name: string; value: string }, signal: AbortSignal): Promise<readonly string[]> {
    const params = { ref: { type: 'ref/prompt', name: prompt }, argument };
    return this.#ask({ method: 'completion/complete', params }, signal, (wire) => wire.toCompletions);
  }

  /** After a halt: ends a server that got a cancellation and does not answer any more; true when it did. Its next use starts it. */
  async endIfMute(withinMs: number): Promise<boolean> {
    const { connection } = this.link;
    if (!this.#wasStopped || connection === null || (await connection.isAnswering(withinMs))) return false;
    this.#wasStopped = false;
    await this.link.drop(connection, 'kill');
    return true;
  }

  /** Runs the login flow with the user, and connects. Another one of this server that is still open ends. */
  async login({ present, signal }: Omit<LoginDeps, 'pasted'>): Promise<void> {
    const wire = await loadWire();
    const oauth = this.link.oauth(wire);
    if (oauth === null) throw messages.noLogin(this.alias);
    this.#login?.stop.abort();
    const stop = new AbortController();
    const { promise: pasted, resolve: paste } = Promise.withResolvers<string>();
    const login = { stop, paste };
    this.#login = login;
    try {
      const ended = AbortSignal.any([signal, stop.signal, this.link.ended]);
      await oauth.login(wire.sdk, { present, signal: ended, pasted });
    } finally {
      if (this.#login === login) this.#login = null;
    }
    const { connection } = this.link;
    if (connection === null) await this.link.connect({ byUser: true });
    else this.link.restore();
  }

  /** Takes the address that the browser went to in the end; false if no login is open. */
  paste(address: string): boolean {
    this.#login?.paste(address);
    return this.#login !== null;
  }

  /** Forgets the tokens of the login; false if there were none. */
  async logout(): Promise<boolean> {
    const oauth = this.link.oauth(await loadWire());
    if (oauth === null) throw messages.noLogin(this.alias);
    const { connection } = this.link;
    if (connection !== null) await this.link.drop(connection);
    return oauth.logout();
  }

  close(): Promise<void> {
    return this.link.close();
  }

  #ask<T>(request: ServerRequest, signal: AbortSignal, reader: (wire: Wire) => (value: unknown) => T): Promise<T> {
    return this.#withConnection(signal, async (wire, connection) =>
      reader(wire)(await connection.request(request, signal)),
    );
  }

  /** Sends a request. It is sent again only where the server said that it knew nothing of the session and so did nothing. */
  async #withConnection<T>(
    signal: AbortSignal,
    send: (wire: Wire, connection: Connection) => Promise<T>,
    { doing = 'reading', tool, byUser = false }: RequestOptions = {},
  ): Promise<T> {
    const wire = await loadWire();
    for (let attempt = 1; ; attempt += 1) {
      const before = tool === undefined ? undefined : this.catalogue.find(tool);
      const connection = await this.link.reach(signal, { byUser });
      if (tool !== undefined) await this.#checkDefinition(tool, before, signal);
      try {
        const result = await send(wire, connection);
        this.#wasStopped = false;
        this.link.oauth(wire)?.noteSuccess();
        return result;
      } catch (thrown) {
        this.#wasStopped ||= signal.aborted;
        const sessionLost = connection.hasSession && wire.isSessionLost(wire.sdk, thrown);
        if (sessionLost || wire.isConnectionLost(wire.sdk, thrown)) await this.link.drop(connection);
        if (sessionLost && attempt === 1) continue;
        const scopeError = this.link.toScopeError(wire, thrown);
        if (scopeError !== null) throw scopeError;
        throw this.link.explain(wire, thrown, doing, { signal, lastWords: connection.lastWords });
      }
    }
  }

  /** The called definition must be the one of the decision: a server may report another definition only once it is connected. */
  async #checkDefinition(name: string, before: ToolDefinition | undefined, signal: AbortSignal): Promise<void> {
    if (this.#pins.isWatched) await orAborted(this.#listing ?? Promise.resolve(), signal);
    const now = this.catalogue.find(name);
    if (now !== undefined && this.#pins.standingOf(now) === 'held')
      throw messages.notReviewed(`${this.alias}.${name}`, this.alias);
    if (this.#pins.isWatched && before !== undefined && before.fingerprint !== now?.fingerprint)
      throw messages.changedSince(`${this.alias}.${name}`, this.alias);
  }

  #createCatalogue(): Catalogue {
    const { alias, config } = this;
    return new Catalogue({
      alias,
      pins: this.#pins,
      recall: () => this.#around.cache.read(this.#identity),
      trustsReadOnly: config.trust_read_only === true,
      announce: (line) => this.#announce(line),
      onReplaced: (names) => {
        this.#around.onReplaced((name) => names.has(name));
        this.#around.onEvent({ type: 'definition-changed', alias, tools: [...names] });
      },
      remember: (server) => this.#writeCache(server),
    });
  }

  #createLink(): ServerLink {
    const { alias, config } = this;
    const { cwd, limits } = this.#around;
    const own = omitUndefined({ callMs: config.timeout_ms, callTotalMs: config.total_timeout_ms });
    return new ServerLink({
      alias,
      config,
      limits: { ...LIMITS, ...limits, ...own },
      deps: this.#around,
      handlers: {
        asksUser: this.#around.asksUser,
        samplingTokens: config.sampling_tokens ?? 0,
        roots: config.roots?.map((path) => resolve(cwd, path)) ?? null,
        onListChanged: (kind) => this.#noteListChanged(kind),
        onLog: (entry) => this.#noteLog(entry),
        onResourceChanged: (uri) => this.#announce(messages.formatResourceChanged(alias, uri)),
      },
      knownEra: () => this.#knownEra(),
      adopt: (wire, connection) => this.#adopt(wire, connection),
      announce: (line) => this.#announce(line),
    });
  }

  /** Takes a fresh connection into use. Without a list it is not usable; with a remembered one it is, and the list is renewed behind it. */
  async #adopt(wire: Wire, connection: Connection): Promise<string | null> {
    this.#version = connection.version;
    this.#era = { era: connection.era, at: Date.now() };
    this.catalogue.clear();
    if (this.catalogue.definitions !== null) {
      this.#isStale = false;
      this.#listing = this.#renewList(wire, connection);
      return null;
    }
    await this.catalogue.refreshTools(wire, connection, this.link.ended);
    return messages.formatConnected(this.status, this.#around.hasRules);
  }

  /** Renews the list of a connection that is of use without it. A failure is a state of the link. */
  async #renewList(wire: Wire, connection: Connection): Promise<void> {
    try {
      await this.catalogue.refreshTools(wire, connection, this.link.ended);
      this.link.restore();
    } catch (thrown) {
      if (this.link.connection !== connection) return;
      const context = { signal: this.link.ended, lastWords: connection.lastWords };
      this.link.degrade(this.link.explain(wire, thrown, 'listing', context));
    }
  }

  #noteListChanged(kind: ListKind): void {
    this.#around.onEvent({ type: 'list-changed', alias: this.alias, kind });
    this.catalogue.invalidate(kind);
    const { connection } = this.link;
    if (kind !== 'tools' || connection === null || this.#isStale) return;
    // However many notices come, one list is under way and one waits.
    this.#isStale = true;
    const running = this.#listing ?? Promise.resolve();
    this.#listing = running.then(async () => {
      await this.#renewals.wait(1, this.link.ended);
      this.#isStale = false;
      await this.#renewList(await loadWire(), connection);
    });
  }

  #noteLog(entry: LogEntry): void {
    if (this.log.push(entry) > MOST_LOG_ENTRIES) this.log.shift();
    this.#around.onEvent({ type: 'log', alias: this.alias, entry });
  }

  #writeCache(server: CachedServer): void {
    const fault = this.#around.cache.write(this.#identity, server);
    if (fault !== null) this.#announce(messages.formatNotCached(this.alias, fault));
  }

  #knownEra(): Era | null {
    const known = this.#era ?? this.catalogue.remembered;
    return known !== null && Date.now() - known.at < ERA_VALID_MS ? known.era : null;
  }

  #announce(line: string | null): void {
    this.#around.onStatus(this.status, line);
  }
}
