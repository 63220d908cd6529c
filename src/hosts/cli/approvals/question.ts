import { isCommand, nameProposal } from '../../../core/policy/policy.ts';
import type { DryRun, OpenCall } from '../../../core/session/state.ts';
import { styledProse } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { type ChangeReport, NO_CHANGES } from '../../../protocol/change-report.ts';
import type { RestoreChoice, RestoreChoices, RestorePrompt } from '../../../protocol/checkpoint.ts';
import type { Decision } from '../../../protocol/op.ts';
import { type ApprovalKey, formatApproval, formatMeasured } from '../screen/approval.ts';
import { type DryRunKey, formatDryRun, parseChoice } from '../screen/change-report.ts';
import { formatChoices } from '../screen/choices.ts';
import { choiceOf, formatUndoHead, formatUndoPath, type UndoKey } from '../screen/undo.ts';
import { KeyPrompt, type KeyPromptDeps } from './key-prompt.ts';
import {
  ANSWERED,
  APPLIED_ALL,
  CANCELLED,
  COMMAND_PROMPT,
  DISCARDED,
  formatAlways,
  formatAppliedItems,
  formatBadItems,
  formatItemsPrompt,
  formatOpenElsewhere,
  formatUndoAnswer,
  JOIN_KEYS,
  REASON_PROMPT,
} from './messages.ts';

/** Dependencies of an approval prompt. */
export interface QuestionDeps extends KeyPromptDeps {
  decide(decision: Decision): void;
  /** Starts a dry run of the command; without it the prompt does not offer one. */
  dryRun?(): void;
  /** Ctrl-C: interrupts the turn. */
  interrupt(): void;
}

const STILL_COUNTING: ChangeReport = { ...NO_CHANGES, counting: true };

/** The approval prompt of one call. Only its keys are answers; Enter is none. */
export class Question extends KeyPrompt<ApprovalKey, QuestionDeps> {
  readonly #open: OpenCall;
  #impact: ChangeReport | null;
  readonly #actions: Readonly<Record<ApprovalKey, () => void>> = {
    y: () => this.#decide(ANSWERED.yes, { type: 'allow' }),
    n: () => this.#decide(ANSWERED.no, { type: 'deny' }),
    a: () => this.#decide(formatAlways(escapeForDisplay(this.#rule)), { type: 'allow-always', rule: this.#rule }),
    e: () => void this.#edit(),
    r: () => this.#dryRun(),
    d: () => void this.#askReason(),
    v: () => this.#show({ all: true }),
  };

  constructor(open: OpenCall, deps: QuestionDeps) {
    super(deps);
    this.#open = open;
    this.#impact = open.impact ?? null;
    this.#show({ all: false });
  }

  /**
   * Prints the impact estimate below the prompt, and once more if a longer count changed it. While the user types a line, it waits for the
   * next prompt. True if it printed something that the user should read before a key counts.
   */
  measured(report: ChangeReport): boolean {
    const before = this.#impact;
    if (this.isOver || (before !== null && before.counting !== true)) return false;
    this.#impact = report;
    if (this.wantsText) return false;
    const { size, theme, dryRun } = this.deps;
    const canDryRun = dryRun !== undefined && isCommand(this.#open.call);
    const format = (estimate: ChangeReport): readonly string[] =>
      formatMeasured(this.#open.preview ?? {}, { ...size(), theme, impact: estimate, canDryRun });
    const lines = format(report);
    this.say(lines);
    const known = before === null ? [] : format(before).slice(0, -format(STILL_COUNTING).length);
    return lines.length > 0 && lines.join('\n') !== known.join('\n');
  }

  protected press(key: ApprovalKey): void {
    this.#actions[key]();
  }

  protected interrupt(): void {
    this.deps.interrupt();
  }

  #dryRun(): void {
    this.end(ANSWERED.dryRun);
    this.deps.dryRun?.();
  }

  /** The rule that `a` adds: for a command the rules on the screen, for a tool its name. */
  get #rule(): string {
    const { call, preview } = this.#open;
    return isCommand(call) ? nameProposal(preview?.decided?.proposal ?? []) : call.name;
  }

  async #askReason(): Promise<void> {
    const reason = await this.readLine(REASON_PROMPT);
    if (this.isOver) return;
    if (reason === null) this.#show({ all: false });
    else this.#decide(ANSWERED.denied, { type: 'deny', reason: reason.trim() });
  }

  /** Enter ends the line and runs nothing: a new prompt asks about the edited command. */
  async #edit(): Promise<void> {
    const before = String(this.#open.call.arguments.command ?? '');
    const command = await this.readLine(COMMAND_PROMPT, before);
    if (this.isOver) return;
    // The line editor returns no final newline.
    const isSame = command?.replace(/(?<!\n)\n+$/, '') === before.replace(/(?<!\n)\n+$/, '');
    if (command === null || isSame || command.trim() === '') this.#show({ all: false });
    else this.#decide(ANSWERED.edited, { type: 'edit', command });
  }

  #decide(shown: string, decision: Decision): void {
    this.end(shown);
    this.deps.decide(decision);
  }

  #show({ all }: { all: boolean }): void {
    const { size, theme, dryRun } = this.deps;
    const { call, preview = { undoable: false } } = this.#open;
    const view = { ...size(), theme, all, canDryRun: dryRun !== undefined, impact: this.#impact };
    this.offer(formatApproval(call, preview, view));
  }
}

/** A decision on the result of a dry run. */
export type DryRunAnswer =
  /** Without `items`, every change. */
  | { readonly type: 'apply'; readonly items?: readonly number[] }
  | { readonly type: 'discard' }
  | { readonly type: 'allow' }
  | { readonly type: 'deny' };

interface DryRunPromptDeps extends KeyPromptDeps {
  answer(answer: DryRunAnswer): void;
  /** Ctrl-C: interrupts the turn. */
  interrupt(): void;
}

/** Asks whether to apply or discard the result of a dry run. During the dry run only Ctrl-C is a key. */
export class DryRunPrompt extends KeyPrompt<DryRunKey, DryRunPromptDeps> {
  readonly #dryRun: DryRun;
  readonly #actions: Readonly<Record<DryRunKey, () => void>> = {
    a: () => this.#answer(APPLIED_ALL, { type: 'apply' }),
    c: () => void this.#choose(),
    d: () => this.#answer(DISCARDED, { type: 'discard' }),
    y: () => this.#answer(ANSWERED.yes, { type: 'allow' }),
    n: () => this.#answer(ANSWERED.no, { type: 'deny' }),
    v: () => this.#show({ all: true }),
  };

  constructor(dryRun: DryRun, deps: DryRunPromptDeps) {
    super(deps);
    this.#dryRun = dryRun;
    this.#show({ all: false });
  }

  /** True during the dry run: the waiting row shows it. */
  get isBlank(): boolean {
    return this.#dryRun.stage === 'running';
  }

  protected press(key: DryRunKey): void {
    this.#actions[key]();
  }

  protected interrupt(): void {
    this.deps.interrupt();
  }

  async #choose(): Promise<void> {
    const count = this.#dryRun.report?.items.length ?? 0;
    const text = await this.readLine(formatItemsPrompt(count));
    if (this.isOver) return;
    const items = text === null ? null : parseChoice(text, count);
    if (items !== null) this.#answer(formatAppliedItems(items), { type: 'apply', items });
    else {
      if (text !== null && text.trim() !== '') this.say([`  ${formatBadItems(count)}`]);
      this.#show({ all: false });
    }
  }

  #answer(shown: string, answer: DryRunAnswer): void {
    this.end(shown);
    this.deps.answer(answer);
  }

  #show({ all }: { all: boolean }): void {
    const { size, theme } = this.deps;
    const { report, callId } = this.#dryRun;
    if (report !== undefined) this.offer(formatDryRun(report, { ...size(), theme, all, ofCall: callId !== null }));
  }
}

interface UndoQuestionDeps extends KeyPromptDeps {
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  answer(choices: RestoreChoices): void;
  /** Cancels the undo; no file changes. */
  giveUp(): void;
}

/** A key that comes sooner after a path appeared than anybody reads does not count. */
const SEEN_AFTER_MS = 250;

/** Asks about each path that changed since the step, one after the other. */
export class UndoQuestion extends KeyPrompt<UndoKey, UndoQuestionDeps> {
  protected override readonly isExact = true;
  readonly #question: RestorePrompt;
  readonly #choices = new Map<string, RestoreChoice>();
  #at = 0;
  #shownAt = 0;

  constructor(question: RestorePrompt, deps: UndoQuestionDeps) {
    super(deps);
    this.#question = question;
    this.say(formatUndoHead(question, { ...deps.size(), theme: deps.theme }));
    this.#show({ all: false });
  }

  /** From the second path on, all keys come here, and the prompt itself ignores those that come too soon. */
  override get wantsText(): boolean {
    return this.#at > 0;
  }

  protected press(key: UndoKey): void {
    if (this.#at > 0 && this.deps.now() - this.#shownAt < SEEN_AFTER_MS) return;
    const choice = choiceOf(key);
    if (choice !== null) this.#choose(choice, { rest: key === 'K' || key === 'T' });
    else if (key === 'g') this.interrupt();
    else this.#show({ all: true });
  }

  protected interrupt(): void {
    this.end(CANCELLED);
    this.deps.giveUp();
  }

  #choose(choice: RestoreChoice, { rest }: { readonly rest: boolean }): void {
    const { conflicts } = this.#question;
    const last = rest ? conflicts.length : this.#at + 1;
    for (const { key } of conflicts.slice(this.#at, last)) this.#choices.set(key, choice);
    const shown = formatUndoAnswer(choice, last - this.#at);
    this.#at = last;
    if (this.#at < conflicts.length) {
      this.say([`  ${shown}`]);
      this.#show({ all: false });
      return;
    }
    this.end(shown);
    this.deps.answer(Object.fromEntries(this.#choices));
  }

  #show({ all }: { readonly all: boolean }): void {
    const { size, theme, now } = this.deps;
    this.#shownAt = now();
    this.offer(formatUndoPath(this.#question, this.#at, { ...size(), theme, all }));
  }
}

/** The choices for a session that is open elsewhere. */
export type JoinChoice = 'join' | 'fork' | 'neither';

type JoinKey = keyof typeof JOIN_KEYS;

const CHOICES: Readonly<Record<JoinKey, JoinChoice>> = { j: 'join', f: 'fork', n: 'neither' };
const KEYS: readonly JoinKey[] = ['j', 'f', 'n'];

/** Asks with one key what to do with a session that is open elsewhere. Ctrl-C answers "neither"; no other key is an answer. */
export class JoinQuestion extends KeyPrompt<JoinKey, KeyPromptDeps> {
  readonly #chosen = Promise.withResolvers<JoinChoice>();

  constructor(id: string, deps: KeyPromptDeps) {
    super(deps);
    const view = { ...deps.size(), theme: deps.theme };
    const head = styledProse(view, 'warning', formatOpenElsewhere(id), '');
    this.offer({ lines: [...head, ...formatChoices(KEYS, JOIN_KEYS, view)], keys: KEYS });
  }

  /** Settles with the answer. */
  chosen(): Promise<JoinChoice> {
    return this.#chosen.promise;
  }

  /** The terminal is gone: nobody can answer. */
  giveUp(): void {
    this.#choose('neither');
  }

  protected press(key: JoinKey): void {
    this.#choose(CHOICES[key]);
  }

  protected interrupt(): void {
    this.#choose('neither');
  }

  #choose(choice: JoinChoice): void {
    if (this.isOver) return;
    this.close();
    this.end(choice);
    this.#chosen.resolve(choice);
  }
}
