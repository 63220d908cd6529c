import { findShell, type ShellChoice, type ShellKind, toShellKind } from './program.ts';

/** Longest wait for the shell to parse a line. */
const PATIENCE_MS = 500;

/** An idle parser ends after this time. */
const IDLE_MS = 30_000;

/** Parsers that one question takes at the same time. fish reads no line from a socket, which is what Bun makes for a pipe, so none waits. */
const WARM: Readonly<Record<ShellKind, number>> = { bash: 1, zsh: 2, fish: 0 };

/** Arguments with which a shell only parses its input, without startup files. */
const PARSES: Readonly<Record<ShellKind, readonly string[]>> = {
  bash: ['--norc', '--noprofile', '-O', 'extglob', '-n'],
  zsh: ['-fn'],
  fish: ['--no-config', '-n'],
};

/** The body of a zsh loop that lacks one; an error after a complete line. */
const BODY = 'do :\ndone\n';

/** The ends of a line that fish finds open: one of these, or several blocks. */
const FISH_ENDS = ['\nend', '\nend\nend', '\nend\nend\nend', "'", '"', ')', ' true'];

type Parser = Bun.Subprocess<'pipe', 'ignore', 'ignore'>;

/**
 * Lets the user's shell parse lines, without running them, startup files or an environment. It is for the rare line that aish's own scan finds
 * open. The start of a shell takes most of the time, so one or two that have started wait for the next line. They end when they are idle, and
 * with aish, which holds their input.
 */
export class WholeLines {
  readonly #choice: ShellChoice;
  #warm: Parser[] = [];
  #idle: ReturnType<typeof setTimeout> | null = null;

  constructor(choice: ShellChoice) {
    this.#choice = choice;
  }

  /** Starts the parsers for the next line. A shell that cannot start parses nothing. */
  prepare(): void {
    try {
      const program = findShell(this.#choice);
      const count = WARM[toShellKind(program) ?? 'bash'];
      while (this.#warm.length < count) this.#warm.push(start(program));
    } catch {
      return;
    }
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS);
    this.#idle.unref();
  }

  /** Whether the shell finds a line whole; false if it finds the line open or wrong, or does not answer. */
  async isWhole(line: string): Promise<boolean> {
    try {
      const program = findShell(this.#choice);
      const kind = toShellKind(program) ?? 'bash';
      if (kind === 'fish') return await this.#isWholeForFish(program, line);
      if (kind === 'bash') return await this.#isReadable(program, `${line}\n`);
      // At the end of its input zsh takes `for f in a b` as a loop with an empty body.
      const asked = [`${line}\n`, `${line}\n${BODY}`].map((text) => this.#isReadable(program, text));
      const [isWhole, isOpen] = await Promise.all(asked);
      return isWhole === true && isOpen === false;
    } catch {
      return false;
    }
  }

  /** Ends the parsers that wait. */
  close(): void {
    for (const parser of this.#warm.splice(0)) parser.kill('SIGKILL');
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
  }

  /** A line that fish finds wrong, however it might go on, is whole: fish says what is wrong. */
  async #isWholeForFish(program: string, line: string): Promise<boolean> {
    if (await isReadableForFish(program, `${line}\n`)) return true;
    const ended = await Promise.all(FISH_ENDS.map((end) => isReadableForFish(program, `${line}${end}\n`)));
    return !ended.includes(true);
  }

  async #isReadable(program: string, text: string): Promise<boolean> {
    const parser = this.#take() ?? start(program);
    const late = setTimeout(() => parser.kill('SIGKILL'), PATIENCE_MS);
    try {
      parser.stdin.write(text);
      await parser.stdin.end();
      return (await parser.exited) === 0;
    } finally {
      clearTimeout(late);
    }
  }

  /** A parser that has started; one that has ended meanwhile answers nothing. */
  #take(): Parser | undefined {
    const parser = this.#warm.shift();
    return parser === undefined || parser.exitCode === null ? parser : this.#take();
  }
}

async function isReadableForFish(program: string, text: string): Promise<boolean> {
  const stdin = new Blob([text]);
  const limits = { timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const;
  const parser = Bun.spawn([program, ...PARSES.fish], { ...PARSER, ...limits, stdin });
  return (await parser.exited) === 0;
}

/** The parser's surroundings: none of the user's. */
const PARSER = { stdout: 'ignore', stderr: 'ignore', env: {}, cwd: '/' } as const;

function start(program: string): Parser {
  const command = [program, ...PARSES[toShellKind(program) ?? 'bash']];
  const parser = Bun.spawn(command, { ...PARSER, stdin: 'pipe' });
  parser.unref();
  return parser;
}
