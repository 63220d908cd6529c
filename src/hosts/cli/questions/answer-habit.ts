import type { Decision } from '../../../protocol/op.ts';

/** After so long what is typed no longer belongs to the answer. */
const HABIT_MS = 1500;

/**
 * One key answers a question, yet many people finish the word or press Enter out of habit. Without this, the rest of "yes"
 * would be the next message, and the Enter would go to the command that was just allowed.
 */
export class AnswerHabit {
  readonly #pass: (bytes: Uint8Array) => void;
  /** What may still follow; null when no answer was given lately. */
  #rest: string | null = null;
  #held = '';
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `pass` gets everything that is no part of an answer. */
  constructor(pass: (bytes: Uint8Array) => void) {
    this.#pass = pass;
  }

  /** A question was answered with one key. A reason was ended by an Enter of its own. */
  begin(decision: Decision): void {
    this.#end();
    if (decision.type === 'edit' || (decision.type === 'deny' && decision.reason !== undefined)) return;
    this.#rest = { allow: 'es', 'allow-always': 'lways', deny: 'o' }[decision.type];
    this.#timer = setTimeout(() => this.#end(), HABIT_MS);
    this.#timer.unref();
  }

  /** Takes keys: holds back what may become the rest of the answer, drops it once Enter completes it. */
  feed(bytes: Uint8Array): void {
    if (this.#rest === null) {
      this.#pass(bytes);
      return;
    }
    this.#held += Buffer.from(bytes).toString('latin1');
    const whole = ['\r', `${this.#rest}\r`].find((answer) => this.#held.startsWith(answer));
    if (whole !== undefined) this.#held = this.#held.slice(whole.length);
    else if (this.#rest.startsWith(this.#held)) return;
    this.#end();
  }

  #end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#rest = null;
    const held = this.#held;
    this.#held = '';
    if (held !== '') this.#pass(Buffer.from(held, 'latin1'));
  }
}
