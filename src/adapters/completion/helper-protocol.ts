import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killGroup } from '../system/processes.ts';

/** A request to a helper shell. */
export interface HelperRequest {
  /** The simple command up to the cursor. */
  readonly line: string;
  /** How it goes on behind the cursor, from a blank on. */
  readonly rest?: string;
  readonly cwd: string;
  /** Holds the live shell's exported variables as lines of the shell; null where there is no live shell. */
  readonly exportsFile: string | null;
}

/** One thing the helper's completion offers. */
export interface HelperMatch {
  /** The text that replaces the line from `start` on. */
  readonly text: string;
  /** Offset in the request's line. */
  readonly start: number;
  /** A path, not quoted yet. */
  readonly isPath: boolean;
  /** Written for the line already, as far as anyone who offers it says. */
  readonly isQuoted: boolean;
  /** Behind it, where it is the only one. */
  readonly suffix?: string;
  readonly description?: string;
}

/** A helper shell that runs. */
export interface HelperProcess {
  readonly pid: number;
  /** Settles when its startup files are done; rejects when it ended instead. */
  readonly ready: Promise<void>;
  /** Settles with what the user's completion offers; null where it has nothing for the command. Rejects when the process ends. */
  ask(request: HelperRequest): Promise<readonly HelperMatch[] | null>;
  /** Ends it and all it started, at once. */
  kill(): void;
}

/** How a helper is started. */
export interface HelperOptions {
  readonly program: string;
  /** A folder of aish for the exchange with the helper; the owner removes it. */
  readonly folder: string;
  /** Kept between starts. */
  readonly cacheFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly exportsFile: string | null;
  /** Whether the user's startup files are read. */
  readonly withStartupFiles: boolean;
}

/** Most matches that are taken from a helper. */
export const MOST_MATCHES = 2000;

/** The exported variables as the shell last wrote them, as lines of a shell: what lies behind the NUL is older. */
export async function readExported(file: string | null): Promise<string> {
  if (file === null) return '';
  try {
    return (await readFile(file, 'utf8')).split('\0', 1)[0] ?? '';
  } catch {
    return '';
  }
}

/** The answer of a shell: the options of the completion, and what fits. */
export interface PipeAnswer {
  readonly options: ReadonlySet<string>;
  readonly matches: readonly string[];
}

/** How a shell is asked over its standard input. */
export interface PipeDialect {
  /** The name of the script. */
  readonly file: string;
  readonly script: (options: HelperOptions) => string;
  /** The words that have the shell run the script. */
  readonly words: (script: string, options: HelperOptions) => readonly string[];
  readonly toQuestion: (
    request: HelperRequest,
    breaks: string,
  ) => { readonly fields: readonly string[]; readonly read: (answer: PipeAnswer) => readonly HelperMatch[] };
}

/** The word breaks of bash until it reports them. */
const USUAL_BREAKS = ' \t\n"\'><=;|&(:';

/**
 * A shell that completes as the user's does. It has a session of its own and no terminal, so nothing in it can reach the one we are at;
 * requests come over its standard input, answers over its output, in fields that end with NUL. An answer without matches says that it is ready.
 */
export class PipeHelper implements HelperProcess {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly #dialect: PipeDialect;
  readonly #input: Bun.FileSink;
  #breaks = USUAL_BREAKS;
  #fields: string[] = [];
  #rest = '';
  #hasEnded = false;
  #asked = Promise.withResolvers<PipeAnswer>();

  constructor(options: HelperOptions, dialect: PipeDialect) {
    const script = join(options.folder, dialect.file);
    writeFileSync(script, dialect.script(options), { mode: 0o600 });
    const child = Bun.spawn([options.program, ...dialect.words(script, options)], {
      cwd: options.cwd,
      env: { ...options.env },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
      detached: true,
    });
    this.pid = child.pid;
    this.#dialect = dialect;
    this.#input = child.stdin;
    this.ready = this.#asked.promise.then(() => undefined);
    this.ready.catch(() => undefined);
    void this.#read(child.stdout);
    void child.exited.then(() => {
      this.#hasEnded = true;
      this.#asked.reject(endedError());
    });
  }

  async ask(request: HelperRequest): Promise<readonly HelperMatch[] | null> {
    await this.ready;
    if (this.#hasEnded) throw endedError();
    this.#asked = Promise.withResolvers();
    const { promise } = this.#asked;
    // It may end while the question is still being written.
    promise.catch(() => undefined);
    const { fields, read } = this.#dialect.toQuestion(request, this.#breaks);
    this.#input.write(fields.map((field) => `${field.replaceAll('\0', '')}\0`).join(''));
    await this.#input.flush();
    const matches = read(await promise);
    return matches.length === 0 ? null : matches;
  }

  kill(): void {
    killGroup(this.pid);
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

  /** An answer is the breaks of words, the options, the number of matches, and the matches. */
  #take(): void {
    const [breaks, options = '', count] = this.#fields;
    if (count === undefined || this.#fields.length < 3 + Number(count)) return;
    const [, , , ...matches] = this.#fields.splice(0, 3 + Number(count));
    this.#breaks = breaks || this.#breaks;
    this.#asked.resolve({ options: new Set(options.split(' ')), matches });
  }
}

/** The error of a helper that ended before it answered. */
export function endedError(): Error {
  return new Error('the helper shell has ended');
}
