// The steps that `check` and `test` are made of, and their closing line.
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Root of this checkout. */
export const ROOT = join(import.meta.dir, '..');

/** What came of one step of a check. */
export interface StepResult {
  readonly name: string;
  readonly ok: boolean;
}

/** Runs a program quietly; its output is shown only when it fails. */
export function runStep(name: string, command: readonly string[]): StepResult {
  const started = performance.now();
  const child = Bun.spawnSync([...command], { cwd: ROOT, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const ok = child.exitCode === 0;
  if (!ok) process.stdout.write(`${child.stdout.toString()}${child.stderr.toString()}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  return { name, ok };
}

/** Types of all floors and of the tests. */
export function checkTypes(): StepResult {
  return runStep('types', [join(ROOT, 'node_modules/.bin/tsc'), '-b']);
}

/** Lint and format of every file. */
export function checkStyle(): StepResult {
  return runStep('style', [
    join(ROOT, 'node_modules/.bin/biome'),
    'check',
    '--error-on-warnings',
    '--max-diagnostics=50',
  ]);
}

/** The program as one binary, which the end-to-end suites drive. */
export function checkBuild(): StepResult {
  return runStep('build', [process.execPath, join(ROOT, 'scripts/build.ts')]);
}

/** How many tests passed, failed and were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Runs test files, showing failures only, and counts them from the JUnit report. */
export async function runTests(paths: readonly string[], environment: Record<string, string> = {}): Promise<Counts> {
  const report = join(ROOT, '.build/junit.xml');
  rmSync(report, { force: true });
  const child = Bun.spawn(
    [
      process.execPath,
      'test',
      '--isolate',
      '--only-failures',
      '--timeout=30000',
      // Real shells on a machine that others use miss their time now and then: there a test has a second try, and the first is shown.
      ...(process.env.CI === undefined ? [] : ['--retry=1']),
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      ...paths,
    ],
    { cwd: ROOT, env: { ...process.env, ...environment }, stdin: 'ignore', stdout: 'inherit', stderr: 'inherit' },
  );
  const exitCode = await child.exited;
  const file = Bun.file(report);
  return countTests((await file.exists()) ? await file.text() : '', exitCode);
}

/** Reads the totals of a JUnit report. A failed run without a failed test (an error while loading a file) counts as one failure. */
export function countTests(report: string, exitCode: number): Counts {
  const [head = ''] = /<testsuites\b[^>]*>/.exec(report) ?? [];
  const total = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const skipped = total('skipped');
  const failures = total('failures');
  const failed = failures === 0 && exitCode !== 0 ? 1 : failures;
  return { passed: total('tests') - failures - skipped, failed, skipped };
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
