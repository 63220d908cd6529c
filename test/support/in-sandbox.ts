import { expect } from 'bun:test';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonDriver } from './json-driver.ts';
import { hasProgram } from './programs.ts';
import type { Request } from './sandbox-driver.ts';

const DRIVER = join(import.meta.dir, 'sandbox-driver.ts');
/** A user of nobody else: the processes of a user are counted together, and these tests may run twice at once. */
const NOBODY = 100_000 + process.pid;
const isRoot = process.getuid?.() === 0;

/** The result of a command, and of the files outside within its possible reach. */
export interface Outcome {
  readonly missing: string | null;
  readonly exit: number | null;
  readonly ended: string | null;
  readonly output: string;
  readonly reached: number;
  readonly datagrams: readonly string[];
  /** Datagrams that came to a socket with a path. */
  readonly letters: number;
  readonly isVictimAlive: boolean;
}

/** How a command is run, beside its text. */
export type Given = Partial<Omit<Request, 'text' | 'home'>>;

/** The users for whom tests run the sandbox: the superuser is held to the same walls. */
export const SANDBOX_USERS = isRoot ? ['the superuser', 'an ordinary user'] : ['an ordinary user'];

/** Whether the sandbox can be tried here. */
export const SANDBOX_WORKS = hasProgram('bwrap') && hasProgram('python3') && (!isRoot || hasProgram('setpriv'));

/** A home directory with a project in it, and commands that run there in a sandbox as a user. */
export class SandboxedUser {
  readonly #folder: string;
  readonly #drop: readonly string[];
  #driver: JsonDriver | undefined;

  /** Among temporary files, or where homes are. */
  constructor(user: string, where: 'temporary' | 'homes' = 'temporary') {
    const homes = isRoot ? '/home' : homedir();
    this.#folder = mkdtempSync(join(where === 'homes' && existsSync(homes) ? homes : tmpdir(), 'sandbox-test-'));
    chmodSync(this.#folder, 0o755);
    mkdirSync(this.home);
    const isOther = isRoot && user !== 'the superuser';
    if (isOther) chownSync(this.home, NOBODY, NOBODY);
    this.#drop = isOther ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'] : [];
  }

  /** The number of a user that only these tests have; null for one that others may be, too. */
  get id(): number | null {
    return this.#drop.length === 0 ? null : NOBODY;
  }

  get home(): string {
    return join(this.#folder, 'home');
  }

  at(name: string): string {
    return join(this.home, name);
  }

  /** Takes away what earlier commands left. */
  empty(): void {
    for (const name of readdirSync(this.home)) rmSync(this.at(name), { recursive: true, force: true });
  }

  /** A file as it is outside; null where there is none. */
  read(name: string): string | null {
    return existsSync(this.at(name)) ? readFileSync(this.at(name), 'utf8') : null;
  }

  /** Has a driver run a command that gets it killed, and settles when it is gone. */
  async die(text: string, given: Given = {}): Promise<void> {
    const driver = this.#open();
    await driver.ask(this.#toRequest(text, given)).catch(() => {});
    await driver.ended;
  }

  async run(text: string, given: Given = {}): Promise<Outcome> {
    this.#driver ??= this.#open();
    const outcome = await this.#driver.ask<Outcome>(this.#toRequest(text, given)).catch((fault: unknown) => {
      this.#driver = undefined;
      throw fault;
    });
    expect(outcome.missing).toBeNull();
    return outcome;
  }

  #toRequest(text: string, given: Given): Request {
    rmSync(this.at('project'), { recursive: true, force: true });
    return { writes: false, files: {}, ...given, text, home: this.at('') };
  }

  #open(): JsonDriver {
    return new JsonDriver([...this.#drop, process.execPath, DRIVER], {
      PATH: `${process.env.PATH}:${this.at('.local/bin')}`,
      HOME: this.at(''),
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      CANARY: 'of-the-environment',
      // Bun would keep 24 MB of what it compiled in this home, where each command that reads everything would find it.
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
    });
  }

  close(): void {
    this.#driver?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The words that run a program of Python. */
export function python(code: string): string {
  return `python3 - <<'END'\n${code}\nEND`;
}
