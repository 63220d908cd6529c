import { isCommand, nameProposal } from '../../../core/policy/policy.ts';
import type { OpenCall } from '../../../core/session/state.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { type ChangeReport, NO_CHANGES } from '../../../protocol/change-report.ts';
import type { Decision } from '../../../protocol/op.ts';
import { type ApprovalKey, formatApproval, formatMeasured } from '../screen/approval.ts';
import { KeyPrompt, type KeyPromptDeps } from './key-prompt.ts';
import { ANSWERED, COMMAND_PROMPT, formatAlways, REASON_PROMPT } from './messages.ts';

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
