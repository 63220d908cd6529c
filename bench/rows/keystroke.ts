import { now } from '../clock.ts';
import type { Place } from '../place.ts';
import type { Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';

const ROUNDS = 5;
const KEYS = 40;

/** From a key to its echo. */
export const keystroke: Row = {
  name: 'keystroke',
  async measure(place) {
    const clients = await Promise.all([[place.aish], ['bash', '-i']].map((command) => open(place, command)));
    const times: number[][] = clients.map(() => []);
    // In turn, so that both meet the same noise; one round first to warm up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [at, screen] of clients.entries()) {
        const echoes = await echoesOf(screen);
        if (round > 0) times[at]?.push(...echoes);
      }
    }
    for (const screen of clients) await screen.close();
    const [values = [], baseline = []] = times;
    const budget = { atMost: 0.5, p99AtMost: 5 };
    return [{ what: 'keystroke echo', unit: 'ms', values, baseline: { what: 'bash -i', values: baseline }, ...budget }];
  },
};

function open(place: Place, command: readonly string[]): Promise<Screen> {
  return openPrompt(command, place.env, place.work);
}

async function echoesOf(screen: Screen): Promise<number[]> {
  const times: number[] = [];
  screen.write('\x15');
  for (let key = 0; key < KEYS; key += 1) {
    await Bun.sleep(4);
    screen.forget();
    const pressedAt = now();
    screen.write('k');
    times.push((await screen.until((plain) => plain.includes('k'), 'the echo')) - pressedAt);
  }
  return times;
}
