// The steps that `check` and `test` are made of, and their closing line.
import { join, normalize } from 'node:path';
import { type Counts, TestOutput } from './test-output.ts';
import { canHoldTmpInMemory, TMP_IN_MEMORY } from './tmp-in-memory.ts';

/** Root of this checkout. */
export const ROOT = join(import.meta.dir, '..');

/** The result of one step of a check. */
export interface StepResult {
  readonly name: string;
  readonly ok: boolean;
}

/** Runs a program quietly; its output is shown only when it fails. */
export async function runStep(name: string, command: readonly string[]): Promise<StepResult> {
  const started = performance.now();
  const child = Bun.spawn([...command], { cwd: ROOT, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const ok = (await child.exited) === 0;
  if (!ok) process.stdout.write(`${out}${error}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  return { name, ok };
}

/** Types of all layers and of the tests. */
export function checkTypes(): Promise<StepResult> {
  return runStep('types', [join(ROOT, 'node_modules/.bin/tsc'), '-b']);
}

/** Lint and format of every file. */
export function checkStyle(): Promise<StepResult> {
  return runStep('style', [
    join(ROOT, 'node_modules/.bin/biome'),
    'check',
    '--error-on-warnings',
    '--max-diagnostics=50',
  ]);
}

/** The program as one binary, which the end-to-end suites drive: built if a source is newer. */
export function checkBuild(): Promise<StepResult> {
  return runStep('build', ['sh', '-c', 'sh scripts/ensure-build && root=. && . bin/built']);
}

/** The environment that tells the tests which program to start. */
export function useBuild({ ok }: StepResult): Readonly<Record<string, string>> {
  return ok ? { AISH_BIN: join(ROOT, 'dist/aish') } : {};
}

/** The options of a run of test files beside their paths. */
export interface TestRunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Writes the seconds each file took to the timings file of the checkout. */
  readonly updateTimings?: boolean;
  /** Leaves /tmp on the disk, even where it could be in memory. */
  readonly tmpOnDisk?: boolean;
}

/** How long each test file took, so that the longest start first. Paths are relative to the root, times in milliseconds. */
export const TIMINGS = 'test/timings.json';

/** The tests wait half of their time, for a shell, a terminal or a user who reads: three workers for each core keep the cores at work. */
const WORKERS = Math.min(6, 3 * navigator.hardwareConcurrency);

const PROGRESS_MS = 15_000;

/** Most files live for a second or two: garbage collections by the clock would take 4 % of the CPU, and gain nothing. */
const NO_CLOCK = { BUN_GC_TIMER_DISABLE: '1' };

/** Runs test files side by side, shows failures and how far it is, and counts. */
export async function runTests(paths: readonly string[], options: TestRunOptions = {}): Promise<Counts> {
  const { environment = {}, updateTimings = false, tmpOnDisk = false } = options;
  const started = performance.now();
  const child = Bun.spawn(
    [
      ...(!tmpOnDisk && canHoldTmpInMemory([ROOT, process.execPath]) ? TMP_IN_MEMORY : []),
      process.execPath,
      'test',
      `--parallel=${WORKERS}`,
      '--timeout=60000',
      `--timings=${TIMINGS}`,
      ...(updateTimings ? ['--update-timings'] : []),
      ...paths,
    ],
    {
      cwd: ROOT,
      env: { ...process.env, ...NO_CLOCK, ...environment },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    },
  );
  const output = new TestOutput();
  const total = listTests(paths).length;
  const report = (): void => {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    process.stdout.write(`${output.files} of ${total} files, ${output.tests} tests, ${seconds} s\n`);
  };
  const timer = setInterval(report, PROGRESS_MS);
  for await (const line of readLines(child.stderr))
    for (const shown of output.read(line)) process.stdout.write(`${shown}\n`);
  const exitCode = await child.exited;
  clearInterval(timer);
  report();
  return output.counts(exitCode);
}

/** The test files under some files and folders of the checkout. */
export function listTests(paths: readonly string[]): string[] {
  const roots = paths.map((path) => normalize(path));
  const isUnder = (file: string) => roots.some((root) => file === root || file.startsWith(`${root}/`));
  return [...new Bun.Glob('{src,scripts,test}/**/*.test.{ts,tsx}').scanSync({ cwd: ROOT })].filter(isUnder).sort();
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Adds steps, each worth one, to the counts of the tests. */
export function addSteps(counts: Counts, steps: readonly StepResult[]): Counts {
  const ok = steps.filter((step) => step.ok).length;
  return { ...counts, passed: counts.passed + ok, failed: counts.failed + steps.length - ok };
}

/** Prints the closing line and says with which status to exit. */
export function closeRun(counts: Counts): number {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}
