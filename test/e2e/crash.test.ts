import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../fidelity/random.ts';
import { type Life, liveAsDaemon, liveAsOneShot, liveAtPrompt } from '../support/crash-lives.ts';
import { type CrashTally, CrashWorld } from '../support/crash-world.ts';

/** All 200 take some minutes: `AISH_CRASH_MOMENTS=200`. The same seed brings the same choices, though not the same moments. */
const MOMENTS = Number(process.env.AISH_CRASH_MOMENTS ?? 26);
const SEED = Number(process.env.AISH_CRASH_SEED ?? 20_261_121);
/** A session is killed so often before it is looked at as a whole. */
const MOMENTS_PER_SESSION = 13;

/** The next life of a session; null where it ended before it was killed. */
function live(world: CrashWorld, life: Life): Promise<Life | null> {
  const at = world.random.below(8);
  if (at === 0) return liveAsOneShot(world, life);
  return at <= 2 ? liveAtPrompt(world, life) : liveAsDaemon(world, life);
}

function newestId(world: CrashWorld): string | null {
  const folder = join(world.home.state, 'sessions');
  try {
    return readdirSync(folder).toSorted().at(-1) ?? null;
  } catch {
    return null;
  }
}

/** Kills a session again and again, resumes it a last time, and returns all that is wrong then. */
async function killAndResume(world: CrashWorld, moments: number, tally: CrashTally): Promise<string[]> {
  let life: Life = { id: null, seq: 0 };
  for (let moment = 0; moment < moments; ) {
    const after = await live(world, life);
    if (after !== null) moment += 1;
    life = after ?? life;
    // One that nobody used left no log, and there is nothing to go on with.
    life = { ...life, id: newestId(world) };
  }
  world.isClosing = true;
  const { code, error } = await world.home.run(
    ['-p', ...(life.id === null ? [] : ['--resume', life.id]), 'is all well?'],
    { env: world.env },
  );
  return [...world.faults(tally), ...(code === 0 ? [] : [`the last life ended with ${code}: ${error}`])];
}

test(`[session.kill] [session.once] killed at ${MOMENTS} random moments of its work, a session goes on each time, asks only what a strict server takes, and does nothing twice`, async () => {
  const tally: CrashTally = { requests: 0, done: 0, unknown: 0, notBegun: 0, facts: {} };
  for (let left = MOMENTS, seed = SEED; left > 0; left -= MOMENTS_PER_SESSION, seed += 1) {
    await using world = new CrashWorld(new Random(seed));
    await world.open();
    const faults = await killAndResume(world, Math.min(left, MOMENTS_PER_SESSION), tally);
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  }
  if (MOMENTS > 26) process.stderr.write(`${MOMENTS} moments from seed ${SEED}: ${JSON.stringify(tally)}\n`);
  expect([tally.done > 0, tally.requests > MOMENTS / 2]).toEqual([true, true]);
}, 3_600_000);
