import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Memory, peakOfRun, treeMemory } from '../memory.ts';
import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

/** This long after the last key nothing is loaded any more, and memory needed only for loading is free again. */
const QUIET_MS = 1500;

/** The moments at which a prompt is looked at, and what is typed before each. */
const MOMENTS = [
  // The shell starts with the first command; the budget counts it.
  { what: 'idle at the prompt', typed: '!:\r', atMost: 45, afterMs: QUIET_MS },
  {
    what: 'idle after a line with colours and options was typed',
    typed: 'git log --oneline | head -n 3',
    atMost: 45,
    afterMs: QUIET_MS,
  },
  { what: 'in the middle of that line', typed: ' f', atMost: 80, afterMs: 300 },
  { what: 'idle after Tab', typed: '\x15cat no\t', atMost: 80, afterMs: QUIET_MS },
  { what: 'idle after an answer', typed: '\x15?hello\r', atMost: 80, afterMs: QUIET_MS },
] as const;

/** Memory at the prompt, all processes together, and the most a one-shot holds. */
export const memory: Row = {
  name: 'memory',
  async measure(place) {
    writeFileSync(join(place.work, 'note.txt'), 'a note\n');
    const deep = { ...place.env, AISH_CONFIG: place.configure('deep', '[mcp]\nmax_tool_depth = 30\n') };
    const idle: (readonly Memory[])[] = [];
    for (let round = 0; round < 3; round += 1) idle.push(await idleMemory(place));
    const [one = [], twenty = []] = await inTurn(5, [
      () => peakOfRun([place.aish, '-p', 'hello'], place.env, place.work),
      () => peakOfRun([place.aish, '-p', '--approve', 'read-only', 'calls=20'], deep, place.work),
    ]);
    return [
      ...MOMENTS.flatMap(
        ({ what, atMost }, at) =>
          [
            {
              what: `${what}, resident`,
              unit: 'MiB',
              values: idle.map((moments) => moments[at]?.rss ?? Number.NaN),
              atMost,
            },
            { what: `${what}, by share`, unit: 'MiB', values: idle.map((moments) => moments[at]?.pss ?? Number.NaN) },
          ] as const,
      ),
      { what: 'one-shot, peak', unit: 'MiB', values: one, atMost: 55 },
      { what: 'one-shot with 20 tool calls, peak', unit: 'MiB', values: twenty, atMost: 75 },
    ];
  },
};

async function idleMemory(place: Place): Promise<readonly Memory[]> {
  const screen = await openPrompt([place.aish], place.env, place.work);
  const held: Memory[] = [];
  for (const { typed, afterMs } of MOMENTS) {
    screen.write(typed);
    await Bun.sleep(afterMs);
    held.push(treeMemory(screen.pid));
  }
  await screen.close();
  return held;
}
