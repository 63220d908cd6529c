import type { CommandRecord } from '../../../protocol/command.ts';
import type { Completion } from '../editor/completion-menu.ts';
import type { KnownShell } from './known-shell.ts';
import { ASK_MODEL, formatMeant } from './messages.ts';

/** Dependencies of `UnknownCommand`. */
interface UnknownCommandDeps {
  readonly hasModel: () => boolean;
  readonly shell: () => Pick<KnownShell, 'lookups'> | null;
}

const NOT_FOUND = 127;

/** A word of two letters is near to too many others; with one of three, only letters that changed places tell of a slip. */
const SHORTEST = 3;

/** Remembers a line whose command was not found, so that one key brings the line that was meant, or a question to the model. */
export class UnknownCommand {
  readonly #deps: UnknownCommandDeps;
  #offered: string | null = null;

  constructor(deps: UnknownCommandDeps) {
    this.#deps = deps;
  }

  /** The offer after this command as a sentence; null if there is none. A known name that is near comes before the model. */
  async offer({ exit, line, private: isPrivate, cwd }: CommandRecord): Promise<string | null> {
    this.forget();
    const typed = line.trim();
    if (exit !== NOT_FOUND || isPrivate === true || typed === '') return null;
    const meant = await this.#findMeant(typed, cwd);
    if (meant !== null) this.#offered = meant;
    else if (this.#deps.hasModel()) this.#offered = `?${typed}`;
    if (this.#offered === null) return null;
    return meant === null ? ASK_MODEL : formatMeant(meant);
  }

  /** The completion of Tab on an empty line; null for any other line. */
  complete(text: string): readonly Completion[] | null {
    return text !== '' || this.#offered === null ? null : [{ start: 0, text: this.#offered, suffix: '' }];
  }

  forget(): void {
    this.#offered = null;
  }

  async #findMeant(line: string, cwd: string): Promise<string | null> {
    const [word = ''] = /^[\w.+-]+(?=\s|$)/.exec(line) ?? [];
    const lookups = this.#deps.shell()?.lookups;
    if (word.length < SHORTEST || lookups === undefined) return null;
    const { nearestNames } = await import('../../../core/text/nearest.ts');
    const names = await lookups.list(
      (name) => name.length >= SHORTEST && Math.abs(name.length - word.length) <= 1,
      cwd,
    );
    // The word itself was found meanwhile, or something that the line ran was not.
    if (names.has(word)) return null;
    const [meant] = nearestNames(word, names.keys(), 1).filter(
      (name) => word.length > SHORTEST || isAnagram(name, word),
    );
    return meant === undefined ? null : `${meant}${line.slice(word.length)}`;
  }
}

function isAnagram(one: string, other: string): boolean {
  return [...one].sort().join('') === [...other].sort().join('');
}
