import { realpathSync } from 'node:fs';
import { keyOf, type PathWord, type Plan, type Step, type Wanted } from '../../core/blast/plan.ts';
import { planLine } from '../../core/blast/plan-line.ts';
import type { LineGround } from '../../core/gate/judge-line.ts';
import type { BlastRadius } from '../../protocol/blast-radius.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { GitReader } from './git-facts.ts';
import type { Work } from './ground-work.ts';
import { Pace } from './pace.ts';
import { expandGlob } from './place-words.ts';
import { takeStep } from './take-step.ts';
import { type GitFacts, Tally } from './tally.ts';
import { Tree, Unreadable } from './tree.ts';

/** How long may be counted. */
export interface MeasureOptions {
  /** Milliseconds after which counting stops, and what there is by then is the answer. */
  readonly limit?: number;
}

const LIMIT_MS = 120;
const MOST_ROUNDS = 3;
const MOST_STEPS = 2000;

/** What a line would touch on the tree as it is. Nothing of the line is run, and nothing of the tree is changed. */
export async function measureBlast(
  line: string,
  ground: LineGround,
  signal: AbortSignal,
  { limit = LIMIT_MS }: MeasureOptions = {},
): Promise<BlastRadius> {
  const pace = new Pace(limit, signal);
  const tree = new Tree();
  const matches = new Map<string, readonly string[]>();
  let plan = planLine(line, ground, { matches });
  for (let round = 0; plan.wanted.length > 0 && round < MOST_ROUNDS; round += 1) {
    if (!(await match(plan.wanted, matches, tree, pace))) break;
    plan = planLine(line, ground, { matches });
  }
  return takePlan(plan, ground, { pace, tree, signal });
}

/** Matches the patterns that a plan waits for; false where there was no time. */
async function match(
  wanted: readonly Wanted[],
  matches: Map<string, readonly string[]>,
  tree: Tree,
  pace: Pace,
): Promise<boolean> {
  for (const one of wanted) {
    const found = await readable(() => expandGlob(one.pattern, one.cwd, tree, pace));
    if (found === null) return false;
    matches.set(keyOf(one), found);
  }
  return true;
}

interface Means {
  readonly pace: Pace;
  readonly tree: Tree;
  readonly signal: AbortSignal;
}

async function takePlan(plan: Plan, ground: LineGround, { pace, tree, signal }: Means): Promise<BlastRadius> {
  const project = realOf(ground.project);
  const work: Work = {
    tree,
    pace,
    ground,
    tally: new Tally(project),
    now: Date.now(),
    hosts: new Set(),
    unknown: new Set(),
    notes: new Set(),
    isVague: false,
    isGitChanged: false,
  };
  using timer = stopAfter(pace.left, signal);
  const git = tree.follow(`${project}/.git`) === null ? null : new GitReader(project, timer.signal);
  const asked =
    git !== null && plan.steps.some(({ step }) => isAboutFiles(step)) ? git.facts(placesOf(plan, project)) : null;
  for (const planned of plan.steps.slice(0, MOST_STEPS)) {
    const taking = { work, cwd: planned.cwd, isMaybe: planned.isMaybe };
    const done = await readable(() => takeStep(planned, taking, git), work);
    if (done === null) work.isVague = true;
  }
  if (plan.steps.length > MOST_STEPS) work.unknown.add('what the rest of so long a line does');
  await readable(() => work.tally.sizeUp(pace), work);
  const facts = asked === null ? null : await inTime(asked, timer.signal);
  return {
    effects: work.tally.toEffects(facts),
    hosts: [...work.hosts],
    unknown: [...work.unknown],
    notes: [...work.notes],
  };
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What cannot be looked at is unknown, and not nothing. */
async function readable<T>(look: () => Promise<T>, work?: Work): Promise<T | null> {
  try {
    return await look();
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    work?.unknown.add(`what is at ${thrown.path}, which cannot be looked at`);
    return null;
  }
}

function stopAfter(milliseconds: number, signal: AbortSignal): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, milliseconds);
  signal.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    },
  };
}

/** What git answers, unless the time is over first. */
async function inTime(asked: Promise<GitFacts | null>, signal: AbortSignal): Promise<GitFacts | null> {
  if (signal.aborted) return null;
  const over = Promise.withResolvers<null>();
  const stop = (): void => over.resolve(null);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([asked, over.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function isAboutFiles(step: Step): boolean {
  return ['delete', 'write', 'attributes', 'copy', 'move', 'pack', 'touch', 'git', 'unpack', 'link'].includes(step.do);
}

/** The places below the project that a plan is about, as far as its words say; none for all of it. */
function placesOf(plan: Plan, project: string): readonly string[] {
  const places = new Set<string>();
  for (const { step, cwd } of plan.steps) {
    if (!isAboutFiles(step)) continue;
    const words = wordsOf(step);
    if (words === null || words.length === 0) return [];
    for (const word of words) {
      const place = placeOf(word, cwd);
      if (place === null || place === project) return [];
      if (place.startsWith(`${project}/`)) places.add(place);
    }
  }
  return places.size > 50 ? [] : [...places];
}

function wordsOf(step: Step): readonly PathWord[] | null {
  switch (step.do) {
    case 'delete':
    case 'write':
    case 'attributes':
    case 'touch':
      return step.targets;
    case 'copy':
    case 'move':
      return [...step.sources, step.target];
    default:
      return null;
  }
}

/** Plain words only: what a link or `..` leads to is elsewhere than it looks. */
function placeOf({ path, pattern, search }: PathWord, cwd: string | null): string | null {
  if (path === null || pattern !== undefined || search !== undefined || /(^|\/)\.\.?(\/|$)/.test(path)) return null;
  if (!path.startsWith('/') && cwd === null) return null;
  const place = (path.startsWith('/') ? path : `${cwd}/${path}`).replace(/\/+$/, '');
  return realOf(place.slice(0, place.lastIndexOf('/')) || '/') + place.slice(place.lastIndexOf('/'));
}

/** What a call that is no command line would touch, as far as its arguments tell; null for one that tells nothing. */
export async function measureCall(
  call: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  ground: LineGround,
  signal: AbortSignal,
  { limit = LIMIT_MS }: MeasureOptions = {},
): Promise<BlastRadius | null> {
  const steps = stepsOf(call);
  if (steps === null) return null;
  const plan: Plan = { steps: steps.map((step) => ({ step, cwd: ground.cwd, isMaybe: false })), wanted: [] };
  const homely = plan.steps.map((planned) => ({ ...planned, step: atHome(planned.step, ground.home) }));
  return takePlan({ ...plan, steps: homely }, ground, { pace: new Pace(limit, signal), tree: new Tree(), signal });
}

const ADDRESS = /^(?:https?|wss?|ftp|ssh|git):\/\/(?:[^@/\s]*@)?([^/\s?#]+)/i;

function stepsOf({
  name,
  arguments: given,
  effect,
}: Pick<ToolCall, 'name' | 'arguments' | 'effect'>): readonly Step[] | null {
  if (effect === 'read') return [];
  const path = typeof given.path === 'string' ? given.path : null;
  if (name === 'aish.write_file' || name === 'aish.edit_file') {
    if (path === null) return null;
    const how = name === 'aish.write_file' ? 'replace' : 'edit';
    return [{ do: 'write', targets: [{ text: path, path }], how, onlyExisting: how === 'edit' }];
  }
  if (name.startsWith('aish.')) return null;
  const texts = Object.values(given).flatMap((value) => (typeof value === 'string' ? [value] : []));
  const hosts = texts.flatMap((text) => ADDRESS.exec(text)?.[1] ?? []);
  const places = Object.entries(given).filter(
    ([key, value]) => /(path|file|folder|directory|source|destination)$/i.test(key) && typeof value === 'string',
  );
  const named = places.map(([, value]) => String(value)).join(', ');
  const isNested = Object.values(given).some((value) => Array.isArray(value) || isJsonObject(value));
  const reason = named === '' ? `what ${name} does` : `what ${name} does with ${named}${isNested ? ' and more' : ''}`;
  return [...hosts.map((host): Step => ({ do: 'host', name: host })), { do: 'unknown', reason }];
}

/** A tool takes `~` for the home directory. */
function atHome(step: Step, home: string): Step {
  if (step.do !== 'write') return step;
  const targets = step.targets.map((word) => ({ ...word, path: word.path?.replace(/^~(?=\/|$)/, home) ?? null }));
  return { ...step, targets };
}
