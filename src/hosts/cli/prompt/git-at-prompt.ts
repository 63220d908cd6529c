import { type GitState, readBranch, readWorkState } from '../../../adapters/git/state/git-state.ts';

/** After so long the state of the work tree is given up. */
const LONGEST_MS = 5000;
/** A state that took this long is not asked for again at once: git gets one part in `REST` of the time. */
const SLOW_MS = 200;
const REST = 20;

/** The repository at the prompt. It is read beside the prompt, which is drawn again when something new is known. */
export class GitAtPrompt {
  readonly #changed: () => void;
  readonly #ending: AbortSignal;
  #state: { readonly cwd: string; readonly git: GitState | null } | null = null;
  #asking: AbortController | null = null;
  /** Before that moment the work tree of a slow repository is not looked at again. */
  readonly #rests = new Map<string, number>();

  constructor({ changed, ending }: { readonly changed: () => void; readonly ending: AbortSignal }) {
    this.#changed = changed;
    this.#ending = ending;
  }

  /** What is known of the repository of that directory; null where there is none, or nothing is known. */
  at(cwd: string): GitState | null {
    return this.#state?.cwd === cwd ? this.#state.git : null;
  }

  /** Reads the repository of a directory anew; what was being read is out of date. */
  async refresh(cwd: string): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    const found = await readBranch(cwd);
    if (asking.signal.aborted || this.#ending.aborted) return;
    const before = this.#state?.git;
    const isSame = found !== null && before?.root === found.root;
    this.#set(cwd, found === null ? null : { ...found, work: isSame ? before.work : null });
    if (found !== null) await this.#readWork(cwd, found, asking.signal);
  }

  async #readWork(cwd: string, found: GitState, superseded: AbortSignal): Promise<void> {
    const begun = performance.now();
    if (begun < (this.#rests.get(found.root) ?? 0)) return;
    const work = await readWorkState(cwd, AbortSignal.any([superseded, this.#ending, AbortSignal.timeout(LONGEST_MS)]));
    const tookMs = performance.now() - begun;
    if (tookMs > SLOW_MS) this.#rests.set(found.root, performance.now() + REST * tookMs);
    if (!superseded.aborted && !this.#ending.aborted) this.#set(cwd, { ...found, work });
  }

  #set(cwd: string, git: GitState | null): void {
    const isSame = JSON.stringify(this.#state) === JSON.stringify({ cwd, git });
    this.#state = { cwd, git };
    if (!isSame) this.#changed();
  }
}
