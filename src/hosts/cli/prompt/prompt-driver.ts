import { orAborted } from '../../../adapters/system/patience.ts';
import type {
  Foreground,
  Glance,
  PromptEffect,
  PromptInput,
  PromptRole,
  PromptState,
  PromptTimer,
  Running,
  StopSignal,
} from '../../../core/prompt/prompt-state.ts';
import { createPromptState, isScreenTaken } from '../../../core/prompt/prompt-step.ts';
import { update } from '../../../core/prompt/prompt-update.ts';
import type { Understood } from '../../../core/prompt/understand.ts';
import { toGraphemes } from '../../../core/terminal/graphemes.ts';
import type { Decision } from '../../../protocol/op.ts';
import type { ApprovalKeys } from '../approvals/asking.ts';
import type { ApprovalKeyTaker, KeyTaker } from '../approvals/key-prompt.ts';
import type { LineEditor } from '../editor/line-editor.ts';

/** The program in the foreground of the shared shell. */
export interface ForegroundProgram {
  readonly foreground: Foreground | null;
  signalForeground(name: StopSignal): boolean;
}

/** The current work of the session, as far as keys depend on it. */
interface SessionAtPrompt {
  readonly running: Running;
  readonly waitsForSnapshot: boolean;
  /** An autonomous run goes on. */
  readonly isRun?: boolean;
}

/** The effects that the driver leaves to the prompt around it. */
export type HostEffect = Extract<
  PromptEffect,
  {
    readonly type:
      | 'draw-queue'
      | 'bring-returned'
      | 'refuse-line'
      | 'run-now'
      | 'tell-paste'
      | 'program-keys'
      | 'offer-signals'
      | 'interrupt'
      | 'halt'
      | 'send-now'
      | 'lease'
      | 'tell-lease';
  }
>;

/** The dependencies of the driver. */
export interface PromptDriverDeps {
  readonly role?: PromptRole;
  readonly line: LineEditor;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** The receiver of keys for programs; null while there is no shell. */
  readonly program?: () => { write(bytes: Uint8Array): void } | null;
  readonly foreground?: () => ForegroundProgram | null;
  /** The current work of the session. */
  readonly session?: () => SessionAtPrompt;
  /** False where Enter should begin another line. */
  readonly isWhole?: (text: string) => boolean | Promise<boolean>;
  /** The meta-command of a line that means what is there now; null for all others. */
  readonly aboutNow?: (text: string) => Understood['aboutNow'];
  readonly carryOut?: (effect: HostEffect) => void;
}

/** An input without its time and its glance, which the driver adds. */
type Happening = PromptInput extends infer Input
  ? Input extends PromptInput
    ? Omit<Input, 'at' | 'glance'>
    : never
  : never;

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

  /** Tells the machine what has happened. */
  send(happened: Happening): void {
    const input = { ...happened, at: this.#deps.now(), glance: this.#glance(happened.type === 'line-returned') };
    const { state, effects } = update(this.#state, input);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Takes bytes of the terminal. */
  feed(bytes: Uint8Array): void {
    this.send({ type: 'keys', bytes });
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

  wantScreen(): void {
    this.send({ type: 'screen-wanted' });
  }

  showApproval(approval: ApprovalKeyTaker): void {
    this.#approval = approval;
    this.send({ type: 'approval-shown', isBlank: approval.isBlank === true });
  }

  extendApproval(): void {
    this.send({ type: 'approval-extended' });
  }

  closeApproval(): void {
    this.#approval = null;
    this.send({ type: 'approval-closed' });
  }

  answered(decision: Decision): void {
    this.send({ type: 'approval-answered', decision });
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
    const { running, isRun } = this.#session();
    const hasTurn = running === 'model' || running === 'tool';
    const about = isEntered ? (aboutNow?.(text) ?? null) : null;
    const outcome = this.#decide({
      type: 'work-key',
      key,
      text,
      whole,
      hasTurn,
      isRun: isRun === true,
      aboutNow: about,
    });
    if (typeof found !== 'boolean') void this.#queueWhen(found, text);
    return outcome?.type !== 'edit-key';
  };

  /** The line whose turn it is; null when none waits. */
  nextLine(): { readonly text: string; readonly isAhead: boolean } | null {
    const outcome = this.#decide({ type: 'next-line' });
    return outcome?.type === 'run-line' ? outcome : null;
  }

  /** Whether aish may be left; the first time jobs would end, not. */
  mayLeave(jobs: number): boolean {
    return this.#decide({ type: 'leave', jobs })?.type === 'leave';
  }

  /** Settles when nothing that was begun elsewhere has the screen. */
  async screenFree(): Promise<void> {
    while (isScreenTaken(this.#state)) await this.#changed();
  }

  /** Settles when no other program has the terminal, such as the user's own editor. */
  async terminalFree(): Promise<void> {
    while (this.#state.isLent) await this.#changed();
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
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
    return orAborted(happened, this.signal).then(
      () => false,
      () => true,
    );
  }

  /** Nothing is decided any more. */
  close(): void {
    for (const timer of this.#timers.keys()) this.#stopTimer(timer);
  }

  #session(): SessionAtPrompt {
    return this.#deps.session?.() ?? IDLE;
  }

  #glance(needsText: boolean): Glance {
    const { line } = this.#deps;
    const { running, waitsForSnapshot } = this.#session();
    return {
      running,
      waitsForSnapshot,
      line: line.isReading ? (line.isEmpty ? 'empty' : 'text') : 'unread',
      text: needsText || hasWaiting(this.#state) || this.#state.doubt !== null ? line.text : '',
      wantsText: this.#approval?.wantsText === true,
    };
  }

  async #queueWhen(found: Promise<boolean>, asked: string): Promise<void> {
    if (await found) this.send({ type: 'line-is-whole', asked, text: this.#deps.line.text });
  }

  /** Tells the machine what has happened, and gives its answer. */
  #decide(happened: Happening): PromptEffect | null {
    this.#outcome = null;
    this.send(happened);
    return this.#takeOutcome();
  }

  #takeOutcome(): PromptEffect | null {
    const outcome = this.#outcome;
    this.#outcome = null;
    return outcome;
  }

  #carryOut(effect: PromptEffect) {
    const { line, program, foreground, carryOut } = this.#deps;
    switch (effect.type) {
      case 'to-line':
        return effect.mayEnter ? line.feed(effect.bytes) : line.feedQuietly(effect.bytes);
      case 'to-program': {
        const taker = program?.() ?? null;
        return taker === null ? line.feed(effect.bytes) : taker.write(effect.bytes);
      }
      case 'enter-ahead':
        return this.send({ type: 'entered-ahead', text: line.take() + Buffer.from(effect.bytes).toString() });
      case 'to-approval':
        return this.#approval?.feed(effect.bytes);
      case 'to-borrower':
        return this.#borrower?.feed(effect.bytes);
      case 'insert-typed': {
        const text = toTypedText(effect.bytes);
        return text === '' ? undefined : line.insert(text);
      }
      case 'insert-text':
        return line.insert(effect.text);
      case 'replace-line':
        return line.replace(effect.text);
      case 'enter-line':
        return line.submit(effect.text);
      case 'take-line':
        line.take();
        return;
      case 'show-line':
        return line.show();
      case 'hide-line':
        return line.hide();
      case 'look-at-foreground':
        return this.send({
          type: 'foreground',
          request: effect.request,
          foreground: foreground?.()?.foreground ?? null,
        });
      case 'signal-foreground':
        foreground?.()?.signalForeground(effect.signal);
        return;
      case 'start-timer':
        return this.#startTimer(effect.timer, effect.ms);
      case 'stop-timer':
        return this.#stopTimer(effect.timer);
      case 'edit-key':
      case 'run-line':
      case 'leave':
        this.#outcome = effect;
        return;
      case 'warn-of-jobs':
        return;
      default:
        if (effect.type === 'bring-returned') line.showNewest();
        if (effect.type === 'interrupt') this.#calledOff.abort();
        carryOut?.(effect);
    }
  }

  #startTimer(timer: PromptTimer, ms: number): void {
    this.#stopTimer(timer);
    const handle = setTimeout(() => {
      this.#timers.delete(timer);
      this.send({ type: 'timer', timer });
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
  for (const key of toGraphemes(Buffer.from(keys).toString().replace(/\r\n?/g, '\n')))
    text = key === '\x7f' || key === '\b' ? toGraphemes(text).slice(0, -1).join('') : text + key;
  return text.replace(/(?<!\n)\n+$/, '');
}
