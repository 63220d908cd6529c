import { askedCall, type OpenCall } from '../../core/session/state.ts';
import type { LiveSession } from '../../engine/engine.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Keyboard } from './keyboard.ts';
import { Question, type QuestionOptions } from './question.ts';

/** What questions need. */
export interface AskingParts extends Omit<QuestionOptions, 'decide'> {
  readonly keyboard: Keyboard;
  /** The keys and the screen are the line's again. */
  readonly onEnd: () => void;
}

/** Asks the person about calls, one at a time, and hands the keys over for that. */
export class Asking {
  readonly #parts: AskingParts;
  #question: Question | null = null;
  #asked: OpenCall | null = null;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Asks about the call that waits for a decision, which is the answer; null when none does any more. */
  ask(live: LiveSession): OpenCall | null {
    const open = askedCall(live.session.state);
    if (open === null) return null;
    const { keyboard, ...rest } = this.#parts;
    this.#asked = open;
    this.#question = new Question(open, {
      ...rest,
      decide: (decision) => {
        this.end();
        keyboard.answered(decision);
        void live.session.submit({
          type: 'decide',
          callId: open.call.id,
          decision,
          by: 'person',
          ...(open.questions === undefined ? {} : { question: open.questions }),
        });
      },
    });
    keyboard.toQuestion(this.#question);
    return open;
  }

  /** Shows what the call of the question on the screen would touch. */
  measured({ callId, question, blast }: Extract<SessionEvent, { type: 'call.measured' }>): void {
    if (this.#asked?.call.id === callId && (this.#asked.questions ?? 1) === question) this.#question?.measured(blast);
  }

  /** Whether a question is on the screen. */
  get isOpen(): boolean {
    return this.#question !== null;
  }

  /** Takes the question away, if there is one; the keys go to the editor. */
  end(): void {
    if (this.#question === null) return;
    this.#question.close();
    this.#question = null;
    this.#parts.keyboard.toEditor();
    this.#parts.onEnd();
  }
}
