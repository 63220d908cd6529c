// The checks to run before every push: types, style, units and rules.
import { join } from 'node:path';
import { addSteps, checkStyle, checkTypes, closeRun, listTests, ROOT, runTests, TIMINGS } from './steps.ts';

/** A file that takes longer than this is left to `npm test`, so that a check stays a matter of seconds. */
const LONGEST_MS = 1500;

/** Types, style, rules, and every unit that is quick by the timings file. */
async function main(): Promise<number> {
  const { files: times }: { files: Record<string, number> } = await Bun.file(join(ROOT, TIMINGS)).json();
  const quick = listTests(['src', 'scripts', 'test/rules']).filter((file) => (times[file] ?? 0) <= LONGEST_MS);
  const steps = await Promise.all([checkTypes(), checkStyle()]);
  return closeRun(addSteps(await runTests(quick.map((file) => `./${file}`)), steps));
}

process.exit(await main());
