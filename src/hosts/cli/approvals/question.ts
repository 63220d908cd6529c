import { isCommand, nameProposal } from '../../../core/policy/policy.ts';
import type { OpenCall } from '../../../core/session/state.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { type ChangeReport, NO_CHANGES } from '../../../protocol/change-report.ts';
import type { Decision } from '../../../protocol/op.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import { type ApprovalKey, formatApproval, formatMeasured } from '../screen/approval.ts';
import type { Theme } from '../screen/theme.ts';
import { AnswerKeys } from './answer-keys.ts';
import { ANSWERED, COMMAND_PROMPT, formatAlways, REASON_PROMPT } from './messages.ts';

/** Dependencies of an approval prompt. */
export interface QuestionOptions {
  /** Prints lines that stay. */
  print(text: string): void;
  /** Writes to the terminal as it is. */
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  /** Output only appends; nothing is redrawn. */
  readonly isPlain?: boolean;
  /** The terminal understands no escape sequences. */
  readonly isDumb?: boolean;
  decide(decision: Decision): void;
  /** Starts a dry run of the command; without it the prompt does not offer one. */
  dryRun?(): void;
  /** Ctrl-C: interrupts the turn. */
  interrupt(): void;
}

const STILL_COUNTING: ChangeReport = { ...NO_CHANGES, counting: true };

/** The approval prompt of one call. Only its keys are answers; Enter is none. */
export class Question {
  readonly #open: OpenCall;
  readonly #options: QuestionOptions;
  readonly #keys: AnswerKeys;
  #offered: readonly ApprovalKey[] = [];
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

  constructor(open: OpenCall, options: QuestionOptions) {
    this.#open = open;
    this.#options = options;
    this.#impact = open.impact ?? null;
    this.#keys = new AnswerKeys(options, {
      interrupt: () => options.interrupt(),
      press: (text) => this.#answer(text),
    });
    this.#show({ all: false });
  }

  /** True while the user types a reason or edits the command. */
  get wantsText(): boolean {
    return this.#keys.wantsText;
  }

  feed(bytes: Uint8Array): void {
    this.#keys.feed(bytes);
  }

  /**
   * Prints the impact estimate below the prompt, and once more if a longer count changed it. While the user types a line, it waits for the
   * next prompt. True if it printed something that the user should read before a key counts.
   */
  measured(report: ChangeReport): boolean {
    const before = this.#impact;
    if (this.#keys.isOver || (before !== null && before.counting !== true)) return false;
    this.#impact = report;
    if (this.wantsText) return false;
    const { size, theme, print, dryRun } = this.#options;
    const canDryRun = dryRun !== undefined && isCommand(this.#open.call);
    const format = (estimate: ChangeReport): readonly string[] =>
      formatMeasured(this.#open.preview ?? {}, { size: size(), theme, impact: estimate, canDryRun });
    const lines = format(report);
    if (lines.length > 0) print(`${lines.join('\n')}\n`);
    const known = before === null ? [] : format(before).slice(0, -format(STILL_COUNTING).length);
    return lines.length > 0 && lines.join('\n') !== known.join('\n');
  }

  /** The size of the terminal changed, or the prompt is over. */
  close(): void {
    this.#keys.close();
  }

  #answer(text: string): void {
    const key = this.#offered.find((offered) => offered === text.toLowerCase());
    if (key !== undefined) this.#actions[key]();
  }

  #dryRun(): void {
    this.#keys.end();
    this.#options.print(`  ${ANSWERED.dryRun}\n`);
    this.#options.dryRun?.();
  }

  /** The rule that `a` adds: for a command the rules on the screen, for a tool its name. */
  get #rule(): string {
    const { call, preview } = this.#open;
    return isCommand(call) ? nameProposal(preview?.decided?.proposal ?? []) : call.name;
  }

  async #askReason(): Promise<void> {
    const reason = await this.#keys.readLine(REASON_PROMPT);
    if (this.#keys.isOver) return;
    if (reason === null) this.#show({ all: false });
    else this.#decide(ANSWERED.denied, { type: 'deny', reason: reason.trim() });
  }

  /** Enter ends the line and runs nothing: a new prompt asks about the edited command. */
  async #edit(): Promise<void> {
    const before = String(this.#open.call.arguments.command ?? '');
    const command = await this.#keys.readLine(COMMAND_PROMPT, before);
    if (this.#keys.isOver) return;
    // The line editor returns no final newline.
    const isSame = command?.replace(/(?<!\n)\n+$/, '') === before.replace(/(?<!\n)\n+$/, '');
    if (command === null || isSame || command.trim() === '') this.#show({ all: false });
    else this.#decide(ANSWERED.edited, { type: 'edit', command });
  }

  #decide(shown: string, decision: Decision): void {
    this.#keys.end();
    this.#options.print(`  ${shown}\n`);
    this.#options.decide(decision);
  }

  #show({ all }: { all: boolean }): void {
    const { size, theme } = this.#options;
    const { call, preview = { undoable: false } } = this.#open;
    const canDryRun = this.#options.dryRun !== undefined;
    const view = { size: size(), theme, all, canDryRun, impact: this.#impact };
    const { lines, keys } = formatApproval(call, preview, view);
    this.#offered = keys;
    this.#keys.markPastes();
    this.#options.print(`${lines.join('\n')}\n`);
  }
}
