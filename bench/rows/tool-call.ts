import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../clock.ts';
import { inTurn, type Row } from '../row.ts';

const CALLS = 6;

/** A tool call: from the end of the model's answer to the next request. */
export const toolCall: Row = {
  name: 'tool-call',
  async measure(place) {
    writeFileSync(join(place.work, 'note.txt'), 'a note\n');
    const gaps: number[] = [];
    const [baseline = []] = await inTurn(10, [
      async () => {
        await place.model.seen();
        await Bun.spawn([place.aish, '-p', '--approve', 'read-only', `calls=${CALLS}`], {
          cwd: place.work,
          env: { ...place.env },
          stdin: 'ignore',
          stdout: 'ignore',
          stderr: 'ignore',
        }).exited;
        const seen = await place.model.seen();
        gaps.push(...seen.slice(1).map((request, index) => request.at - (seen[index]?.answeredAt ?? Number.NaN)));
        const startedAt = now();
        await Bun.spawn(['bash', '-c', ':'], { stdin: 'ignore' }).exited;
        return now() - startedAt;
      },
    ]);
    return [
      {
        what: 'tool call, answer to next request',
        unit: 'ms',
        values: gaps,
        baseline: { what: 'bash -c :', values: baseline },
        atMost: 2.5,
      },
    ];
  },
};
