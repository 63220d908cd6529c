import { formatContractLine } from '../../../core/contract/contract-line.ts';
import { evolve } from '../../../core/session/evolve.ts';
import { askedCall, EMPTY_STATE, type SessionState } from '../../../core/session/state.ts';
import { styled } from '../../../core/terminal/theme.ts';
import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import type { RestoreChoice } from '../../../protocol/checkpoint.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import type { EventOf, Recorded, SessionEvent } from '../../../protocol/event.ts';
import { ANSWERED, COMMAND_PROMPT, REASON_PROMPT } from '../approvals/messages.ts';
import { DryRunPrompt, Question, UndoQuestion } from '../approvals/question.ts';
import { toUndoLine } from '../screen/from-client.ts';
import type { Stage } from '../screen/live-answer.ts';
import { PRIVATE_COMMAND } from '../screen/messages.ts';
import { formatMark, formatPrompt } from '../screen/prompt-line.ts';
import { View } from '../screen/view.ts';

const CHOICE_KEYS: Readonly<Record<RestoreChoice, string>> = { mine: 'k', theirs: 't', merged: 'm' };

/**
 * Shows the facts of a session as the prompt showed them, by the same code: lines that were entered, outputs, answers, questions with the
 * keys that answered them. It only shows: nothing of what it shows happens.
 */
export class ReplayScreen {
  readonly #stage: Stage;
  readonly #view: View;
  #state: SessionState = EMPTY_STATE;
  #question: Question | DryRunPrompt | UndoQuestion | null = null;
  #isAnswered = false;
  /** Paths that the undo on the screen asks about. */
  #conflicts: readonly string[] = [];
  /** How the command before the prompt ended. */
  #last: { readonly exit: number | null; readonly tookMs: number } = { exit: 0, tookMs: 0 };

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#view = new View(stage);
  }

  /** The view's rows that still change, for a window of another size. */
  resized(): readonly string[] {
    return this.#view.resized();
  }

  /** Reads the images of a fact, before it is shown. */
  prepare({ event }: Recorded): Promise<void> {
    return this.#view.prepare(event);
  }

  /** Shows a piece of an answer that is on its way. */
  stream(text: string): void {
    this.#view.show({ type: 'text.delta', text }, 0);
  }

  /** Shows one fact. An answer that was not streamed comes at once. */
  show({ event, at }: Recorded, options: { readonly isStreamed?: boolean } = {}): void {
    const before = this.#state;
    // Only what goes on is looked at here: a long session would be copied with each fact of it.
    this.#state = { ...evolve(before, event), entries: [], outputs: [] };
    this.#before(event, before, options.isStreamed === true);
    this.#view.show(event, at);
    this.#after(event);
  }

  #before(event: SessionEvent, before: SessionState, isStreamed: boolean): void {
    if (event.type === 'turn.started') {
      // aish wrote that of a run, and the user never saw it.
      if (event.contract === undefined) this.#enter('message', event.text);
    } else if (event.type === 'contract.started') this.#enter('meta', `:norris ${formatContractLine(event.contract)}`);
    else if (event.type === 'contract.resumed') this.#enter('meta', ':norris resume');
    else if (event.type === 'command.started')
      this.#enter('command', event.private === true ? PRIVATE_COMMAND : event.line);
    else if (event.type === 'step.completed') {
      if (!isStreamed && event.text !== '') this.stream(event.text);
    } else if (event.type === 'turn.ended') {
      if (event.text !== undefined && !isStreamed) this.stream(event.text);
    } else if (event.type === 'approval.decided') {
      if (event.by === 'user') this.#answer(event);
    } else if (event.type === 'dry-run.started') {
      // A line of the user's own; that of a call is tried at its question.
      if (event.callId === undefined) this.#enter('meta', `:dry-run ${event.line}`);
      else this.#press('r');
    } else if (event.type === 'dry-run.applying') {
      if (event.items === undefined) this.#press('a');
      else this.#stage.print(`  apply ${event.items.join(', ')}\n`);
    } else if (event.type === 'dry-run.discarded') {
      if (before.dryRun?.stage === 'shown') this.#press('d');
    } else if (event.type === 'tool-call.completed') {
      if (event.record !== undefined && event.record.sandboxed !== true) this.#printOutput(event.record);
    } else if (event.type === 'restore.started') this.#enter('meta', toUndoLine(event));
    else if (event.type === 'restore.resolved') this.#choose(event);
    else if (event.type === 'restore.abandoned') this.#press('g');
    else if (event.type === 'compaction.started') {
      if (event.reason === 'user') this.#enter('meta', `:compact ${event.focus ?? ''}`.trimEnd());
    }
  }

  #after(event: SessionEvent): void {
    if (event.type === 'approval.requested') this.#ask();
    else if (event.type === 'impact.estimated') {
      if (this.#question instanceof Question) this.#question.measured(event.report);
    } else if (event.type === 'dry-run.completed') this.#promptForDryRun();
    else if (event.type === 'restore.conflicted') this.#askOfUndo(event);
    else if (event.type === 'dry-run.discarded') {
      this.#close();
      if (askedCall(this.#state) !== null) this.#ask();
    } else if (
      event.type === 'approval.decided' ||
      event.type === 'dry-run.applying' ||
      event.type === 'restore.resolved' ||
      event.type === 'restore.abandoned' ||
      event.type === 'turn.ended'
    )
      this.#close();
    else if (event.type === 'command.completed') {
      this.#last = { exit: event.record.exit, tookMs: event.record.durationMs };
      this.#printOutput(event.record);
    }
  }

  /** The prompt with a line that was entered there. */
  #enter(type: 'message' | 'command' | 'meta', text: string): void {
    const { theme } = this.#stage;
    const line = escapeForDisplay(text, { multiline: true }).replaceAll('\n', '\n> ');
    const prompt = formatPrompt({ cwd: this.#state.cwd, ...this.#last, isPrivate: false, jobs: 0, own: null }, theme);
    this.#stage.print(`${prompt}${formatMark({ type }, theme)}${line}\n`);
    this.#last = { exit: type === 'command' ? 0 : this.#last.exit, tookMs: 0 };
  }

  #printOutput(record: CommandRecord): void {
    const output = sanitizeText(record.output);
    if (output === '') return;
    // As at the prompt, what ends inside a line is marked.
    const end = output.endsWith('\n') ? '' : `${styled(this.#stage.theme, 'dim', '⏎')}\n`;
    this.#stage.print(output + end);
  }

  #ask(): void {
    const open = askedCall(this.#state);
    this.#close();
    if (open === null) return;
    const done = (): void => {
      this.#isAnswered = true;
    };
    this.#question = new Question(open, { ...this.#questionParts(), decide: done, dryRun: done });
  }

  #promptForDryRun(): void {
    const { dryRun = null } = this.#state;
    this.#close();
    if (dryRun === null) return;
    const answer = (): void => {
      this.#isAnswered = true;
    };
    this.#question = new DryRunPrompt(dryRun, { ...this.#questionParts(), answer });
  }

  #askOfUndo({ prompt: question }: EventOf<'restore.conflicted'>): void {
    this.#close();
    const answer = (): void => {
      this.#isAnswered = true;
    };
    // Keys come when they came: none of them too soon to have been meant.
    let clock = 0;
    const now = (): number => {
      clock += 1000;
      return clock;
    };
    this.#question = new UndoQuestion(question, { ...this.#questionParts(), now, answer, giveUp: answer });
    this.#conflicts = question.conflicts.map(({ key }) => key);
  }

  /** One key for each path, in the order of the prompts. */
  #choose({ choices }: EventOf<'restore.resolved'>): void {
    for (const path of this.#conflicts) {
      const choice = choices[path];
      if (choice !== undefined) this.#question?.feed(Buffer.from(CHOICE_KEYS[choice]));
    }
  }

  #questionParts() {
    this.#isAnswered = false;
    const { print, size, theme } = this.#stage;
    // It asks the terminal for nothing: no key of this one answers.
    const quiet = { write: () => {}, interrupt: () => {}, isPlain: true, isDumb: true };
    return { print: (text: string) => print(text), size, theme, ...quiet };
  }

  /** The key that was pressed then; a call that is shown in part was looked at whole first. */
  #press(key: string): void {
    const question = this.#question;
    if (question === null) return;
    question.feed(Buffer.from(key));
    if (this.#isAnswered) return;
    question.feed(Buffer.from('v'));
    question.feed(Buffer.from(key));
  }

  #answer({ decision, reason, command, rule, commands }: EventOf<'approval.decided'>): void {
    switch (decision) {
      case 'allow':
        this.#press(rule === undefined && commands === undefined ? 'y' : 'a');
        return;
      case 'edit':
        this.#stage.print(`${COMMAND_PROMPT}${escapeForDisplay(command ?? '')}\n  ${ANSWERED.edited}\n`);
        return;
      case 'deny':
        if (reason === undefined) this.#press('n');
        else this.#stage.print(`${REASON_PROMPT}${escapeForDisplay(reason)}\n  ${ANSWERED.denied}\n`);
    }
  }

  #close(): void {
    this.#question?.close();
    this.#question = null;
  }
}
