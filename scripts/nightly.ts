// Compares random lines between bash and zsh used directly and through aish, runs the random tests with many more steps and kills, times
// every
// regular expression, compares the options of specs with the help of what is installed, and writes the timings file.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { type FidelityCommand, SHELLS, type ShellName } from '../test/fidelity/command.ts';
import { type Comparison, differences } from '../test/fidelity/compare.ts';
import { compareAll } from '../test/fidelity/compare-all.ts';
import { Random } from '../test/fidelity/random.ts';
import { randomLine } from '../test/fidelity/random-lines.ts';
import { runTests } from './steps.ts';

const SHOWN = 10;

/** `nightly [lines] [seed]`: the same seed brings the same lines. */
async function main([lines = '1000', seed = String(Date.now() % 2 ** 31)]: readonly string[]): Promise<number> {
  let different = 0;
  for (const shell of SHELLS) {
    if (Bun.which(shell) === null) say(`${shell}: not installed, left out`);
    else different += await compareLines(shell, Number(lines), Number(seed));
  }
  let failed = 0;
  for (const { path, variables } of longRuns(seed)) if (!(await runTest(path, variables))) failed += 1;
  for (const script of ['regular-expressions', 'option-drift'])
    if (!(await runScript(`scripts/${script}.ts`))) failed += 1;
  // `npm test` has them on a memory file system where it can.
  const all = await runTests(['src', 'scripts', 'test'], {
    updateTimings: true,
    tmpOnDisk: true,
    environment: { AISH_TEST_SEED: seed },
  });
  return different === 0 && failed === 0 && all.failed === 0 ? 0 : 1;
}

/** A test file with more random steps, seeds or lines than each run of the tests has time for. */
interface LongRun {
  readonly path: string;
  readonly variables: Readonly<Record<string, string>>;
}

function longRuns(seed: string): readonly LongRun[] {
  return [
    { path: 'src/adapters/git/restore/two-actors', variables: { AISH_UNDO_STEPS: '10000', AISH_UNDO_SEED: seed } },
    {
      path: 'src/adapters/git/restore/two-actors',
      variables: { AISH_UNDO_STEPS: '3000', AISH_UNDO_FILES: '30000', AISH_UNDO_SEED: seed },
    },
    { path: 'test/e2e/undo-meanwhile', variables: { AISH_UNDO_FILES: '30000' } },
    { path: 'test/e2e/contract-resume', variables: { AISH_RUN_KILLS: '100', AISH_RUN_SEED: seed } },
    { path: 'src/adapters/git/restore/killed', variables: { AISH_UNDO_KILLS: '60' } },
    {
      path: 'src/adapters/git/object-store/own-objects',
      variables: { AISH_SWEEP_STEPS: '40', AISH_STORE_STEPS: '10000' },
    },
    { path: 'src/adapters/git/object-store/own-objects-killed', variables: { AISH_SWEEP_KILLS: '40' } },
    { path: 'src/adapters/git/object-store/store-killed', variables: { AISH_STORE_KILLS: '40' } },
    { path: 'src/adapters/git/object-store/private-store', variables: { AISH_STORE_STEPS: '10000' } },
    { path: 'src/engine/effects/long-talk', variables: { AISH_TEST_TURNS: '100' } },
    { path: 'src/hosts/cli/screen/long-lines', variables: { AISH_LONG_LINES: 'all' } },
    { path: 'src/core/session/laws', variables: { AISH_LAW_RUNS: '3000', AISH_LAW_SEED: seed } },
    { path: 'src/adapters/shell/interrupt-storm', variables: { AISH_STORM_LINES: '2000' } },
    { path: 'test/e2e/crash', variables: { AISH_CRASH_MOMENTS: '200', AISH_CRASH_SEED: seed } },
    { path: 'test/e2e/actors', variables: { AISH_ACTORS_STEPS: '10000', AISH_ACTORS_SEED: seed } },
    { path: 'src/adapters/dry-run/dry-run', variables: { AISH_DRY_RUNS: '20' } },
    { path: 'test/injection/injection', variables: { AISH_INJECTIONS: 'all' } },
    { path: 'test/contracts/honest', variables: { AISH_REPOSITORIES: 'all' } },
    { path: 'test/contracts/adversary', variables: { AISH_CONTRACTS: '300', AISH_TEST_SEED: seed } },
    { path: 'test/e2e/hostile-folder', variables: { AISH_HOSTILE: 'all' } },
    { path: 'test/e2e/release', variables: { AISH_RELEASE: 'all' } },
    { path: 'test/e2e/fidelity', variables: { AISH_FIDELITY: 'all' } },
    { path: 'test/e2e/fidelity-fish', variables: { AISH_FIDELITY: 'all' } },
    { path: 'test/e2e/prompt-truth', variables: { AISH_TRUTH: 'all' } },
    // Output that comes in pieces shows a test that acts on half a screen.
    { path: 'test/e2e', variables: { AISH_TEST_PIECE: '200' } },
    { path: 'test/impact/ground-truth', variables: { AISH_TRUTH_LINES: 'all' } },
    { path: 'src/core/secrets/chunkings', variables: { AISH_SECRET_RUNS: '5000', AISH_SECRET_SEED: seed } },
    { path: 'src/engine/secrets/secret-pieces', variables: { AISH_SECRET_SESSIONS: '20', AISH_SECRET_SEED: seed } },
    {
      path: 'src/hosts/cli/editor/screen-model',
      variables: { AISH_SCREEN_RUNS: '67', AISH_SCREEN_STEPS: '400', AISH_SCREEN_SEEDS: seedsFrom(seed, 5) },
    },
  ];
}

/** So many seeds, others each night. */
function seedsFrom(seed: string, count: number): string {
  return Array.from({ length: count }, (_, at) => Number(seed) + at).join(',');
}

/** Runs a script of the project; false where it ends with an error. */
async function runScript(path: string): Promise<boolean> {
  const cwd = join(import.meta.dir, '..');
  const child = Bun.spawn({
    cmd: [process.execPath, path],
    cwd,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  });
  return (await child.exited) === 0;
}

async function runTest(path: string, variables: Readonly<Record<string, string>>): Promise<boolean> {
  const child = Bun.spawn({
    cmd: [process.execPath, 'test', '--isolate', `./${path}.test.ts`],
    cwd: join(import.meta.dir, '..'),
    env: { ...process.env, ...variables },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  });
  return (await child.exited) === 0;
}

/** Compares so many lines in one shell; tells how many are different, and the first of them. */
async function compareLines(shell: ShellName, count: number, seed: number): Promise<number> {
  const started = performance.now();
  const random = new Random(seed);
  const commands = Array.from({ length: count }, (): FidelityCommand => {
    const before = random.below(2) === 0 ? [randomLine(random)] : [];
    return { about: 'a random line', before, line: randomLine(random) };
  });
  const compared = [...compareAll(commands, shell)];
  const results = await Promise.all(compared.map(async ([command, result]) => [command, await result] as const));
  const wrong = results.filter(([, result]) => result instanceof Error || !isSame(result));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`${shell}: ${count} lines, ${wrong.length} different, seed ${seed} (${seconds} s)`);
  for (const [command, result] of wrong.slice(0, SHOWN)) {
    for (const line of command.before ?? []) say(`  before: ${line}`);
    say(`  line:   ${command.line}`);
    say(`  ${result instanceof Error ? result.message : JSON.stringify(differences(result))}`);
  }
  return wrong.length;
}

/** The parts of a pipeline run at the same time, so which prints first is open, even within a line. */
function isSame(comparison: Comparison): boolean {
  const { output: [direct, ours] = ['', ''], ...rest } = differences(comparison);
  return Object.keys(rest).length === 0 && sortWords(direct) === sortWords(ours);
}

function sortWords(text: string): string {
  return text.split(/\s+/).sort().join(' ');
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

process.exit(await main(process.argv.slice(2)));
