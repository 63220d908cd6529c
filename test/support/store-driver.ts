// Makes steps in a folder without a repository and lets old ones go, until it is killed; the test that starts it looks at what is left.
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository } from '../../src/adapters/git/object-store/repository.ts';
import { createCheckpoint, finalizeCheckpoint } from '../../src/adapters/git/snapshot/checkpoint.ts';
import { pruneWherePossible } from '../../src/adapters/git/snapshot/prune.ts';

const [cwd = '', sessionId = ''] = process.argv.slice(2);
const limits = { steps: 6, bytes: 100_000 };

/** Step after step, each with bytes of its own. */
async function main(): Promise<never> {
  for (let at = 0; ; at += 1) {
    writeSync(1, `${at}\n`);
    const options = { cwd, label: 'a step', toolName: 'write', mode: 'ref', sessionId, at, limits } as const;
    const checkpoint = await createCheckpoint(options);
    writeFileSync(join(cwd, sessionId), crypto.getRandomValues(new Uint8Array(8_000)));
    await finalizeCheckpoint(checkpoint);
    await pruneWherePossible(await openRepository(cwd), { limits, live: new Set([sessionId]) });
  }
}

await main();
