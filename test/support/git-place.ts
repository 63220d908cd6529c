import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for a file of tests, with a home of its own whose git settings are those given. */
export function useGitHome(name: string, settings: string | null): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), `aish-${name}-`)));
  const saved = { ...process.env };
  beforeAll(() => {
    mkdirSync(join(base, 'home'));
    process.env.HOME = join(base, 'home');
    delete process.env.XDG_CONFIG_HOME;
    if (settings !== null) writeFileSync(join(base, 'home', '.gitconfig'), settings);
  });
  afterAll(() => {
    process.env = saved;
    rmSync(base, { recursive: true, force: true });
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
