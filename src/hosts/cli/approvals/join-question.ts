import { formatChoices } from '../screen/choices.ts';
import { styled } from '../screen/theme.ts';
import { wrapProse } from '../screen/wrap.ts';
import { AnswerKeys, type AnswerLineOptions } from './answer-keys.ts';
import { formatOpenElsewhere, JOIN_KEYS } from './messages.ts';

/** The choices for a session that is open elsewhere. */
export type JoinChoice = 'join' | 'fork' | 'neither';

interface JoinQuestionOptions extends AnswerLineOptions {
  print(text: string): void;
}

const CHOICES: Readonly<Record<string, JoinChoice>> = { j: 'join', f: 'fork', n: 'neither' };
const KEYS = ['j', 'f', 'n'] as const;

/** Asks with one key what to do with a session that is open elsewhere. Ctrl-C answers "neither"; no other key is an answer. */
export class JoinQuestion {
  /** The answer is a key. */
  readonly wantsText = false;
  readonly #options: JoinQuestionOptions;
  readonly #keys: AnswerKeys;
  readonly #chosen = Promise.withResolvers<JoinChoice>();

  constructor(id: string, options: JoinQuestionOptions) {
    this.#options = options;
    this.#keys = new AnswerKeys(options, {
      interrupt: () => this.#choose('neither'),
      press: (text) => this.#press(text),
    });
    const { print, size, theme } = options;
    const { columns } = size();
    const head = wrapProse(formatOpenElsewhere(id), columns, '');
    this.#keys.markPastes();
    const lines = [
      ...head.map((row) => styled(theme, 'warning', row)),
      ...formatChoices(KEYS, JOIN_KEYS, columns, theme),
    ];
    print(`${lines.join('\n')}\n`);
  }

  /** Settles with the answer. */
  chosen(): Promise<JoinChoice> {
    return this.#chosen.promise;
  }

  /** Takes bytes of the terminal. */
  feed(bytes: Uint8Array): void {
    this.#keys.feed(bytes);
  }

  /** The terminal is gone: nobody can answer. */
  giveUp(): void {
    this.#choose('neither');
  }

  #press(text: string): void {
    const choice = CHOICES[text.toLowerCase()];
    if (choice !== undefined) this.#choose(choice);
  }

  #choose(choice: JoinChoice): void {
    if (this.#keys.isOver) return;
    this.#keys.close();
    this.#options.print(`  ${choice}\n`);
    this.#chosen.resolve(choice);
  }
}
