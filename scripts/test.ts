// Runs everything: the build, then types, style and every suite; with paths, only the tests under them.
import { join } from 'node:path';
import { addSteps, checkBuild, checkStyle, checkTypes, closeRun, ROOT, runTests } from './steps.ts';

const UPDATE = '--update-timings';
const paths = process.argv.slice(2).filter((word) => word !== UPDATE);
const updateTimings = process.argv.includes(UPDATE);

/**
 * Everything: the build, then types, style and every suite. With paths only the tests under them, on the source. With `--update-timings`
 * the timings file of the checkout learns how long each file took.
 */
async function main(): Promise<number> {
  if (paths.length > 0) return closeRun(await runTests(paths));
  const build = await checkBuild();
  const environment: Record<string, string> = build.ok ? { AISH_BIN: join(ROOT, 'dist/aish') } : {};
  // The first tests wait for shells more than they compute: types and style are checked meanwhile.
  const [counts, ...steps] = await Promise.all([
    runTests(['src', 'scripts', 'test'], { environment, updateTimings }),
    checkTypes(),
    checkStyle(),
  ]);
  return closeRun(addSteps(counts, [build, ...steps]));
}

process.exit(await main());
