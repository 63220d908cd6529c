import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../clock.ts';
import type { Place } from '../place.ts';
import { inTurn, type Measured, type Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';

const ROUNDS = 20;

/** The text before Tab, and the text that Tab adds to it. */
const CASES = [
  { what: 'Tab, a path', typed: 'cat first-', added: 'second-third.txt', atMost: 20 },
  { what: 'Tab, a command', typed: '!whoa', added: 'mi', atMost: 20 },
  { what: 'Tab, a branch of git', typed: 'git checkout feature-', added: 'of-mine', atMost: 300 },
] as const;

/** From Tab to the completed word. */
export const completion: Row = {
  name: 'completion',
  async measure(place) {
    const work = await prepareWork(place);
    const screen = await openPrompt([place.aish], place.env, work);
    const values = await inTurn(
      ROUNDS,
      CASES.map(
        ({ typed, added }) =>
          () =>
            complete(screen, typed, added),
      ),
    );
    await screen.close();
    return CASES.map(({ what, atMost }, at): Measured => ({ what, unit: 'ms', values: values[at] ?? [], atMost }));
  },
};

/** A repository with one branch of that name, and a directory with one file of that. */
async function prepareWork({ root, env }: Place): Promise<string> {
  const work = join(root, 'completion');
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'first-second-third.txt'), '');
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  for (const args of [
    ['init', '-q'],
    [...identity, 'commit', '-qm', 'one', '--allow-empty'],
    ['branch', 'feature-of-mine'],
  ])
    await Bun.spawn(['git', ...args], { cwd: work, env: { ...env } }).exited;
  return work;
}

async function complete(screen: Screen, typed: string, added: string): Promise<number> {
  screen.write(typed);
  await Bun.sleep(80);
  screen.forget();
  const pressedAt = now();
  screen.write('\t');
  const at = await screen.until((plain) => plain.includes(added), added);
  // Ctrl-U: the next case begins with an empty line.
  screen.write('\x15');
  await Bun.sleep(40);
  return at - pressedAt;
}
