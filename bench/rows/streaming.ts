import { now } from '../clock.ts';
import type { Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

const KEYS = 200;

/** From a key to its echo while an answer streams in. */
export const streaming: Row = {
  name: 'streaming',
  async measure(place) {
    const screen = await openPrompt([place.aish], place.env, place.work);
    screen.write('?stream=800\r');
    await screen.until((plain) => plain.includes('piece'), 'the beginning of the answer');
    const values: number[] = [];
    for (let key = 0; key < KEYS; key += 1) {
      // The line is emptied first: a new piece of the answer paints what stands there once more.
      screen.write('\x15');
      await Bun.sleep(4);
      screen.forget();
      const pressedAt = now();
      screen.write('K');
      values.push((await screen.until((plain) => plain.includes('K'), 'the echo')) - pressedAt);
    }
    await screen.close();
    return [
      {
        what: 'keystroke echo while a model streams',
        unit: 'ms',
        values: values.slice(20),
        atMost: 0.5,
        p99AtMost: 5,
      },
    ];
  },
};
