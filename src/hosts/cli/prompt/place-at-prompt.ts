import { hostname, userInfo } from 'node:os';
import { type GitState, readBranch, readWorkState } from '../../../adapters/git/process/git-state.ts';
import { styled, type Theme } from '../../../core/terminal/theme.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import type { Setup } from '../setup/setup.ts';

/** After so long the state of the work tree is given up. */
const LONGEST_MS = 5000;
/** After a state that took this long aish waits before the next read: git gets one part in `REST` of the time. */
const SLOW_MS = 200;
const REST = 20;

interface PlaceAtPromptDeps {
  readonly env: Setup['env'];
  readonly theme: () => Theme;
  /** Draws the prompt again. */
  readonly changed: () => void;
  readonly ending: AbortSignal;
}

/** The machine and the repository at the prompt. The repository is read beside the prompt, which is drawn again when something is new. */
export class PlaceAtPrompt {
  /** `user@host` over ssh and as root; null elsewhere, where both are known. */
  readonly host: string | null;
  readonly #deps: PlaceAtPromptDeps;
  #state: { readonly cwd: string; readonly git: GitState | null } | null = null;
  #asking: AbortController | null = null;
  /** Before that moment the work tree of a slow repository is not looked at again. */
  readonly #rests = new Map<string, number>();

  constructor(deps: PlaceAtPromptDeps) {
    this.#deps = deps;
    this.host = findHost(deps.env);
  }

  /** The known state of the repository of that directory, with SGR; null if there is none, or nothing is known. */
  repositoryAt(cwd: string): string | null {
    const git = this.#state?.cwd === cwd ? this.#state.git : null;
    return git === null ? null : formatGit(git, this.#deps.theme());
  }

  /** Reads the repository anew after a change of files that is no command of the shell, so no prompt of the shell reports it. */
  async take({ type }: SessionEvent, cwd: string): Promise<void> {
    if (this.#state === null || (type !== 'checkpoint.finalized' && type !== 'restore.completed')) return;
    this.#rests.clear();
    await this.refresh(cwd);
  }

  /** Reads the repository of a directory anew; a running read is out of date. */
  async refresh(cwd: string): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    const found = await readBranch(cwd);
    if (asking.signal.aborted || this.#deps.ending.aborted) return;
    const before = this.#state?.git;
    const isSame = found !== null && before?.root === found.root;
    this.#set(cwd, found === null ? null : { ...found, work: isSame ? before.work : null });
    if (found !== null) await this.#readWork(cwd, found, asking.signal);
  }

  async #readWork(cwd: string, found: GitState, superseded: AbortSignal): Promise<void> {
    const begun = performance.now();
    if (begun < (this.#rests.get(found.root) ?? 0)) return;
    const work = await readWorkState(
      cwd,
      AbortSignal.any([superseded, this.#deps.ending, AbortSignal.timeout(LONGEST_MS)]),
    );
    const tookMs = performance.now() - begun;
    if (tookMs > SLOW_MS) this.#rests.set(found.root, performance.now() + REST * tookMs);
    if (!superseded.aborted && !this.#deps.ending.aborted) this.#set(cwd, { ...found, work });
  }

  #set(cwd: string, git: GitState | null): void {
    const isSame = JSON.stringify(this.#state) === JSON.stringify({ cwd, git });
    this.#state = { cwd, git };
    if (!isSame) this.#deps.changed();
  }
}

/** `main merge *+? ↑1`: the branch, the unfinished operation, what differs, and the distance to the upstream branch. */
function formatGit({ branch, operation, work }: GitState, theme: Theme): string {
  const name = styled(theme, 'shell', escapeForDisplay(branch));
  const words: string[] = operation === null ? [] : [operation];
  if (work !== null) {
    const signs = WORK_SIGNS.filter(([key]) => work[key]).map(([, sign, word]) => (theme.words ? word : sign));
    if (signs.length > 0) words.push(signs.join(theme.words ? ' ' : ''));
    if (work.ahead > 0) words.push(`${theme.words ? 'ahead ' : '↑'}${work.ahead}`);
    if (work.behind > 0) words.push(`${theme.words ? 'behind ' : '↓'}${work.behind}`);
  }
  return words.length === 0 ? name : `${name} ${styled(theme, 'warning', words.join(' '))}`;
}

const WORK_SIGNS = [
  ['isConflicted', '!', 'conflicts'],
  ['isChanged', '*', 'changed'],
  ['isStaged', '+', 'staged'],
  ['isUntracked', '?', 'untracked'],
] as const;

function findHost(env: Setup['env']): string | null {
  const isRemote = env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined;
  const isRoot = process.getuid?.() === 0;
  if (!isRemote && !isRoot) return null;
  const [host] = hostname().split('.');
  return `${isRoot ? 'root' : attempt(() => userInfo().username, env.USER ?? '?')}@${host}`;
}
