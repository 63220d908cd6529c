// What to run before every push: types, style, units and rules.
import { addSteps, checkStyle, checkTypes, closeRun, runTests } from './steps.ts';

/** What to run before every push: types, style, units and rules; seconds, not minutes. */
async function main(): Promise<number> {
  const steps = [checkTypes(), checkStyle()];
  return closeRun(addSteps(await runTests(['./src', './scripts', './test/rules']), steps));
}

process.exit(await main());
