import { now } from '../clock.ts';
import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';
import { openPrompt, openScreen } from '../screen.ts';

const LINES = "seq 1 3000000; printf 'a%sb\\n' 1234";

/** Much output to the terminal, beside `script`, which does nothing but pass it on. */
export const output: Row = {
  name: 'output',
  async measure(place) {
    const [values = [], baseline = []] = await inTurn(4, [() => throughAish(place), () => throughScript(place)]);
    return [
      { what: 'seq 1 3000000', unit: 'ms', values, baseline: { what: 'script', values: baseline }, timesBaseline: 1.5 },
    ];
  },
};

async function throughAish(place: Place): Promise<number> {
  const screen = await openPrompt([place.aish], place.env, place.work);
  screen.write(LINES);
  await Bun.sleep(50);
  screen.forget();
  const pressedAt = now();
  screen.write('\r');
  const at = await screen.until((plain) => plain.includes('a1234b'), 'the end of the output');
  await screen.close();
  return at - pressedAt;
}

async function throughScript(place: Place): Promise<number> {
  const screen = openScreen(['script', '-qc', LINES, '/dev/null'], place.env, place.work);
  const at = await screen.until((plain) => plain.includes('a1234b'), 'the end of the output');
  await screen.close();
  return at - screen.startedAt;
}
