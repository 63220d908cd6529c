import type { Compare, Search, Test } from '../../core/commands/file-change.ts';
import { toMatcher } from '../../core/impact/shell-state.ts';
import type { Pace } from './pace.ts';
import { type Child, type Entry, type Tree, Unreadable } from './tree.ts';

/** Something that a search finds. */
export interface Found {
  readonly entry: Entry;
  /** As find would print it. */
  readonly written: string;
  /** It is where the search begins, written as `.`. */
  readonly isDot: boolean;
  readonly isSure: boolean;
}

type Truth = 'yes' | 'no' | 'maybe';

interface Candidate {
  readonly entry: Entry;
  readonly written: string;
  /** Told only where the search asks for it. */
  readonly isEmpty: boolean;
}

interface Seen {
  /** Whether the search reached the requested action. */
  reached: Truth;
  isPruned: boolean;
}

type Check = (candidate: Candidate, seen: Seen) => Truth;

interface SearchMeans {
  readonly tree: Tree;
  readonly pace: Pace;
  readonly now: number;
  /** Directory that relative paths are taken from. */
  readonly cwd: string | null;
}

/** Goes through the tree as `find` would, and passes on what reaches one of its actions as it is found. */
export async function runSearch(
  search: Search,
  roots: readonly { readonly path: string; readonly written: string }[],
  means: SearchMeans,
  onFound: (found: Found) => Promise<void>,
): Promise<{ readonly isCut: boolean; readonly missing: readonly string[]; readonly unreadable: readonly string[] }> {
  const walk = new SearchWalk(search, means, onFound);
  const missing: string[] = [];
  for (const { path, written } of roots) {
    const entry = means.tree.look(path);
    if (entry === null) missing.push(written);
    else await walk.visit(entry, written, 0);
  }
  return { isCut: walk.isCut, missing, unreadable: walk.unreadable };
}

/** So many names are gone through between two looks at the clock. */
const STRETCH = 64;

class SearchWalk {
  readonly #search: Search;
  readonly #means: SearchMeans;
  readonly #onFound: (found: Found) => Promise<void>;
  readonly #check: Check;
  readonly #asksEmpty: boolean;
  isCut = false;
  readonly unreadable: string[] = [];
  #visited = 0;

  constructor(search: Search, means: SearchMeans, onFound: (found: Found) => Promise<void>) {
    this.#search = search;
    this.#means = means;
    this.#onFound = onFound;
    this.#check = compile(search.test, search, means);
    this.#asksEmpty = asksEmpty(search.test);
  }

  async visit(entry: Entry, written: string, depth: number): Promise<void> {
    const { least, most, depthFirst } = this.#search;
    this.#visited += 1;
    if (
      this.isCut ||
      ((entry.kind === 'folder' || this.#visited % STRETCH === 0) && !(await this.#means.pace.breathe()))
    ) {
      this.isCut = true;
      return;
    }
    const isPruned = !depthFirst && depth >= least && (await this.#take(entry, written));
    if (entry.kind === 'folder' && depth < most && !isPruned) await this.#visitBelow(entry, written, depth);
    if (depthFirst && depth >= least && !this.isCut) await this.#take(entry, written);
  }

  async #visitBelow(entry: Entry, written: string, depth: number): Promise<void> {
    const { tree } = this.#means;
    const base = written.replace(/\/$/, '');
    const isPlain = depth + 1 >= this.#search.least;
    for (const child of await this.#childrenOf(entry)) {
      const inner = tree.childAt(entry.path, child);
      if (inner === null) continue;
      this.#visited += 1;
      // Most of a tree are files, and most of them are not meant: they cost no more than the question whether they are.
      const isQuick = isPlain && inner.kind !== 'folder' && this.#visited % STRETCH !== 0 && !this.isCut;
      if (!isQuick) await this.visit(inner, `${base}/${child.name}`, depth + 1);
      else if (this.#asksEmpty) await this.#take(inner, `${base}/${child.name}`);
      else {
        const seen = this.#classify(inner, `${base}/${child.name}`, false);
        if (seen.reached !== 'no') await this.#hand(inner, `${base}/${child.name}`, seen);
      }
    }
  }

  /** A folder that cannot be read does not end the search. */
  async #childrenOf({ path, stats }: Entry): Promise<readonly Child[]> {
    try {
      return await this.#means.tree.children(path, stats?.size);
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      this.unreadable.push(thrown.path);
      return [];
    }
  }

  /** Whether what is below is passed over. */
  async #take(entry: Entry, written: string): Promise<boolean> {
    const seen = this.#classify(entry, written, this.#asksEmpty && (await isEmpty(entry, this.#means.tree)));
    if (seen.reached !== 'no') await this.#hand(entry, written, seen);
    return seen.isPruned;
  }

  #classify(entry: Entry, written: string, empty: boolean): Seen {
    const seen: Seen = { reached: 'no', isPruned: false };
    this.#check({ entry, written, isEmpty: empty }, seen);
    return seen;
  }

  async #hand(entry: Entry, written: string, { reached }: Seen): Promise<void> {
    await this.#onFound({ entry, written, isDot: written === '.', isSure: reached === 'yes' });
  }
}

function asksEmpty(test: Test): boolean {
  if (test.is === 'empty') return true;
  if (test.is === 'not') return asksEmpty(test.of);
  return (test.is === 'all' || test.is === 'any') && test.of.some(asksEmpty);
}

async function isEmpty(entry: Entry, tree: Tree): Promise<boolean> {
  if (entry.kind === 'folder') return (await tree.children(entry.path, entry.stats?.size)).length === 0;
  return entry.kind === 'file' && entry.stats?.size === 0;
}

function compile(test: Test, search: Search, means: SearchMeans): Check {
  switch (test.is) {
    case 'all':
      return allOf(test.of.map((one) => compile(one, search, means)));
    case 'any':
      return anyOf(test.of.map((one) => compile(one, search, means)));
    case 'not': {
      const inner = compile(test.of, search, means);
      return (candidate, seen) => {
        const truth = inner(candidate, seen);
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
      return (candidate) => truthOf(candidate.isEmpty);
    case 'newer':
      return compileNewer(test.than.value, means);
    default:
      return compilePlain(test, means.now);
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

function compileNewer(than: string | null, { cwd, tree }: SearchMeans): Check {
  const other =
    than === null || (cwd === null && !than.startsWith('/'))
      ? null
      : tree.follow(than.startsWith('/') ? than : `${cwd}/${than}`);
  const time = other?.stats?.mtimeMs;
  return ({ entry }) => (time === undefined || entry.stats === null ? 'maybe' : truthOf(entry.stats.mtimeMs > time));
}

/** An action behind something that may hold is reached maybe. */
function allOf(checks: readonly Check[]): Check {
  return (candidate, seen) => {
    let truth: Truth = 'yes';
    for (const check of checks) {
      const before = seen.reached;
      const wasPruned = seen.isPruned;
      const one = check(candidate, seen);
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
  return (candidate, seen) => {
    let truth: Truth = 'no';
    for (const check of checks) {
      const before = seen.reached;
      const one = check(candidate, seen);
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
  const trimmed = path.length > 1 ? path.replace(/(?<!\/)\/+$/, '') : path;
  return trimmed.slice(trimmed.lastIndexOf('/') + 1) || trimmed;
}
