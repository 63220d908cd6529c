import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Paths } from '../adapters/config/paths.ts';
import type { McpServers, ServerStatus } from '../adapters/mcp/servers.ts';
import type { Sandbox } from '../adapters/sandbox/sandbox.ts';
import { findShell } from '../adapters/shell/program.ts';
import { EventLog } from '../adapters/store/event-log.ts';
import { OutputStore } from '../adapters/store/outputs.ts';
import { logPath, newSessionId } from '../adapters/store/sessions.ts';
import type { ContextFill } from '../core/context/fill.ts';
import { withoutRules } from '../core/settings.ts';
import type { McpServerConfig } from '../protocol/config.ts';
import type { PastMessage, Recorded, SessionEvent } from '../protocol/event.ts';
import type { HaltedBy } from '../protocol/halt.ts';
import type { Settings } from '../protocol/settings.ts';
import { createContextHands, openWindowBook } from './context/context-hands.ts';
import { SessionNotes } from './context/session-notes.ts';
import type { WindowBook } from './context/window-book.ts';
import type { Hands } from './effects/hands.ts';
import { createRunEffect } from './effects.ts';
import { endWork } from './end-work.ts';
import { firstFact } from './first-fact.ts';
import { CommandGate } from './gate/command-gate.ts';
import { lookUpOwnPlace } from './gate/own-place.ts';
import { ModelEndpoints, type ModelPlaces } from './requests/model-endpoints.ts';
import { RequestCover } from './requests/request-cover.ts';
import { RequestLedger } from './requests/request-ledger.ts';
import { concealStatus, createKeeper, openKeeper } from './secrets/own-keeper.ts';
import { SecretHandover } from './secrets/secret-handover.ts';
import type { SecretKeeper } from './secrets/secret-keeper.ts';
import { toPlaceOfShell, toSecretPlace } from './secrets/secret-place.ts';
import { Session, type SessionParts } from './session.ts';
import { placeToBegin } from './shell/place-to-begin.ts';
import { RehearsalRunner } from './shell/rehearsal-runner.ts';
import { SandboxRunner } from './shell/sandbox-runner.ts';
import { SessionOutputs } from './shell/session-outputs.ts';
import { type OpenShell, SharedShell } from './shell/shared-shell.ts';
import { TextOfOthers } from './taint/text-of-others.ts';
import { Toolbox } from './toolbox.ts';
import { tellCutShort } from './undo/cut-short.ts';

/** Most characters of a tool result when nothing is known of the model's context. */
const DEFAULT_RESULT_BUDGET = 16_000;

/** Tells programs not to ask or page where nobody could answer. */
const NOBODY_WATCHES = { GIT_TERMINAL_PROMPT: '0', DEBIAN_FRONTEND: 'noninteractive', PAGER: 'cat', GIT_PAGER: 'cat' };

/** What is said of a command's output comes when the prompt stands again, and not in the last line of that output. */
const AFTER_PROMPT_MS = 50;

/** What the engine is made of. */
export interface EngineOptions extends ModelPlaces {
  readonly paths: Paths;
  readonly cwd: string;
  /** Where the configuration was read. */
  readonly loaded?: { readonly file: string | null };
  /** Version of the program, told to MCP servers. */
  readonly version?: string;
  /** The private folder for sockets and shell files, made when first asked for. */
  readonly runtimeFolder: () => string;
  /** How long a request waits at most for servers that were never seen before, in milliseconds. */
  readonly serverWaitMs?: number;
  /** Announces what the MCP servers do, one line each. */
  readonly onServerStatus?: (status: ServerStatus, line: string | null) => void;
}

/** How a session is opened. */
export interface OpenOptions {
  readonly cwd: string;
  readonly settings: Settings;
  /** Id of a session to go on with; a new one without it. */
  readonly resume?: string;
  /** What was said before, of a client that keeps its own history. */
  readonly past?: readonly PastMessage[];
  /** The shell with a terminal; without it commands run in one nobody watches. */
  readonly openShell?: OpenShell;
}

/** A session with its shared shell, for hosts in this process. */
export interface LiveSession {
  readonly session: Session;
  readonly sharedShell: SharedShell;
  readonly outputs: SessionOutputs;
  /** Judges lines as they would be judged here now. */
  readonly gate: CommandGate;
  readonly sandbox: SandboxRunner;
  readonly rehearsals: RehearsalRunner;
  /** What project and person want every assistant to know. */
  readonly notes: SessionNotes;
  /** What fills the context of the next request. */
  readonly measureContext: () => Promise<ContextFill>;
  /** What may not leave it. */
  readonly secrets: SecretKeeper;
  /** What happened before this process opened it. */
  readonly history: readonly Recorded[];
  readonly warnings: readonly string[];
}

/** A session, and how its context is measured. */
interface CreatedSession {
  readonly session: Session;
  readonly measure: LiveSession['measureContext'];
}

/** Opens sessions and owns what they share. The only place where the parts are put together. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #live = new Set<Session>();
  #keeper: Promise<SecretKeeper> | null = null;
  #servers: Promise<McpServers> | null = null;
  /** Settles when all that servers have said is told. */
  #told: Promise<unknown> = Promise.resolve();
  #sandbox: Promise<Sandbox> | null = null;
  /** For an end that waits for nothing, such as an error nobody caught. */
  #killServers: () => void = () => {};
  /** The models that sessions ask. */
  readonly endpoints: ModelEndpoints;
  /** How much they can hold. */
  readonly #windows: WindowBook;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.endpoints = new ModelEndpoints(options);
    this.#windows = openWindowBook(options.config, options.paths.cache);
  }

  /** Opens a new session or goes on with a stored one. */
  async open(options: OpenOptions): Promise<LiveSession> {
    const id = options.resume ?? newSessionId(Date.now(), Math.random());
    const path = logPath(this.#options.paths.state, id);
    const opened =
      options.resume === undefined ? { log: EventLog.create(path), recorded: [], warnings: [] } : EventLog.open(path);
    const secrets = createKeeper(this.#options, options.resume === undefined ? null : path);
    const conceal = (text: string): string => secrets.conceal(sharedShell.shell?.conceal(text) ?? text);
    const kept = { conceal, byteStream: () => secrets.byteStream() };
    const store = new OutputStore({ folder: join(dirname(path), 'outputs'), secrets: kept });
    const outputs: SessionOutputs = new SessionOutputs({
      store,
      records: () => session.state.outputs,
      conceal,
      tell: (text) =>
        void session.atRest().then(() => setTimeout(() => session.record(toNotice(text)), AFTER_PROMPT_MS)),
    });
    const { cwd, warnings } = placeToBegin(opened.recorded, options.cwd);
    const sharedShell: SharedShell = new SharedShell(
      options.openShell ?? ((at, restore) => this.openQuietShell(at, restore)),
      cwd,
      outputs,
    );
    const sandbox = new SandboxRunner({
      ...this.#sandboxParts(),
      sharedShell,
      outputs,
      tell: (text) => session.record(toNotice(text)),
    });
    const gate = new CommandGate({
      sharedShell,
      sandbox,
      home: this.#home,
      own: () => lookUpOwnPlace({ ...this.#options, configFile: this.#options.loaded?.file ?? null }),
      shell: () => this.#shellName(),
    });
    const rehearsals = new RehearsalRunner({ sandbox, gate, state: this.#options.paths.state });
    rehearsals.sweepLater();
    const notes = new SessionNotes({ cwd: options.cwd, ...this.#options.paths, home: this.#home });
    const { log, recorded } = opened;
    await secrets.refresh(await toSecretPlace(sharedShell, this.#home, recorded.length === 0 ? undefined : ''));
    const numberAfter = (handle: number): number => store.begin(handle).handle;
    const parts = { log, recorded, first: firstFact(id, recorded, options, { cwd, numberAfter }) };
    const { session, measure }: CreatedSession = this.#createSession(
      parts,
      { sharedShell, outputs, gate, sandbox, secrets, rehearsals, notes },
      options.cwd,
    );
    this.#live.add(session);
    if (options.past !== undefined && options.past.length > 0) {
      session.record({ type: 'history.imported', messages: options.past });
    }
    return {
      session,
      sharedShell,
      outputs,
      gate,
      sandbox,
      rehearsals,
      notes,
      measureContext: measure,
      secrets,
      history: opened.recorded,
      warnings: [...opened.warnings, ...warnings, ...tellCutShort(opened.recorded)],
    };
  }

  /** Takes secrets out of a text that belongs to no live session, such as a fault of ours or the first words of a stored one. */
  async conceal(text: string): Promise<string> {
    return (await this.#ownKeeper()).conceal(text);
  }

  #ownKeeper(): Promise<SecretKeeper> {
    this.#keeper ??= openKeeper(this.#options);
    return this.#keeper;
  }

  /** The MCP servers, loaded when first needed; null when none is configured and none was connected. */
  async servers(options: { create: boolean } = { create: false }): Promise<McpServers | null> {
    const configured = Object.keys(this.#options.config.mcp.servers).length > 0;
    if (this.#servers === null && (configured || options.create)) this.#servers = this.#createServers();
    return this.#servers;
  }

  /** Connects a server at run time. */
  async connectServer(alias: string | null, config: McpServerConfig): Promise<ServerStatus> {
    const servers = await this.servers({ create: true });
    if (servers === null) throw new Error('the servers were just made');
    return servers.connect(alias, config);
  }

  /** The person's shell without a terminal on the screen; for headless runs and the daemon. */
  async openQuietShell(
    cwd: string,
    restore: string | null = null,
  ): Promise<import('../adapters/shell/shell.ts').Shell> {
    const { Shell } = await import('../adapters/shell/shell.ts');
    return Shell.open({
      program: this.shellProgram(),
      cwd,
      env: { ...definedOnly(this.#options.env), ...NOBODY_WATCHES },
      restore,
      size: { columns: 120, rows: 40 },
      runtimeDir: this.#options.runtimeFolder(),
      terminal: null,
    });
  }

  /** Path of the person's shell. */
  shellProgram(): string {
    return findShell({ program: this.#options.config.shell.program, env: this.#options.env });
  }

  /** A session without commands needs no shell; one with commands says what is wrong when the first of them runs. */
  #shellName(): string {
    try {
      return basename(this.shellProgram());
    } catch {
      return 'none';
    }
  }

  /** Stops the model's work in all sessions because the program ends, and settles when nothing of it is left. */
  async halt(by: HaltedBy): Promise<void> {
    await Promise.all([...this.#live].map((session) => session.halt(by)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live].map((session) => session.close()));
    this.#windows.close();
    await (await this.#servers)?.close();
    await this.#told;
    process.off('exit', this.#killServers);
    (await this.#sandbox)?.close();
  }

  #sandboxParts() {
    const { env, paths, runtimeFolder } = this.#options;
    // Its files have what the shell exports.
    const own = (): readonly string[] => [paths.config, paths.state, paths.cache, runtimeFolder()];
    return { open: () => this.#openSandbox(), home: this.#home, own, env };
  }

  get #home(): string {
    return this.#options.env.HOME ?? homedir();
  }

  /** The sandbox of this system, loaded when a command may first run in it. */
  #openSandbox(): Promise<Sandbox> {
    const { env, runtimeFolder } = this.#options;
    this.#sandbox ??= import('../adapters/sandbox/open-sandbox.ts').then(({ openSandbox }) =>
      openSandbox({ path: env.PATH ?? '', folder: runtimeFolder }),
    );
    return this.#sandbox;
  }

  #createSession(
    parts: Pick<SessionParts, 'log' | 'recorded' | 'first'>,
    {
      sharedShell,
      outputs,
      gate,
      sandbox,
      secrets,
      rehearsals,
      notes,
    }: Omit<LiveSession, 'session' | 'history' | 'warnings' | 'measureContext'>,
    cwd: string,
  ): CreatedSession {
    const lookForSecrets = async (ran?: string): Promise<void> => {
      await secrets.refresh(await toSecretPlace(sharedShell, this.#home, ran));
      const note = secrets.takeNote();
      if (note !== null) session.record(toNotice(note));
    };
    const lookAhead = (text: string): Promise<void> | null =>
      secrets.lookAhead(text, toPlaceOfShell(sharedShell, this.#home));
    const rules = this.#options.config.secrets.allow;
    const textOfOthers = new TextOfOthers(this.#options.paths.state);
    const hands: Hands = {
      frame: { os: `${process.platform} (${process.arch})`, shell: this.#shellName(), cwd },
      gate,
      sandbox,
      rehearsals,
      toolbox: new Toolbox(sharedShell, outputs, () => this.servers(), this.#options.serverWaitMs),
      sharedShell,
      outputs,
      secrets,
      requestCover: new RequestCover(secrets),
      requestLedger: new RequestLedger(parts.recorded),
      lookForSecrets,
      lookAhead,
      textOfOthers,
      handover: new SecretHandover({ keeper: secrets, rules, gate, sharedShell, lookForSecrets }),
      told: new Set(),
      now: Date.now,
      endpoint: (name) => this.endpoints.find(name),
      complete: (...asked) => this.endpoints.complete(...asked),
      notes,
      ...createContextHands(this.#options.config, this.#windows, () => session),
      resultBudget: (model) => this.#resultBudget(model),
    };
    const session: Session = new Session({
      ...parts,
      run: createRunEffect(hands),
      now: Date.now,
      secrets,
      onTaint: (...change) => textOfOthers.follow(...change),
      interruptCommand: () => sharedShell.interrupt(),
      endWork: () => endWork(sharedShell, rehearsals, this.#servers),
      onClose: async () => {
        this.#live.delete(session);
        await rehearsals.end();
        await sharedShell.close();
      },
    });
    const measure = async (): Promise<ContextFill> =>
      (await import('./context/measure-context.ts')).measureContext(session.state, hands);
    return { session, measure };
  }

  /** A quarter of the context, at about four characters a token. */
  #resultBudget(model: string | null): number {
    return this.#options.config.models[model ?? '']?.context ?? DEFAULT_RESULT_BUDGET;
  }

  /** A yes for a tool was for what it was then. */
  #dropRules(isMeant: (name: string) => boolean): void {
    const configured = this.#options.config.mcp.auto_approve;
    for (const session of this.#live) {
      const settings = withoutRules(session.state.settings, isMeant, configured);
      if (settings !== null) session.record({ type: 'settings.changed', settings });
    }
  }

  async #createServers(): Promise<McpServers> {
    const { McpServers } = await import('../adapters/mcp/servers.ts');
    const { config, paths, cwd, env, version = 'dev', onServerStatus = () => {} } = this.#options;
    // Most say nothing. No server waits for it: only what they say does, in its order.
    const tell = async (status: ServerStatus, line: string | null): Promise<void> => {
      const keeper = await this.#ownKeeper();
      const conceal = (text: string): string => keeper.conceal(text);
      onServerStatus(concealStatus(status, conceal), line === null ? null : conceal(line));
    };
    const servers = new McpServers({
      servers: config.mcp.servers,
      approved: config.mcp.auto_approve,
      stateDir: join(paths.state, 'mcp'),
      cwd,
      env,
      version,
      onStatus: (status, line) => {
        this.#told = Promise.all([this.#told, tell(status, line)]);
      },
      onReplaced: (isMeant) => this.#dropRules(isMeant),
    });
    this.#killServers = () => servers.killAllNow();
    process.once('exit', this.#killServers);
    servers.start();
    return servers;
  }
}

function toNotice(text: string): SessionEvent {
  return { type: 'notice', level: 'info', text };
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(defined);
}
