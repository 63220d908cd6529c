import type {
  Foreground,
  Glance,
  PromptEffect,
  PromptInput,
  PromptRole,
  PromptState,
  Running,
  Wholeness,
} from '../../src/core/prompt/prompt-state.ts';
import { createPromptState } from '../../src/core/prompt/prompt-step.ts';
import { update } from '../../src/core/prompt/prompt-update.ts';

/** The bytes of keys. */
export const keysOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The text of bytes. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const ABOUT_NOW = new Map<string, 'undo' | 'redo' | 'halt' | 'run' | 'message'>([
  [':undo', 'undo'],
  [':undo 2', 'undo'],
  [':redo', 'redo'],
  [':halt', 'halt'],
  [':pause', 'run'],
  [':norris plan add x', 'run'],
  ['?use awk', 'message'],
  ['?later', 'message'],
]);

/** The prompt machine with a line somebody types into, and a record of what it had done. */
export class PromptDesk {
  state: PromptState;
  /** The receivers of keys, such as `line:x`. */
  readonly got: string[] = [];
  /** Names of all effects but those that pass keys on. */
  readonly done: string[] = [];
  at = 10_000;
  text = '';
  isRead = true;
  isShown = true;
  running: Running = 'nothing';
  waitsForSnapshot = false;
  wantsText = false;
  foreground: Foreground | null = null;
  readonly signals: string[] = [];
  readonly timers = new Map<string, number>();
  /** Lines that were handed on to run. */
  readonly ran: string[] = [];
  /** Lines about the running work, which were handed on at once. */
  readonly now: string[] = [];
  onEffect: ((effect: PromptEffect) => void) | null = null;

  constructor(role: PromptRole = 'owner') {
    this.state = createPromptState(role);
  }

  glance(): Glance {
    const { running, waitsForSnapshot, wantsText, text } = this;
    return {
      running,
      waitsForSnapshot,
      line: this.isRead ? (text === '' ? 'empty' : 'text') : 'unread',
      text,
      wantsText,
    };
  }

  send(input: PromptInput): readonly PromptEffect[] {
    const { state, effects } = update(this.state, input);
    this.state = state;
    for (const effect of effects) this.#carryOut(effect);
    return effects;
  }

  press(keys: string, after = 0): readonly PromptEffect[] {
    this.at += after;
    return this.send({ type: 'keys', bytes: keysOf(keys), at: this.at, glance: this.glance() });
  }

  leftUnread(text: string): readonly PromptEffect[] {
    return this.send({ type: 'left-unread', bytes: keysOf(text), text });
  }

  ask(options: { readonly wantsText?: boolean } = {}): void {
    this.wantsText = options.wantsText === true;
    this.send({ type: 'approval-shown', at: this.at });
  }

  closeApproval(): void {
    this.wantsText = false;
    this.send({ type: 'approval-closed', glance: this.glance() });
  }

  /** A key of the editor while work goes on; whether the machine took it. */
  enter(
    text: string,
    key = 'enter',
    options: { readonly hasTurn?: boolean; readonly isRun?: boolean; readonly whole?: Wholeness } = {},
  ): boolean {
    this.text = text;
    const { hasTurn = true, whole = text.endsWith('\\') ? 'open' : 'whole' } = options;
    const effects = this.send({
      type: 'work-key',
      key,
      text,
      whole,
      hasTurn,
      isRun: options.isRun === true,
      aboutNow: ABOUT_NOW.get(text) ?? null,
    });
    return !effects.some(({ type }) => type === 'edit-key');
  }

  expire(timer: 'answer-habit' | 'lease'): void {
    this.timers.delete(timer);
    this.send({ type: 'timer', timer, at: this.at, glance: this.glance() });
  }

  #carryOut(effect: PromptEffect): void {
    this.onEffect?.(effect);
    switch (effect.type) {
      case 'to-line':
      case 'to-program':
      case 'to-approval':
      case 'to-borrower':
        this.got.push(`${effect.type.slice(3)}:${textOf(effect.bytes)}`);
        return;
      case 'enter-ahead': {
        const typed = `${this.text}${textOf(effect.bytes)}`;
        this.text = '';
        this.send({ type: 'entered-ahead', text: typed });
        return;
      }
      case 'take-line':
        this.text = '';
        break;
      case 'replace-line':
        this.text = effect.text;
        break;
      case 'insert-text':
        this.text += effect.text;
        break;
      case 'bring-returned':
        this.text = this.state.returned.lines[0] ?? '';
        break;
      case 'show-line':
      case 'hide-line':
        this.isShown = effect.type === 'show-line';
        break;
      case 'run-line':
        this.ran.push(effect.text);
        break;
      case 'run-now':
        this.now.push(effect.text);
        break;
      case 'signal-foreground':
        this.signals.push(effect.signal);
        break;
      case 'start-timer':
        this.timers.set(effect.timer, effect.ms);
        return;
      case 'stop-timer':
        this.timers.delete(effect.timer);
        return;
      case 'look-at-foreground':
        this.send({ type: 'foreground', request: effect.request, foreground: this.foreground, at: this.at });
        return;
    }
    this.done.push(effect.type === 'lease' ? `lease-${effect.action}` : effect.type);
  }
}
