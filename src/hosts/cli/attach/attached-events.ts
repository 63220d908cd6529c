import type { HttpSessionClient } from '../../../adapters/daemon/http-client.ts';
import { sanitizeText } from '../../../core/sanitize.ts';
import { evolve, fold } from '../../../core/session/evolve.ts';
import { askedCall, EMPTY_STATE, type SessionState } from '../../../core/session/state.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { isDurable, type Recorded, type SessionEvent } from '../../../protocol/event.ts';
import type { Op } from '../../../protocol/op.ts';
import { formatLineEnd, type Place, toFreshLine } from '../prompt-line.ts';
import type { Asking, AskingSession } from '../questions/asking.ts';
import type { View } from '../screen/view.ts';
import { formatFromSeat } from './from-seat.ts';

/** What follows the events of a session elsewhere. */
export interface AttachedEventsParts {
  readonly client: Pick<HttpSessionClient, 'events' | 'seat'>;
  readonly view: View;
  readonly asking: Asking;
  readonly print: (text: string) => void;
  readonly write: (text: string) => void;
  readonly place: () => Place;
  readonly submit: (op: Op) => void;
  /** Told each event: those of before this seat came, and those that happen, when the state holds them. */
  readonly onPast: (recorded: Recorded) => void;
  readonly onEvent: (recorded: Recorded) => void;
  /** Settles when something can be shown: not while the person's own editor has the terminal. */
  readonly hasTerminal: () => Promise<void>;
  /** Gives the screen to a command until all that it shows was shown. `isOn` where it runs already. */
  readonly showCommand: (seq: number, isOn: boolean) => Promise<void>;
  /** A question gets the screen. */
  readonly pause: () => void;
  readonly resume: () => void;
}

/** So many lines of before are shown to who comes late, with what came of them. */
const SHOWN_BEFORE = 6;
/** Ops that answer a question. */
const ANSWERS: ReadonlySet<string> = new Set(['decide', 'rehearse', 'apply', 'drop']);

/** Shows a session of another process as it goes on, from its own copy of the state, which the facts make. */
export class AttachedEvents {
  readonly #parts: AttachedEventsParts;
  #state: SessionState = EMPTY_STATE;
  /** The call whose program has the screen. */
  #program: string | null = null;

  constructor(parts: AttachedEventsParts) {
    this.#parts = parts;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The view's rows for the window's size of now. */
  resized(): readonly string[] {
    return this.#parts.view.resized();
  }

  /** Shows the last of what happened before, then what happens, until the session is ended there. */
  async follow(
    joined: { readonly seq: number; readonly running: number | null },
    onCaughtUp: () => void,
  ): Promise<void> {
    let before: Recorded[] | null = joined.seq === 0 ? null : [];
    if (before === null) onCaughtUp();
    for await (const recorded of this.#parts.client.events(0)) {
      await this.#parts.hasTerminal();
      if (before === null) await this.#take(recorded);
      else if (isDurable(recorded.event)) {
        before.push(recorded);
        if (recorded.seq < joined.seq) continue;
        this.#showBefore(before);
        before = null;
        onCaughtUp();
        await this.#goOn(joined.running);
      }
    }
  }

  #showBefore(recorded: readonly Recorded[]): void {
    const starts = recorded.filter(({ event }) => event.type === 'turn.started' || event.type === 'command.started');
    const from = starts.at(-SHOWN_BEFORE)?.seq ?? 0;
    this.#state = fold(recorded.map(({ event }) => event));
    for (const [at, one] of recorded.entries()) {
      this.#parts.onPast(one);
      // The name of a copy was entered by nobody.
      const isOfCopy = one.event.type === 'session.named' && recorded[at - 1]?.event.type === 'session.forked';
      if (one.seq >= from && !isOfCopy) this.#showPast(one.event, one.at);
    }
  }

  /** As the prompt showed it, but that an answer comes whole and a command's output is what the log has of it. */
  #showPast(event: SessionEvent, at: number): void {
    const { view, print, place } = this.#parts;
    const words = formatFromSeat(event, place().theme, null);
    if (words !== null) print(words);
    if (event.type === 'step.completed' && event.text !== '') view.show({ type: 'text.delta', text: event.text }, at);
    if (event.type === 'turn.ended' && event.text !== undefined)
      view.show({ type: 'text.delta', text: event.text }, at);
    if (event.type === 'command.completed') printOutput(event.record, print);
    if (event.type === 'tool-call.completed' && event.record !== undefined && event.record.sandboxed !== true)
      printOutput(event.record, print);
    view.show(event, at);
  }

  /** What was going on when this seat came. */
  async #goOn(running: number | null): Promise<void> {
    const call = this.#state.turn?.open.find(({ stage }) => stage === 'running')?.call ?? null;
    if (running !== null && (this.#state.command !== null || call?.effect === 'exec')) {
      this.#program = call?.id ?? null;
      await this.#parts.showCommand(running, true);
    }
    if (askedCall(this.#state) !== null || (this.#state.rehearsal ?? null) !== null) this.#ask();
    if (this.#state.restore?.question !== undefined) this.#askOfUndo();
  }

  async #take(recorded: Recorded): Promise<void> {
    const { seq, at, event } = recorded;
    const { view, asking, client, print, place } = this.#parts;
    if (event.type === 'op.rejected' && event.seat !== (client.seat ?? undefined)) return;
    this.#before(event);
    this.#state = evolve(this.#state, event);
    const words = formatFromSeat(event, place().theme, client.seat);
    if (words !== null) print(words);
    view.show(event, at);
    this.#parts.onEvent(recorded);
    switch (event.type) {
      case 'command.started':
        await this.#parts.showCommand(seq, false);
        return;
      case 'tool-call.started':
        await this.#showCall(event, seq);
        return;
      case 'approval.requested':
      case 'rehearsal.started':
      case 'rehearsal.completed':
      case 'rehearsal.dropped':
        this.#ask();
        return;
      case 'call.measured':
        asking.measured(event);
        return;
      case 'restore.asked':
        this.#askOfUndo();
        return;
      case 'op.rejected':
        if (event.op === 'resolve' && !asking.isOpen) this.#askOfUndo();
        if (ANSWERS.has(event.op) && !asking.isOpen) this.#ask();
        return;
      case 'approval.decided':
      case 'restore.resolved':
      case 'restore.dropped':
      case 'rehearsal.applying':
      case 'session.halted':
      case 'turn.ended':
        asking.end();
        return;
    }
  }

  /** What an event shows belongs on a line of its own, below what a program left. */
  #before(event: SessionEvent): void {
    const { place } = this.#parts;
    if (event.type === 'command.completed') this.#endProgram(formatLineEnd(event.record, place()));
    else if (this.#program === null) return;
    else if (event.type === 'turn.ended') this.#endProgram(toFreshLine(place()));
    else if (event.type === 'tool-call.completed' && event.callId === this.#program)
      this.#endProgram(event.record === undefined ? toFreshLine(place()) : formatLineEnd(event.record, place()));
  }

  #endProgram(lineEnd: string): void {
    this.#program = null;
    this.#parts.write(lineEnd);
    this.#parts.resume();
  }

  async #showCall(
    { callId, sandboxed }: Extract<SessionEvent, { type: 'tool-call.started' }>,
    seq: number,
  ): Promise<void> {
    const call = this.#state.turn?.open.find((open) => open.call.id === callId)?.call;
    if (sandboxed === true || call?.effect !== 'exec') return;
    this.#program = callId;
    await this.#parts.showCommand(seq, false);
  }

  get #session(): AskingSession {
    const { submit } = this.#parts;
    const state = (): SessionState => this.#state;
    return {
      session: {
        get state() {
          return state();
        },
        submit: async (op) => submit(op),
      },
    };
  }

  #ask(): void {
    const { asking, pause, resume } = this.#parts;
    pause();
    if (asking.ask(this.#session) === null && (this.#state.rehearsal ?? null) === null) {
      asking.end();
      resume();
    }
  }

  #askOfUndo(): void {
    const { asking, pause, resume } = this.#parts;
    pause();
    if (!asking.askOfUndo(this.#session)) resume();
  }
}

function printOutput({ output }: CommandRecord, print: (text: string) => void): void {
  const text = sanitizeText(output);
  if (text !== '') print(text.endsWith('\n') ? text : `${text}⏎\n`);
}
