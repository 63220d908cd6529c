import { askedCall, askedForm } from '../../../core/session/state.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import type { Recorded, SessionEvent } from '../../../protocol/event.ts';
import type { Asking, AskingSession } from '../approvals/asking.ts';
import type { Stage } from '../screen/live-answer.ts';
import { formatLineEnd, toFreshLine } from '../screen/prompt-line.ts';
import type { View } from '../screen/view.ts';
import { formatCallWaits, formatFormWaits, UNDO_WAITS } from './messages.ts';
import type { Notifier } from './notification.ts';
import type { PromptDriver } from './prompt-driver.ts';
import type { PromptHost, PromptSession } from './prompt-session.ts';

/** Ops that answer a question. */
const ANSWERS: ReadonlySet<string> = new Set(['decide', 'dry-run', 'apply', 'discard']);

interface EventFollowerDeps extends PromptHost {
  readonly asking: Asking;
  readonly driver: PromptDriver;
  readonly session: PromptSession;
  readonly notifier: Notifier;
}

/** Shows the session's events, asks its questions, and hands screen and keyboard over as they come. */
export class EventFollower {
  readonly #deps: EventFollowerDeps;
  #record: CommandRecord | null = null;
  /** The command that runs was entered here. */
  #isOwn = false;

  constructor(deps: EventFollowerDeps) {
    this.#deps = deps;
  }

  takeRecord(): CommandRecord | null {
    const record = this.#record;
    this.#record = null;
    return record;
  }

  take({ seq, event, at }: Recorded) {
    const { view, asking, driver } = this.#deps;
    // A refusal to another client appears there.
    if (event.type === 'op.rejected' && event.client !== this.#name) return;
    this.#before(event);
    view.show(event, at);
    switch (event.type) {
      case 'command.started':
        this.#isOwn = event.client === this.#name;
        // An attached terminal shows the session's command, whichever client began it.
        if (driver.state.role === 'client') driver.send({ type: 'program-began', callId: String(seq) });
        else driver.send({ type: 'began', what: 'command', isForeign: !this.#isOwn });
        return;
      case 'turn.started':
        return driver.send({ type: 'began', what: 'turn', isForeign: event.client !== this.#name });
      case 'command.completed':
        // At once: what another client begins next comes after it.
        this.#takeBack(formatLineEnd(event.record, this.#deps.screen));
        if (this.#isOwn) this.#record = event.record;
        return;
      case 'approval.requested':
        return this.#ask();
      case 'form.requested':
        return this.#askForm();
      case 'impact.estimated':
        return asking.measured(event);
      case 'op.rejected':
        // An answer that could not be taken leaves the call asked about.
        if (event.op === 'resolve' && !asking.isOpen) this.#askOfUndo();
        if (event.op === 'answer-form' && !asking.isOpen) this.#askForm();
        if (ANSWERS.has(event.op) && !asking.isOpen) this.#promptForDryRun();
        return;
      case 'restore.conflicted':
        return this.#askOfUndo();
      case 'approval.decided':
      case 'form.answered':
      case 'dry-run.applying':
      case 'restore.resolved':
      case 'restore.abandoned':
      case 'session.halted':
        return this.#endAsking();
      case 'dry-run.started':
      case 'dry-run.completed':
      case 'dry-run.discarded':
        return this.#promptForDryRun();
      case 'tool-call.started':
        if (event.sandboxed !== true) this.#giveKeysToCommand();
        return;
      case 'turn.ended':
        asking.end();
        if (['interrupted', 'halted', 'failed', 'budget'].includes(event.reason))
          driver.send({ type: 'work-broken-off' });
        if (driver.state.isForeign) void this.#endForeign();
        return;
    }
  }

  /** Shows the open prompts in the state of now, for a client that has just come. */
  askAgain(): void {
    const state = this.#deps.session.client?.state;
    if (state === undefined) return;
    if (askedCall(state) !== null || (state.dryRun ?? null) !== null) this.#promptForDryRun();
    if (askedForm(state) !== null) this.#askForm();
    if (state.restore?.question !== undefined) this.#askOfUndo();
  }

  /** The turn is over and so is what ran in it: a program that was called off has nothing more to say. */
  endProgram(): void {
    if (this.#program !== null) this.#takeBack(toFreshLine(this.#deps.screen));
  }

  /** A turn of another client is over. */
  async #endForeign(): Promise<void> {
    await this.#deps.session.own?.shellAtRest();
    this.endProgram();
  }

  /** The output of an event begins on a line of its own, below the output of a program. */
  #before(event: SessionEvent): void {
    const { screen, theme, print } = this.#deps;
    if (('client' in event ? event.client : undefined) !== this.#name) {
      const { formatFromClient }: typeof import('../screen/from-client.ts') = require('../screen/from-client.ts');
      const words = formatFromClient(event, theme, this.#name);
      if (words !== null) print(words);
    }
    if (event.type === 'tool-call.completed' && event.callId === this.#program)
      this.#takeBack(event.record === undefined ? toFreshLine(screen) : formatLineEnd(event.record, screen));
  }

  /** The call whose program has screen and keys. */
  get #program(): string | null {
    return this.#deps.driver.state.program;
  }

  /** The name of this client; undefined for the owner. */
  get #name(): string | undefined {
    return this.#deps.session.client?.name ?? undefined;
  }

  get #asks(): AskingSession | null {
    const { session } = this.#deps;
    const { client, own } = session;
    if (client === null) return null;
    const isSandboxMissing = own?.isSandboxMissing === true;
    return { state: () => client.state, submit: (op) => session.submit(op), isSandboxMissing };
  }

  #takeBack(lineEnd: string): void {
    const { tty, driver } = this.#deps;
    tty.write(lineEnd);
    driver.send({ type: 'program-ended' });
  }

  #ask(): void {
    const { asking, driver, notifier } = this.#deps;
    const asks = this.#asks;
    if (asks === null || askedCall(asks.state()) === null) return;
    driver.wantScreen();
    const asked = asking.ask(asks);
    if (asked !== null) notifier.asked(formatCallWaits(asked.call.name));
  }

  /** The prompt is about the dry run, or the call again; a cancelled line of the user's own leaves no prompt. */
  #promptForDryRun(): void {
    const { asking, driver } = this.#deps;
    const asks = this.#asks;
    if (asks === null) return;
    driver.wantScreen();
    if (asking.ask(asks) !== null || (asks.state().dryRun ?? null) !== null) return;
    asking.end();
    driver.closeApproval();
  }

  /** It may have been answered at another client. The form of another call may be open. */
  #endAsking(): void {
    this.#deps.asking.end();
    this.#askForm();
  }

  #askForm(): void {
    const { asking, driver, notifier } = this.#deps;
    const asks = this.#asks;
    if (asks === null || askedForm(asks.state()) === null) return;
    driver.wantScreen();
    const form = asking.askForm(asks);
    if (form !== null) notifier.asked(formatFormWaits(form.request.server));
  }

  #askOfUndo(): void {
    const { asking, driver, notifier } = this.#deps;
    const asks = this.#asks;
    if (asks === null) return;
    driver.wantScreen();
    if (asking.askOfUndo(asks)) notifier.asked(UNDO_WAITS);
    else if (!asking.isOpen) driver.closeApproval();
  }

  #giveKeysToCommand(): void {
    const { driver, session } = this.#deps;
    const find = () => session.client?.state.turn?.open.find((open) => open.stage === 'running')?.call ?? null;
    const call = find();
    if (call?.effect !== 'exec') return;
    driver.send({ type: 'program-began', callId: call.id });
    session.own?.terminal.tellWhoTypes(() => find()?.id === call.id);
  }
}

/** The view at a prompt: it loads behind the first prompt, which is painted before any event. */
export class LateView {
  readonly #stage: Omit<Stage, 'codePainter'>;
  #view: View | null = null;
  #loading: Promise<void> | null = null;

  constructor(stage: Omit<Stage, 'codePainter'>) {
    this.#stage = stage;
  }

  /** Settles when events can be shown at once. No line runs before that: its events would come after its end. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    const [{ View }, { createCodePainter }] = await Promise.all([
      import('../screen/view.ts'),
      import('../../../core/markdown/markdown-code.ts'),
    ]);
    this.#view = new View({ ...this.#stage, codePainter: createCodePainter(this.#stage.theme) });
  }

  /** As of the view. */
  async prepare(event: SessionEvent): Promise<void> {
    if (this.#view === null) await this.load();
    await this.#view?.prepare(event);
  }

  show(event: SessionEvent, at: number): void {
    this.#view?.show(event, at);
  }

  resized(): readonly string[] {
    return this.#view?.resized() ?? [];
  }
}
