import { formatChoices } from '../screen/choices.ts';
import { styled } from '../screen/theme.ts';
import { wrapProse } from '../screen/wrap.ts';
import { AnswerKeys } from './answer-keys.ts';
import type { AnswerLineOptions } from './answer-line.ts';

/** How to go on with a session that is open elsewhere. */
export type JoinChoice = 'join' | 'fork' | 'neither';

/** What the question is shown with. */
export interface JoinQuestionOptions extends AnswerLineOptions {
  print(text: string): void;
}

const CHOICES: Readonly<Record<string, JoinChoice>> = { j: 'join', f: 'fork', n: 'neither' };
const KEYS = ['j', 'f', 'n'] as const;
const SHOWN = { j: '[j]oin it there', f: '[f]ork it: go on with a copy', n: '[n]either' };

/** Asks with one key how to go on with a session that is open elsewhere. No other key, and no Enter, is an answer; Ctrl-C is neither. */
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
    const head = wrapProse(`session ${id} is open in another aish`, columns, '');
    this.#keys.markPastes();
    const lines = [...head.map((row) => styled(theme, 'warning', row)), ...formatChoices(KEYS, SHOWN, columns, theme)];
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

  /** The terminal is gone, and nobody answers any more. */
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
