import type { RestoreChoice, RestoreChoices, RestorePrompt } from '../../../protocol/checkpoint.ts';
import { formatUndoHead, formatUndoPath, type UndoKey } from '../screen/undo.ts';
import { AnswerKeys } from './answer-keys.ts';
import { CANCELLED, formatUndoAnswer } from './messages.ts';
import type { QuestionOptions } from './question.ts';

interface UndoQuestionOptions extends Omit<QuestionOptions, 'decide' | 'dryRun' | 'interrupt'> {
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  answer(choices: RestoreChoices): void;
  /** Cancels the undo; no file changes. */
  giveUp(): void;
}

/** A key that comes sooner after a path appeared than anybody reads does not count. */
const SEEN_AFTER_MS = 250;

const CHOICES: Readonly<Partial<Record<UndoKey, RestoreChoice>>> = {
  k: 'mine',
  K: 'mine',
  t: 'theirs',
  T: 'theirs',
  m: 'merged',
};

/** The choice of a key; null for a key without a choice. */
export function choiceOf(key: UndoKey): RestoreChoice | null {
  return CHOICES[key] ?? null;
}

/** Asks about each path that changed since the step, one after the other. */
export class UndoQuestion {
  readonly #question: RestorePrompt;
  readonly #options: UndoQuestionOptions;
  readonly #keys: AnswerKeys;
  readonly #choices = new Map<string, RestoreChoice>();
  #at = 0;
  #shownAt = 0;
  #offered: readonly UndoKey[] = [];

  constructor(question: RestorePrompt, options: UndoQuestionOptions) {
    this.#question = question;
    this.#options = options;
    this.#keys = new AnswerKeys(options, { interrupt: () => this.#giveUp(), press: (text) => this.#press(text) });
    const { size, theme, print } = options;
    print(`${formatUndoHead(question, size(), theme).join('\n')}\n`);
    this.#keys.markPastes();
    this.#show({ all: false });
  }

  /** From the second path on, all keys come here, and the prompt itself ignores those that come too soon. */
  get wantsText(): boolean {
    return this.#at > 0;
  }

  feed(bytes: Uint8Array): void {
    this.#keys.feed(bytes);
  }

  close(): void {
    this.#keys.close();
  }

  #press(text: string): void {
    const { now } = this.#options;
    if (this.#at > 0 && now() - this.#shownAt < SEEN_AFTER_MS) return;
    const key = this.#offered.find((offered) => offered === text);
    if (key === undefined) return;
    const choice = choiceOf(key);
    if (choice !== null) this.#choose(choice, { rest: key === 'K' || key === 'T' });
    else if (key === 'g') this.#giveUp();
    else this.#show({ all: true });
  }

  #choose(choice: RestoreChoice, { rest }: { readonly rest: boolean }): void {
    const { conflicts } = this.#question;
    const last = rest ? conflicts.length : this.#at + 1;
    for (const { key } of conflicts.slice(this.#at, last)) this.#choices.set(key, choice);
    this.#options.print(`  ${formatUndoAnswer(choice, last - this.#at)}\n`);
    this.#at = last;
    if (this.#at < conflicts.length) {
      this.#show({ all: false });
      return;
    }
    this.#keys.end();
    this.#options.answer(Object.fromEntries(this.#choices));
  }

  #giveUp(): void {
    this.#keys.end();
    this.#options.print(`  ${CANCELLED}\n`);
    this.#options.giveUp();
  }

  #show({ all }: { readonly all: boolean }): void {
    const { size, theme, print, now } = this.#options;
    const { lines, keys } = formatUndoPath(this.#question, this.#at, { size: size(), theme, all });
    this.#offered = keys;
    this.#shownAt = now();
    print(`${lines.join('\n')}\n`);
  }
}
