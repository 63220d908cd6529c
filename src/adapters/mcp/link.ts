import { toShownUrl } from '../../core/model/server-fault.ts';
import { toShownWords } from '../../core/secrets/shapes.ts';
import { AishError } from '../../protocol/error.ts';
import { orAborted, pause } from '../system/patience.ts';
import type { Connection, Limits } from './connection.ts';
import { redact, type ServerConfig, toSecrets } from './credentials.ts';
import { loadWire, type Wire } from './lazy.ts';
import * as messages from './messages.ts';
import type { OAuthSession } from './oauth-session.ts';
import type { ServerHandlers } from './server-handlers.ts';
import type { ServerProcesses } from './server-processes.ts';
import type { Era } from './tool-cache.ts';

/** Whether a server can be used. `degraded`: it is connected, and its list could not be renewed. `auth-needed`: a user must log in. */
export type LinkState = 'idle' | 'connecting' | 'connected' | 'degraded' | 'failed' | 'auth-needed' | 'disabled';

/** The surroundings of a connection to a server. */
export interface LinkDeps {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version we name ourselves with. */
  readonly version: string;
  readonly running: ServerProcesses;
  /** True when a user wrote this host into the configuration, so that a token may go to it in clear text. */
  readonly trustsHost: boolean;
  /** The folder of the tokens. */
  readonly stateDir: string;
}

interface LinkOptions {
  readonly alias: string;
  readonly config: ServerConfig;
  readonly limits: Limits;
  readonly deps: LinkDeps;
  readonly handlers: ServerHandlers;
  /** The era that the server spoke last time, if it is known and recent. */
  readonly knownEra: () => Era | null;
  /** Makes a fresh connection usable. The returned line is for the user; null without one. */
  readonly adopt: (wire: Wire, connection: Connection) => Promise<string | null>;
  readonly announce: (line: string | null) => void;
}

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** A connection that lasted this long was healthy: a failure after it is the first one. */
const HEALTHY_MS = 60_000;
/** The longest that a call waits for a connection that has been lost twice in a row. */
const PATIENCE_MS = 2000;

/** The connection to one server: opened when it is needed, given up when it fails, and tried again with growing pauses. */
export class ServerLink {
  readonly #options: LinkOptions;
  readonly #ended = new AbortController();
  readonly #backoff = new Backoff();
  #state: LinkState;
  #failure: AishError | null = null;
  /** The line about the last failure. aish does not repeat it when the next attempt ends the same way. */
  #reported: string | null = null;
  #connection: Connection | null = null;
  #opening: Promise<Connection> | null = null;
  #wasLost = false;
  /** The last attempt found no way. */
  #hasFailed = false;
  #oauth: OAuthSession | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#state = options.config.enabled === false ? 'disabled' : 'idle';
  }

  get state(): LinkState {
    return this.#state;
  }

  get error(): string | null {
    return this.#failure?.message ?? null;
  }

  get connection(): Connection | null {
    return this.#connection;
  }

  /** Aborts when the server is disconnected. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The address or the command line, fit to be shown. */
  get place(): { readonly url?: string; readonly command?: string } {
    const { url, command, args = [] } = this.#options.config;
    if (url !== undefined) return { url: toShownUrl(url) };
    if (command === undefined) return {};
    return { command: redact(toShownWords([command, ...args]).join(' '), toSecrets(this.#options.config, null)) };
  }

  /** True when asking a server that failed again is due; a user's own wish does not ask this. */
  get mayRetry(): boolean {
    return this.#backoff.waitMs === 0;
  }

  /** The open connection, opening it if need be. A user's own wish comes before the pause after a failure. */
  async connect({ byUser }: { readonly byUser: boolean }): Promise<Connection> {
    if (this.#connection !== null) return this.#connection;
    if (this.#state === 'disabled') throw messages.disabled(this.#options.alias);
    if (this.#opening === null && !byUser) await this.#waitForTurn();
    if (this.#connection !== null) return this.#connection;
    this.#opening ??= this.#open(byUser).finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /** The open connection for a request that may be called off meanwhile. */
  async reach(signal: AbortSignal, options: { readonly byUser: boolean }): Promise<Connection> {
    try {
      return await orAborted(this.connect(options), signal);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      throw messages.stoppedEarly(this.#options.alias);
    }
  }

  /** Gives up a connection that cannot be used any more; the next request opens another one. `kill` is for one that does not answer. */
  async drop(connection: Connection, how: 'close' | 'kill' = 'close'): Promise<void> {
    if (this.#connection === connection) {
      this.#connection = null;
      this.#state = 'idle';
    }
    await connection[how]();
  }

  /** The list could not be renewed: the server is of use with what is known of it. */
  degrade(error: AishError): void {
    this.#become('degraded', messages.formatOldTools(error.message), error);
  }

  /** The list is fresh again. */
  restore(): void {
    if (this.#state !== 'degraded' && this.#state !== 'auth-needed') return;
    this.#become('connected', null);
  }

  /** A user must log in before the server can be used. */
  needLogin(error: AishError): void {
    this.#become('auth-needed', null, error);
  }

  async close(): Promise<void> {
    this.#ended.abort(messages.disconnected(this.#options.alias));
    const connection = this.#connection;
    this.#connection = null;
    if (this.#state !== 'disabled') this.#state = 'idle';
    await connection?.close();
  }

  /** The reason for a failure, without secrets. */
  explain(
    wire: Wire,
    thrown: unknown,
    doing: messages.Doing,
    { signal, lastWords }: { readonly signal: AbortSignal; readonly lastWords: string },
  ): AishError {
    const { url, command } = this.place;
    return wire.toMcpError(thrown, {
      sdk: wire.sdk,
      alias: this.#options.alias,
      doing,
      place: url ?? command ?? '',
      lastWords,
      secrets: this.secrets(),
      signal,
    });
  }

  /** The login to the server; null for a server with a token of the configuration, or without an address. */
  oauth({ OAuthSession }: Wire): OAuthSession | null {
    const { alias, config, deps } = this.#options;
    const { url, auth_token, auth_env, headers = {} } = config;
    const isOwn = auth_token !== undefined || auth_env !== undefined;
    if (url === undefined || isOwn || Object.keys(headers).some((name) => /^authorization$/i.test(name))) return null;
    this.#oauth ??= new OAuthSession({ alias, config: { ...config, url }, stateDir: deps.stateDir, env: deps.env });
    return this.#oauth;
  }

  /** The error of a request whose token grants too little; null for any other. */
  toScopeError(wire: Wire, thrown: unknown): AishError | null {
    if (!wire.sdk.InsufficientScopeError.isInstance(thrown)) return null;
    const error = this.oauth(wire)?.toScopeError(wire.sdk, thrown) ?? null;
    if (error?.code === messages.LOGIN_NEEDED) this.needLogin(error);
    return error;
  }

  /** Values that no text may hold. */
  secrets(): readonly string[] {
    const { config, deps } = this.#options;
    const { auth_token, auth_env } = config;
    const token = auth_token ?? (auth_env === undefined ? null : (deps.env[auth_env] ?? null));
    return [...toSecrets(config, token), ...(this.#oauth?.secrets ?? [])];
  }

  /** Waits for the pause after a loss; after a failed attempt the request fails at once with the same error. */
  async #waitForTurn(): Promise<void> {
    const { waitMs } = this.#backoff;
    if (waitMs === 0) return;
    if (!this.#wasLost || waitMs > PATIENCE_MS) {
      const { code, message } = this.#failure ?? messages.lost(this.#options.alias, messages.CONNECTION_CLOSED);
      throw new AishError(code, message, { hint: messages.formatRetryIn(waitMs) });
    }
    await pause(waitMs, this.#ended.signal);
  }

  async #open(byUser: boolean): Promise<Connection> {
    this.#become('connecting', null);
    const wire = await loadWire();
    let connection: Connection | null = null;
    try {
      connection = await this.#dial(wire, byUser || !this.#hasFailed);
      const line = await this.#adopt(wire, connection);
      this.#reported = null;
      this.#become('connected', line);
      return connection;
    } catch (thrown) {
      const doing = connection === null ? 'connecting' : 'listing';
      const lastWords = connection?.lastWords ?? '';
      const error =
        this.toScopeError(wire, thrown) ?? this.explain(wire, thrown, doing, { signal: this.#ended.signal, lastWords });
      this.#wasLost = false;
      this.#hasFailed = true;
      this.#backoff.noteFailed();
      this.#fail(error);
      throw error;
    }
  }

  #dial(wire: Wire, restarts: boolean): Promise<Connection> {
    const { deps, knownEra, announce, ...options } = this.#options;
    return wire.dial({
      ...deps,
      ...options,
      sdk: wire.sdk,
      oauth: this.oauth(wire),
      clientVersion: deps.version,
      knownEra: knownEra(),
      restarts,
      signal: this.#ended.signal,
      onWarning: announce,
      onClosed: (lastWords) => this.#lose(lastWords),
    });
  }

  async #adopt(wire: Wire, connection: Connection): Promise<string | null> {
    if (this.#ended.signal.aborted) {
      await connection.close();
      this.#ended.signal.throwIfAborted();
    }
    this.#connection = connection;
    try {
      const line = await this.#options.adopt(wire, connection);
      if (this.#connection !== connection) throw messages.lost(this.#options.alias, messages.CONNECTION_CLOSED);
      this.#hasFailed = false;
      this.#backoff.noteOpened();
      return line;
    } catch (thrown) {
      await this.drop(connection);
      throw thrown;
    }
  }

  #lose(lastWords: string): void {
    if (this.#connection === null || this.#ended.signal.aborted) return;
    this.#connection = null;
    // The opening of the connection fails, and reports that.
    if (this.#state === 'connecting') return;
    this.#wasLost = true;
    this.#backoff.noteLost();
    const why = redact(lastWords || messages.CONNECTION_CLOSED, this.secrets());
    this.#fail(messages.lost(this.#options.alias, why));
  }

  #fail(error: AishError): void {
    if (this.#ended.signal.aborted) return;
    const { message, hint } = error;
    const line = [message.replace(/\s*\n\s*/g, ' '), hint].filter((part) => part !== undefined).join('; ');
    const news = line === this.#reported ? null : line;
    this.#reported = line;
    this.#become(error.code === messages.LOGIN_NEEDED ? 'auth-needed' : 'failed', news, error);
  }

  #become(state: LinkState, line: string | null, failure: AishError | null = null): void {
    this.#state = state;
    this.#failure = failure;
    this.#options.announce(line);
  }
}

/** Decides when a server that failed may be tried again: later each time, and not at the same moment as other servers. */
class Backoff {
  #failures = 0;
  #retryAt = 0;
  #openedAt: number | null = null;

  /** Milliseconds until the next attempt is due; 0 for now. */
  get waitMs(): number {
    return Math.max(0, this.#retryAt - performance.now());
  }

  noteOpened(): void {
    this.#openedAt = performance.now();
    this.#retryAt = 0;
  }

  /** A connection ended by itself. The first time a new one is due at once: servers are updated, laptops sleep. */
  noteLost(): void {
    const wasHealthy = this.#openedAt !== null && performance.now() - this.#openedAt > HEALTHY_MS;
    this.#failures = wasHealthy ? 1 : this.#failures + 1;
    if (this.#failures > 1) this.#delay(this.#failures - 2);
  }

  /** An attempt to connect failed. */
  noteFailed(): void {
    this.#failures += 1;
    this.#delay(this.#failures - 1);
  }

  #delay(doublings: number): void {
    const spread = 0.8 + 0.4 * Math.random();
    this.#retryAt = performance.now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** doublings) * spread;
  }
}
