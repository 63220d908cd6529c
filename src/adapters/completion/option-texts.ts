import { join } from 'node:path';
import type { Candidate } from '../../core/completion/completion.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { toShellKind } from '../shell/program.ts';
import { orAborted, withTimeout } from '../system/patience.ts';
import { HelpTexts } from './help-texts.ts';
import type { HelperMatch, HelperRequest } from './helper-protocol.ts';
import { HelperShell } from './helper-shell.ts';

/** The words of the command before the option, and the options that are known without us. */
interface OptionsAsked {
  readonly words: readonly string[];
  readonly known: readonly string[];
}

interface OptionTextsOptions {
  /** The user's shell, which another source covers. */
  readonly program: string;
  readonly runtimeDir: string;
  readonly cacheFolder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of the shells to use, those of `DESCRIBING` unless given. */
  readonly shells?: readonly string[];
  /** How long a menu waits for the descriptions of options that it has already. */
  readonly limitMs?: number;
}

/** A menu waits so long for descriptions of its options, and longer for the options themselves. */
const LIMIT_MS = 300;
const LONGEST_MS = 3000;
/** Commands whose options are kept in memory. */
const MOST_COMMANDS = 300;

/** Shells that ship descriptions of options, the faster one first. */
const DESCRIBING = ['fish', 'zsh'];

/**
 * The purposes of a command's options, if the user's own shell does not give them: from the completions of fish or zsh, started without
 * startup files, else from the command's `--help`.
 */
export class OptionTexts {
  readonly #shells: readonly HelperShell[];
  readonly #help: HelpTexts;
  readonly #asked = new Map<HelperShell, Map<string, Promise<readonly Candidate[]>>>();
  readonly #limitMs: number;

  constructor(options: OptionTextsOptions) {
    const { program, env, cacheFolder, shells = DESCRIBING } = options;
    this.#limitMs = options.limitMs ?? LIMIT_MS;
    const others = shells.filter((name) => name !== toShellKind(program));
    const installed = others.flatMap((name) => Bun.which(name, { PATH: env.PATH ?? '' }) ?? []);
    this.#shells = installed.map((shell) => {
      const folder = join(cacheFolder, 'options');
      return new HelperShell({
        ...options,
        program: shell,
        cacheFolder: folder,
        limitMs: Math.max(this.#limitMs, LONGEST_MS),
        withStartupFiles: false,
      });
    });
    this.#help = new HelpTexts({ cacheFolder, env });
  }

  /**
   * Options with descriptions that begin as the request ends; none where nobody knows in time. `known` are the options that the menu has
   * already. An answer that comes too late is there for the next request.
   */
  async list(
    request: HelperRequest,
    { words, known, signal }: OptionsAsked & { readonly signal: AbortSignal },
  ): Promise<readonly HelperMatch[]> {
    const typed = /\S*$/.exec(request.line)?.[0] ?? '';
    const start = request.line.length - typed.length;
    const all = { ...request, line: `${request.line.slice(0, start)}-`, rest: '' };
    const found = orAborted(this.#find(all, { words, known }), signal).catch(() => []);
    const limitMs = known.length === 0 ? Math.max(this.#limitMs, LONGEST_MS) : this.#limitMs;
    const options = (await withTimeout(found, limitMs)) ?? [];
    return options
      .filter(({ value }) => value.startsWith(typed))
      .map(({ value, suffix, description }) => {
        return { text: value, start, isPath: false, isQuoted: false, ...omitUndefined({ suffix, description }) };
      });
  }

  /** Ends the shells. */
  close(): void {
    for (const shell of this.#shells) shell.close();
  }

  /** Asks one after the other until all options that are known have descriptions, or, where none is known, until there are some. */
  async #find(request: HelperRequest, { words, known }: OptionsAsked): Promise<readonly Candidate[]> {
    const found = new Map<string, Candidate>();
    const asking = [...this.#shells.map((shell) => () => this.#askShell(shell, request)), () => this.#help.list(words)];
    for (const ask of asking) {
      for (const option of await ask()) {
        const name = optionName(option.value);
        if (!found.has(name)) found.set(name, option);
      }
      if (found.size > 0 && known.every((name) => found.has(optionName(name)))) break;
    }
    return [...found.values()];
  }

  #askShell(shell: HelperShell, request: HelperRequest): Promise<readonly Candidate[]> {
    const before = this.#asked.get(shell) ?? new Map<string, Promise<readonly Candidate[]>>();
    this.#asked.set(shell, before);
    const asked = before.get(request.line);
    if (asked !== undefined) return asked;
    if (before.size >= MOST_COMMANDS) before.clear();
    const asking = this.#ask(shell, request).then((found) => {
      // No answer may be one that came too late.
      if (found === null) before.delete(request.line);
      return found ?? [];
    });
    before.set(request.line, asking);
    return asking;
  }

  async #ask(shell: HelperShell, request: HelperRequest): Promise<readonly Candidate[] | null> {
    const found = await shell.ask(request, { signal: new AbortController().signal });
    if (found === null) return null;
    const described = found.filter(({ text, description }) => text.startsWith('-') && description !== undefined);
    return described.map(({ text, suffix, description }) => ({
      value: text,
      ...omitUndefined({ suffix, description }),
    }));
  }
}

/** The name of an option, without the sign before its value. */
export function optionName(option: string): string {
  return option.replace(/[=\s]+$/, '');
}
