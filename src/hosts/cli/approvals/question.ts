import { isCommand, nameProposal } from '../../../core/policy/policy.ts';
import type { OpenCall } from '../../../core/session/state.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { type ChangeReport, NO_CHANGES } from '../../../protocol/change-report.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import type { Decision } from '../../../protocol/op.ts';
import { type ApprovalKey, formatApproval, formatMeasured } from '../screen/approval.ts';
import type { Theme } from '../screen/theme.ts';
import { AnswerKeys } from './answer-keys.ts';

/** What a question needs from its surroundings. */
export interface QuestionOptions {
  /** Prints lines that stay. */
  print(text: string): void;
  /** Writes to the terminal as it is. */
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  /** Nothing may be drawn over what stands there. */
  readonly isPlain?: boolean;
  /** The terminal understands no sequences. */
  readonly isDumb?: boolean;
  decide(decision: Decision): void;
  /** Try the command on a view of the project; not offered where it is left out. */
  dryRun?(): void;
  /** Ctrl-C: the turn is given up. */
  interrupt(): void;
}

const STILL_COUNTING: ChangeReport = { ...NO_CHANGES, counting: true };

/**
 * Asks the user about one call: y once, n no, a always, e edit, r dry run, d deny with a reason, v view all. No other key, and no Enter, is
 * an answer.
 */
export class Question {
  readonly #open: OpenCall;
  readonly #options: QuestionOptions;
  readonly #keys: AnswerKeys;
  #offered: readonly ApprovalKey[] = [];
  #impact: ChangeReport | null;
  readonly #actions: Readonly<Record<ApprovalKey, () => void>> = {
    y: () => this.#decide('yes', { type: 'allow' }),
    n: () => this.#decide('no', { type: 'deny' }),
    a: () => this.#decide(`always: ${escapeForDisplay(this.#rule)}`, { type: 'allow-always', rule: this.#rule }),
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

  /** True while the reason for a refusal, or another command, is typed. */
  get wantsText(): boolean {
    return this.#keys.wantsText;
  }

  feed(bytes: Uint8Array): void {
    this.#keys.feed(bytes);
  }

  /**
   * Puts under the question what the call would touch, and once more what longer counting made of it. While a line is typed it waits for
   * the question to come again. True where something was printed that is to be read first.
   */
  measured(report: ChangeReport): boolean {
    const before = this.#impact;
    if (this.#keys.isOver || (before !== null && before.counting !== true)) return false;
    this.#impact = report;
    if (this.wantsText) return false;
    const { size, theme, print, dryRun } = this.#options;
    const canDryRun = dryRun !== undefined && isCommand(this.#open.call);
    const format = (told: ChangeReport): readonly string[] =>
      formatMeasured(this.#open.preview ?? {}, { size: size(), theme, impact: told, canDryRun });
    const lines = format(report);
    if (lines.length > 0) print(`${lines.join('\n')}\n`);
    const known = before === null ? [] : format(before).slice(0, -format(STILL_COUNTING).length);
    return lines.length > 0 && lines.join('\n') !== known.join('\n');
  }

  /** The terminal has another size, or the question is over. */
  close(): void {
    this.#keys.close();
  }

  #answer(text: string): void {
    const key = this.#offered.find((offered) => offered === text.toLowerCase());
    if (key !== undefined) this.#actions[key]();
  }

  #dryRun(): void {
    this.#keys.end();
    this.#options.print('  dry run\n');
    this.#options.dryRun?.();
  }

  /** What `always` agrees to: the rules that were shown, for a command. */
  get #rule(): string {
    const { call, preview } = this.#open;
    return isCommand(call) ? nameProposal(preview?.decided?.proposal ?? []) : call.name;
  }

  async #askReason(): Promise<void> {
    const reason = await this.#keys.readLine('  reason for the model: ');
    if (this.#keys.isOver) return;
    if (reason === null) this.#show({ all: false });
    else this.#decide('denied', { type: 'deny', reason: reason.trim() });
  }

  /** Nothing runs by the Enter that ends the line: the question comes again, about what stands there then. */
  async #edit(): Promise<void> {
    const before = String(this.#open.call.arguments.command ?? '');
    const command = await this.#keys.readLine('  command: ', before);
    if (this.#keys.isOver) return;
    // A line has no end of its own.
    const isSame = command?.replace(/(?<!\n)\n+$/, '') === before.replace(/(?<!\n)\n+$/, '');
    if (command === null || isSame || command.trim() === '') this.#show({ all: false });
    else this.#decide('changed', { type: 'edit', command });
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
