import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../fidelity/random.ts';
import { AISH } from '../support/aish.ts';
import { type Life, liveAsDaemon, liveAsOneShot, liveAtPrompt, liveToTheEnd } from '../support/crash-lives.ts';
import { type CrashTally, CrashWorld, LAST_WORDS } from '../support/crash-world.ts';
import { hasProgram } from '../support/programs.ts';

/** All 200 take some minutes: `AISH_CRASH_MOMENTS=200`. The same seed brings the same choices, though not the same moments. */
const MOMENTS = Number(process.env.AISH_CRASH_MOMENTS ?? 13);
const SEED = Number(process.env.AISH_CRASH_SEED ?? 20_261_121);
/** A session is killed so often before it is looked at as a whole. */
const MOMENTS_PER_SESSION = 13;
const SESSIONS = Array.from({ length: Math.ceil(MOMENTS / MOMENTS_PER_SESSION) }, (_, at) => at);
const LONG = 120_000;

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

/**
 * Kills a session again and again, resumes it a last time, and returns all faults. A slow machine gets more moments, until a call has run:
 * without one the kills would prove nothing.
 */
async function killAndResume(world: CrashWorld, moments: number, tally: CrashTally): Promise<string[]> {
  let life: Life = { id: null, seq: 0 };
  for (let moment = 0; moment < moments || !world.hasDone; ) {
    const after = await live(world, life);
    if (after !== null) moment += 1;
    life = after ?? life;
    // One that nobody used left no log, and there is nothing to go on with.
    life = { ...life, id: newestId(world) };
  }
  const ended = await liveToTheEnd(world, life.id);
  return [...world.faults(tally), ...ended];
}

describe('killed at random moments', () => {
  const tally: CrashTally = { requests: 0, done: 0, unknown: 0, notBegun: 0, facts: {} };
  afterAll(() => {
    if (MOMENTS > 13) process.stderr.write(`${MOMENTS} moments from seed ${SEED}: ${JSON.stringify(tally)}\n`);
  });

  test.each(SESSIONS)(
    '[session.kill] [session.once] session %i goes on each time, asks only what a strict server takes, and does nothing twice',
    async (at) => {
      const seed = SEED + at;
      await using world = new CrashWorld(new Random(seed));
      await world.open();
      const moments = Math.min(MOMENTS - at * MOMENTS_PER_SESSION, MOMENTS_PER_SESSION);
      const faults = await killAndResume(world, moments, tally);
      expect({ seed, faults }).toEqual({ seed, faults: [] });
    },
    LONG,
  );

  test('something was done, and more was asked for than sessions are resumed', () => {
    expect([tally.done > 0, tally.requests > MOMENTS / 2]).toEqual([true, true]);
  });
});

/** Bytes that are left on the disk when the work goes on: for nothing, for a few facts, for a turn. */
const ROOM = [0, 4096, 8192];
/** Turns that are more than enough to fill it; the second turn that fails is the last. */
const FILLING = 9;

const CAN_FILL = hasProgram('bwrap');

test.skipIf(!CAN_FILL)(
  '[session.full-disk] [session.once] on a disk that fills up at whatever fact, a session stops, and goes on once there is room',
  async () => {
    const tally: CrashTally = { requests: 0, done: 0, unknown: 0, notBegun: 0, facts: {} };
    for (const [at, room] of ROOM.entries()) {
      await using world = new CrashWorld(new Random(SEED + at));
      await world.open();
      const { home, env } = world;
      const lives = [
        `"$0" -p 'begin'`,
        `head -c $(($(stat -f -c '%a * %S' "$1") - ${room})) /dev/zero > "$1/filler"`,
        `for turn in $(seq ${FILLING}); do "$0" -p --continue 'go on' || full="x$full"; [ "$full" != xx ] || break; done`,
        'rm "$1/filler"',
        `exec "$0" -p --continue '${LAST_WORDS}'`,
      ];
      const disk = ['--dev-bind', '/', '/', '--size', '1048576', '--tmpfs', home.state];
      const child = Bun.spawn(['bwrap', ...disk, 'sh', '-c', lives.join('\n'), AISH, home.state], {
        cwd: home.work,
        env: { ...home.env, ...env },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
      const faults = world.faults(tally);
      expect({ room, code, said: said.includes('log cannot be written'), faults }).toEqual({
        room,
        code: 0,
        said: true,
        faults: [],
      });
    }
    expect(tally.done).toBeGreaterThan(0);
  },
  LONG,
);
