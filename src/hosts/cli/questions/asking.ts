import { askedCall, type OpenCall, type SessionState } from '../../../core/session/state.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import type { Op } from '../../../protocol/op.ts';
import type { Keyboard } from '../keyboard.ts';
import { Question, type QuestionOptions } from './question.ts';
import { type RehearsalAnswer, RehearsalQuestion } from './rehearsal-question.ts';
import { UndoQuestion } from './undo-question.ts';

/** What questions need. */
export interface AskingParts extends Omit<QuestionOptions, 'decide' | 'rehearse'> {
  readonly keyboard: Keyboard;
  /** The keys and the screen are the line's again. */
  readonly onEnd: () => void;
}

/** A session that asks, in this process or another. */
export interface AskingSession {
  readonly session: { readonly state: SessionState; submit(op: Op): Promise<void> };
  /** In another process it is not known. */
  readonly sandbox?: { readonly isKnownMissing: boolean };
}

/** Asks the person about calls, one at a time, and hands the keys over for that. */
export class Asking {
  readonly #parts: AskingParts;
  #question: Question | RehearsalQuestion | UndoQuestion | null = null;
  #asked: OpenCall | null = null;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Asks about the call that waits for a decision, which is the answer; null when none does any more. */
  ask(live: AskingSession): OpenCall | null {
    const open = askedCall(live.session.state);
    if (this.#askOfRehearsal(live)) return open;
    if (open === null) return null;
    const { keyboard, ...rest } = this.#parts;
    this.#question?.close();
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
          ...questionOf(open),
        });
      },
      ...(live.sandbox?.isKnownMissing === true
        ? {}
        : {
            rehearse: () => void live.session.submit({ type: 'rehearse', callId: open.call.id, ...questionOf(open) }),
          }),
    });
    keyboard.toQuestion(this.#question);
    return open;
  }

  /** While a command is rehearsed, the keys are for that; then what is to become of it is asked. False where there is no rehearsal. */
  #askOfRehearsal(live: AskingSession): boolean {
    const { rehearsal = null } = live.session.state;
    if (rehearsal === null || rehearsal.stage === 'applying') return false;
    const { keyboard, ...rest } = this.#parts;
    this.#question?.close();
    this.#question = new RehearsalQuestion(rehearsal, { ...rest, answer: (answer) => this.#answer(answer, live) });
    keyboard.toQuestion(this.#question);
    return true;
  }

  /** Asks what is to become of the paths of an undo that changed since; false where no undo waits for that. */
  askOfUndo(live: AskingSession): boolean {
    const { session } = live;
    const { question, choices } = session.state.restore ?? {};
    if (question === undefined || choices !== undefined) return false;
    const { keyboard, ...rest } = this.#parts;
    const end = (op: Op): void => {
      this.end();
      void session.submit(op);
    };
    this.#question?.close();
    this.#question = new UndoQuestion(question, {
      ...rest,
      now: () => performance.now(),
      answer: (chosen) => end({ type: 'resolve', choices: chosen }),
      giveUp: () => end({ type: 'drop' }),
    });
    keyboard.toQuestion(this.#question);
    return true;
  }

  #answer(answer: RehearsalAnswer, live: AskingSession): void {
    const open = askedCall(live.session.state);
    this.end();
    if (answer.type === 'apply' || answer.type === 'drop') void live.session.submit(answer);
    else if (open !== null) {
      this.#parts.keyboard.answered(answer);
      void live.session.submit({
        type: 'decide',
        callId: open.call.id,
        decision: answer,
        by: 'person',
        ...questionOf(open),
      });
    }
  }

  /** Shows what the call of the question on the screen would touch. */
  measured({ callId, question, blast }: Extract<SessionEvent, { type: 'call.measured' }>): void {
    if (this.#asked?.call.id === callId && (this.#asked.questions ?? 1) === question) {
      if (this.#question instanceof Question && this.#question.measured(blast)) this.#parts.keyboard.toldMore();
    }
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

/** Which of the questions about a call is answered. */
function questionOf({ questions }: OpenCall): { readonly question?: number } {
  return questions === undefined ? {} : { question: questions };
}
