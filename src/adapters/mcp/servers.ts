import { resolve } from 'node:path';
import type { JsonObject } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import { orAborted, settlesWithin } from '../system/patience.ts';
import type { Limits } from './connection.ts';
import type { ServerConfig } from './credentials.ts';
import * as messages from './messages.ts';
import type { ServerResult } from './result.ts';
import { McpServer, type ServerStatus } from './server.ts';
import type { CallOptions, ServerEvent } from './server-event.ts';
import { ServerProcesses } from './server-processes.ts';
import { ToolCache } from './tool-cache.ts';
import { PinStore, type Standing } from './tool-pins.ts';

export type { ServerConfig } from './credentials.ts';
export type { ServerStatus } from './server.ts';

interface McpServersOptions {
  /** By alias, as configured. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** The folder of the tool cache. */
  readonly stateDir: string;
  /** Folder that servers start in. */
  readonly cwd: string;
  /** Tokens are looked up here; servers get only a short safe part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version in aish's introduction. */
  readonly version: string;
  /** Rules of the configuration by which tools run without asking: `alias.tool` or `alias.*`. */
  readonly approved?: Readonly<Record<string, boolean>>;
  /** Other limits than the usual ones: connect 30 s, list 10 s, call 60 s of silence and 10 min in all, 32 MB a message. */
  readonly limits?: Partial<Limits>;
  /** Receives each change of a server's state; `line` is a raw notice for the user, null without one. */
  onStatus(status: ServerStatus, line: string | null): void;
  /** Receives the tools that changed since the last decision about them. */
  readonly onReplaced?: (isMeant: (name: string) => boolean) => void;
  /** True if calls come with `onElicitation`, so that a server may ask the user. */
  readonly asksUser?: boolean;
  /** Receives what servers report beside the answers to calls. */
  readonly onEvent?: (event: ServerEvent) => void;
}

/** The text of a server about its tools. */
export interface ServerInstructions {
  readonly alias: string;
  readonly text: string;
}

/** The tools at hand, and the servers whose tools are not known yet. */
export interface KnownTools {
  readonly tools: readonly Tool[];
  /** Those that came or changed since a user reviewed their server: not to be offered. */
  readonly held: readonly Tool[];
  /** Texts of servers about the tools that may be offered. Untrusted like the tools. */
  readonly instructions: readonly ServerInstructions[];
  /** Aliases, in order. */
  readonly missing: readonly string[];
}

/** The time that a server may stay silent after its call was cancelled. */
const MUTE_MS = 1200;

/**
 * All MCP servers of a session. A server costs one small file read until one of its tools is called: its tools are remembered from the last
 * run. aish connects at once only to a server never seen before.
 */
export class McpServers {
  readonly #options: McpServersOptions;
  readonly #cache: ToolCache;
  readonly #pins: PinStore;
  readonly #servers = new Map<string, McpServer>();
  readonly #running = new ServerProcesses();
  /** Aliases that the user connects: the command reports a failure, so no status line repeats it. */
  readonly #asked = new Set<string>();
  /** Servers that are still starting after a request has waited for them. */
  readonly #late = new Set<McpServer>();
  #closed = false;

  constructor(options: McpServersOptions) {
    this.#options = options;
    this.#cache = new ToolCache(options.stateDir);
    this.#pins = new PinStore(options.stateDir);
    for (const [alias, config] of Object.entries(options.servers)) this.#add(alias, config);
  }

  /** Gets to know, in the background, the servers never seen before. A failure is a status line. */
  start(): void {
    setTimeout(() => {
      if (this.#closed) return;
      // A first request may have tried already: aish does not retry or report a failure again immediately.
      for (const server of this.#unknown()) if (server.link.mayRetry) void learn(server);
    }, 0);
  }

  /** The tools of every server: cached ones immediately; for the start of an unknown server it waits once, at most `waitMs`. */
  async tools({ waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<KnownTools> {
    signal.throwIfAborted();
    const unknown = this.#unknown().filter((server) => server.link.mayRetry && !this.#late.has(server));
    if (unknown.length > 0) {
      const learned = unknown.map((server) => learn(server).finally(() => this.#late.delete(server)));
      const isInTime = await orAborted(settlesWithin(Promise.all(learned), waitMs), signal);
      if (!isInTime && waitMs > 0)
        for (const server of unknown) if (server.link.state === 'connecting') this.#late.add(server);
    }
    const enabled = this.#enabled();
    for (const server of enabled) server.announceHeld();
    return {
      tools: enabled.flatMap(({ catalogue }) => catalogue.offered),
      held: enabled.flatMap(({ catalogue }) => catalogue.held),
      instructions: enabled.flatMap(({ alias, catalogue }) => {
        const text = catalogue.offered.length === 0 ? null : catalogue.instructions;
        return text === null ? [] : [{ alias, text }];
      }),
      missing: this.#unknown().map(({ alias }) => alias),
    };
  }

  /** Calls `alias.tool`, connecting first if needed. An error that the tool reports is a result. */
  async call(name: string, args: JsonObject, signal: AbortSignal, options: CallOptions = {}): Promise<ServerResult> {
    const [alias, tool] = splitName(name);
    const server = this.server(alias);
    if (tool === '') throw messages.noToolName(alias);
    return server.call(tool, args, signal, options);
  }

  /** The server of this name; an error if there is none. */
  server(alias: string): McpServer {
    const server = this.#servers.get(alias);
    if (server !== undefined) return server;
    throw messages.unknownServer(
      alias,
      this.#enabled().map((known) => known.alias),
    );
  }

  /** Adds a server for this session and connects to it. Without an alias one is made from its host or program. */
  async connect(alias: string | null, config: ServerConfig): Promise<ServerStatus> {
    if (this.#closed) throw messages.serversClosed();
    const taken = [...this.#servers.keys()];
    const name = alias ?? createAlias(config, taken);
    const fault = findAliasFault(name, taken) ?? findConfigFault(config);
    if (fault !== null) throw messages.notAdded(name, fault);
    const server = this.#add(name, config);
    this.#asked.add(name);
    try {
      await server.link.connect({ byUser: true });
      return server.status;
    } catch (thrown) {
      if (this.#servers.get(name) === server) this.#servers.delete(name);
      await server.close();
      throw thrown;
    } finally {
      this.#asked.delete(name);
    }
  }

  /** Approves the tools of a server, or the one named `alias.tool`, as they are known now. `pin`: the fingerprint that must hold. */
  async approve(name: string, pin: string | null, signal: AbortSignal): Promise<void> {
    const [alias, tool] = splitName(name);
    await this.server(alias).approve(tool === '' ? null : tool, pin, signal);
  }

  /** The fingerprint of a server's tools, or of the one named `alias.tool`; null if it is not known. */
  fingerprintOf(name: string): string | null {
    const [alias, tool] = splitName(name);
    const catalogue = this.#servers.get(alias)?.catalogue;
    if (catalogue === undefined || catalogue.definitions === null) return null;
    return tool === '' ? catalogue.fingerprint : (catalogue.find(tool)?.fingerprint ?? null);
  }

  /** The review state of a tool; null for an unknown tool. */
  standingOf(name: string): Standing | null {
    const [alias, tool] = splitName(name);
    return this.#servers.get(alias)?.catalogue.standingOf(tool) ?? null;
  }

  /**
   * Pins the tools of a server when a configured rule lets one of them run: the rule holds as long as they stay the same.
   */
  noteRuled(name: string): void {
    const [alias] = splitName(name);
    const { approved = {} } = this.#options;
    if (approved[name] === true || approved[`${alias}.*`] === true) this.#servers.get(alias)?.catalogue.noteRuled();
  }

  /** Ends the connection to a server and forgets it for this session. */
  async disconnect(alias: string): Promise<void> {
    const server = this.server(alias);
    this.#servers.delete(alias);
    await server.close();
    // Another server may come by this name.
    this.#options.onReplaced?.((name) => splitName(name)[0] === alias);
    this.#options.onStatus(server.status, messages.formatDisconnected(alias));
  }

  /** After a halt, with the calls called off: ends servers that do not answer any more, and names them. */
  async halt(): Promise<readonly string[]> {
    // A call that was called off has noticed by then.
    await Bun.sleep(0);
    const muted = await Promise.all([...this.#servers.values()].map((server) => server.endIfMute(MUTE_MS)));
    return [...this.#servers.keys()].filter((_, at) => muted[at] === true);
  }

  statuses(): readonly ServerStatus[] {
    return [...this.#servers.values()].map(({ status }) => status);
  }

  /** The aliases of the servers that are starting. Unlike a status it needs no words fit to be shown, which take milliseconds. */
  connecting(): readonly string[] {
    return this.#enabled()
      .filter(({ link }) => link.state === 'connecting')
      .map(({ alias }) => alias);
  }

  /** The directory in which the server of a tool runs, the base of relative paths; null for an unknown server or one over HTTP. */
  startDirectory(name: string): string | null {
    const config = this.#servers.get(splitName(name)[0])?.config;
    return config?.command === undefined ? null : resolve(this.#options.cwd, config.cwd ?? '.');
  }

  /** A tool with its full schema, as last known. */
  describe(name: string): Tool | null {
    const catalogue = this.#servers.get(splitName(name)[0])?.catalogue;
    return [...(catalogue?.offered ?? []), ...(catalogue?.held ?? [])].find((tool) => tool.name === name) ?? null;
  }

  /** Ends every connection and every process, helpers of servers too. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#servers.values()].map((server) => server.close()));
    await this.#running.close();
  }

  /** Kills every server process immediately; for an exit handler, which cannot wait. */
  killAllNow(): void {
    this.#closed = true;
    // Closing first: a connection in progress must not start another process.
    for (const server of this.#servers.values()) void server.close();
    this.#running.killNow();
  }

  #add(alias: string, config: ServerConfig): McpServer {
    const { servers, approved = {}, onStatus } = this.#options;
    const hosts = Object.values(servers).map(({ url }) => toHost(url));
    const server = new McpServer(alias, config, {
      limits: {},
      asksUser: false,
      onReplaced: () => {},
      onEvent: () => {},
      ...this.#options,
      cache: this.#cache,
      pins: this.#pins,
      running: this.#running,
      hasRules: Object.values(approved).includes(true),
      trustsHost: config.url !== undefined && hosts.includes(toHost(config.url)),
      onStatus: (status, line) => onStatus(status, status.state === 'failed' && this.#asked.has(alias) ? null : line),
    });
    this.#servers.set(alias, server);
    return server;
  }

  #enabled(): McpServer[] {
    return [...this.#servers.values()].filter(({ link }) => link.state !== 'disabled');
  }

  #unknown(): McpServer[] {
    return this.#enabled().filter(({ catalogue }) => catalogue.definitions === null);
  }
}

/** Connects to read the tool list. A status line reports a failure. */
async function learn(server: McpServer): Promise<void> {
  await server.link.connect({ byUser: false }).catch(() => {});
}

function splitName(name: string): [string, string] {
  const dot = name.indexOf('.');
  return dot === -1 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
}

function toHost(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : null;
}

function findConfigFault({ url, command }: ServerConfig): string | null {
  if ((url === undefined) === (command === undefined)) return messages.NOT_ONE_ADDRESS;
  if (url === undefined) return null;
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return isWeb ? null : messages.formatBadAddress(url);
}

const RESERVED = 'aish';

/** Why an alias cannot be used; null when it can. */
export function findAliasFault(alias: string, taken: readonly string[]): string | null {
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(alias)) return messages.BAD_ALIAS;
  if (alias === RESERVED) return messages.RESERVED_ALIAS;
  return taken.includes(alias) ? messages.formatTaken(alias) : null;
}

/** A free alias: the first label of the server's host, or the name of its program. */
export function createAlias(
  source: { readonly url?: string; readonly command?: string },
  taken: readonly string[],
): string {
  const base = toWord(source) || 'server';
  for (let number = 1; ; number += 1) {
    const alias = number === 1 ? base : `${base}-${number}`;
    if (findAliasFault(alias, taken) === null) return alias;
  }
}

function toWord(source: { readonly url?: string; readonly command?: string }): string {
  if (source.url === undefined) return clean(source.command?.split('/').at(-1) ?? '');
  const host = URL.canParse(source.url) ? new URL(source.url).hostname : '';
  const labels = host.split('.').filter((label) => !['www', 'mcp', 'api'].includes(label));
  const isAddress = /^[\d.]+$/.test(host) || host.startsWith('[');
  return clean(isAddress ? host : (labels[0] ?? host));
}

function clean(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32);
}
