import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, systemProgram } from '../../core/commands/programs/find-program.ts';
import { type CommandSpec, subcommandsOf } from '../../core/commands/spec.ts';
import type { Candidate } from '../../core/completion/completion.ts';
import { parseHelpOptions } from '../../core/completion/help-options.ts';
import { classifyLine } from '../../core/policy/classify-line.ts';
import { attempt } from '../../core/text/attempt.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import { readOwnFile, writeAtomically } from '../system/own-file.ts';
import { killGroup } from './helper-protocol.ts';

interface HelpTextsOptions {
  readonly cacheFolder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A program gets so long to print its help. */
const LIMIT_MS = 2000;
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
      mkdirSync(folder, { recursive: true, mode: 0o700 });
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
    const limit = setTimeout(end, LIMIT_MS);
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
