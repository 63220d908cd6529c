import type { RestoreChoice, RestoreChoices, RestorePrompt } from '../../../protocol/checkpoint.ts';
import { formatUndoHead, formatUndoPath, type UndoKey } from '../screen/undo.ts';
import { KeyPrompt, type KeyPromptDeps } from './key-prompt.ts';
import { CANCELLED, formatUndoAnswer } from './messages.ts';

interface UndoQuestionDeps extends KeyPromptDeps {
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
