import { askedCall } from '../../core/session/state.ts';
import type { LiveSession } from '../../engine/engine.ts';
import type { Keyboard } from './keyboard.ts';
import { Question, type QuestionOptions } from './question.ts';

/** What questions need. */
export interface AskingParts extends Omit<QuestionOptions, 'decide'> {
  readonly keyboard: Keyboard;
}

/** Asks the person about calls, one at a time, and hands the keys over for that. */
export class Asking {
  readonly #parts: AskingParts;
  #question: Question | null = null;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Asks about the call that waits for a decision. */
  ask(live: LiveSession): void {
    const open = askedCall(live.session.state);
    if (open === null) return;
    const { keyboard, ...rest } = this.#parts;
    this.#question = new Question(open, {
      ...rest,
      decide: (decision) => {
        this.end();
        keyboard.answered(decision);
        void live.session.submit({ type: 'decide', callId: open.call.id, decision, by: 'person' });
      },
    });
    keyboard.toQuestion(this.#question);
  }

  /** Takes the question away; the keys go to the editor. */
  end(): void {
    this.#question?.close();
    this.#question = null;
    this.#parts.keyboard.toEditor();
  }
}
