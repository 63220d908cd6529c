// Compares lines put together at random between bash and zsh used directly and through aish, takes steps back and forth at random, lives
// random sessions by their laws, and kills sessions at random moments.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { type FidelityCommand, SHELLS, type ShellName } from '../test/fidelity/command.ts';
import { type Comparison, differences } from '../test/fidelity/compare.ts';
import { compareAll } from '../test/fidelity/compare-all.ts';
import { Random } from '../test/fidelity/random.ts';
import { randomLine } from '../test/fidelity/random-lines.ts';

const SHOWN = 10;

/** `nightly [lines] [seed]`: the same seed brings the same lines. */
async function main([lines = '1000', seed = String(Date.now() % 2 ** 31)]: readonly string[]): Promise<number> {
  let different = 0;
  for (const shell of SHELLS) {
    if (Bun.which(shell) === null) say(`${shell}: not installed, left out`);
    else different += await compareLines(shell, Number(lines), Number(seed));
  }
  const undone = await takeStepsBack(Number(seed));
  const capped = await fillStores();
  const lawful = await liveByLaws(Number(seed));
  const stormy = await pressCtrlC();
  const resumed = await killAndResume(Number(seed));
  return different === 0 && undone && capped && lawful && stormy && resumed ? 0 : 1;
}

/** The test of a person and a model on one tree, with far more steps than each run of the tests has time for. */
async function takeStepsBack(seed: number): Promise<boolean> {
  return runTest('src/adapters/git/two-actors', { AISH_UNDO_STEPS: '10000', AISH_UNDO_SEED: String(seed) });
}

/** The tests of both kinds of store that must stay under their cap, with as many steps. */
async function fillStores(): Promise<boolean> {
  const many = { AISH_STORE_STEPS: '10000' };
  const apart = await runTest('src/adapters/git/private-store', many);
  return (await runTest('src/adapters/git/own-objects', many)) && apart;
}

/** The laws of sessions, with more lives. */
async function liveByLaws(seed: number): Promise<boolean> {
  return runTest('src/core/session/laws', { AISH_LAW_RUNS: '3000', AISH_LAW_SEED: String(seed) });
}

/** Ctrl-C at any moment of more lines. */
async function pressCtrlC(): Promise<boolean> {
  return runTest('src/adapters/shell/interrupt-storm', { AISH_STORM_LINES: '2000' });
}

/** Sessions that are killed at random moments, at all 200 of them. */
async function killAndResume(seed: number): Promise<boolean> {
  return runTest('test/e2e/crash', { AISH_CRASH_MOMENTS: '200', AISH_CRASH_SEED: String(seed) });
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
  const results = await compareAll(commands, shell);
  const wrong = [...results].filter(([, result]) => result instanceof Error || !isSame(result));
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
