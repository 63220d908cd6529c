import { sanitizeLine } from '../../core/sanitize.ts';
import { formatBegunElsewhere, formatLastExchange } from '../../core/session/going-on.ts';
import { formatLastEnd } from '../../core/session/last-turn-end.ts';
import { waitsForPicture } from '../../core/session/state.ts';
import type { Engine, LiveSession, OpenOptions } from '../../engine/engine.ts';
import { formatError, toErrorFact } from '../../protocol/error.ts';
import type { Recorded } from '../../protocol/event.ts';
import type { OwnerAtPrompt } from './attach/owner-at-prompt.ts';
import type { Look } from './screen/theme.ts';
import type { Setup } from './setup.ts';
import { shellAtRest } from './shell-rest.ts';

/** What the session at the prompt works with. */
export interface SessionAtPromptParts {
  readonly setup: Setup;
  readonly engine: () => Promise<Engine>;
  readonly openShell: OpenOptions['openShell'];
  readonly say: (look: Look, text: string) => void;
  /** Lets other terminals in. */
  readonly owner: Pick<OwnerAtPrompt, 'open' | 'leave'>;
  /** Told every event, in order. */
  readonly onEvent: (recorded: Recorded, live: LiveSession) => void;
}

/** The session the prompt is in: opens it, goes to another one with the same shell, and keeps a shell in it. */
export class SessionAtPrompt {
  readonly #parts: SessionAtPromptParts;
  #live: LiveSession | null = null;
  /** Number of the last event that was told. */
  #told = 0;
  #isClosed = false;
  /** The key was pressed before there was a session. */
  #isHalted = false;
  /** Goes on with who waits until all has been told. */
  #wake: () => void = () => {};

  constructor(parts: SessionAtPromptParts) {
    this.#parts = parts;
  }

  /** Null before the first one is open. */
  get live(): LiveSession | null {
    return this.#live;
  }

  /** Directory of the shell; before there is one, where aish was started. */
  get cwd(): string {
    return this.#live?.sharedShell.cwd ?? this.#parts.setup.cwd;
  }

  /** A command was entered and waits for the picture after the last step. */
  get isWaiting(): boolean {
    const state = this.#live?.session.state;
    return state !== undefined && waitsForPicture(state);
  }

  /** Ends the turn when what runs now has come to its end. */
  stopAfterStep(): void {
    void this.#live?.session.submit({ type: 'interrupt', after: 'step' });
  }

  /** Ends the turn, a rehearsal, a compaction, an undo that is asked about, the wait of a command, or else the shell's startup files. */
  interrupt(): void {
    const { turn, rehearsal, restore, context } = this.#live?.session.state ?? {};
    if (turn || rehearsal || context?.pending || restore?.question || this.isWaiting)
      void this.#live?.session.submit({ type: 'interrupt' });
    else this.interruptStart();
  }

  /** Ends the startup files of the shell, where they still run. */
  interruptStart(): void {
    const shell = this.#live?.sharedShell.shell;
    if (shell?.state === 'boot') shell.interrupt();
  }

  /** Stops everything the model has begun. */
  halt(): void {
    if (this.#live === null) this.#isHalted = true;
    else void this.#live.session.submit({ type: 'halt' });
  }

  /** Opens a new session, or goes on with an earlier one. */
  async open(resume: string | undefined): Promise<void> {
    const { setup, openShell, say } = this.#parts;
    const engine = await this.#parts.engine();
    const live = await engine.open({
      cwd: setup.cwd,
      settings: setup.settings,
      openShell,
      ...(resume === undefined ? {} : { resume }),
    });
    const before = this.#live;
    const shell = before?.sharedShell.release() ?? null;
    if (shell !== null) live.sharedShell.adopt(shell);
    this.#live = live;
    this.#told = live.history.at(-1)?.seq ?? 0;
    const endDoor = this.#parts.owner.leave();
    await before?.session.close();
    void endDoor();
    this.#parts.owner.open(live);
    for (const warning of [...setup.loaded.warnings, ...live.warnings]) say('warning', warning);
    this.#tellNotes(live);
    void this.#follow(live);
    void this.#tellOfSandbox(live);
    if (this.#isHalted) this.halt();
    this.#isHalted = false;
    await this.reviveShell(live);
  }

  /** Who wanted everything in a sandbox is told where there is none; nobody waits for that. */
  async #tellOfSandbox({ session, sandbox }: LiveSession): Promise<void> {
    if (session.state.settings.sandbox !== true) return;
    const missing = await sandbox.whyMissing();
    if (missing === null || this.#isClosed) return;
    this.#parts.say('warning', `sandbox: on, but ${missing}: what you allow the model to run runs in your shell`);
  }

  /** How much of the notes is sent goes by the window, as far as that is known before the model was asked. */
  #tellNotes({ session, notes }: LiveSession): void {
    const { context, settings } = session.state;
    const configured = this.#parts.setup.loaded.config.models[settings.model ?? '']?.context;
    const told = notes.look(context.window?.tokens ?? configured ?? null);
    for (const { level, text } of told) this.#parts.say(level === 'info' ? 'dim' : level, text);
  }

  /** A shell that ended, by whoever's doing, is started again where it was: no line may go elsewhere for lack of one. */
  async reviveShell(live: LiveSession): Promise<void> {
    if (live.sharedShell.shell !== null) return;
    const words = live.sharedShell.lastWords;
    if (words !== null) this.#parts.say('warning', words);
    try {
      await live.sharedShell.start();
    } catch (thrown) {
      this.#parts.say('error', formatError(toErrorFact(thrown)));
    }
  }

  /** Settles when nothing runs any more and all that happened has been told. */
  async settled(live: LiveSession): Promise<void> {
    await live.session.atRest();
    await shellAtRest(live.sharedShell);
    while (this.#told < live.session.seq && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Nobody waits for this session any more. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Who goes on with a session is told which, what was said last, and what was cut short. */
  #tellBefore({ session, history, sharedShell }: LiveSession): void {
    const { sessionId, state } = session;
    const named = state.named === undefined ? '' : ` (${sanitizeLine(state.named.name)})`;
    this.#parts.say('dim', `going on with session ${sessionId}${named}`);
    const [first] = history;
    const begun = first?.event.type === 'session.created' ? first.event.cwd : sharedShell.cwd;
    const elsewhere = formatBegunElsewhere(begun, sharedShell.cwd, this.#parts.setup.env.HOME);
    for (const line of [...(elsewhere === null ? [] : [elsewhere]), ...formatLastExchange(state.entries)])
      this.#parts.say('dim', line);
    const ended = formatLastEnd(history);
    if (ended !== null) this.#parts.say('warning', ended);
  }

  async #follow(live: LiveSession): Promise<void> {
    const begun = this.#told;
    if (begun > 0) this.#tellBefore(live);
    for await (const recorded of live.session.events(begun)) {
      this.#parts.onEvent(recorded, live);
      this.#told = recorded.seq;
      this.#wake();
    }
  }
}
