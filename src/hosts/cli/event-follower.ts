import { askedCall } from '../../core/session/state.ts';
import type { LiveSession } from '../../engine/engine.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import type { AtWork } from './at-work.ts';
import { formatFromSeat } from './attach/from-seat.ts';
import type { Keyboard } from './keyboard.ts';
import type { Notifier } from './notification.ts';
import { formatLineEnd, type Place, toFreshLine } from './prompt-line.ts';
import type { Asking } from './questions/asking.ts';
import { isDumbTerminal, type Theme } from './screen/theme.ts';
import type { Tty } from './screen/tty.ts';
import type { View } from './screen/view.ts';
import type { Setup } from './setup.ts';
import type { ShellAtPrompt } from './shell-at-prompt.ts';
import { shellAtRest } from './shell-rest.ts';

/** Ops that answer a question. */
const ANSWERS: ReadonlySet<string> = new Set(['decide', 'rehearse', 'apply', 'drop']);

/** What follows events at the prompt. */
export interface EventFollowerParts {
  readonly tty: Tty;
  readonly setup: Setup;
  readonly theme: Theme;
  readonly view: View;
  readonly asking: Asking;
  readonly keyboard: Keyboard;
  readonly shell: ShellAtPrompt;
  readonly work: AtWork;
  readonly notifier: Notifier;
  readonly print: (text: string) => void;
}

/** Shows the session's events, asks its questions, and hands screen and keyboard over as they come. */
export class EventFollower {
  readonly #parts: EventFollowerParts;
  #record: CommandRecord | null = null;
  /** The call whose program has screen and keys. */
  #program: string | null = null;
  /** What runs was begun at another seat. */
  #isForeign = false;
  /** A command of another seat has the screen. */
  #hasForeignCommand = false;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: EventFollowerParts) {
    this.#parts = parts;
  }

  /** The record of the last command since this was asked for, or null. */
  takeRecord(): CommandRecord | null {
    const record = this.#record;
    this.#record = null;
    return record;
  }

  /** Settles when nothing that was begun at another seat has the screen. */
  async screenFree(): Promise<void> {
    while (this.#isScreenTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  get #isScreenTaken(): boolean {
    return this.#isForeign && (this.#hasForeignCommand || this.#program !== null || this.#parts.asking.isOpen);
  }

  /** Takes the next event. */
  take(recorded: Recorded, live: LiveSession): void {
    this.#take(recorded, live);
    this.#wake();
  }

  #wake(): void {
    if (!this.#isScreenTaken) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #take({ event, at }: Recorded, live: LiveSession): void {
    const { view, asking, work } = this.#parts;
    // What was refused at another seat is told there.
    if (event.type === 'op.rejected' && event.seat !== undefined) return;
    this.#before(event);
    view.show(event, at);
    switch (event.type) {
      case 'command.started':
        this.#isForeign = event.seat !== undefined;
        if (this.#isForeign) this.#giveKeysToSeat();
        return;
      case 'turn.started':
        this.#isForeign = event.seat !== undefined;
        return;
      case 'command.completed':
        this.#hasForeignCommand = false;
        // At once: what another seat begins next comes after it.
        this.#takeBack(formatLineEnd(event.record, this.#place));
        if (!this.#isForeign) this.#record = event.record;
        return;
      case 'approval.requested':
        this.#ask(live);
        return;
      case 'call.measured':
        asking.measured(event);
        return;
      case 'approval.decided':
        // It may have been answered at another seat.
        asking.end();
        return;
      case 'op.rejected':
        // An answer that could not be taken leaves the call asked about.
        if (event.op === 'resolve' && !asking.isOpen) this.#askOfUndo(live);
        if (ANSWERS.has(event.op) && !asking.isOpen) this.#askOfRehearsal(live);
        return;
      case 'restore.asked':
        this.#askOfUndo(live);
        return;
      case 'restore.resolved':
      case 'restore.dropped':
      case 'session.halted':
        // It may have been answered at another seat.
        asking.end();
        return;
      case 'rehearsal.started':
      case 'rehearsal.completed':
      case 'rehearsal.dropped':
        this.#askOfRehearsal(live);
        return;
      case 'rehearsal.applying':
        asking.end();
        return;
      case 'tool-call.started':
        if (event.sandboxed !== true) this.#giveKeysToCommand(live);
        return;
      case 'turn.ended':
        asking.end();
        if (['interrupted', 'halted', 'failed'].includes(event.reason)) work.brokenOff();
        if (this.#isForeign) void shellAtRest(live.sharedShell).then(() => this.endProgram());
        return;
    }
  }

  /** The turn is over and so is what ran in it: a program that was called off has nothing more to say. */
  endProgram(): void {
    if (this.#program === null) return;
    this.#takeBack(toFreshLine(this.#place));
    this.#wake();
  }

  /** What an event shows belongs on a line of its own, below what a program left. */
  #before(event: SessionEvent): void {
    const place = this.#place;
    const words = formatFromSeat(event, this.#parts.theme);
    if (words !== null) this.#parts.print(words);
    if (event.type === 'tool-call.completed' && event.callId === this.#program)
      this.#takeBack(event.record === undefined ? toFreshLine(place) : formatLineEnd(event.record, place));
    // The program may take a moment to end, and keeps the keys that long.
    if (event.type === 'turn.ended' && this.#program !== null) this.#parts.tty.write(toFreshLine(place));
  }

  get #place(): Place {
    const { tty, theme, setup } = this.#parts;
    return { columns: tty.size().columns, theme, isDumb: isDumbTerminal(setup.env) };
  }

  #takeBack(lineEnd: string): void {
    const { tty, keyboard, work } = this.#parts;
    this.#program = null;
    tty.write(lineEnd);
    keyboard.toEditor();
    work.resume();
  }

  #ask(live: LiveSession): void {
    const { asking, work, notifier } = this.#parts;
    if (askedCall(live.session.state) === null) return;
    work.pause();
    const asked = asking.ask(live);
    if (asked !== null) notifier.asked(`${asked.call.name} waits for your answer`);
  }

  /** The rehearsal is what is asked about, or the call again; a line of the person's own that was given up leaves no question. */
  #askOfRehearsal(live: LiveSession): void {
    const { asking, work } = this.#parts;
    work.pause();
    if (asking.ask(live) === null && (live.session.state.rehearsal ?? null) === null) {
      asking.end();
      work.resume();
    }
  }

  #askOfUndo(live: LiveSession): void {
    const { asking, work, notifier } = this.#parts;
    work.pause();
    if (asking.askOfUndo(live)) notifier.asked('an undo waits for your answer');
    else work.resume();
  }

  /** A command of another seat has the screen; the keys are its program's unless the person lends them. */
  #giveKeysToSeat(): void {
    this.#hasForeignCommand = true;
    this.#parts.work.pause();
    this.#parts.keyboard.toProgram();
  }

  #giveKeysToCommand(live: LiveSession): void {
    const { keyboard, work, shell } = this.#parts;
    const find = () => live.session.state.turn?.open.find((open) => open.stage === 'running')?.call ?? null;
    const call = find();
    if (call?.effect !== 'exec') return;
    this.#program = call.id;
    work.pause();
    keyboard.toProgram();
    shell.tellWhoTypes(() => find()?.id === call.id);
  }
}
