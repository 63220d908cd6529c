import { definedOf } from '../../../adapters/config/paths.ts';
import { RunStore } from '../../../adapters/store/run-store.ts';
import { ownProgram } from '../../../adapters/system/own-program.ts';
import { withTimeout } from '../../../adapters/system/patience.ts';
import { killGroup } from '../../../adapters/system/processes.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { RunRecord } from '../../../protocol/run-record.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages-runs.ts';
import { describeEnd } from './working-copies.ts';

/** The form of `aish run` by which a prompt starts the process of a run in the background. */
export const IN_COPY = '--in';

/** A run that is told to end gets so long before its process is killed. */
const LAST_WORK_MS = 5000;
/** The end of what a process printed about an error. */
const LAST_WORDS = 500;

interface BackgroundRunsDeps {
  readonly setup: Setup;
  /** Shows one line above the line that is typed. */
  readonly say: (style: 'dim', line: string) => void;
}

interface Working {
  readonly ended: Promise<void>;
  /** Tells the process to end. */
  readonly stop: () => void;
  readonly kill: () => void;
}

/**
 * The autonomous runs in the background of a prompt. Each is a process of its own with a pipe from this one as its standard input: it halts
 * when the pipe closes, so it never outlives this process.
 */
export class BackgroundRuns {
  readonly store: RunStore;
  readonly #deps: BackgroundRunsDeps;
  readonly #working = new Map<string, Working>();

  constructor(deps: BackgroundRunsDeps) {
    this.#deps = deps;
    this.store = new RunStore(deps.setup.paths.state);
  }

  /** Starts the process of a run whose working copy is made. */
  start({ id }: RunRecord): void {
    const { env, loaded, cwd } = this.#deps.setup;
    const config = loaded.file === null ? [] : ['--config', loaded.file];
    const child = Bun.spawn([...ownProgram(), ...config, 'run', IN_COPY, id], {
      cwd,
      env: definedOf(env),
      stdio: ['pipe', 'pipe', 'pipe'],
      // The keys of this terminal are not meant for it.
      detached: true,
    });
    const ended = this.#follow(id, child).finally(() => this.#working.delete(id));
    this.#working.set(id, { ended, stop: () => void child.stdin.end(), kill: () => killGroup(child.pid) });
  }

  async #follow(id: string, child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>): Promise<void> {
    const tell = (line: string): void => this.#deps.say('dim', line);
    const [notes, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    for (const note of notes.split('\n').filter(Boolean)) tell(`run ${id}: ${sanitizeLine(note)}`);
    const run = this.store.find(id);
    if (run === null) return;
    if (status !== 0 || run.reason === null || run.endedAt === null)
      tell(messages.formatLost(id, status, sanitizeLine(errors.trim().slice(-LAST_WORDS))));
    else tell(await describeEnd(run));
  }

  /** Ends the run, and settles when its process is gone; false if none works on it here. */
  async stop(id: string): Promise<boolean> {
    const working = this.#working.get(id);
    if (working === undefined) return false;
    working.stop();
    const isOver = await withTimeout(
      working.ended.then(() => true),
      LAST_WORK_MS,
    );
    if (isOver !== true) working.kill();
    await working.ended;
    return true;
  }

  /** Ends all runs of this prompt. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#working.keys()].map((id) => this.stop(id)));
  }
}
