import { styledProse } from '../../../core/terminal/wrap.ts';
import { formatChoices } from '../screen/choices.ts';
import { KeyPrompt, type KeyPromptDeps } from './key-prompt.ts';
import { formatOpenElsewhere, JOIN_KEYS } from './messages.ts';

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
