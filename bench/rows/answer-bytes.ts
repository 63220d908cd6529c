import { LONG_ANSWER } from '../long-answer.ts';
import type { Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';

/** The bytes that a long answer with code and a table costs the terminal, beside its own text. */
export const answerBytes: Row = {
  name: 'answer-bytes',
  async measure(place) {
    const screen = await openPrompt([place.aish], place.env, place.work, { patienceMs: 60_000 });
    screen.write('?long answer');
    await Bun.sleep(100);
    const before = screen.bytes;
    screen.write('\r');
    await untilQuiet(screen);
    const values = [screen.bytes - before];
    await screen.close();
    const text = [new TextEncoder().encode(LONG_ANSWER).length];
    return [
      {
        what: 'an answer of 2000 tokens with code and a table, to the terminal',
        unit: 'bytes',
        values,
        baseline: { what: 'its text', values: text },
        timesBaseline: 3,
      },
    ];
  },
};

/** The end of a streamed answer: nothing more comes for a while. */
async function untilQuiet(screen: Screen): Promise<void> {
  await Bun.sleep(QUIET_MS);
  for (let before = -1; before !== screen.bytes; ) {
    before = screen.bytes;
    await Bun.sleep(QUIET_MS);
  }
}

const QUIET_MS = 1500;
