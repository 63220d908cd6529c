import { statSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, systemProgram } from '../../core/commands/programs/find-program.ts';
import { type CommandSpec, subcommandsOf } from '../../core/commands/spec.ts';
import type { Candidate } from '../../core/completion/completion.ts';
import { parseHelpOptions } from '../../core/completion/help-options.ts';
import { classifyLine } from '../../core/policy/classify-line.ts';
import { attempt } from '../../core/text/attempt.ts';
import { omitUndefined, parseJsonObject } from '../../protocol/json.ts';
import { toShellKind } from '../shell/program.ts';
import { readOwnFile, writeAtomically } from '../system/own-file.ts';
import { orAborted, withTimeout } from '../system/patience.ts';
import { killGroup } from '../system/processes.ts';
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

interface HelpTextsOptions {
  readonly cacheFolder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A program gets so long to print its help. */
const READ_MS = 2000;
const LARGEST_OUTPUT = 500_000;
/** Subcommands in a row, as in `docker compose up`. */
const DEEPEST = 3;

/**
 * The options of programs by their own `--help`, asked once for each version of a program and kept on the disk. Only programs of the system
 * whose spec says that their `--help` changes nothing are run.
 */
export class HelpTexts {
  readonly #options: HelpTextsOptions;
  readonly #asked = new Map<string, Promise<readonly Candidate[]>>();

  constructor(options: HelpTextsOptions) {
    this.#options = options;
  }

  /** The options of the command that these words begin; none where that is not known. */
  async list(words: readonly string[]): Promise<readonly Candidate[]> {
    const [name = '', ...others] = words;
    const spec = findProgram(name);
    if (spec === undefined || !/^\w[\w.+-]*$/.test(name)) return [];
    const command = [name, ...verbsOf(spec, others)];
    const key = command.join(' ');
    const asked = this.#asked.get(key) ?? this.#find(command);
    this.#asked.set(key, asked);
    return asked;
  }

  async #find(command: readonly string[]): Promise<readonly Candidate[]> {
    const [name = '', ...verbs] = command;
    const path = Bun.which(name, { PATH: this.#options.env.PATH ?? '' });
    if (path === null || systemProgram(path) !== name || !isReadOnly(command)) return [];
    const stamp = stampOf(path);
    const folder = join(this.#options.cacheFolder, 'help');
    const file = join(folder, `${command.join(' ')}.json`);
    const kept = readKept(file, stamp);
    if (kept !== null) return kept;
    const text = await this.#run([path, ...verbs, '--help']);
    if (text === null) return [];
    const options = parseHelpOptions(text);
    attempt(() => {
      writeAtomically(file, JSON.stringify({ stamp, options }));
    }, undefined);
    return options;
  }

  /** The output of the command; null if it does not end in time. It reads nothing of the project, and no pager opens. */
  async #run(command: readonly string[]): Promise<string | null> {
    const env = { ...this.#options.env, PAGER: 'cat', MANPAGER: 'cat', MANWIDTH: '200', TERM: 'dumb', COLUMNS: '200' };
    const child = attempt(
      () =>
        Bun.spawn([...command], { cwd: '/', env, detached: true, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' }),
      null,
    );
    if (child === null) return null;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      killGroup(child.pid);
    };
    const limit = setTimeout(end, READ_MS);
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of child.stdout) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > LARGEST_OUTPUT) end();
    }
    clearTimeout(limit);
    return isOver ? null : text;
  }
}

/** The subcommands that the words name, an inner one behind an outer one. */
function verbsOf(spec: CommandSpec, words: readonly string[]): readonly string[] {
  const verbs: string[] = [];
  let at: CommandSpec | undefined = spec;
  for (const word of words) {
    at = at === undefined ? undefined : subcommandsOf(at).get(word);
    if (at === undefined || verbs.length === DEEPEST) break;
    verbs.push(word);
  }
  return verbs;
}

function isReadOnly(command: readonly string[]): boolean {
  const line = `${command.join(' ')} --help`;
  const { decision, class: found } = classifyLine(line, { cwd: '/', home: '/', project: '/' });
  return decision === 'allow' && found === 'read-only';
}

function stampOf(path: string): string {
  return attempt(() => {
    const { size, mtimeMs } = statSync(path);
    return `${path}:${size}:${mtimeMs}`;
  }, path);
}

/** The options that a file of the cache holds; null where it belongs to another version of the program. */
function readKept(file: string, stamp: string): readonly Candidate[] | null {
  const kept = parseJsonObject(readOwnFile(file) ?? '');
  if (kept?.stamp !== stamp || !Array.isArray(kept.options)) return null;
  return kept.options.filter(isCandidate);
}

function isCandidate(value: unknown): value is Candidate {
  if (typeof value !== 'object' || value === null) return false;
  const isText = (key: string): boolean => !(key in value) || typeof Reflect.get(value, key) === 'string';
  return 'value' in value && ['value', 'suffix', 'description'].every(isText);
}
