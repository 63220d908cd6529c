import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Shell, type ShellOptions, type ShellState } from '../../src/adapters/shell/shell.ts';
import { prepareForFish } from './fish-home.ts';
import { until } from './until.ts';

/** A shell of aish in a home of its own, with all its reports in order. */
export interface TestShell extends AsyncDisposable {
  readonly shell: Shell;
  readonly home: string;
  /** Runs a line as the user. */
  run(line: string): ReturnType<Shell['run']>;
  /** All text that arrived outside of commands. */
  outside(): string;
  typedAhead(): string;
  readonly states: ShellState[];
  readonly passwordsWanted: string[];
  /** The events of jobs in the background, as `[1] sleep 60: done`. */
  readonly notices: string[];
  /** Prompts that the shell made while it waited for a line. */
  readonly prompts: (string | null)[];
  /** The faults of the shell. */
  readonly troubles: string[];
  /** Output outside of commands with the job it is from, as `1: text`; `-` where it could be any. */
  readonly attributed: string[];
  /** Settles when the condition holds; looked at after everything the shell tells. */
  until(holds: () => boolean): Promise<void>;
  ready(): Promise<void>;
}

/** Options of the shell, and files to lie in its home, by relative path. */
export type TestShellOptions = Partial<Omit<ShellOptions, 'program'>> & { readonly files?: Record<string, string> };

/** Opens bash or zsh in an empty home. */
export function openTestShell(program: string, options: TestShellOptions = {}): TestShell {
  const home = mkdtempSync(join(tmpdir(), 'shell-test-'));
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  prepareForFish(program, home);
  const told = new Told();
  const shell = Shell.open({
    cwd: home,
    size: { columns: 80, rows: 24 },
    runtimeDir: join(home, 'runtime'),
    terminal: null,
    ...options,
    program,
    env: { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...options.env },
    onOutside: (bytes, job) =>
      told.add(() => {
        told.outside.push(bytes.slice());
        told.attributed.push(`${job?.number ?? '-'}: ${Buffer.from(bytes).toString('utf8')}`);
      }),
    onJobNotice: ({ number, line, how }) => told.add(() => told.notices.push(`[${number}] ${line}: ${how}`)),
    onTrouble: (line) => told.add(() => told.troubles.push(line)),
    onTypedAhead: (bytes) => told.add(() => told.typed.push(bytes.slice())),
    onPrompt: () => told.add(() => told.prompts.push(shell.report.prompt)),
    onState: (state) => told.add(() => told.states.push(state)),
    onPasswordWanted: (name) => told.add(() => told.passwords.push(name)),
  });
  return {
    shell,
    home,
    run: (line) => shell.run(line, { driver: 'user' }),
    outside: () => Buffer.concat(told.outside).toString('utf8'),
    typedAhead: () => Buffer.concat(told.typed).toString('utf8'),
    states: told.states,
    passwordsWanted: told.passwords,
    notices: told.notices,
    prompts: told.prompts,
    troubles: told.troubles,
    attributed: told.attributed,
    until: (holds) => told.until(holds),
    ready: () => told.until(() => shell.state === 'ready'),
    async [Symbol.asyncDispose]() {
      await shell.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

class Told {
  readonly outside: Uint8Array[] = [];
  readonly typed: Uint8Array[] = [];
  readonly states: ShellState[] = [];
  readonly passwords: string[] = [];
  readonly notices: string[] = [];
  readonly prompts: (string | null)[] = [];
  readonly troubles: string[] = [];
  readonly attributed: string[] = [];
  readonly #waiting = new Set<() => void>();

  add(note: () => void): void {
    note();
    for (const look of [...this.#waiting]) look();
  }

  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }
}

/** Settles when the program of that name has the shell's terminal. */
export async function inForeground(shell: Pick<Shell, 'foregroundName'>, name: string): Promise<void> {
  await until(
    { what: `${name} at the terminal` },
    () => shell.foregroundName,
    (found) => found === name,
  );
}
