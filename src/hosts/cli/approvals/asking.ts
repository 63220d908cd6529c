import { askedCall, type OpenCall, type SessionState } from '../../../core/session/state.ts';
import type { RestoreChoices } from '../../../protocol/checkpoint.ts';
import type { EventOf } from '../../../protocol/event.ts';
import type { Decision, Op, OpOf } from '../../../protocol/op.ts';
import { type DryRunAnswer, DryRunPrompt } from './dry-run-prompt.ts';
import type { ApprovalKeys } from './key-taker.ts';
import { Question, type QuestionOptions } from './question.ts';
import { UndoQuestion } from './undo-question.ts';

/** What questions need. */
export interface AskingDeps extends Omit<QuestionOptions, 'decide' | 'dryRun'> {
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

/** Asks the user about calls, one at a time, and hands the keys over for that. */
export class Asking {
  readonly #parts: AskingDeps;
  #question: Question | DryRunPrompt | UndoQuestion | null = null;
  #asked: OpenCall | null = null;

  constructor(parts: AskingDeps) {
    this.#parts = parts;
  }

  /** Asks about the call that waits for a decision, which is the answer; null when none does any more. */
  ask(asks: AskingSession): OpenCall | null {
    const open = askedCall(asks.state());
    if (this.#promptForDryRun(asks) || open === null) return open;
    this.#asked = open;
    const dryRun = () => asks.submit({ type: 'dry-run', callId: open.call.id, ...promptOf(open) });
    this.#show((parts) => {
      const decide = (decision: Decision) => this.#decide(open, decision, asks);
      return new Question(open, { ...parts, decide, ...(asks.isSandboxMissing ? {} : { dryRun }) });
    });
    return open;
  }

  /** While a command runs as a dry run, the keys are for that; then what is to become of it is asked. False where there is no dry-run. */
  #promptForDryRun(asks: AskingSession): boolean {
    const { dryRun = null } = asks.state();
    if (dryRun === null || dryRun.stage === 'applying') return false;
    const answer = (given: DryRunAnswer) => this.#answer(given, asks);
    this.#show((parts) => new DryRunPrompt(dryRun, { ...parts, answer }));
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
    const giveUp = () => end({ type: 'discard' });
    this.#show((parts) => new UndoQuestion(question, { ...parts, now: () => performance.now(), answer, giveUp }));
    return true;
  }

  #show(make: (parts: Omit<AskingDeps, 'driver'>) => Question | DryRunPrompt | UndoQuestion): void {
    const { driver, ...parts } = this.#parts;
    this.#question?.close();
    this.#question = make(parts);
    driver.showApproval(this.#question);
  }

  #answer(answer: DryRunAnswer, asks: AskingSession): void {
    const open = askedCall(asks.state());
    const isOfDryRun = answer.type === 'apply' || answer.type === 'discard';
    if (!isOfDryRun && open !== null) this.#decide(open, answer, asks);
    else this.end();
    if (isOfDryRun) asks.submit(answer);
  }

  #decide(open: OpenCall, decision: Decision, asks: AskingSession): void {
    this.end();
    this.#parts.driver.answered(decision);
    asks.submit({ type: 'decide', callId: open.call.id, decision, by: 'user', ...promptOf(open) });
  }

  /** Shows what the call of the question on the screen would touch. */
  measured({ callId, prompt: question, report }: EventOf<'impact.estimated'>): void {
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
function promptOf({ questions }: OpenCall): Pick<OpOf<'decide'>, 'prompt'> {
  return questions === undefined ? {} : { prompt: questions };
}
