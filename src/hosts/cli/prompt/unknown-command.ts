import type { CommandRecord } from '../../../protocol/command.ts';
import type { Completion } from '../editor/completion-menu.ts';

const NOT_FOUND = 127;

/** Remembers a line whose command was not found, so that one key makes a question to the model of it. */
export class UnknownCommand {
  readonly #hasModel: () => boolean;
  #line: string | null = null;

  /** Without a model, there is no offer. */
  constructor(hasModel: () => boolean) {
    this.#hasModel = hasModel;
  }

  /** Whether there is something to offer after this command. */
  offer({ exit, line, private: isPrivate }: CommandRecord): boolean {
    const isOffered = exit === NOT_FOUND && isPrivate !== true && line.trim() !== '' && this.#hasModel();
    this.#line = isOffered ? line.trim() : null;
    return this.#line !== null;
  }

  /** The completion of Tab on an empty line; null for any other line. */
  complete(text: string): readonly Completion[] | null {
    return text !== '' || this.#line === null ? null : [{ start: 0, text: `?${this.#line}`, suffix: '' }];
  }

  forget(): void {
    this.#line = null;
  }
}
