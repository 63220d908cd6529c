import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toShellKind } from '../shell/program.ts';
import { holdFolder } from '../system/own-file.ts';
import { orAborted, withTimeout } from '../system/patience.ts';
import {
  type HelperMatch,
  type HelperOptions,
  type HelperProcess,
  type HelperRequest,
  PipeHelper,
  readExported,
} from './helper-protocol.ts';
import { BASH, FISH } from './pipe-helpers.ts';
import { ZshHelper } from './zsh-helper.ts';

interface HelperShellOptions {
  /** The user's shell. */
  readonly program: string;
  readonly runtimeDir: string;
  readonly cacheFolder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the startup files of the shell are read; they are unless given. */
  readonly withStartupFiles?: boolean;
  /** How long an answer may take. */
  readonly limitMs?: number;
  /** How long nobody may ask before it is ended. */
  readonly idleMs?: number;
}

const LIMIT_MS = 300;
/** If no other answer is known, the helper may take this long for a user who does not type on: any key cancels it. */
const LONGEST_MS = 15_000;
const IDLE_MS = 60_000;
/** Work nobody waits for any more may go on so long: the next answer may come from what it has loaded. */
const ABANDONED_MS = 3000;
/** Startup files slower than this are left away the next time. */
const SLOW_START_MS = 1500;
/** Startup files may take so long: ended sooner, a helper of a busy machine would begin anew for each question and answer none. */
const LONGEST_START_MS = 10_000;

/** A helper that runs, and the work it does. */
interface Running {
  readonly process: HelperProcess;
  readonly folder: string;
  readonly release: () => void;
  /** Our copy of what the live shell exports: its own is written while we read. */
  readonly exportsFile: string;
  readonly keepExported: (exported: string) => void;
  busy: Promise<unknown> | null;
  /** It has answered a question before. */
  hasAnswered: boolean;
}

/**
 * Asks the user's own completion, in a shell that is not theirs: it is started at the first question, ended when nobody asks for a
 * while, and what takes too long is no answer. Nothing of it is ever an error.
 */
export class HelperShell {
  readonly #options: HelperShellOptions;
  #running: Running | null = null;
  #idle: ReturnType<typeof setTimeout> | null = null;
  #withStartupFiles: boolean;
  #closed = false;

  constructor(options: HelperShellOptions) {
    this.#options = options;
    this.#withStartupFiles = options.withStartupFiles ?? true;
  }

  /** Process of the helper; null while there is none. */
  get pid(): number | null {
    return this.#running?.process.pid ?? null;
  }

  /**
   * The offers of the user's completion; null when it has none, or is late, or the answer is no longer wanted. `isAlone`: there is no other
   * answer, so a waiting user gets this one later rather than none.
   */
  async ask(
    request: HelperRequest,
    { signal, isAlone = false }: { readonly signal: AbortSignal; readonly isAlone?: boolean },
  ): Promise<readonly HelperMatch[] | null> {
    if (this.#closed || signal.aborted) return null;
    const limitMs = this.#options.limitMs ?? LIMIT_MS;
    const answer = orAborted(this.#answer(request), signal).catch(() => null);
    return (await withTimeout(answer, isAlone ? Math.max(limitMs, LONGEST_MS) : limitMs)) ?? null;
  }

  /** Ends the helper and all it has started. */
  close(): void {
    this.#closed = true;
    this.#stop();
  }

  /** One question at a time: what was abandoned is waited for, as it may be about to end. */
  async #answer(request: HelperRequest): Promise<readonly HelperMatch[] | null> {
    this.#rest();
    const exported = await readExported(request.exportsFile);
    if (this.#closed) return null;
    const running = this.#running ?? this.#start(request.cwd, exported);
    while (running.busy !== null) await running.busy;
    if (this.#running !== running) return null;
    running.keepExported(exported);
    const { hasAnswered } = running;
    let isOverdue = false;
    let overdue: ReturnType<typeof setTimeout> | undefined;
    const work = running.process.ready.then(() => {
      overdue = setTimeout(() => {
        isOverdue = true;
        this.#stop(running);
      }, ABANDONED_MS);
      return running.process.ask({ ...request, exportsFile: running.exportsFile });
    });
    const done = work
      .then(
        () => {
          running.hasAnswered = true;
        },
        () => this.#stop(running),
      )
      .then(() => {
        clearTimeout(overdue);
        if (running.busy === done) running.busy = null;
      });
    running.busy = done;
    // One that ended between two questions, by what an earlier one did, has not seen this one.
    return work.catch((error) => {
      if (!hasAnswered || isOverdue || this.#closed) throw error;
      return this.#answer(request);
    });
  }

  #start(cwd: string, exported: string): Running {
    const { program, runtimeDir, cacheFolder, env } = this.#options;
    mkdirSync(runtimeDir, { recursive: true, mode: 0o700 });
    mkdirSync(cacheFolder, { recursive: true, mode: 0o700 });
    const folder = mkdtempSync(join(runtimeDir, 'complete-'));
    const withStartupFiles = this.#withStartupFiles;
    const exportsFile = join(folder, 'exports');
    const keepExported = createSecretStore(exportsFile);
    keepExported(exported);
    const begun = performance.now();
    const process = startProcess({ program, folder, cacheFolder, env, cwd, exportsFile, withStartupFiles });
    const release = holdFolder(folder);
    const running: Running = { process, folder, release, exportsFile, keepExported, busy: null, hasAnswered: false };
    this.#running = running;
    const starting = setTimeout(() => this.#stop(running), LONGEST_START_MS);
    process.ready
      .finally(() => clearTimeout(starting))
      .then(
        () => {
          if (performance.now() - begun > SLOW_START_MS) this.#withStartupFiles = false;
        },
        () => {
          // Startup files may become another program: those are not for us.
          this.#withStartupFiles = false;
          this.#stop(running);
        },
      );
    return running;
  }

  /** Begins the time anew after which a helper nobody asks is ended: it holds memory. */
  #rest(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#stop(), this.#options.idleMs ?? IDLE_MS);
    this.#idle.unref();
  }

  #stop(which = this.#running): void {
    if (which === null) return;
    which.process.kill();
    which.release();
    rmSync(which.folder, { recursive: true, force: true });
    if (this.#running !== which) return;
    this.#running = null;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
  }
}

/** Writes a file anew when its text is another one. */
function createSecretStore(path: string): (text: string) => void {
  let kept: string | null = null;
  return (text) => {
    if (text !== kept) writeFileSync(path, text, { mode: 0o600 });
    kept = text;
  };
}

/** Completion asks git for names; no watcher that a repository names is started for that. */
const QUIET_GIT = {
  ...{ GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_COUNT: '1' },
  ...{ GIT_CONFIG_KEY_0: 'core.fsmonitor', GIT_CONFIG_VALUE_0: 'false' },
};

function startProcess({ env, ...rest }: HelperOptions): HelperProcess {
  const options = { ...rest, env: { ...env, ...QUIET_GIT } };
  try {
    const kind = toShellKind(options.program);
    return kind === 'zsh' ? new ZshHelper(options) : new PipeHelper(options, kind === 'fish' ? FISH : BASH);
  } catch (error) {
    rmSync(options.folder, { recursive: true, force: true });
    throw error;
  }
}
