import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

const TURNS = 10;
const STEPS = 3;

/** How much of a request is as it was in the one before, so that the server need not read it again: 30 steps with commands between them. */
export const prefix: Row = {
  name: 'prefix',
  async measure(place) {
    writeFileSync(join(place.work, 'note.txt'), 'a note of a few words\n'.repeat(20));
    const screen = await openPrompt([place.aish, '--approve', 'read-only'], place.env, place.work);
    await place.model.seen();
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const line of [`!echo a command ${turn}`, '!seq 1 40', `?turn ${turn} calls=${STEPS - 1}`]) {
        screen.forget();
        screen.write(line);
        await Bun.sleep(50);
        screen.write('\r');
        const wanted = line.startsWith('?') ? /answer-[\s\S]*shown[\s\S]*work/ : /\n[\s\S]*work/;
        await screen.until((plain) => wanted.test(plain), line);
        await Bun.sleep(50);
      }
    }
    const seen = await place.model.seen();
    await screen.close();
    if (seen.length !== TURNS * STEPS) throw new Error(`${seen.length} requests instead of ${TURNS * STEPS}`);
    const pairs = seen.slice(1).map((request, at) => ({ ...request, before: seen[at]?.length ?? 0 }));
    return [
      {
        what: 'of a request, sent otherwise than before',
        unit: 'bytes',
        values: pairs.map(({ before, shared }) => before - shared),
        atMost: 0,
      },
      {
        what: 'of a request, as in the one before',
        unit: '%',
        values: pairs.map(({ length, shared }) => (100 * shared) / length),
      },
    ];
  },
};
