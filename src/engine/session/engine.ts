import { statSync } from 'node:fs';
import { join } from 'node:path';
import { definedOf, homeOf, type Paths } from '../../adapters/config/paths.ts';
import type { McpServers, ServerStatus } from '../../adapters/mcp/servers.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { findShell, toShellKind } from '../../adapters/shell/program.ts';
import type { ContextFill } from '../../core/context/compaction.ts';
import { isRestoreAsked } from '../../core/session/checkpoints.ts';
import { fold } from '../../core/session/evolve.ts';
import { findLostCommand } from '../../core/session/lost-command.ts';
import { withoutRules } from '../../core/session/settings.ts';
import { attempt } from '../../core/text/attempt.ts';
import type { Config, McpServerConfig } from '../../protocol/config.ts';
import type { PastMessage, Recorded, SessionEvent } from '../../protocol/event.ts';
import type { HaltedBy } from '../../protocol/op.ts';
import type { ApproveMode, Settings } from '../../protocol/settings.ts';
import type { EffectDeps } from '../effects/effect-context.ts';
import { createRunEffect } from '../effects/effects.ts';
import { ContextWindowCache, WindowCache } from '../requests/context-window-cache.ts';
import { type ModelContext, ModelEndpoints } from '../requests/model-endpoints.ts';
import { openSecretStore, redactStatus } from '../secrets/process-secrets.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { OpenShell } from '../shell/shared-shell.ts';
import { formatCutShort, formatGoneDirectory } from './messages.ts';
import {
  createEffectDeps,
  createWorkers,
  endWork,
  findFirstSecrets,
  openStored,
  type SessionWorkers,
  type SharedDeps,
  type StoredSession,
} from './open-session.ts';
import { Session } from './session.ts';

/** Tells programs not to ask or page if no user could answer. */
const NOBODY_WATCHES = { GIT_TERMINAL_PROMPT: '0', DEBIAN_FRONTEND: 'noninteractive', PAGER: 'cat', GIT_PAGER: 'cat' };

/** The context in which MCP servers start. */
interface ServersContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: { readonly state: string };
  readonly cwd: string;
  readonly version?: string;
  /** Announces a change of a server; `line` is null without news. */
  readonly onServerStatus?: (status: ServerStatus, line: string | null) => void;
}

interface SharedServersDeps {
  /** Knows what their lines may not hold. */
  readonly secretStore: () => Promise<SecretStore>;
  /** Rules about these tools hold no longer. */
  readonly onReplaced: (isMeant: (name: string) => boolean) => void;
}

interface EngineOptions extends ModelContext, ServersContext {
  readonly paths: Paths;
  readonly loaded?: { readonly file: string | null };
  /** The private folder for sockets and shell files, made when first asked for. */
  readonly runtimeFolder: () => string;
  /** How long a request waits at most for servers that were never seen before, in milliseconds. */
  readonly serverWaitMs?: number;
}

/** How a session is opened. */
export interface OpenOptions {
  readonly cwd: string;
  readonly settings: Settings;
  /** Id of a session to go on with; a new one without it. */
  readonly resume?: string;
  /** The mode that the opening client requested, and not a file alone: it ends a halt of the session. */
  readonly approve?: ApproveMode;
  /** The earlier messages, of a client that keeps its own history. */
  readonly past?: readonly PastMessage[];
  /** The shell with a terminal; without it commands run in a hidden one. */
  readonly openShell?: OpenShell;
}

/** A session with what works for it, for hosts in this process. */
export interface LiveSession extends SessionWorkers {
  readonly session: Session;
  /** The contents of the next request's context. */
  readonly measureContext: () => Promise<ContextFill>;
  /** The events before this process opened the session. */
  readonly history: readonly Recorded[];
  readonly warnings: readonly string[];
}

/** Opens sessions and owns what they share. The only place where the parts are put together. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #live = new Set<Session>();
  readonly #servers: SharedServers;
  /** How much the models can hold. */
  readonly #windows: ContextWindowCache;
  readonly #shared: SharedDeps;
  #secretStore: Promise<SecretStore> | null = null;
  #sandbox: Promise<Sandbox> | null = null;
  /** The models that sessions ask. */
  readonly endpoints: ModelEndpoints;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.endpoints = new ModelEndpoints(options);
    this.#windows = new ContextWindowCache({
      configured: (name) => options.config.models[name],
      store: new WindowCache(options.paths.cache),
    });
    this.#servers = new SharedServers(options, {
      secretStore: () => this.#processSecrets(),
      onReplaced: (isMeant) => this.#dropRules(isMeant),
    });
    this.#shared = {
      options,
      home: homeOf(options.env),
      shellName: () => this.#shellName(),
      openSandbox: () => this.#openSandbox(),
      endpoints: this.endpoints,
      windows: this.#windows,
      servers: () => this.servers(),
    };
  }

  /** Opens a new session or goes on with a stored one. */
  async open(options: OpenOptions): Promise<LiveSession> {
    const stored = await openStored(this.#options.paths.state, options.resume);
    const begin = placeToBegin(stored.recorded, options.cwd);
    const place = { cwd: options.cwd, shellCwd: begin.cwd, openShell: options.openShell ?? this.openQuietShell };
    const { store, ...workers } = createWorkers(stored, place, this.#shared, () => session);
    await findFirstSecrets(workers, this.#shared, stored);
    const numberAfter = (handle: number): number => store.begin(handle).handle;
    const first = firstFact(stored.id, stored.recorded, options, { cwd: begin.cwd, numberAfter });
    const deps = createEffectDeps(workers, stored, options.cwd, this.#shared, () => session);
    const session: Session = this.#startSession(stored, first, workers, deps);
    applyOptions(session, options);
    return {
      ...workers,
      session,
      measureContext: async () => (await import('../effects/compact.ts')).measureContext(session.state, deps),
      history: stored.recorded,
      warnings: [...stored.warnings, ...begin.warnings, ...tellCutShort(stored.recorded)],
    };
  }

  #startSession(
    { log, recorded }: StoredSession,
    first: SessionEvent,
    workers: SessionWorkers,
    deps: EffectDeps,
  ): Session {
    const { sharedShell, dryRuns, secrets } = workers;
    const { hooks } = deps;
    const tell = (text: string): void => session.record({ type: 'notice', level: 'warning', text });
    const session: Session = new Session({
      log,
      recorded,
      first,
      run: createRunEffect(deps),
      now: Date.now,
      secrets,
      onTaint: (...change) => deps.untrustedContent.follow(...change),
      onTurnEnd: (event) => void hooks?.().then((loaded) => loaded.turnEnded(event, tell)),
      interruptCommand: () => sharedShell.interrupt(),
      endWork: () => endWork(workers, this.#servers.loaded),
      onClose: async () => {
        this.#live.delete(session);
        await (await hooks?.())?.settled();
        await dryRuns.end();
        await sharedShell.close();
      },
    });
    this.#live.add(session);
    return session;
  }

  /** Redacts a text that belongs to no live session, such as an error of aish or the first words of a stored session. */
  async redact(text: string): Promise<string> {
    return (await this.#processSecrets()).redact(text);
  }

  #processSecrets(): Promise<SecretStore> {
    this.#secretStore ??= openSecretStore(this.#options);
    return this.#secretStore;
  }

  /** The MCP servers; null when none is configured and none was connected. */
  servers(): Promise<McpServers | null> {
    return this.#servers.get();
  }

  /** Connects a server at run time. */
  connectServer(alias: string | null, config: McpServerConfig): Promise<ServerStatus> {
    return this.#servers.connect(alias, config);
  }

  /** The user's shell without a terminal on the screen; for headless runs and the daemon. */
  readonly openQuietShell: OpenShell = async (cwd, restore = null, how) => {
    const { Shell } = await import('../../adapters/shell/shell.ts');
    return Shell.open({
      program: this.shellProgram(),
      cwd,
      env: { ...definedOf(this.#options.env), ...NOBODY_WATCHES },
      restore,
      ...how,
      size: { columns: 120, rows: 40 },
      runtimeDir: this.#options.runtimeFolder(),
      terminal: null,
    });
  };

  /** Path of the user's shell. */
  shellProgram(): string {
    return findShell({ program: this.#options.config.shell.program, env: this.#options.env });
  }

  /** A session without commands needs no shell; one with commands says what is wrong when the first of them runs. */
  #shellName(): string {
    return attempt(() => toShellKind(this.shellProgram()) ?? 'none', 'none');
  }

  /** Stops the model's work in all sessions because the program ends, and settles when nothing of it is left. */
  async halt(by: HaltedBy): Promise<void> {
    await Promise.all([...this.#live].map((session) => session.halt(by)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live].map((session) => session.close()));
    this.#windows.close();
    this.endpoints.close();
    await this.#servers.close();
    (await this.#sandbox)?.close();
  }

  /** The sandbox of this system, loaded when a command may first run in it. */
  #openSandbox(): Promise<Sandbox> {
    const { env, runtimeFolder } = this.#options;
    this.#sandbox ??= import('../../adapters/sandbox/open-sandbox.ts').then(({ openSandbox }) =>
      openSandbox({ path: env.PATH ?? '', folder: runtimeFolder }),
    );
    return this.#sandbox;
  }

  /** Approval rules apply only to the tool definitions they were approved for. */
  #dropRules(isMeant: (name: string) => boolean): void {
    const configured = this.#options.config.mcp.auto_approve;
    for (const session of this.#live) {
      const settings = withoutRules(session.state.settings, isMeant, configured);
      if (settings !== null) session.record({ type: 'settings.changed', settings });
    }
  }
}

/** The MCP servers that all sessions share, loaded when first needed. */
class SharedServers {
  readonly #context: ServersContext;
  readonly #deps: SharedServersDeps;
  #servers: Promise<McpServers> | null = null;
  /** Settles when all lines of the servers are told. */
  #told: Promise<unknown> = Promise.resolve();
  /** For an end that waits for nothing. */
  #kill: () => void = () => {};

  constructor(context: ServersContext, deps: SharedServersDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** Null before anybody needs one. */
  get loaded(): Promise<McpServers> | null {
    return this.#servers;
  }

  /** The servers; null when none is configured and none was connected. */
  async get(): Promise<McpServers | null> {
    if (Object.keys(this.#context.config.mcp.servers).length > 0) this.#servers ??= this.#create();
    return this.#servers;
  }

  /** Connects a server at run time. */
  async connect(alias: string | null, config: McpServerConfig): Promise<ServerStatus> {
    this.#servers ??= this.#create();
    return (await this.#servers).connect(alias, config);
  }

  async close(): Promise<void> {
    await (await this.#servers)?.close();
    await this.#told;
    process.off('exit', this.#kill);
  }

  async #create(): Promise<McpServers> {
    const { McpServers } = await import('../../adapters/mcp/servers.ts');
    const { config, paths, cwd, env, version = 'dev' } = this.#context;
    const servers = new McpServers({
      servers: config.mcp.servers,
      approved: config.mcp.auto_approve,
      stateDir: join(paths.state, 'mcp'),
      cwd,
      env,
      version,
      asksUser: true,
      onStatus: (status, line) => {
        this.#told = Promise.all([this.#told, this.#tell(status, line)]);
      },
      onReplaced: this.#deps.onReplaced,
    });
    this.#kill = () => servers.killAllNow();
    process.once('exit', this.#kill);
    servers.start();
    return servers;
  }

  /** No server waits for its line to be told. */
  async #tell(status: ServerStatus, line: string | null): Promise<void> {
    const store = await this.#deps.secretStore();
    const redact = (text: string): string => store.redact(text);
    this.#context.onServerStatus?.(redactStatus(status, redact), line === null ? null : redact(line));
  }
}

/** Applies the options of a client that opens a session, beside the settings. */
function applyOptions(session: Session, { past = [], approve }: OpenOptions): void {
  if (approve !== undefined && session.state.halted) session.take({ type: 'configure', settings: { approve } });
  if (past.length > 0) session.record({ type: 'history.imported', messages: past });
}

/** The first fact of an opened session: it closes a command of the user that the end of the process before cut short. */
export function firstFact(
  id: string,
  recorded: readonly Recorded[],
  { cwd, settings }: { readonly cwd: string; readonly settings: Settings },
  shell: { readonly cwd: string; readonly numberAfter: (handle: number) => number },
): SessionEvent {
  if (recorded.length === 0) return { type: 'session.created', id, cwd, settings };
  const lost = findLostCommand(recorded, shell.cwd);
  if (lost === null) return { type: 'session.resumed', settings };
  return { type: 'session.resumed', settings, lost: { ...lost, handle: shell.numberAfter(lastHandle(recorded)) } };
}

/** The highest number of an output that the log knows; 0 for none. */
function lastHandle(recorded: readonly Recorded[]): number {
  return recorded.reduce((most, { event }) => Math.max(most, handleOf(event) ?? 0), 0);
}

function handleOf(event: SessionEvent): number | undefined {
  if (event.type === 'explorer.event') return handleOf(event.event);
  if (event.type === 'session.resumed') return event.lost?.handle;
  if (event.type === 'tool-call.completed') return (event.record ?? event.output)?.handle;
  return event.type === 'command.completed' ? event.record.handle : undefined;
}

/** The notes about an undo or redo that the end of the program before this one cut short. */
export function tellCutShort(recorded: readonly Recorded[]): readonly string[] {
  const begun = recorded.findLastIndex(({ event }) => event.type === 'restore.started');
  if (begun === -1) return [];
  const state = fold(recorded.slice(begun).map(({ event }) => event));
  const { restore } = state;
  if (restore === null || isRestoreAsked(state)) return [];
  return [formatCutShort(restore.direction ?? 'undo', restore.checkpoint ?? restore.question?.checkpoint)];
}

/** A session goes on where its shell stood, while that is still a directory. */
function placeToBegin(recorded: readonly Recorded[], cwd: string): { cwd: string; warnings: readonly string[] } {
  const last = lastCwd(recorded);
  if (last === undefined || isDirectory(last)) return { cwd: last ?? cwd, warnings: [] };
  return { cwd, warnings: [formatGoneDirectory(last, cwd)] };
}

/** The directory in which the last command left the shell, whichever client ran it. */
function lastCwd(recorded: readonly Recorded[]): string | undefined {
  for (const { event } of recorded.toReversed()) {
    if (event.type !== 'command.completed' && event.type !== 'tool-call.completed') continue;
    if (event.record !== undefined) return event.record.cwd;
  }
  return undefined;
}

function isDirectory(path: string): boolean {
  return attempt(() => statSync(path).isDirectory(), false);
}
