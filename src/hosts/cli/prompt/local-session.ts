import { withTimeout } from '../../../adapters/system/patience.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import { modelFor } from '../../../core/session/settings.ts';
import { waitsForSnapshot } from '../../../core/session/state.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { Engine, LiveSession } from '../../../engine/session/engine.ts';
import type { OpenSessionServer } from '../../../engine/session/session-server.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { AishError, formatError, toErrorFact } from '../../../protocol/error.ts';
import type { HaltedBy, Op } from '../../../protocol/op.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { OwnerContext } from '../commands/meta.ts';
import type { BackgroundRuns } from '../commands/run-command.ts';
import type { EndedLine } from '../editor/history-at-prompt.ts';
import type { HistoryOfCalls } from '../editor/history-of-calls.ts';
import { formatPrompt } from '../screen/prompt-line.ts';
import type { SessionNamer } from '../sessions/session-namer.ts';
import type { KnownShell } from './line-facts.ts';
import { formatResumed, formatSandboxMissing } from './messages.ts';
import { lookAtHistory } from './open-prompt.ts';
import type { PlaceAtPrompt } from './place-at-prompt.ts';
import type { HostEffect } from './prompt-driver.ts';
import type { LineOp, NotedLine, OwnedSession, PromptHost, PromptSession, PromptStart } from './prompt-session.ts';
import { SessionSharing } from './session-sharing.ts';
import { ShellAtPrompt } from './shell-at-prompt.ts';

interface OwnSessionDeps extends PromptHost {
  /** Loaded behind the prompt. */
  readonly engine: () => Promise<Engine>;
  readonly login: boolean;
  /** Lets other terminals attach to the session; null if none can. */
  readonly openServer: OpenSessionServer | null;
}

/** Longest wait for a command that was called off. */
const LAST_WORDS_MS = 2000;
/** The first prompt stands by then. */
const NAMER_AFTER_MS = 1000;

/** The session that this process owns: opens it, goes to another one with the same shell, and keeps a shell in it. */
export class OwnSession implements PromptSession, OwnedSession {
  readonly own = this;
  readonly engine: OwnSessionDeps['engine'];
  readonly #deps: OwnSessionDeps;
  readonly terminal: ShellAtPrompt;
  readonly #sharing: SessionSharing;
  #calls: HistoryOfCalls | null = null;
  #namer: Promise<SessionNamer> | null = null;
  #runs: Promise<BackgroundRuns> | null = null;
  #live: LiveSession | null = null;
  #client: SessionClient | null = null;
  /** Null before it was needed. */
  #engine: Engine | null = null;
  /** The number of the last event shown. */
  #told = 0;
  #isClosed = false;
  #place: PlaceAtPrompt | null = null;
  /** The key was pressed before there was a session. */
  #isHalted = false;
  /** Wakes the callers that wait until all events are shown. */
  #wake: () => void = () => {};

  constructor(deps: OwnSessionDeps) {
    this.#deps = deps;
    this.engine = deps.engine;
    const { history, line } = deps;
    this.terminal = new ShellAtPrompt({
      ...deps,
      onTypedAhead: (bytes) => line.driver.send({ type: 'left-unread', bytes, text: Buffer.from(bytes).toString() }),
      onReady: () => {
        void this.#readPlace();
        line.shellReady();
      },
      // While the model works, the next line starts the shell again.
      onLeft: () => {
        if (!this.#isClosed && !this.isBusy) deps.over();
      },
    });
    this.#sharing = new SessionSharing(deps);
    history.cover((text) => this.#cover(text));
  }

  get client(): SessionClient | null {
    return this.#client;
  }

  get shell(): KnownShell | null {
    return this.#live?.sharedShell.shell ?? null;
  }

  get cwd(): string {
    return this.#live?.sharedShell.cwd ?? this.#deps.setup.cwd;
  }

  get hasModel(): boolean {
    return this.#engine?.endpoints.hasNone !== true;
  }

  /** fish hangs up all jobs, and so does zsh, unless told otherwise. bash hangs up a login shell's, if told to, and refuses to exit while one is stopped. */
  async doJobsGoOn(): Promise<boolean> {
    const lookups = this.#live?.sharedShell.shell?.lookups;
    await lookups?.known();
    const options = lookups?.options ?? [];
    const hangsUp = options.includes('hup') || (this.#deps.login && options.includes('huponexit'));
    return !hangsUp && this.terminal.jobs.every(({ state }) => state === 'running');
  }

  get program(): { write(bytes: Uint8Array): void } | null {
    return this.#live?.sharedShell.shell ?? null;
  }

  get isSandboxMissing(): boolean {
    return this.#live?.sandbox.isKnownMissing === true;
  }

  get wasLeft(): boolean {
    return this.#live?.sharedShell.wasLeft === true;
  }

  get isBusy(): boolean {
    const session = this.#live?.session;
    return session !== undefined && (!session.isAtRest || session.queue.size > 0);
  }

  formatPrompt(facts: Parameters<PromptSession['formatPrompt']>[0]): string {
    const { jobs, prompt: own, environment } = this.terminal;
    const { cwd } = this;
    const { theme, setup } = this.#deps;
    const { host = null } = this.#place ?? {};
    const repository = this.#place?.repositoryAt(cwd) ?? null;
    const told = { cwd, ...facts, jobs: jobs.length, own, environment, host, repository };
    return formatPrompt(told, theme, setup.loaded.config.ui);
  }

  async context(): Promise<OwnerContext | null> {
    const live = this.#live;
    const openRuns = async () => new (await import('../commands/run-command.ts')).BackgroundRuns(this.#deps);
    return live === null ? null : { engine: await this.engine(), live, runs: () => (this.#runs ??= openRuns()) };
  }

  async begin(start: PromptStart): Promise<void> {
    const { say, setup, history, engine } = this.#deps;
    await this.open(start.resume);
    await lookAtHistory(history, { env: setup.env, say });
    this.#engine = await engine();
    void this.#lookAround(this.#engine);
  }

  /** The work behind the first prompt: aish looks for a model if none is configured, and new servers list their tools. */
  async #lookAround(engine: Engine): Promise<void> {
    const { ending: signal, say, line } = this.#deps;
    const model = engine.endpoints.lookAround(signal).then((notice) => {
      if (notice === null || signal.aborted) return;
      say('dim', notice);
      // Without a model, a line that is typed already may go elsewhere.
      line.editor.redraw();
    });
    if (!signal.aborted) await engine.servers();
    await model;
  }

  async open(resume: string | undefined): Promise<void> {
    const { setup, say } = this.#deps;
    const engine = await this.engine();
    const live = await engine.open({
      cwd: setup.cwd,
      settings: setup.settings,
      openShell: this.terminal.open,
      ...(resume === undefined ? {} : { resume }),
      // The command line was written for the session it begins with.
      ...(this.#live === null && setup.approve !== undefined ? { approve: setup.approve } : {}),
    });
    const [{ LocalSessionClient }, formats] = await Promise.all([
      import('../../../engine/session/local-session-client.ts'),
      live.history.length === 0 ? null : import('../../../core/session/last-turn-end.ts'),
    ]);
    const before = this.#live;
    const shell = before?.sharedShell.release() ?? null;
    if (shell !== null) live.sharedShell.adopt(shell);
    this.#live = live;
    this.#client = new LocalSessionClient({ live });
    this.#told = live.history.at(-1)?.seq ?? 0;
    const endServer = this.#sharing.leave();
    await before?.session.close();
    void endServer();
    this.#sharing.open(live);
    for (const warning of [...setup.loaded.warnings, ...live.warnings]) say('warning', warning);
    this.#tellNotes(live);
    if (formats !== null) this.#tellBefore(live, formats);
    setTimeout(() => this.#live === live && this.#askFast((namer) => namer.begin(live)), NAMER_AFTER_MS).unref();
    void this.#follow(live, this.#client);
    void this.#tellOfSandbox(live);
    if (this.#isHalted) this.#halt();
    this.#isHalted = false;
    await this.revive();
  }

  /** A user who wanted everything in a sandbox gets a notice if there is none; nothing waits for that. */
  async #tellOfSandbox({ session, sandbox }: LiveSession): Promise<void> {
    if (session.state.settings.sandbox !== true) return;
    const missing = await sandbox.whyMissing();
    if (missing === null || this.#isClosed) return;
    this.#deps.say('warning', formatSandboxMissing(missing));
  }

  /** The window decides how much of the notes is sent, as far as it is known before the first request. */
  #tellNotes({ session, notes }: LiveSession): void {
    const { context, settings } = session.state;
    const configured = this.#deps.setup.loaded.config.models[settings.model ?? '']?.context;
    const told = notes.look(context.window?.tokens ?? configured ?? null);
    for (const { level, text } of told) this.#deps.say(level === 'info' ? 'dim' : level, text);
  }

  /** A shell that ended, for whatever reason, is started again where it was: no line may go elsewhere for lack of one. */
  async revive(): Promise<void> {
    const sharedShell = this.#live?.sharedShell;
    if (sharedShell === undefined || sharedShell.shell !== null) return;
    const { say } = this.#deps;
    const words = sharedShell.endNotice;
    if (words !== null) say('warning', words);
    try {
      await sharedShell.start();
    } catch (thrown) {
      say('error', formatError(toErrorFact(thrown)));
    }
  }

  carryOut(effect: HostEffect): void {
    switch (effect.type) {
      case 'interrupt':
        this.#interrupt();
        return;
      case 'halt':
        this.#halt();
        return;
      case 'send-now':
        this.submit({ type: 'interrupt', after: 'step' });
        return;
      case 'offer-signals':
        this.terminal.offerSignals(effect.foreground);
        return;
      case 'lease':
        this.#sharing.carryOut(effect.action);
        return;
      case 'tell-lease':
        this.#sharing.tell(effect.notice, effect.client);
        return;
      default:
        return;
    }
  }

  /** Ends the turn, a dry run, a compaction, an undo that waits for the user, the wait of a command, or else the shell's startup files. */
  #interrupt(): void {
    const state = this.#client?.state;
    const { turn, dryRun, restore, context, contractRun } = state ?? {};
    const isWaiting = state !== undefined && waitsForSnapshot(state);
    if (turn || contractRun || dryRun || context?.pending || restore?.question || isWaiting)
      this.submit({ type: 'interrupt' });
    else this.interruptStart();
  }

  /** Stops everything the model has begun. */
  #halt(): void {
    if (this.#client === null) this.#isHalted = true;
    else this.submit({ type: 'halt' });
  }

  /** Finds out what else the prompt shows, if it is ours. */
  async #readPlace(): Promise<void> {
    if (this.terminal.prompt !== null) return;
    const { setup, line, ending } = this.#deps;
    const { PlaceAtPrompt } = await import('./place-at-prompt.ts');
    const changed = (): void => line.editor.redraw();
    this.#place ??= new PlaceAtPrompt({ env: setup.env, theme: () => this.#deps.theme, changed, ending });
    if (setup.loaded.config.ui.prompt_parts.includes('repository')) await this.#place.refresh(this.cwd);
    else changed();
  }

  submit(op: Op): void {
    void this.#client?.submit(op);
  }

  interruptStart(): void {
    const shell = this.#live?.sharedShell.shell;
    if (shell?.state === 'boot') shell.interrupt();
  }

  async handIn(op: LineOp, onTurn: () => void): Promise<boolean> {
    const session = this.#live?.session;
    if (session === undefined) return false;
    const { queue, ended } = session;
    const outcome = await queue.submit(op, { onTurn });
    if (outcome !== null && outcome !== 'dropped' && ended !== null)
      throw new AishError(outcome.code, outcome.message, outcome);
    return outcome !== 'dropped';
  }

  /** Settles when nothing runs any more and all events have been shown. */
  async settled(): Promise<void> {
    const session = this.#live?.session;
    if (session === undefined) return;
    await session.atRest();
    await this.shellAtRest();
    while (this.#told < session.seq && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  /** A command that was called off may take a moment to end; its last words must not land in the next line. */
  async shellAtRest(): Promise<void> {
    const shell = this.#live?.sharedShell.shell;
    if (shell?.state !== 'running') return;
    await withTimeout(shell.atRest(), LAST_WORDS_MS);
  }

  get runUnrecorded(): OwnedSession['runUnrecorded'] {
    const live = this.#live;
    if (live?.session.isBroken !== true) return null;
    return (line, options): Promise<CommandRecord> => live.sharedShell.run(line, 'user', this.#deps.ending, options);
  }

  note({ begun }: NotedLine): (ended: EndedLine) => void {
    return begun === null ? () => {} : this.#deps.history.note(begun);
  }

  resized(size: TerminalSize): void {
    this.#live?.sharedShell.shell?.resize(size);
    this.#sharing.resized();
  }

  /** If the user did not choose to leave, no user watches the model's work any more. */
  async close(by?: HaltedBy): Promise<void> {
    const runs = this.#stopRuns();
    if (by !== undefined) await (await this.engine()).halt(by);
    await runs;
    this.#isClosed = true;
    this.#wake();
    this.#deps.history.flush();
    const endServer = this.#sharing.leave();
    await (await this.engine()).close();
    await endServer();
  }

  async #stopRuns(): Promise<void> {
    await (await this.#runs)?.stopAll();
  }

  /** The form in which a line may be stored in the history. */
  #cover(line: string): string {
    const secrets = this.#live?.secrets;
    secrets?.learnLine(line);
    return secrets?.redactLine(line) ?? line;
  }

  /** Shows the id of a resumed session, its last exchange, and the work that was cut short. */
  #tellBefore(
    { session, history, sharedShell }: LiveSession,
    formats: typeof import('../../../core/session/last-turn-end.ts'),
  ): void {
    const { say, setup } = this.#deps;
    const { sessionId, state } = session;
    say('dim', formatResumed(sessionId, state.named === undefined ? null : sanitizeLine(state.named.name)));
    const { lines, ended } = formats.describeBefore(history, state.entries, sharedShell.cwd, setup.env.HOME);
    for (const line of lines) say('dim', line);
    if (ended !== null) say('warning', ended);
  }

  /** Without a fast model nothing more loads. */
  #askFast(use: (namer: SessionNamer) => void): void {
    const fastModel = modelFor(this.#deps.setup.loaded.config, 'fast');
    if (fastModel === null) return;
    this.#namer ??= import('../sessions/session-namer.ts').then(
      ({ SessionNamer }) => new SessionNamer({ ...this.#deps, fastModel }),
    );
    void this.#namer.then(use);
  }

  async #follow(live: LiveSession, client: SessionClient): Promise<void> {
    const begun = this.#told;
    for await (const recorded of client.events(begun)) {
      await this.#deps.view.prepare(recorded.event);
      this.#deps.onEvent(recorded);
      if (recorded.event.type === 'session.halted') void this.#stopRuns();
      void this.#place?.take(recorded.event, this.cwd);
      if (recorded.event.type.startsWith('tool-call.'))
        this.#calls ??= new (await import('../editor/history-of-calls.ts')).HistoryOfCalls(this.#deps.history);
      this.#calls?.take(recorded, live);
      this.#askFast((namer) => namer.take(recorded, live));
      this.#told = recorded.seq;
      this.#wake();
    }
  }
}
