import { expect, test } from 'bun:test';
import { Random } from '../fidelity/random.ts';
import { ActorsPlay, type Tally } from '../support/actors-play.ts';

/** So many things that somebody does; the bar is 10,000. */
const STEPS = Number(process.env.AISH_ACTORS_STEPS ?? 70);
const SEED = Number(process.env.AISH_ACTORS_SEED ?? 1);
/** A session grows with each step, and each request of the model with it. */
const STEPS_OF_A_SESSION = 160;
/** Without these the test would prove little. */
const NEVER_LEFT_OUT = ['races', 'undo or redo', 'run', 'send', 'cut', 'kill of a client', 'kill of the owner'];

test(
  `[attach.one-history] ${STEPS} steps of an owner and two clients, with broken connections and kills, leave one history that all agree on`,
  async () => {
    const tally: Tally = {};
    const faults: string[] = [];
    for (let done = 0, seed = SEED; done < STEPS; done += STEPS_OF_A_SESSION, seed += 1) {
      const play = new ActorsPlay(new Random(seed), tally);
      // One session that goes wrong does not keep the others from being tried.
      await play.run(Math.min(STEPS_OF_A_SESSION, STEPS - done)).catch((error: unknown) => {
        play.faults.push(String(error));
      });
      faults.push(...play.faults.map((fault) => `seed ${seed}: ${fault}`));
    }
    if (process.env.AISH_ACTORS_STEPS !== undefined) console.log(`seed ${SEED}:`, tally);
    expect(faults).toEqual([]);
    expect(Object.keys(tally)).toEqual(expect.arrayContaining(NEVER_LEFT_OUT));
  },
  { timeout: Math.max(120_000, STEPS * 500) },
);
