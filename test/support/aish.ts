import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepareForFish } from './fish-home.ts';
import { FolderCopy } from './folder-copy.ts';
import { openTerminal, type TerminalOptions, type TestTerminal } from './terminal.ts';

/** The output of a finished run. */
export interface RunResult {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** How a run differs from the plain one. */
export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The launcher of this checkout, which starts the source. */
export const LAUNCHER = resolve(import.meta.dir, '../../bin/aish');

/** The program under test: the launcher, or what AISH_BIN names. */
export const AISH = process.env.AISH_BIN ?? LAUNCHER;

/**
 * Nearly every aish of a test lives for a second or two: the optimizing compiler of the runtime, and garbage collections by the clock, take
 * more CPU than they save, a quarter of all that the test takes. The program behaves the same with and without.
 */
const SHORT_LIFE: Readonly<Record<string, string>> = {
  BUN_JSC_useDFGJIT: '0',
  BUN_JSC_useConcurrentGC: '0',
  BUN_GC_TIMER_DISABLE: '1',
};

/** The `.git` of the first repository. */
const repository: FolderCopy[] = [];

/** A user's machine made for one test: a home, XDG folders, a git repository to work in. Nothing outside is read or written. */
export class Home {
  /** The whole of it. */
  readonly root: string;
  readonly home: string;
  /** A git repository with one commit; where aish is started. */
  readonly work: string;
  readonly state: string;
  readonly configFile: string;
  readonly #hasSandbox: boolean;
  readonly #programs = new Set<Bun.Subprocess>();

  constructor(options: { readonly repository?: boolean; readonly sandbox?: boolean } = {}) {
    this.#hasSandbox = options.sandbox ?? false;
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-test-')));
    this.home = join(this.root, 'home');
    this.work = join(this.root, 'work');
    this.state = join(this.root, 'state', 'aish');
    this.configFile = join(this.root, 'config', 'aish', 'config.toml');
    for (const folder of [this.home, this.work, join(this.root, 'run'), join(this.root, 'config', 'aish')])
      mkdirSync(folder, { recursive: true });
    chmodSync(join(this.root, 'run'), 0o700);
    if (options.repository ?? true) this.makeRepository();
  }

  /** The environment of this user; only PATH comes from outside. */
  get env(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: this.home,
      SHELL: '/bin/bash',
      USER: 'tester',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      XDG_CONFIG_HOME: join(this.root, 'config'),
      XDG_STATE_HOME: join(this.root, 'state'),
      XDG_CACHE_HOME: join(this.root, 'cache'),
      XDG_RUNTIME_DIR: join(this.root, 'run'),
      ...SHORT_LIFE,
    };
  }

  /** Writes the configuration file. Read-only commands need an approval like any other, unless the home was made for the sandbox. */
  configure(toml: string): void {
    const asked = 'auto_run = "none"';
    const all = toml.includes('[safety]')
      ? toml.replace('[safety]', `[safety]\n${asked}`)
      : `${toml}\n[safety]\n${asked}\n`;
    writeFileSync(this.configFile, withShortPrompt(this.#hasSandbox ? toml : all), { mode: 0o600 });
  }

  /** Names the one model of the configuration, with more sections behind it. */
  useModel(url: string, more = ''): void {
    this.configure(`[models.test]\nbase_url = "${url}"\nmodel = "scripted"\n${more}\n`);
  }

  /** Runs `aish` to its end without a terminal. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const program = this.start(args, options);
    const [out, error, code] = await Promise.all([
      new Response(program.stdout).text(),
      new Response(program.stderr).text(),
      program.exited,
    ]);
    return { code, out, error };
  }

  /** Starts `aish` without a terminal and leaves it running. */
  start(args: readonly string[], options: RunOptions = {}): Bun.Subprocess<'ignore' | Uint8Array, 'pipe', 'pipe'> {
    const program = Bun.spawn([AISH, ...args], {
      cwd: options.cwd ?? this.work,
      env: { ...this.env, ...options.env },
      stdin: options.input === undefined ? 'ignore' : new TextEncoder().encode(options.input),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    this.#programs.add(program);
    return program;
  }

  /** Opens `aish` in a terminal, as a user does. */
  open(args: readonly string[] = [], options: Partial<TerminalOptions> = {}): TestTerminal {
    if (!existsSync(this.configFile)) writeFileSync(this.configFile, withShortPrompt(''), { mode: 0o600 });
    prepareForFish(options.env?.SHELL ?? '', this.home);
    return openTerminal({
      command: AISH,
      args,
      cwd: this.work,
      columns: 100,
      rows: 30,
      ...options,
      env: { ...this.env, ...options.env },
    });
  }

  /** The first message of a session in the work folder, as the model gets it. */
  first(text: string): string {
    return `[the session started in ${this.work}]\n\n${text}`;
  }

  /** Runs git in the work folder; the answer is its output. */
  git(...args: readonly string[]): string {
    const done = Bun.spawnSync(['git', ...args], { cwd: this.work, env: { ...this.env, GIT_CONFIG_NOSYSTEM: '1' } });
    if (done.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr.toString()}`);
    return done.stdout.toString().trim();
  }

  /** Makes the work folder a repository with one commit. The first one of a test file is made by git, and copied for the others. */
  makeRepository(): void {
    writeFileSync(join(this.work, 'README'), 'hello\n');
    const [made] = repository;
    if (made === undefined) {
      this.git('init', '-q', '-b', 'main');
      this.git('config', 'user.name', 'Tester');
      this.git('config', 'user.email', 'tester@localhost');
      this.git('add', '-A');
      this.git('commit', '-qm', 'first');
      repository.push(FolderCopy.of(this.work, ['.git']));
      return;
    }
    made.write(this.work);
    // The index is about the very files, so git writes it.
    this.git('add', '-A');
  }

  [Symbol.dispose](): void {
    for (const program of this.#programs) if (program.exitCode === null) program.kill('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Tests look for one prompt, whoever runs them and wherever: without the user, and without the branch, which comes a moment later. */
function withShortPrompt(toml: string): string {
  const parts = 'prompt_parts = ["duration", "status", "jobs", "environment", "directory"]';
  if (toml.includes('prompt_parts')) return toml;
  return toml.includes('[ui]') ? toml.replace('[ui]', `[ui]\n${parts}`) : `${toml}\n[ui]\n${parts}\n`;
}
