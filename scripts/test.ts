// Runs everything: the build, then types, style and every suite; with paths, only the tests under them.
import { addSteps, checkBuild, checkStyle, checkTypes, closeRun, listTests, runTests, useBuild } from './steps.ts';

const UPDATE = '--update-timings';
const paths = process.argv.slice(2).filter((word) => word !== UPDATE);
const updateTimings = process.argv.includes(UPDATE);

/**
 * Everything: the build, then types, style and every suite. With paths only the tests under them, and the build if some of these start the
 * program. With `--update-timings` the timings file of the checkout learns how long each file took.
 */
async function main(): Promise<number> {
  if (paths.length > 0) {
    const startsProgram = listTests(paths).some((path) => path.startsWith('test/'));
    return closeRun(await runTests(paths, { environment: startsProgram ? useBuild(await checkBuild()) : {} }));
  }
  const build = await checkBuild();
  const environment = useBuild(build);
  // The first tests wait for shells more than they compute: types and style are checked meanwhile.
  const [counts, ...steps] = await Promise.all([
    runTests(['src', 'scripts', 'test'], { environment, updateTimings }),
    checkTypes(),
    checkStyle(),
  ]);
  return closeRun(addSteps(counts, [build, ...steps]));
}

process.exit(await main());
