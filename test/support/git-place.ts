import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useFolder } from './test-folder.ts';

/** A folder for a file of tests, with a home of its own whose git settings are those given. */
export function useGitHome(name: string, settings: string | null): string {
  const base = useFolder(name);
  const saved = { ...process.env };
  beforeAll(() => {
    mkdirSync(join(base, 'home'));
    process.env.HOME = join(base, 'home');
    delete process.env.XDG_CONFIG_HOME;
    if (settings !== null) writeFileSync(join(base, 'home', '.gitconfig'), settings);
  });
  afterAll(() => {
    process.env = saved;
  });
  return base;
}

/** Settings of somebody who commits. */
export const ADA = '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n';

/** Makes an empty repository below a folder before each test, and tells which. */
export function useRepository(base: string, tell: (cwd: string) => void): void {
  beforeEach(() => {
    const cwd = mkdtempSync(join(base, 'work-'));
    execFileSync('git', ['init', '-q'], { cwd, stdio: 'ignore' });
    tell(cwd);
  });
}

/** The actions of tests in a work tree. */
export interface WorkTreeDeps {
  git(...args: string[]): string;
  /** Writes a file, with the folders above it. */
  put(name: string, content: string | Buffer): void;
  get(name: string): string;
  has(name: string): boolean;
  /** Commits all that is there. */
  commit(): void;
  /** Commits a file on `main`, which stays checked out, and on `side`, so that the two are in conflict. */
  diverge(name: string): void;
}

/** Hands for the work tree that is the present one at the time of each call. */
export function workIn(where: () => string): WorkTreeDeps {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: where(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const put = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(where(), name)), { recursive: true });
    writeFileSync(join(where(), name), content);
  };
  const commit = (): void => {
    git('add', '-A');
    git('commit', '-qm', 'first');
  };
  return {
    git,
    put,
    get: (name) => readFileSync(join(where(), name), 'utf8'),
    has: (name) => existsSync(join(where(), name)),
    commit,
    diverge: (name) => {
      put(name, '1');
      commit();
      git('checkout', '-qb', 'side');
      put(name, 'side');
      git('commit', '-qam', 'side');
      git('checkout', '-q', 'main');
      put(name, 'main');
      git('commit', '-qam', 'main');
    },
  };
}
