import { askedCall, type OpenCall, type SessionState } from '../../../core/session/state.ts';
import type { RestoreChoices } from '../../../protocol/checkpoint.ts';
import type { EventOf } from '../../../protocol/event.ts';
import type { Decision, Op } from '../../../protocol/op.ts';
import type { ApprovalKeys } from './key-taker.ts';
import { Question, type QuestionOptions } from './question.ts';
import { type RehearsalAnswer, RehearsalQuestion } from './rehearsal-question.ts';
import { UndoQuestion } from './undo-question.ts';

/** What questions need. */
export interface AskingParts extends Omit<QuestionOptions, 'decide' | 'rehearse'> {
  readonly driver: ApprovalKeys;
}

/** A session that asks. */
export interface AskingSession {
  readonly state: () => SessionState;
  /** Hands a request in; what cannot be is shown. */
  readonly submit: (op: Op) => void;
  /** No sandbox is to be had, so nothing can be tried in one. */
  readonly isSandboxMissing: boolean;
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
  ask(asks: AskingSession): OpenCall | null {
    const open = askedCall(asks.state());
    if (this.#askOfRehearsal(asks) || open === null) return open;
    this.#asked = open;
    const rehearse = () => asks.submit({ type: 'rehearse', callId: open.call.id, ...questionOf(open) });
    this.#show((parts) => {
      const decide = (decision: Decision) => this.#decide(open, decision, asks);
      return new Question(open, { ...parts, decide, ...(asks.isSandboxMissing ? {} : { rehearse }) });
    });
    return open;
  }

  /** While a command is rehearsed, the keys are for that; then what is to become of it is asked. False where there is no rehearsal. */
  #askOfRehearsal(asks: AskingSession): boolean {
    const { rehearsal = null } = asks.state();
    if (rehearsal === null || rehearsal.stage === 'applying') return false;
    const answer = (given: RehearsalAnswer) => this.#answer(given, asks);
    this.#show((parts) => new RehearsalQuestion(rehearsal, { ...parts, answer }));
    return true;
  }

  /** Asks what is to become of the paths of an undo that changed since; false where no undo waits for that. */
  askOfUndo(asks: AskingSession): boolean {
    const { question, choices } = asks.state().restore ?? {};
    if (question === undefined || choices !== undefined) return false;
    const end = (op: Op): void => {
      this.end();
      asks.submit(op);
    };
    const answer = (chosen: RestoreChoices) => end({ type: 'resolve', choices: chosen });
    const giveUp = () => end({ type: 'drop' });
    this.#show((parts) => new UndoQuestion(question, { ...parts, now: () => performance.now(), answer, giveUp }));
    return true;
  }

  #show(make: (parts: Omit<AskingParts, 'driver'>) => Question | RehearsalQuestion | UndoQuestion): void {
    const { driver, ...parts } = this.#parts;
    this.#question?.close();
    this.#question = make(parts);
    driver.showApproval(this.#question);
  }

  #answer(answer: RehearsalAnswer, asks: AskingSession): void {
    const open = askedCall(asks.state());
    const isOfRehearsal = answer.type === 'apply' || answer.type === 'drop';
    if (!isOfRehearsal && open !== null) this.#decide(open, answer, asks);
    else this.end();
    if (isOfRehearsal) asks.submit(answer);
  }

  #decide(open: OpenCall, decision: Decision, asks: AskingSession): void {
    this.end();
    this.#parts.driver.answered(decision);
    asks.submit({ type: 'decide', callId: open.call.id, decision, by: 'person', ...questionOf(open) });
  }

  /** Shows what the call of the question on the screen would touch. */
  measured({ callId, question, report }: EventOf<'call.measured'>): void {
    if (this.#asked?.call.id === callId && (this.#asked.questions ?? 1) === question) {
      if (this.#question instanceof Question && this.#question.measured(report)) this.#parts.driver.extendApproval();
    }
  }

  /** Whether a question is on the screen. */
  get isOpen(): boolean {
    return this.#question !== null;
  }

  /** Takes the question away, if there is one; whoever had the keys before has them again. */
  end(): void {
    if (this.#question === null) return;
    this.#question.close();
    this.#question = null;
    this.#parts.driver.closeApproval();
  }
}

/** Which of the questions about a call is answered. */
function questionOf({ questions }: OpenCall): { readonly question?: number } {
  return questions === undefined ? {} : { question: questions };
}
