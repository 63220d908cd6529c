import type { Direction } from '../../../core/prompt/directories.ts';
import {
  createPromptState,
  type Glance,
  isScreenTaken,
  type PromptEffect,
  type PromptInput,
  type PromptState,
  type PromptTimer,
  type Running,
} from '../../../core/prompt/prompt-state.ts';
import { update } from '../../../core/prompt/prompt-update.ts';
import type { Decision } from '../../../protocol/op.ts';
import type { ApprovalKeys } from '../approvals/asking.ts';
import type { ApprovalKeyTaker, KeyTaker } from '../approvals/key-prompt.ts';
import { toGraphemes } from '../screen/graphemes.ts';
import type { PromptDriverDeps } from './prompt-driver-deps.ts';

const IDLE = { running: 'nothing', waitsForSnapshot: false } as const;
/** Keys that may end a line. */
const ENTERS: ReadonlySet<string> = new Set(['enter', 'ctrl-s', 'ctrl-enter']);

/** Drives the prompt machine: tells it what happens, and carries out what it decides. It decides nothing itself. */
export class PromptDriver implements ApprovalKeys {
  readonly #deps: PromptDriverDeps;
  readonly #timers = new Map<PromptTimer, ReturnType<typeof setTimeout>>();
  readonly #waiting: (() => void)[] = [];
  #state: PromptState;
  #borrower: KeyTaker | null = null;
  #approval: ApprovalKeyTaker | null = null;
  #outcome: PromptEffect | null = null;
  /** Aborted when Ctrl-C calls the line off that was entered. */
  #calledOff = new AbortController();

  constructor(deps: PromptDriverDeps) {
    this.#deps = deps;
    this.#state = createPromptState(deps.role);
  }

  /** The current state of the machine. */
  get state(): PromptState {
    return this.#state;
  }

  /** Whether the keys go to the program in the foreground. */
  get hasProgram(): boolean {
    return this.#state.keys === 'program' && this.#state.approval === null;
  }

  /** Tells the machine what happened. */
  send(input: PromptInput): void {
    const { state, effects } = update(this.#state, input);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
    if (this.#waiting.length > 0 && !isScreenTaken(this.#state)) for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Takes bytes of the terminal. */
  feed(bytes: Uint8Array): void {
    this.send({ type: 'keys', bytes, at: this.#deps.now(), glance: this.#glance() });
  }

  /** The terminal has reported something: a key that comes with it or right behind it answers nothing. */
  reported(): void {
    this.send({ type: 'reported', at: this.#deps.now() });
  }

  /** Gives all keys to another reader until the answer is called. */
  lend(taker: KeyTaker): () => void {
    this.#borrower = taker;
    this.send({ type: 'keys-lent' });
    return () => {
      if (this.#borrower !== taker) return;
      this.#borrower = null;
      this.send({ type: 'keys-returned' });
    };
  }

  /** An approval prompt is about to be drawn. */
  wantScreen(): void {
    this.send({ type: 'screen-wanted' });
  }

  /** An approval prompt is on the screen now. */
  showApproval(approval: ApprovalKeyTaker): void {
    this.#approval = approval;
    this.send({ type: 'approval-shown', at: this.#deps.now(), isBlank: approval.isBlank === true });
  }

  /** More stands under it now. */
  extendApproval(): void {
    this.send({ type: 'approval-extended', at: this.#deps.now() });
  }

  /** It is gone: the reader that had the keys before has them again. */
  closeApproval(): void {
    this.#approval = null;
    this.send({ type: 'approval-closed', glance: this.#glance() });
  }

  /** It was answered with one key. */
  answered(decision: Decision): void {
    this.send({ type: 'approval-answered', decision, at: this.#deps.now(), glance: this.#glance() });
  }

  /** A program of the model, or one that is watched, takes screen and keys. */
  beginProgram(callId: string): void {
    this.send({ type: 'program-began', callId, at: this.#deps.now() });
  }

  /** A turn or a command began. */
  begin(what: 'turn' | 'command', { isForeign }: { readonly isForeign: boolean }): void {
    this.send({ type: 'began', what, isForeign, at: this.#deps.now() });
  }

  /** Screen and keys are the line's again. */
  endProgram(): void {
    this.send({ type: 'program-ended', glance: this.#glance() });
  }

  /** Stops what runs, or all that the model does; nothing that waits runs. */
  stop(how: 'interrupt' | 'halt'): void {
    this.send({ type: how, glance: this.#glance() });
  }

  /** The work was cancelled, by any client. */
  breakOff(): void {
    this.send({ type: 'work-broken-off', glance: this.#glance() });
  }

  /** The user's command was stopped, so nothing that waits may run. */
  giveBack(): void {
    this.send({ type: 'command-stopped', glance: this.#glance() });
  }

  /** The line is on the screen during this work, and entered lines are queued. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.send({ type: 'work-began' });
    this.#deps.line.redraw();
    try {
      return await work();
    } finally {
      this.send({ type: 'work-ended' });
    }
  }

  /** Takes a key of the editor while work goes on; false for those that the editor carries out itself. */
  readonly takeWorkKey = (key: string): boolean => {
    if (!this.#state.isWorking) return false;
    const { line, isWhole, aboutNow } = this.#deps;
    const { text } = line;
    const isEntered = ENTERS.has(key) && text.trim() !== '';
    const found = isEntered ? (isWhole?.(text) ?? true) : true;
    const whole = typeof found === 'boolean' ? (found ? 'whole' : 'open') : 'asked';
    const { running } = this.#session();
    const hasTurn = running === 'model' || running === 'tool';
    this.#outcome = null;
    const about = isEntered ? (aboutNow?.(text) ?? null) : null;
    this.send({ type: 'work-key', key, text, whole, hasTurn, aboutNow: about });
    if (typeof found !== 'boolean') void this.#queueWhen(found, text);
    return this.#takeOutcome()?.type !== 'edit-key';
  };

  /** A line that did not run comes back. */
  returnLine(line: string): void {
    this.send({ type: 'line-returned', line, glance: this.#glance(true) });
  }

  /** A key asks for the previous or the next directory. */
  go(direction: Direction, home: string | undefined): void {
    this.send({ type: 'go', direction, home, glance: this.#glance() });
  }

  /** The user can see now that aish asks whether this line is a command or a message. */
  askAbout(line: string): void {
    this.send({ type: 'doubt-shown', line, at: this.#deps.now() });
  }

  /** The user can see now that aish offers this line, which Tab enters. */
  offer(line: string | null): void {
    if (line !== null) this.send({ type: 'offer-shown', line, at: this.#deps.now() });
  }

  /** A program left these bytes unread. */
  leftUnread(bytes: Uint8Array): void {
    this.send({ type: 'left-unread', bytes, text: Buffer.from(bytes).toString() });
  }

  /** The line whose turn it is; null when none waits. */
  nextLine(): { readonly text: string; readonly isAhead: boolean } | null {
    this.#outcome = null;
    this.send({ type: 'next-line' });
    const outcome = this.#takeOutcome();
    return outcome?.type === 'run-line' ? outcome : null;
  }

  /** Whether aish may be left; the first time jobs would end, not. */
  mayLeave(jobs: number): boolean {
    this.#outcome = null;
    this.send({ type: 'leave', jobs });
    return this.#takeOutcome()?.type === 'leave';
  }

  /** Settles when nothing that was begun elsewhere has the screen. */
  async screenFree(): Promise<void> {
    while (isScreenTaken(this.#state)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Another line is read: what calls it off is new. */
  beginLine(): void {
    this.#calledOff = new AbortController();
  }

  /** Aborted when the line that was entered is called off. */
  get signal(): AbortSignal {
    return this.#calledOff.signal;
  }

  /** Settles when this has happened, or the line is called off, which may have been before; the answer is whether it was. */
  until(happened: Promise<void>): Promise<boolean> {
    const { signal } = this;
    if (signal.aborted) return Promise.resolve(true);
    const calledOff = new Promise<true>((resolve) =>
      signal.addEventListener('abort', () => resolve(true), { once: true }),
    );
    return Promise.race([calledOff, happened.then(() => false)]);
  }

  /** Nothing is decided any more. */
  close(): void {
    for (const timer of this.#timers.keys()) this.#stopTimer(timer);
  }

  #session(): { readonly running: Running; readonly waitsForSnapshot: boolean } {
    return this.#deps.session?.() ?? IDLE;
  }

  #glance(needsText = hasWaiting(this.#state) || this.#state.doubt !== null): Glance {
    const { line } = this.#deps;
    const { running, waitsForSnapshot } = this.#session();
    return {
      running,
      waitsForSnapshot,
      line: line.isReading ? (line.isEmpty ? 'empty' : 'text') : 'unread',
      text: needsText ? line.text : '',
      wantsText: this.#approval?.wantsText === true,
    };
  }

  async #queueWhen(found: Promise<boolean>, asked: string): Promise<void> {
    if (await found) this.send({ type: 'line-is-whole', asked, text: this.#deps.line.text });
  }

  #takeOutcome(): PromptEffect | null {
    const outcome = this.#outcome;
    this.#outcome = null;
    return outcome;
  }

  #carryOut(effect: PromptEffect): void {
    switch (effect.type) {
      case 'to-line':
      case 'to-program':
      case 'to-approval':
      case 'to-borrower':
        this.#give(effect);
        return;
      case 'insert-typed':
      case 'insert-text':
      case 'replace-line':
      case 'enter-line':
      case 'take-line':
      case 'show-line':
      case 'hide-line':
        this.#changeLine(effect);
        return;
      case 'bring-returned':
        this.#deps.line.showNewest();
        this.#deps.carryOut?.(effect);
        return;
      case 'look-at-foreground': {
        const foreground = this.#deps.foreground?.()?.foreground ?? null;
        this.send({ type: 'foreground', request: effect.request, foreground, at: this.#deps.now() });
        return;
      }
      case 'signal-foreground':
        this.#deps.foreground?.()?.signalForeground(effect.signal);
        return;
      case 'start-timer':
        this.#startTimer(effect.timer, effect.ms);
        return;
      case 'stop-timer':
        this.#stopTimer(effect.timer);
        return;
      case 'edit-key':
      case 'run-line':
      case 'leave':
        this.#outcome = effect;
        return;
      case 'warn-of-jobs':
        return;
      case 'interrupt':
        this.#calledOff.abort();
        this.#deps.carryOut?.(effect);
        return;
      default:
        this.#deps.carryOut?.(effect);
    }
  }

  #give(effect: Extract<PromptEffect, { type: 'to-line' | 'to-program' | 'to-approval' | 'to-borrower' }>): void {
    const { line, program } = this.#deps;
    const { bytes } = effect;
    switch (effect.type) {
      case 'to-line':
        if (effect.mayEnter) line.feed(bytes);
        else line.feedQuietly(bytes);
        return;
      case 'to-program': {
        const taker = program?.() ?? null;
        if (taker === null) line.feed(bytes);
        else taker.write(bytes);
        return;
      }
      case 'to-approval':
        this.#approval?.feed(bytes);
        return;
      case 'to-borrower':
        this.#borrower?.feed(bytes);
        return;
    }
  }

  #changeLine(
    effect: Extract<
      PromptEffect,
      { type: 'insert-typed' | 'insert-text' | 'replace-line' | 'enter-line' | 'take-line' | 'show-line' | 'hide-line' }
    >,
  ): void {
    const { line } = this.#deps;
    switch (effect.type) {
      case 'insert-typed': {
        const text = toTypedText(effect.bytes);
        if (text !== '') line.insert(text);
        return;
      }
      case 'insert-text':
        line.insert(effect.text);
        return;
      case 'replace-line':
        line.replace(effect.text);
        return;
      case 'enter-line':
        line.submit(effect.text);
        return;
      case 'take-line':
        line.take();
        return;
      case 'show-line':
        line.show();
        return;
      case 'hide-line':
        line.hide();
        return;
    }
  }

  #startTimer(timer: PromptTimer, ms: number): void {
    this.#stopTimer(timer);
    const handle = setTimeout(() => {
      this.#timers.delete(timer);
      this.send({ type: 'timer', timer, at: this.#deps.now(), glance: this.#glance() });
    }, ms);
    handle.unref();
    this.#timers.set(timer, handle);
  }

  #stopTimer(timer: PromptTimer): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.delete(timer);
  }
}

function hasWaiting({ queue, ahead, returned }: PromptState): boolean {
  return [queue, ahead, returned].some(({ lines }) => lines.length > 0);
}

/** The text of a line after these keys, Enter and Backspace included. Line ends at its end are dropped. */
export function toTypedText(keys: Uint8Array): string {
  let text = '';
  for (const key of toGraphemes(Buffer.from(keys).toString().replace(/\r\n?/g, '\n'))) {
    text = key === '\x7f' || key === '\b' ? toGraphemes(text).slice(0, -1).join('') : text + key;
  }
  return text.replace(/(?<!\n)\n+$/, '');
}
