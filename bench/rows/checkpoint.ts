import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCheckpoint } from '../../src/adapters/git/snapshot/checkpoint.ts';
import { USUAL_RETENTION } from '../../src/core/session/settings.ts';
import { now } from '../clock.ts';
import { inTurn, type Row } from '../row.ts';

const FILES = 100_000;
const FILES_OF_A_FOLDER = 500;

/** A checkpoint in a large clean repository, beside what git itself needs to look at it. Takes a minute. */
export const checkpoint: Row = {
  name: 'checkpoint',
  slow: true,
  async measure(place) {
    const cwd = makeRepository(join(place.root, 'large'));
    const options = {
      cwd,
      label: 'bench',
      toolName: 'bench',
      mode: 'ref',
      limits: USUAL_RETENTION,
      sessionId: 'bench',
    } as const;
    const [values = [], baseline = []] = await inTurn(8, [
      () => timed(() => createCheckpoint({ ...options, at: Date.now() })),
      () => timed(() => Promise.resolve(git(cwd, 'status', '--porcelain'))),
    ]);
    rmSync(cwd, { recursive: true, force: true });
    const what = `checkpoint in a clean repository of ${FILES} files`;
    return [{ what, unit: 'ms', values, baseline: { what: 'git status', values: baseline }, timesBaseline: 1.5 }];
  },
};

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = now();
  await run();
  return now() - startedAt;
}

/** Makes a repository of 100,000 committed files there, and returns the folder. */
export function makeRepository(cwd: string): string {
  for (let file = 0; file < FILES; file += 1) {
    const folder = `${cwd}/${Math.floor(file / FILES_OF_A_FOLDER)}`;
    if (file % FILES_OF_A_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/${file}.txt`, `file ${file}\n`);
  }
  git(cwd, 'init', '-q');
  git(cwd, 'add', '.');
  git(cwd, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'all');
  return cwd;
}

function git(cwd: string, ...args: readonly string[]): void {
  const done = Bun.spawnSync(['git', ...args], { cwd, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  if (done.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr.toString()}`);
}
