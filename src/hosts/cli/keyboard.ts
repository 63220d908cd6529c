import type { Decision } from '../../protocol/op.ts';
import { AnswerHabit } from './questions/answer-habit.ts';

/** A question takes no answer before a person can have seen it. */
const SEEN_AFTER_MS = 300;

/** After so long without a key nobody is typing, and no key is held down. */
const TYPING_PAUSE_MS = 400;

/** Ctrl-C, and as terminals send it that tell all keys apart. */
const INTERRUPT = /^(?:\x03|\x1b\[(?:99|\d+:\d*:99);5u)$/;

/** Whoever takes keys. */
export interface KeyTaker {
  feed(bytes: Uint8Array): void;
}

/** A question: it takes one key for its answer, and text while it reads a reason. */
export interface KeyQuestion extends KeyTaker {
  readonly wantsText: boolean;
}

/** Where keys can go. */
export interface KeyboardOptions {
  readonly editor: KeyTaker;
  /** The program in the foreground of the shared shell; null while there is no shell. */
  readonly program: () => { write(bytes: Uint8Array): void } | null;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** Told before the keys go to a program, and when they come back. */
  readonly onProgram?: (hasKeys: boolean) => void;
}

/** Who the keys belong to at each moment: the line editor, the program in the foreground, or the question about a call. */
export class Keyboard {
  readonly #options: KeyboardOptions;
  readonly #habit = new AnswerHabit((bytes) => this.#pass(bytes));
  /** Somebody who has all keys for a while, whoever they belong to otherwise. */
  #borrower: KeyTaker | null = null;
  #owner: 'editor' | 'program' | 'question' = 'editor';
  #question: KeyQuestion | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #lastKeyAt = Number.NEGATIVE_INFINITY;

  constructor(options: KeyboardOptions) {
    this.#options = options;
  }

  /** Takes bytes of the terminal. */
  feed(bytes: Uint8Array): void {
    if (this.#borrower === null) this.#habit.feed(bytes);
    else this.#borrower.feed(bytes);
  }

  /** Gives all keys to somebody until the answer is called. */
  lend(taker: KeyTaker): () => void {
    this.#borrower = taker;
    return () => {
      this.#borrower = null;
    };
  }

  /** Whether somebody has all keys for a while, such as the person's editor. */
  get isLent(): boolean {
    return this.#borrower !== null;
  }

  /** Whether the keys go to the program in the foreground. */
  get hasProgram(): boolean {
    return this.#owner === 'program' && this.#question === null;
  }

  /** Whether a question waits for its answer. */
  get hasQuestion(): boolean {
    return this.#question !== null;
  }

  toEditor(): void {
    this.#owner = 'editor';
    this.#question = null;
    this.#options.onProgram?.(false);
  }

  toProgram(): void {
    this.#owner = 'program';
    this.#question = null;
    this.#options.onProgram?.(true);
  }

  /** A question is on the screen now. */
  toQuestion(question: KeyQuestion): void {
    this.#owner = 'question';
    this.#question = question;
    this.#askedAt = this.#options.now();
    this.#options.onProgram?.(false);
  }

  /** Something more stands under the question. What comes with it is seen with it; what comes late must have been seen, too, to answer. */
  toldMore(): void {
    const now = this.#options.now();
    if (now - this.#askedAt >= SEEN_AFTER_MS) this.#askedAt = now;
  }

  /** A question was answered with one key; what people type behind it out of habit is dropped. */
  answered(decision: Decision): void {
    this.#habit.begin(decision);
  }

  #pass(bytes: Uint8Array): void {
    const now = this.#options.now();
    const isMeant = now - this.#askedAt >= SEEN_AFTER_MS && now - this.#lastKeyAt >= TYPING_PAUSE_MS;
    this.#lastKeyAt = now;
    const program = this.#owner === 'program' ? this.#options.program() : null;
    const question = this.#question;
    if (question !== null && (isMeant || isInterrupt(bytes) || question.wantsText)) question.feed(bytes);
    else if (program !== null) program.write(bytes);
    else this.#options.editor.feed(bytes);
  }
}

function isInterrupt(bytes: Uint8Array): boolean {
  return bytes.length < 32 && INTERRUPT.test(Buffer.from(bytes).toString('latin1'));
}
