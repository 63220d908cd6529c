// Runs everything: types, style, the build, then every suite; with paths, only the tests under them.
import { join } from 'node:path';
import { addSteps, checkBuild, checkStyle, checkTypes, closeRun, ROOT, runTests } from './steps.ts';

const paths = process.argv.slice(2);

/** Everything: types, style, the build, then every suite. With paths only the tests under them, on the source. */
async function main(): Promise<number> {
  if (paths.length > 0) return closeRun(await runTests(paths));
  const steps = [checkTypes(), checkStyle(), checkBuild()];
  const built = steps.every((step) => step.name !== 'build' || step.ok);
  const environment: Record<string, string> = built ? { AISH_BIN: join(ROOT, 'dist/aish') } : {};
  return closeRun(addSteps(await runTests(['./src', './scripts', './test'], environment), steps));
}

process.exit(await main());
