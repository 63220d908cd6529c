import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitBashWords } from '../../core/completion/bash-words.ts';
import { compareNames } from '../../core/completion/rank-match.ts';
import { quote } from '../shell/integration/quote.ts';
import { bashScript } from './bash-script.ts';
import {
  type HelperMatch,
  type HelperOptions,
  type HelperProcess,
  type HelperRequest,
  killGroup,
} from './helper-protocol.ts';

/** What the script answers: fields that end with NUL. */
interface Answer {
  readonly options: ReadonlySet<string>;
  readonly matches: readonly string[];
}

/** What bash breaks words at until it tells. */
const USUAL_BREAKS = ' \t\n"\'><=;|&(:';

/**
 * A bash that completes as the person's does. It has a session of its own and no terminal, so nothing in it can reach the one we are at;
 * requests come over its standard input, which it hides from startup files and completion functions. Each is answered in a subshell.
 */
export class BashHelper implements HelperProcess {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly #input: Bun.FileSink;
  readonly #kill: () => void;
  readonly #readying = Promise.withResolvers<void>();
  #breaks = USUAL_BREAKS;
  #fields: string[] = [];
  #rest = '';
  #hasEnded = false;
  #asked: { resolve(answer: Answer): void; reject(error: unknown): void } | null = null;

  constructor(options: HelperOptions) {
    const script = join(options.folder, 'complete.bash');
    const { exportsFile, withStartupFiles } = options;
    const head = `__aish_exports=${quote(exportsFile ?? '')} __aish_startup=${withStartupFiles ? '1' : ''}\n`;
    writeFileSync(script, head + bashScript, { mode: 0o600 });
    const child = Bun.spawn([options.program, '--rcfile', script, '-i'], {
      cwd: options.cwd,
      env: { ...options.env },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
      detached: true,
    });
    this.pid = child.pid;
    this.#input = child.stdin;
    this.#kill = () => killGroup(child.pid);
    this.ready = this.#readying.promise;
    this.ready.catch(() => undefined);
    void this.#read(child.stdout);
    void child.exited.then(() => this.#end());
  }

  async ask(request: HelperRequest): Promise<readonly HelperMatch[] | null> {
    await this.ready;
    const { words, current, start } = splitBashWords(request.line, this.#breaks);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    // It may end while the question is still being written.
    promise.catch(() => undefined);
    if (this.#hasEnded) throw endedError();
    this.#asked = { resolve, reject };
    const { cwd, exportsFile, line, rest = '' } = request;
    const behind = rest === '' ? [] : splitBashWords(rest, this.#breaks).words;
    const counts = [String(behind.length), String(words.length + behind.length)];
    const fields = [cwd, exportsFile ?? '', line + rest, rest, current, ...counts, ...words, ...behind];
    this.#input.write(fields.map((field) => `${field.replaceAll('\0', '')}\0`).join(''));
    await this.#input.flush();
    const answer = await promise;
    return answer.matches.length === 0 ? null : toMatches(answer, start);
  }

  kill(): void {
    this.#kill();
  }

  async #read(output: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of output) {
      const fields = (this.#rest + decoder.decode(bytes, { stream: true })).split('\0');
      this.#rest = fields.pop() ?? '';
      this.#fields.push(...fields);
      this.#take();
    }
  }

  /** A message is its kind, the breaks of words, the options, the number of matches, and the matches. */
  #take(): void {
    const [kind, breaks, options = '', count] = this.#fields;
    if (count === undefined || this.#fields.length < 4 + Number(count)) return;
    const [, , , , ...matches] = this.#fields.splice(0, 4 + Number(count));
    this.#breaks = breaks || this.#breaks;
    if (kind === 'ready') this.#readying.resolve();
    else this.#asked?.resolve({ options: new Set(options.split(' ')), matches });
  }

  #end(): void {
    const error = endedError();
    this.#hasEnded = true;
    this.#readying.reject(error);
    this.#asked?.reject(error);
  }
}

function endedError(): Error {
  return new Error('the helper shell has ended');
}

/** Some programs write their descriptions into the match: `name  (what it is)`. */
const DESCRIBED = /^(\S+)\s{2,}\((.+)\)$/;

/** Each once, and in order unless whoever offers them has one: bash leaves both to its line editor. */
function toMatches({ matches, options }: Answer, start: number): readonly HelperMatch[] {
  const found = new Map<string, HelperMatch>();
  for (const one of matches) {
    const match = toMatch(one, start, options);
    if (!found.has(match.text)) found.set(match.text, match);
  }
  const all = [...found.values()];
  return options.has('nosort') ? all : all.sort((one, other) => compareNames(one.text, other.text));
}

function toMatch(match: string, start: number, options: ReadonlySet<string>): HelperMatch {
  if (options.has('filenames')) return { text: match, start, isPath: true, isQuoted: false };
  const [, name, description] = DESCRIBED.exec(match) ?? [];
  const text = name ?? match;
  const trimmed = text.trimEnd();
  const suffix = trimmed === text && options.has('nospace') ? '' : ' ';
  const plain = { text: trimmed, start, isPath: false, isQuoted: true, suffix };
  return description === undefined ? plain : { ...plain, description };
}
