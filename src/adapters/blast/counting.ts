import { realpathSync } from 'node:fs';
import { TAKES_LONGER } from '../../core/blast/effect-words.ts';
import { keyOf, type Plan, type PlannedStep, type Wanted } from '../../core/blast/plan.ts';
import { planLine } from '../../core/blast/plan-line.ts';
import type { BlastGround } from '../../core/blast/shell-state.ts';
import type { BlastRadius } from '../../protocol/blast-radius.ts';
import { Repositories } from './git-facts.ts';
import { isAboutFiles, readFacts } from './git-places.ts';
import { formatUnreadable, type Work } from './ground-work.ts';
import { findSilent, type Mounts, readMounts } from './mounts.ts';
import { Pace } from './pace.ts';
import { expandGlob } from './place-words.ts';
import { readSource } from './source-text.ts';
import { isTold, takeStep, tell } from './take-step.ts';
import { Tally } from './tally.ts';
import { Tree, Unreadable } from './tree.ts';
import type { GitFacts } from './worth.ts';

const MOST_ROUNDS = 3;
const MOST_STEPS = 2000;

/** What is counted: a line, or steps that are known without one. */
export type Counted = { readonly line: string } | { readonly plan: Plan };

/**
 * One counting. It goes on in the background from `run` on, and can be asked at any time what it comes to by then: whatever the tree or
 * git may do meanwhile, the answer takes no time.
 */
export class Counting {
  readonly #ground: BlastGround;
  readonly #work: Work;
  readonly #repositories: Repositories;
  #plan: Plan;
  /** The step that is under way; all are done when it is beyond the last. */
  #at = 0;
  /** How much was counted when that step began. */
  #before = 0;
  readonly #line: string | null;
  /** What git says of it is told with it. */
  #isWeighed = false;

  constructor(
    counted: Counted,
    ground: BlastGround,
    {
      limit,
      signal,
      mounts = readMounts(),
    }: { readonly limit: number; readonly signal: AbortSignal; readonly mounts?: Mounts | undefined },
  ) {
    const tree = new Tree();
    this.#ground = ground;
    this.#work = {
      tree,
      pace: new Pace(limit, signal),
      ground,
      mounts,
      tally: new Tally(realOf(ground.project)),
      now: Date.now(),
      hosts: new Set(),
      unknown: new Set(),
      notes: new Set(),
      isVague: false,
      isGitChanged: false,
    };
    this.#repositories = new Repositories(tree, signal);
    this.#line = 'line' in counted ? counted.line : null;
    this.#plan = 'line' in counted ? planLine(counted.line, ground) : counted.plan;
  }

  /** Counts until all is counted or the time is over: what there is first, then how large it is, then what git says of it. */
  async run(): Promise<void> {
    const { pace, tally, tree, mounts } = this.#work;
    tree.avoid(await findSilent(mounts.far));
    if (this.#line !== null) await this.#planAgain(this.#line);
    const asked = this.#askGit(tree);
    for (const planned of this.#plan.steps.slice(0, MOST_STEPS)) {
      await this.#take(planned);
      this.#at += 1;
    }
    if (this.#plan.steps.length > MOST_STEPS) this.#work.unknown.add('what the rest of so long a line does');
    this.#at = Number.POSITIVE_INFINITY;
    const sized = this.#readable(() => tally.sizeUp(pace));
    const told = await asked;
    if (told !== null) this.#isWeighed = await tally.weigh(told, pace);
    await sized;
  }

  /** What it comes to by now. With `goesOn` it will come to more. */
  told({ goesOn }: { readonly goesOn: boolean }): BlastRadius {
    const { tally, hosts, unknown, notes } = this.#work;
    const isOpen = this.#at < this.#plan.steps.length;
    const rest = isOpen ? this.#tellRest() : { hosts, unknown, notes };
    const isSilent = !goesOn && !this.#isWeighed && tally.touched > 0 && !this.#repositories.isEmpty;
    return {
      effects: tally.toEffects({ isOpen, isLast: !goesOn }),
      hosts: [...rest.hosts],
      unknown: [...new Set([...rest.unknown, ...tally.unreadable.map(formatUnreadable)])],
      notes: [...rest.notes, ...(isSilent ? ['git did not say what of it could be had back'] : [])],
      ...(goesOn ? { counting: true } : {}),
    };
  }

  /** What the steps that were not taken say by their text alone. What they do to files is unknown, and not nothing. */
  #tellRest(): Pick<Work, 'hosts' | 'unknown' | 'notes'> {
    const { hosts, unknown, notes, tally } = this.#work;
    const scratch = { ...this.#work, hosts: new Set(hosts), unknown: new Set(unknown), notes: new Set(notes) };
    const left = this.#plan.steps.slice(this.#at, MOST_STEPS);
    for (const { step, cwd, isMaybe } of left) if (isTold(step)) tell(step, { work: scratch, cwd, isMaybe });
    const [current, ...later] = left;
    const hasBegun = tally.size > this.#before;
    const isLost = current !== undefined && isAboutFiles(current.step) && !hasBegun;
    if (isLost || later.some(({ step }) => isAboutFiles(step)))
      scratch.unknown.add(`what ${hasBegun ? 'else ' : ''}it touches: ${TAKES_LONGER}`);
    return scratch;
  }

  /** Looks up what loops go through and what commands are handed, and plans with that. */
  async #planAgain(line: string): Promise<void> {
    const matches = new Map<string, readonly string[]>();
    for (let round = 0; this.#plan.wanted.length > 0 && round < MOST_ROUNDS; round += 1) {
      if (!(await this.#lookUp(this.#plan.wanted, matches))) return;
      this.#plan = planLine(line, this.#ground, { matches });
    }
  }

  /** False where nothing was found out. */
  async #lookUp(wanted: readonly Wanted[], matches: Map<string, readonly string[]>): Promise<boolean> {
    let isNew = false;
    for (const one of wanted) {
      if (matches.has(keyOf(one))) continue;
      const found = await this.#readable(() => this.#answer(one), { silent: true });
      if (found === null) continue;
      matches.set(keyOf(one), found);
      isNew = true;
    }
    return isNew;
  }

  async #answer(wanted: Wanted): Promise<readonly string[] | null> {
    const { tree, pace, ground, now } = this.#work;
    const means = { tree, pace, habits: ground.shell?.habits };
    if ('pattern' in wanted) return expandGlob(wanted.pattern, wanted.cwd, means);
    const text = await readSource(wanted.source, { ...means, now, repositories: this.#repositories });
    return text === null ? null : [text];
  }

  async #askGit(tree: Tree): Promise<GitFacts | null> {
    return this.#readable(() => readFacts(this.#plan, this.#repositories, tree), { silent: true });
  }

  async #take(planned: PlannedStep): Promise<void> {
    const { step, cwd, isMaybe } = planned;
    this.#before = this.#work.tally.size;
    const taking = { work: this.#work, cwd, isMaybe };
    const reader = step.do === 'git' && cwd !== null ? this.#repositories.around(realOf(cwd)) : null;
    const done = await this.#readable(async () => {
      await takeStep(planned, taking, reader);
      return true;
    });
    if (done === null) this.#work.isVague = true;
  }

  /** What cannot be looked at is unknown, and not nothing. */
  async #readable<T>(look: () => Promise<T>, { silent = false } = {}): Promise<T | null> {
    try {
      return await look();
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      if (!silent) this.#work.unknown.add(formatUnreadable(thrown.path));
      return null;
    }
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
