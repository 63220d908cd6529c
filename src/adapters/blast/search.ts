import type { Compare, Search, Test } from '../../core/blast/plan.ts';
import { toMatcher } from '../../core/blast/shell-glob.ts';
import type { Pace } from './pace.ts';
import type { Entry, Tree } from './tree.ts';

/** Something that a search finds. */
export interface Found {
  readonly path: string;
  /** It is where the search begins, written as `.`. */
  readonly isDot: boolean;
  readonly isSure: boolean;
}

/** What a search finds, in its order. */
export interface Findings {
  readonly found: readonly Found[];
  readonly isCut: boolean;
  readonly missing: readonly string[];
}

type Truth = 'yes' | 'no' | 'maybe';

/** A thing that is looked at. */
interface Candidate {
  readonly entry: Entry;
  readonly written: string;
  readonly isEmpty: () => Promise<boolean>;
}

interface Seen {
  /** Whether the action that is asked for was reached. */
  reached: Truth;
  isPruned: boolean;
}

type Check = (candidate: Candidate, seen: Seen) => Truth | Promise<Truth>;

interface Root {
  readonly path: string;
  readonly written: string;
}

/** Goes through the tree as `find` would, and gives what reaches one of its actions. */
export async function runSearch(
  search: Search,
  roots: readonly Root[],
  tree: Tree,
  pace: Pace,
  now: number,
): Promise<Findings> {
  const check = compile(search.test, search, tree, now);
  const found: Found[] = [];
  const missing: string[] = [];
  let isCut = false;
  const visit = async (path: string, written: string, depth: number): Promise<void> => {
    if (isCut || !(await pace.breathe())) {
      isCut = true;
      return;
    }
    const entry = depth === 0 ? tree.look(path) : tree.at(path);
    if (entry === null) {
      if (depth === 0) missing.push(written);
      return;
    }
    const seen: Seen = { reached: 'no', isPruned: false };
    const take = async (): Promise<void> => {
      if (depth < search.least) return;
      await check({ entry, written, isEmpty: () => isEmpty(entry, tree) }, seen);
      if (seen.reached !== 'no')
        found.push({ path: entry.path, isDot: written === '.', isSure: seen.reached === 'yes' });
    };
    if (!search.depthFirst) await take();
    if (entry.kind === 'folder' && depth < search.most && (search.depthFirst || !seen.isPruned)) {
      const base = entry.path === '/' ? '' : entry.path;
      for (const { name } of await tree.children(entry.path, entry.stats?.size))
        await visit(`${base}/${name}`, `${written.replace(/\/$/, '')}/${name}`, depth + 1);
    }
    if (search.depthFirst) await take();
  };
  for (const { path, written } of roots) await visit(path, written, 0);
  return { found, isCut, missing };
}

async function isEmpty(entry: Entry, tree: Tree): Promise<boolean> {
  if (entry.kind === 'folder') return (await tree.children(entry.path)).length === 0;
  return entry.kind === 'file' && entry.stats?.size === 0;
}

function compile(test: Test, search: Search, tree: Tree, now: number): Check {
  switch (test.is) {
    case 'all':
      return allOf(test.of.map((one) => compile(one, search, tree, now)));
    case 'any':
      return anyOf(test.of.map((one) => compile(one, search, tree, now)));
    case 'not': {
      const inner = compile(test.of, search, tree, now);
      return async (candidate, seen) => {
        const truth = await inner(candidate, seen);
        return truth === 'maybe' ? 'maybe' : truth === 'yes' ? 'no' : 'yes';
      };
    }
    case 'act':
      return (_, seen) => {
        if (test.act === search.act && seen.reached === 'no') seen.reached = 'yes';
        return test.isSure ? 'yes' : 'maybe';
      };
    case 'prune':
      return (_, seen) => {
        seen.isPruned = true;
        return 'yes';
      };
    case 'empty':
      return async ({ isEmpty: ask }) => ((await ask()) ? 'yes' : 'no');
    case 'newer':
      return compileNewer(test.than.path, search.cwd, tree);
    default:
      return compilePlain(test, now);
  }
}

type Plain = Exclude<Test, { readonly is: 'all' | 'any' | 'not' | 'act' | 'newer' } | { readonly of: unknown }>;

function compilePlain(test: Plain, now: number): Check {
  switch (test.is) {
    case 'true':
      return () => 'yes';
    case 'false':
      return () => 'no';
    case 'name': {
      const matches = toMatcher(test.pattern, { folds: test.folds });
      return ({ written }) => truthOf(matches(baseOf(written)));
    }
    case 'path': {
      const matches = toMatcher(test.pattern, { folds: test.folds });
      return ({ written }) => truthOf(matches(written));
    }
    case 'type':
      return ({ entry }) =>
        entry.kind === 'device' || entry.kind === 'other'
          ? 'maybe'
          : truthOf(test.types.split(',').includes(LETTERS[entry.kind]));
    case 'size':
      return ({ entry }) =>
        entry.stats === null ? 'maybe' : truthOf(compares(Math.ceil(entry.stats.size / test.unit), test.compare));
    case 'age':
      return ({ entry }) => {
        if (entry.stats === null) return 'maybe';
        const age = (now - entry.stats[`${test.time}Ms`]) / 1000 / test.unit;
        return truthOf(compares(Math.floor(age), test.compare));
      };
    default:
      return () => 'maybe';
  }
}

const LETTERS = { file: 'f', folder: 'd', link: 'l' } as const;

function compileNewer(than: string | null, cwd: string | null, tree: Tree): Check {
  const other =
    than === null || (cwd === null && !than.startsWith('/'))
      ? null
      : tree.follow(than.startsWith('/') ? than : `${cwd}/${than}`);
  const time = other?.stats?.mtimeMs;
  return ({ entry }) => (time === undefined || entry.stats === null ? 'maybe' : truthOf(entry.stats.mtimeMs > time));
}

/** An action behind something that may hold is reached maybe. */
function allOf(checks: readonly Check[]): Check {
  return async (candidate, seen) => {
    let truth: Truth = 'yes';
    for (const check of checks) {
      const before = seen.reached;
      const wasPruned = seen.isPruned;
      const one = await check(candidate, seen);
      if (truth === 'maybe') {
        if (before === 'no' && seen.reached === 'yes') seen.reached = 'maybe';
        seen.isPruned = wasPruned;
      }
      if (one === 'no') return 'no';
      if (one === 'maybe') truth = 'maybe';
    }
    return truth;
  };
}

function anyOf(checks: readonly Check[]): Check {
  return async (candidate, seen) => {
    let truth: Truth = 'no';
    for (const check of checks) {
      const before = seen.reached;
      const one = await check(candidate, seen);
      if (truth === 'maybe' && before === 'no' && seen.reached === 'yes') seen.reached = 'maybe';
      if (one === 'yes') return truth === 'maybe' ? 'yes' : one;
      if (one === 'maybe') truth = 'maybe';
    }
    return truth;
  };
}

function truthOf(holds: boolean): Truth {
  return holds ? 'yes' : 'no';
}

function compares(value: number, { sign, value: wanted }: Compare): boolean {
  return sign === '+' ? value > wanted : sign === '-' ? value < wanted : value === wanted;
}

function baseOf(path: string): string {
  const trimmed = path.length > 1 ? path.replace(/\/+$/, '') : path;
  return trimmed.slice(trimmed.lastIndexOf('/') + 1) || trimmed;
}
