import { withTimeout } from '../../../adapters/system/patience.ts';
import type { Completion } from '../../../core/completion/completion.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import type { EffectKind } from '../../../protocol/tool.ts';
import type { KnownShell } from './line-facts.ts';
import { ASK_MODEL, formatMeant } from './messages.ts';

/** Dependencies of `UnknownCommand`. */
interface UnknownCommandDeps {
  readonly hasModel: () => boolean;
  readonly shell: () => Pick<KnownShell, 'lookups'> | null;
}

const NOT_FOUND = 127;

/** A word of two letters is near to too many others; with one of three, only letters that changed places tell of a slip. */
const SHORTEST = 3;

/** A command with one operand: no other line is looked at after each failure. */
const ONE_FOLDER = /^[a-z]+[ \t]+[^-\s]/;

/** Longest wait for the names of folders on a slow disk. */
const PATIENCE_MS = 300;

/** Remembers a line whose command or folder was not found, so that one key brings the line that was meant, or a question to the model. */
export class UnknownCommand {
  readonly #deps: UnknownCommandDeps;
  #offered: string | null = null;
  #isReady = false;

  constructor(deps: UnknownCommandDeps) {
    this.#deps = deps;
  }

  /** The offer after this command as a sentence; null if there is none. A known name that is near comes before the model. */
  async offer({ exit, line, private: isPrivate, cwd }: CommandRecord): Promise<string | null> {
    this.forget();
    const typed = line.trim();
    if (exit === 0 || isPrivate === true || typed === '') return null;
    const meant = exit === NOT_FOUND ? await this.#findMeant(typed, cwd) : await findWithFolder(typed, cwd);
    if (meant !== null) this.#offered = meant;
    else if (exit === NOT_FOUND && this.#deps.hasModel()) this.#offered = `?${typed}`;
    if (this.#offered === null) return null;
    this.#isReady = meant !== null && (await isHarmless(meant, cwd));
    return meant === null ? ASK_MODEL : formatMeant(meant, this.#isReady);
  }

  /** The line that one key may run; null for a question to the model, and for a line that the user should see in the prompt first. */
  get ready(): string | null {
    return this.#isReady ? this.#offered : null;
  }

  /** The completion of Tab on an empty line; null for any other line. */
  complete(text: string): readonly Completion[] | null {
    return text !== '' || this.#offered === null ? null : [{ start: 0, text: this.#offered, suffix: '' }];
  }

  forget(): void {
    this.#offered = null;
    this.#isReady = false;
  }

  async #findMeant(line: string, cwd: string): Promise<string | null> {
    const [word = ''] = /^[\w.+-]+(?=\s|$)/.exec(line) ?? [];
    const lookups = this.#deps.shell()?.lookups;
    if (word.length < SHORTEST || lookups === undefined) return null;
    const { nearestNames } = await import('../../../core/text/nearest.ts');
    const names = await lookups.list(
      // Functions of completion begin with an underscore, and nobody means one.
      (name) =>
        name.length >= SHORTEST &&
        Math.abs(name.length - word.length) <= 1 &&
        name.startsWith('_') === word.startsWith('_'),
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

/** The effects allowed to a line that one key runs: no loss of data, and no unclassified program. */
const HARMLESS: ReadonlySet<EffectKind> = new Set(['reads', 'adds', 'task', 'network', 'each']);

/** Whether a line that the user did not type may run by one key. */
async function isHarmless(line: string, cwd: string): Promise<boolean> {
  const { classifyLine } = await import('../../../core/policy/classify-line.ts');
  const { decision, parts } = classifyLine(line, { cwd, project: cwd, home: '/' });
  return decision !== 'deny' && parts.flatMap(({ effects }) => effects).every(({ kind }) => HARMLESS.has(kind));
}

/** A line that failed and names one folder, which is not there: with the folder that is. */
async function findWithFolder(line: string, cwd: string): Promise<string | null> {
  if (!ONE_FOLDER.test(line)) return null;
  const { findLineWithNearFolder } = await import('../../../adapters/completion/near-folder.ts');
  return (await withTimeout(findLineWithNearFolder(line, cwd), PATIENCE_MS)) ?? null;
}

function isAnagram(one: string, other: string): boolean {
  return [...one].sort().join('') === [...other].sort().join('');
}
