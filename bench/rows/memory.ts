import { writeFileSync } from 'node:fs';
import { type Memory, peakOfRun, treeMemory } from '../memory.ts';
import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

/** Memory at the prompt, all processes together, and the most a one-shot holds. */
export const memory: Row = {
  name: 'memory',
  async measure(place) {
    writeFileSync(`${place.root}/work/note.txt`, 'a note\n');
    const deep = { ...place.env, AISH_CONFIG: place.configure('deep', '[mcp]\nmax_tool_depth = 30\n') };
    const idle: Memory[] = [];
    for (let round = 0; round < 3; round += 1) idle.push(await idleMemory(place));
    const [one = [], twenty = []] = await inTurn(5, [
      () => peakOfRun([place.aish, '-p', 'hello'], place.env, `${place.root}/work`),
      () => peakOfRun([place.aish, '-p', '--approve', 'read-only', 'calls=20'], deep, `${place.root}/work`),
    ]);
    return [
      { what: 'idle at the prompt, resident', unit: 'MiB', values: idle.map(({ rss }) => rss), atMost: 45 },
      { what: 'idle at the prompt, by share', unit: 'MiB', values: idle.map(({ pss }) => pss) },
      { what: 'one-shot, peak', unit: 'MiB', values: one, atMost: 55 },
      { what: 'one-shot with 20 tool calls, peak', unit: 'MiB', values: twenty, atMost: 75 },
    ];
  },
};

async function idleMemory(place: Place): Promise<Memory> {
  const screen = await openPrompt([place.aish], place.env, `${place.root}/work`);
  // The shell starts with the first command; the budget counts it.
  screen.write(':\r');
  await Bun.sleep(1200);
  const held = treeMemory(screen.pid);
  await screen.close();
  return held;
}
