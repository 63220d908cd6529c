import { now } from '../clock.ts';
import type { Place } from '../place.ts';
import type { Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

const KEYS = 200;

/** From a key to its echo. */
export const keystroke: Row = {
  name: 'keystroke',
  async measure(place) {
    const values = await echoes(place, [place.aish]);
    const floor = await echoes(place, ['bash', '-i']);
    return [
      {
        what: 'keystroke echo',
        unit: 'ms',
        values,
        floor: { what: 'bash -i', values: floor },
        atMost: 0.5,
        p99AtMost: 5,
      },
    ];
  },
};

async function echoes(place: Place, command: readonly string[]): Promise<number[]> {
  const screen = await openPrompt(command, place.env, `${place.root}/work`);
  const times: number[] = [];
  for (let key = 0; key < KEYS; key += 1) {
    if (key % 40 === 0) screen.write('\x15');
    await Bun.sleep(4);
    screen.forget();
    const pressedAt = now();
    screen.write('k');
    times.push((await screen.until((plain) => plain.includes('k'), 'the echo')) - pressedAt);
  }
  await screen.close();
  return times.slice(20);
}
