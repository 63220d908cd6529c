import { peakMemory } from '../memory.ts';
import type { Place } from '../place.ts';
import type { Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

const GIGABYTE = 1_000_000_000;
const LINE = `yes ${'a'.repeat(99)} | head -c ${GIGABYTE}; printf 'a%sb\\n' 1234`;

/** A gigabyte of output: what the program holds at most, at the end and on the way. Takes a minute. */
export const flood: Row = {
  name: 'flood',
  slow: true,
  async measure(place) {
    return [{ what: '1 GB of output, peak', unit: 'MiB', values: [await peakOfFlood(place)], atMost: 120 }];
  },
};

async function peakOfFlood(place: Place): Promise<number> {
  const screen = await openPrompt([place.aish], place.env, place.work, { patienceMs: 300_000 });
  screen.write(LINE);
  await Bun.sleep(100);
  screen.forget();
  screen.write('\r');
  await screen.until((plain) => plain.includes('a1234b'), 'the end of the output');
  const peak = peakMemory(screen.pid) ?? Number.NaN;
  await screen.close();
  return peak;
}
