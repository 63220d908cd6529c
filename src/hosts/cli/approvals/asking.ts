import { askedCall, askedForm, type OpenCall, type OpenForm, type SessionState } from '../../../core/session/state.ts';
import type { RestoreChoices } from '../../../protocol/checkpoint.ts';
import type { EventOf } from '../../../protocol/event.ts';
import type { FormAnswer } from '../../../protocol/form.ts';
import type { Decision, Op, OpOf } from '../../../protocol/op.ts';
import type { FormQuestion } from './form-question.ts';
import type { ApprovalKeyTaker } from './key-prompt.ts';
import type { DryRunAnswer, DryRunPrompt, Question, QuestionDeps, UndoQuestion } from './question.ts';

type AnyQuestion = Question | DryRunPrompt | UndoQuestion | FormQuestion;

/** Gives an approval prompt the keys. */
export interface ApprovalKeys {
  /** An approval prompt is about to be drawn: the line leaves the screen. */
  wantScreen(): void;
  showApproval(approval: ApprovalKeyTaker): void;
  /** The approval prompt has more rows now. */
  extendApproval(): void;
  /** The approval prompt is gone: its keys go back to their former receiver. */
  closeApproval(): void;
  /** The approval prompt was answered with one key. */
  answered(decision: Decision): void;
}

/** Dependencies of the prompts. */
interface AskingDeps extends Omit<QuestionDeps, 'decide' | 'dryRun'> {
  readonly driver: ApprovalKeys;
}

/** A session whose calls need approvals. */
export interface AskingSession {
  readonly state: () => SessionState;
  /** Submits an op and shows its rejection. */
  readonly submit: (op: Op) => void;
  /** No sandbox is available, so a dry run is impossible. */
  readonly isSandboxMissing: boolean;
}

/** Shows the prompts of a session, one at a time. */
export class Asking {
  readonly #deps: AskingDeps;
  #question: AnyQuestion | null = null;
  #asked: OpenCall | null = null;

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  /** Shows the prompt of the call that waits for a decision and returns that call; null if no call waits. */
  ask(asks: AskingSession): OpenCall | null {
    const open = askedCall(asks.state());
    if (this.#promptForDryRun(asks) || open === null) return open;
    this.#asked = open;
    const dryRun = () => asks.submit({ type: 'dry-run', callId: open.call.id, ...promptOf(open) });
    const { Question } = loadQuestions();
    this.#show((deps) => {
      const decide = (decision: Decision) => this.#decide(open, decision, asks);
      return new Question(open, { ...deps, decide, ...(asks.isSandboxMissing ? {} : { dryRun }) });
    });
    return open;
  }

  /** Shows the prompt of the dry run, which has the keys while it runs. False without a dry run. */
  #promptForDryRun(asks: AskingSession): boolean {
    const { dryRun = null } = asks.state();
    if (dryRun === null || dryRun.stage === 'applying') return false;
    const answer = (given: DryRunAnswer) => this.#answer(given, asks);
    const { DryRunPrompt } = loadQuestions();
    this.#show((deps) => new DryRunPrompt(dryRun, { ...deps, answer }), dryRun.stage === 'running');
    return true;
  }

  /** Asks about the paths of an undo that changed since the step; false if no undo waits for an answer. */
  askOfUndo(asks: AskingSession): boolean {
    const { question, choices } = asks.state().restore ?? {};
    if (question === undefined || choices !== undefined) return false;
    const { UndoQuestion } = loadQuestions();
    const end = (op: Op): void => {
      this.end();
      asks.submit(op);
    };
    const answer = (chosen: RestoreChoices) => end({ type: 'resolve', choices: chosen });
    const giveUp = () => end({ type: 'discard' });
    this.#show((deps) => new UndoQuestion(question, { ...deps, now: () => performance.now(), answer, giveUp }));
    return true;
  }

  /** Shows the form of a server that waits for an answer; null if none waits. */
  askForm(asks: AskingSession): OpenForm | null {
    const form = askedForm(asks.state());
    if (form !== null) void this.#askForm(form, asks);
    return form;
  }

  /** Loads the form, which few sessions need, and shows it unless it was answered meanwhile. */
  async #askForm({ id, request }: OpenForm, asks: AskingSession): Promise<void> {
    const { FormQuestion } = await import('./form-question.ts');
    if (askedForm(asks.state())?.id !== id) return;
    const { driver } = this.#deps;
    const answer = (given: FormAnswer): void => {
      this.end();
      if (given.action === 'decline') driver.answered({ type: 'deny' });
      asks.submit({ type: 'answer-form', form: id, answer: given, by: 'user' });
    };
    const begun = (): void => driver.answered({ type: 'allow' });
    this.#show((deps) => new FormQuestion(request, { ...deps, begun, answer }));
  }

  #show(make: (deps: Omit<AskingDeps, 'driver'>) => AnyQuestion, isBlank = false): void {
    const { driver, ...deps } = this.#deps;
    this.#question?.close();
    // Work that began while the prompt was loaded has shown the line again.
    if (!isBlank) driver.wantScreen();
    this.#question = make(deps);
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
    this.#deps.driver.answered(decision);
    asks.submit({ type: 'decide', callId: open.call.id, decision, by: 'user', ...promptOf(open) });
  }

  /** Shows the impact estimate of the call whose prompt is on the screen. */
  measured({ callId, prompt: question, report }: EventOf<'impact.estimated'>): void {
    if (this.#asked?.call.id === callId && (this.#asked.questions ?? 1) === question) {
      if (this.#question !== null && 'measured' in this.#question && this.#question.measured(report))
        this.#deps.driver.extendApproval();
    }
  }

  /** Whether a prompt is on the screen. */
  get isOpen(): boolean {
    return this.#question !== null;
  }

  /** Closes the prompt, if there is one, and gives the keys back. */
  end(): void {
    if (this.#question === null) return;
    this.#question.close();
    this.#question = null;
    this.#deps.driver.closeApproval();
  }
}

/** The prompts load with the first of them, not with the prompt for lines. */
function loadQuestions(): typeof import('./question.ts') {
  return require('./question.ts');
}

/** The number of the prompt, if the call had several. */
function promptOf({ questions }: OpenCall): Pick<OpOf<'decide'>, 'prompt'> {
  return questions === undefined ? {} : { prompt: questions };
}
