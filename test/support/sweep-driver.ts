// Makes steps in a repository, and takes away at once what they leave, until it is killed; the test that starts it looks at what is left.
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sweepOwnObjects } from '../../src/adapters/git/object-store/own-objects-sweep.ts';
import { openRepository } from '../../src/adapters/git/object-store/repository.ts';
import { createCheckpoint, finalizeCheckpoint } from '../../src/adapters/git/snapshot/checkpoint.ts';

const [cwd = '', sessionId = ''] = process.argv.slice(2);
const limits = { steps: 4, bytes: 1e9 };
const LATER_MS = 3_600_000;

/** Step after step, of few contents, so that one often needs what another left. */
async function main(): Promise<never> {
  for (let at = 0; ; at += 1) {
    writeSync(1, `${at}\n`);
    const options = { cwd, label: 'a step', toolName: 'write', mode: 'ref', sessionId, at, limits } as const;
    const checkpoint = await createCheckpoint(options);
    writeFileSync(join(cwd, sessionId), `content ${at % 7}`);
    await finalizeCheckpoint(checkpoint);
    await sweepOwnObjects(await openRepository(cwd), { above: 0, now: Date.now() + LATER_MS });
  }
}

await main();
