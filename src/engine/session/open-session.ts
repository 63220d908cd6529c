import { dirname, join } from 'node:path';
import type { Paths } from '../../adapters/config/paths.ts';
import type { McpServers } from '../../adapters/mcp/servers.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { EventLog, logPath, newSessionId, type OpenedLog } from '../../adapters/store/event-log.ts';
import { OutputStore } from '../../adapters/store/outputs.ts';
import { Briefly } from '../../adapters/system/patience.ts';
import { rememberMessages } from '../../core/context/request-messages.ts';
import { once } from '../../core/text/memoize.ts';
import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import type { DurableEvent, Recorded, SessionEvent } from '../../protocol/event.ts';
import type { HaltReport } from '../../protocol/op.ts';
import type { ChildOptions, ChildSession, EffectDeps } from '../effects/effect-context.ts';
import { createRunEffect } from '../effects/effects.ts';
import { SecretInjector } from '../effects/secret-injection.ts';
import { createContextDeps } from '../effects/watch-context.ts';
import { SessionMemory } from '../memory/session-memory.ts';
import { CommandGate } from '../policy/command-gate.ts';
import { lookUpOwnPlace } from '../policy/self-protection.ts';
import type { ContextWindowCache } from '../requests/context-window-cache.ts';
import type { ModelEndpoints } from '../requests/model-endpoints.ts';
import { SessionNotes } from '../requests/session-notes.ts';
import { RequestCover, RequestLog } from '../requests/session-request.ts';
import { createSecretStore } from '../secrets/process-secrets.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { DryRunner } from '../shell/dry-runner.ts';
import { SandboxRunner } from '../shell/sandbox-runner.ts';
import { SessionOutputs } from '../shell/session-outputs.ts';
import { type OpenShell, ParsedExports, SharedShell, toSecretContext, toSecretSearch } from '../shell/shared-shell.ts';
import { UntrustedContent } from '../taint/untrusted-content.ts';
import { Toolbox } from '../tools/toolbox.ts';
import { Session } from './session.ts';

/** Most characters of a tool result when nothing is known of the model's context. */
const DEFAULT_RESULT_BUDGET = 16_000;

/** Notes about a command's output come when the prompt is back, and not in the last line of that output. */
const AFTER_PROMPT_MS = 50;

/** The dependencies that all sessions of an engine share. */
export interface SharedDeps {
  readonly options: {
    readonly config: Config;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly paths: Paths;
    readonly cwd: string;
    readonly loaded?: { readonly file: string | null };
    readonly runtimeFolder: () => string;
    readonly serverWaitMs?: number;
  };
  /** The user's home directory. */
  readonly home: string;
  /** Name of the user's shell, such as `zsh`. */
  readonly shellName: () => string;
  readonly openSandbox: () => Promise<Sandbox>;
  readonly endpoints: ModelEndpoints;
  readonly windows: ContextWindowCache;
  readonly servers: () => Promise<McpServers | null>;
}

/** The workers of one session: its shell, the gate and the runner of its commands, and its secrets. */
export interface SessionWorkers {
  readonly sharedShell: SharedShell;
  readonly outputs: SessionOutputs;
  /** Classifies lines as they would be classified here now. */
  readonly gate: CommandGate;
  readonly sandbox: SandboxRunner;
  readonly dryRuns: DryRunner;
  /** The instructions of project and user for every assistant. */
  readonly notes: SessionNotes;
  /** The secrets that must not leave the session. */
  readonly secrets: SecretStore;
}

/** A session as it lies on the disk, or will. */
export interface StoredSession {
  readonly id: string;
  readonly path: string;
  readonly isNew: boolean;
  readonly log: EventLog;
  readonly recorded: readonly Recorded[];
  readonly warnings: readonly string[];
}

const LOCK_PATIENCE_MS = 200;
const LOCK_LOOK_MS = 5;

/** Opens the log of a stored session, or begins one. */
export async function openStored(stateFolder: string, resume: string | undefined): Promise<StoredSession> {
  const id = resume ?? newSessionId(Date.now(), Math.random());
  const path = logPath(stateFolder, id);
  if (resume !== undefined) return { id, path, isNew: false, ...(await openFree(path)) };
  return { id, path, isNew: true, log: EventLog.create(path), recorded: [], warnings: [] };
}

/**
 * Opens a log. A process that was killed as it started another leaves its lock to that one, until it has become another program: a moment.
 */
async function openFree(path: string): Promise<OpenedLog> {
  for (const end = performance.now() + LOCK_PATIENCE_MS; ; ) {
    try {
      return EventLog.open(path);
    } catch (thrown) {
      const isLocked = thrown instanceof AishError && thrown.code === 'session.locked';
      if (!isLocked || performance.now() > end) throw thrown;
      await Bun.sleep(LOCK_LOOK_MS);
    }
  }
}

/** Puts together what works for a session; `session` is there when any of it is first used. */
export function createWorkers(
  stored: StoredSession,
  context: { readonly cwd: string; readonly shellCwd: string; readonly openShell: OpenShell },
  shared: SharedDeps,
  session: () => Session,
): SessionWorkers & { readonly store: OutputStore } {
  const { options, home } = shared;
  const secrets = createSecretStore(options, stored.isNew ? null : stored.path);
  const redact = (text: string): string => secrets.redact(sharedShell.shell?.redact(text) ?? text);
  const kept = { redact, byteStream: () => secrets.byteStream() };
  const store = new OutputStore({ folder: join(dirname(stored.path), 'outputs'), secrets: kept });
  const outputs: SessionOutputs = new SessionOutputs({
    store,
    records: () => session().state.outputs,
    entries: () => session().state.entries,
    redact,
    tell: (text) => void tellAtRest(session(), text),
  });
  const sharedShell: SharedShell = new SharedShell(context.openShell, context.shellCwd, outputs);
  sharedShell.hearSecrets((typed) => secrets.learnHidden(typed));
  const sandbox = createSandboxRunner(shared, sharedShell, outputs, session);
  const own = () => lookUpOwnPlace({ ...options, configFile: options.loaded?.file ?? null });
  const gate = new CommandGate({ sharedShell, sandbox, home, own, shell: shared.shellName });
  const dryRuns = new DryRunner({ sandbox, gate, state: options.paths.state });
  dryRuns.sweepLater();
  const notes = new SessionNotes({ cwd: context.cwd, ...options.paths, home, folders: options.config.extend.folders });
  return { secrets, store, outputs, sharedShell, sandbox, gate, dryRuns, notes };
}

function createSandboxRunner(
  { options, home, openSandbox }: SharedDeps,
  sharedShell: SharedShell,
  outputs: SessionOutputs,
  session: () => Session,
): SandboxRunner {
  const { env, paths, runtimeFolder } = options;
  return new SandboxRunner({
    open: openSandbox,
    home,
    // Its files have what the shell exports.
    own: once(() => [paths.config, paths.state, paths.cache, runtimeFolder()]),
    env,
    sharedShell,
    outputs,
    tell: (text) => session().record({ type: 'notice', level: 'warning', text }),
  });
}

/** Looks for secrets where a session stands before anything runs there: all is looked at for what an older log holds. */
export async function findFirstSecrets(
  { secrets, sharedShell }: SessionWorkers,
  { home }: SharedDeps,
  { recorded }: StoredSession,
): Promise<void> {
  await secrets.refresh(await toSecretSearch(sharedShell, home, recorded.length === 0 ? undefined : ''));
}

/** Creates the dependencies of the effects of a session. */
export function createEffectDeps(
  workers: SessionWorkers,
  { recorded }: StoredSession,
  cwd: string,
  shared: SharedDeps,
  session: () => Session,
): EffectDeps {
  const { secrets, sharedShell, outputs, gate } = workers;
  const { options, home, endpoints, servers } = shared;
  const { config } = options;
  const requestLog = new RequestLog(recorded);
  const lookForSecrets = createSecretLook(workers, home, (note) => session().record(toNotice(note)));
  return {
    ...workers,
    frame: { os: `${process.platform} (${process.arch})`, shell: shared.shellName(), cwd },
    toolbox: new Toolbox(sharedShell, outputs, servers, options.serverWaitMs, config.explore.offer),
    explore: config.explore,
    openChild,
    again: rememberMessages(),
    requestCover: new RequestCover(secrets),
    requestLog,
    memory: new SessionMemory({ cwd: () => sharedShell.cwd, state: options.paths.state, home }, requestLog.memory),
    lookForSecrets,
    lookAhead: (text) => secrets.lookAhead(text, toSecretContext(sharedShell, home)),
    untrustedContent: new UntrustedContent(options.paths.state),
    injector: new SecretInjector({
      secretStore: secrets,
      rules: config.secrets.allow,
      gate,
      sharedShell,
      lookForSecrets,
    }),
    told: new Set(),
    ownChanges: new Map(),
    now: Date.now,
    hooks: createHooks(workers, shared, session),
    recorded: () => session().recorded,
    endpoint: (name) => endpoints.find(name),
    complete: (...asked) => endpoints.complete(...asked),
    nameAhead: (...asked) => endpoints.nameAhead(...asked),
    count: (...asked) => endpoints.count(...asked),
    ...createContextDeps(config, shared.windows, session),
    checkBudget: createBudgetCheck(config, options.paths.state, session),
    // A quarter of the context, at about four characters a token.
    resultBudget: (model) => config.models[model ?? '']?.context ?? DEFAULT_RESULT_BUDGET,
    fallbacks: (model) => (model === null ? Object.values(config.models)[0] : config.models[model])?.fallback ?? [],
    circuits: shared.endpoints.circuits,
  };
}

/** Opens a session inside a call of another one. It has no log: `onEvent` gets its durable events. */
function openChild({ first, deps, onEvent }: ChildOptions): ChildSession {
  return new Session({
    log: new PassedLog(onEvent),
    recorded: [],
    first,
    run: createRunEffect(deps),
    now: deps.now,
    secrets: deps.secrets,
    onTaint: () => {},
    interruptCommand: () => {},
    endWork: async () => ({ ended: 0, left: [] }),
    onClose: async () => {},
  });
}

/** Numbers events and passes them on. */
class PassedLog {
  seq = 0;
  readonly #onEvent: ChildOptions['onEvent'];

  constructor(onEvent: ChildOptions['onEvent']) {
    this.#onEvent = onEvent;
  }

  append(events: readonly DurableEvent[], at: number): readonly Recorded[] {
    return events.map((event) => {
      this.seq += 1;
      this.#onEvent(event);
      return { seq: this.seq, at, event };
    });
  }

  sync(): void {}

  close(): void {}
}

/** Without hooks in the configuration nothing waits for them. */
function createHooks(
  { secrets, sharedShell }: SessionWorkers,
  { options: { config, env, paths }, home }: SharedDeps,
  session: () => Session,
): EffectDeps['hooks'] {
  const { timeout_ms: _, ...lines } = config.hooks;
  if (Object.values(lines).flat().length === 0) return null;
  const cwd = () => sharedShell.cwd;
  const redact = (text: string) => secrets.redact(text);
  const context = { config: config.hooks, env, home, state: paths.state, cwd, redact, session: () => session().state };
  return once(async () => new (await import('../extend/hooks.ts')).Hooks(context));
}

/** The check of `[budget]`; without limits it does nothing, and loads nothing. */
function createBudgetCheck(config: Config, state: string, session: () => Session): () => Promise<void> {
  const warned = new Set<string>();
  return async () => {
    const { usd } = session().state.contractRun?.contract.limits ?? {};
    if (Object.keys(config.budget).length === 0 && usd === undefined) return;
    const { checkBudget } = await import('../effects/check-budget.ts');
    const { sessionId, recorded } = session();
    const warn = (text: string): void => session().record({ type: 'notice', level: 'warning', text });
    checkBudget({ config, sessionId, recorded, state, now: Date.now(), warned, warn });
  };
}

/**
 * Looks where secrets may have changed since the look before. That one counts if it was just now, and nothing ran and no prompt of the
 * shell came since.
 */
function createSecretLook(
  { secrets, sharedShell }: Pick<SessionWorkers, 'secrets' | 'sharedShell'>,
  home: string,
  tell: (note: string) => void,
): (ran?: string) => Promise<void> {
  const parsed = new ParsedExports();
  const looked = new Briefly<{ readonly isWhole: boolean }>();
  return async (ran) => {
    const { cwd, shell } = sharedShell;
    const place = [cwd, shell?.pid, shell?.lookups.prompt].join('\0');
    const isWhole = ran !== undefined;
    const last = looked.get(place);
    if (last !== null && (ran ?? '') === '' && (last.isWhole || !isWhole)) return;
    await secrets.refresh(await toSecretSearch(sharedShell, home, ran, parsed));
    const note = secrets.takeNote();
    if (note !== null) tell(note);
    looked.set(place, { isWhole });
  };
}

/**
 * Ends what the model's work has started in a shell, what servers do for it, and what runs as a dry run; begins before it waits for
 * anything.
 */
export async function endWork(
  { sharedShell, dryRuns }: Pick<SessionWorkers, 'sharedShell' | 'dryRuns'>,
  loading: Promise<McpServers> | null,
): Promise<HaltReport> {
  const ending = sharedShell.halt();
  const dropping = dryRuns.end();
  const servers = (await (await loading)?.halt()) ?? [];
  await dropping;
  const report = await ending;
  return servers.length === 0 ? report : { ...report, servers };
}

async function tellAtRest(session: Session, text: string): Promise<void> {
  await session.atRest();
  setTimeout(() => session.record(toNotice(text)), AFTER_PROMPT_MS);
}

function toNotice(text: string): SessionEvent {
  return { type: 'notice', level: 'info', text };
}
