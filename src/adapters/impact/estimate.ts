import { realpathSync } from 'node:fs';
import type { Classification } from '../../core/commands/verdict.ts';
import { isAboutFiles, isPlain, type Plan, type PlannedChange, planLine } from '../../core/impact/plan-line.ts';
import type { ImpactContext } from '../../core/impact/shell-state.ts';
import { attempt } from '../../core/text/attempt.ts';
import type { ChangeReport } from '../../protocol/change-report.ts';
import { type GitFacts, Repositories } from './git-facts.ts';
import { NOTES, UNKNOWN } from './messages.ts';
import { Pace } from './pace.ts';
import { takeCopy, takeDelete, takeLink, takeMakeFolder, takeMove, takeTouch, takeWrite } from './take-file.ts';
import { readRemote, takeGit } from './take-git.ts';
import { Tally } from './tally.ts';
import type { Taking, Work } from './targets.ts';
import { readMounts, Tree, Unreadable } from './tree.ts';

const MOST_CHANGES = 2000;

/** The subject of an estimate: a classified line, or a plan that was made without one. */
export type Estimated = { readonly classification: Classification } | { readonly plan: Plan };

/**
 * One estimate. It goes on in the background from `run` on, and its result so far is available at any time: whatever the tree or git may do
 * meanwhile, the answer takes no time.
 */
export class Estimate {
  readonly #work: Work;
  readonly #plan: Plan;
  /** The change that is under way; all are done when it is beyond the last. */
  #at = 0;
  /** How much was counted when that change began. */
  #before = 0;
  /** The facts of git about it are in the report. */
  #isWeighed = false;
  /** Directories that the line goes to and that were looked at. */
  readonly #directories: Set<string>;

  constructor(
    estimated: Estimated,
    context: ImpactContext,
    {
      limit,
      signal,
      mounts = readMounts(),
    }: { readonly limit: number; readonly signal: AbortSignal; readonly mounts?: readonly string[] | undefined },
  ) {
    const tree = new Tree();
    this.#work = {
      tree,
      pace: new Pace(limit, signal),
      context,
      mounts,
      repositories: new Repositories(tree, signal),
      tally: new Tally(attempt(() => realpathSync(context.project), context.project)),
      hosts: new Set(),
      unknown: new Set(),
      unexplained: new Set(),
      notes: new Set(),
      isVague: false,
      hasMaybe: false,
      isGitChanged: false,
    };
    this.#directories = new Set([context.cwd]);
    this.#plan = 'classification' in estimated ? planLine(estimated.classification, context) : estimated.plan;
  }

  /** Counts until all is counted or the time is over: what there is first, then how large it is, then what git says of it. */
  async run(): Promise<void> {
    const { pace, tally, repositories, unknown } = this.#work;
    const asked = this.#readable(() => repositories.facts(this.#plan), { isSilent: true });
    for (const planned of this.#plan.slice(0, MOST_CHANGES)) {
      await this.#take(planned);
      this.#at += 1;
    }
    if (this.#plan.length > MOST_CHANGES) unknown.add(UNKNOWN.restOfLine());
    this.#at = Number.POSITIVE_INFINITY;
    const sized = this.#readable(() => tally.sizeUp(pace));
    const facts: GitFacts | null = await asked;
    if (facts !== null) this.#isWeighed = await tally.weigh(facts, pace);
    await sized;
  }

  /** The result so far. With `goesOn` more will follow. */
  report({ goesOn }: { readonly goesOn: boolean }): ChangeReport {
    const { tally, hosts, unknown, unexplained, notes, repositories } = this.#work;
    const isOpen = this.#at < this.#plan.length;
    const rest = isOpen ? this.#rest(goesOn) : { hosts, unknown, unexplained, notes };
    const isSilent = !goesOn && !this.#isWeighed && tally.touched > 0 && !repositories.isEmpty;
    return {
      effects: tally.toEffects({ isOpen, isLast: !goesOn }),
      hosts: [...rest.hosts],
      unknown: [...new Set([...rest.unknown, ...tally.unreadable.map(UNKNOWN.unreadable)])],
      ...(rest.unexplained.size === 0 ? {} : { unexplained: [...rest.unexplained] }),
      notes: [...rest.notes, ...(isSilent ? [NOTES.notWeighed()] : [])],
      ...(goesOn ? { counting: true } : {}),
    };
  }

  /** The effects of the uncounted changes, by the text alone. Their effects on files are unknown, and not nothing. */
  #rest(goesOn: boolean): Pick<Work, 'hosts' | 'unknown' | 'unexplained' | 'notes'> {
    const [hosts, unknown, notes] = [this.#work.hosts, this.#work.unknown, this.#work.notes].map((one) => new Set(one));
    const unexplained = new Set(this.#work.unexplained);
    const left = this.#plan.slice(this.#at, MOST_CHANGES);
    for (const { change } of left) {
      if (change.do === 'host') hosts?.add(change.name);
      else if (change.do === 'note') notes?.add(change.text);
      else if (change.do === 'unknown') unknown?.add(change.what);
      else if (change.do === 'unexplained') unexplained.add(change.effect);
    }
    const [current, ...later] = left;
    const hasBegun = this.#work.tally.size > this.#before;
    const isLost = current !== undefined && !isPlain(current) && !hasBegun;
    if (!goesOn && (isLost || later.some(isAboutFiles))) unknown?.add(UNKNOWN.notCounted(hasBegun));
    return { hosts: hosts ?? new Set(), unknown: unknown ?? new Set(), unexplained, notes: notes ?? new Set() };
  }

  async #take(planned: PlannedChange): Promise<void> {
    const { cwd, isMaybe, found, isDashed } = planned;
    this.#before = this.#work.tally.size;
    const isDone = await this.#readable(async () => {
      if (cwd !== null && !isPlain(planned)) this.#enter(cwd);
      await takeChange(planned, { work: this.#work, cwd, isMaybe, found, isDashed });
      return true;
    });
    if (isDone === null) this.#work.isVague = true;
    if (isMaybe && isAboutFiles(planned)) this.#work.hasMaybe = true;
  }

  /** If a directory is missing, the next commands may run in another one than it seems. */
  #enter(cwd: string): void {
    if (this.#directories.has(cwd)) return;
    this.#directories.add(cwd);
    const { context, tree, unknown, isVague } = this.#work;
    if (context.shell?.habits.has('cd-path') === true) unknown.add(UNKNOWN.cdPath());
    else if (!isVague && tree.follow(cwd)?.kind !== 'folder') unknown.add(UNKNOWN.missingDirectory(cwd));
  }

  /** A path that aish cannot read has an unknown effect, not none. */
  async #readable<T>(look: () => Promise<T>, { isSilent = false } = {}): Promise<T | null> {
    try {
      return await look();
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      if (!isSilent) this.#work.unknown.add(UNKNOWN.unreadable(thrown.path));
      return null;
    }
  }
}

/** Counts one change of a plan, and has the tree be as it leaves it. Nothing is written. */
async function takeChange({ change }: PlannedChange, taking: Taking): Promise<void> {
  const { work } = taking;
  switch (change.do) {
    case 'delete':
      return takeDelete(change, taking);
    case 'write':
      return takeWrite(change, taking);
    case 'touch':
      return takeTouch(change, taking);
    case 'make-folder':
      return takeMakeFolder(change, taking);
    case 'copy':
    case 'move':
      return change.do === 'copy' ? takeCopy(change, taking) : takeMove(change, taking);
    case 'link':
      return takeLink(change, taking);
    case 'git':
      return takeGit(change, taking);
    case 'remote':
      return readRemote(change, taking);
    case 'host':
      work.hosts.add(change.name);
      return;
    case 'note':
      work.notes.add(change.text);
      if (change.inGit === true) work.isGitChanged = true;
      return;
    case 'unknown':
      work.unknown.add(change.what);
      work.isVague = true;
      return;
    case 'unexplained':
      work.unexplained.add(change.effect);
      work.isVague = true;
      return;
    case 'search':
    case 'read-names':
      return;
  }
}
