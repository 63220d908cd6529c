import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../clock.ts';
import { withHistory } from '../history.ts';
import type { Place } from '../place.ts';
import { inTurn, type Measured, type Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';
import { makeRepository } from './checkpoint.ts';

const ROUNDS = 20;
const ENTRIES = 200_000;

/**
 * The typed text, the key that is then timed, and the text that must be on the screen behind it. `back` restores the prompt for the next
 * round.
 */
interface Step {
  readonly what: string;
  readonly typed: string;
  readonly key: string;
  readonly seen: string;
  readonly back: string;
  readonly atMost?: number;
}

/** Ctrl-U empties the line; Ctrl-C also leaves a search. */
const EMPTY = '\x15';
const LEAVE = '\x03';

/** A number in one line of history, and a sign behind it that nothing else on the screen has. */
const RARE = '4320';
const SIGN = '☂';

const STEPS: readonly Step[] = [
  { what: 'Enter to the next prompt', typed: 'true', key: '\r', seen: 'work', back: '' },
  { what: 'echo of a key', typed: 'cat ', key: 'k', seen: 'k', back: EMPTY },
  { what: 'Tab, a path', typed: 'cat first-', key: '\t', seen: 'second-third.txt', back: EMPTY },
  { what: 'Ctrl-R, a line of 10,000', typed: '\x12', key: RARE, seen: SIGN, back: LEAVE },
  {
    what: 'cd into a repository of 100,000 files, to the prompt',
    typed: 'cd large',
    key: '\r',
    seen: 'large',
    back: 'cd ..\r',
  },
  {
    what: 'Tab in a folder of 200,000 entries',
    typed: 'cat many/only-',
    key: '\t',
    seen: 'one-of-them',
    back: EMPTY,
    atMost: 150,
  },
];

/** The same work in aish and in fish, each with its usual prompt and 10,000 lines of history. Takes a minute. */
export const besideFish: Row = {
  name: 'beside-fish',
  slow: true,
  async measure(place) {
    const env = withHistory(place, 10_000);
    prepareWork(place);
    prepareHistory(place, env.XDG_STATE_HOME ?? '');
    const screens = await Promise.all(
      [[place.aish], ['fish', '-i']].map((command) => openPrompt(command, env, place.work)),
    );
    const measured: Measured[] = [];
    for (const step of STEPS) {
      const [values = [], baseline = []] = await inTurn(
        ROUNDS,
        screens.map((screen) => () => timeKey(screen, step)),
      );
      const budget = { timesBaseline: 1.5, ...(step.atMost === undefined ? {} : { atMost: step.atMost }) };
      measured.push({ what: step.what, unit: 'ms', values, baseline: { what: 'fish', values: baseline }, ...budget });
    }
    for (const screen of screens) await screen.close();
    for (const folder of ['large', 'many']) rmSync(join(place.work, folder), { recursive: true, force: true });
    return measured;
  },
};

/** A repository, a folder of many entries, and a file for Tab. */
function prepareWork({ work }: Place): void {
  makeRepository(join(work, 'large'));
  mkdirSync(join(work, 'many'));
  for (let entry = 0; entry < ENTRIES; entry += 1) writeFileSync(join(work, 'many', `entry-${entry}`), '');
  for (const file of ['first-second-third.txt', 'many/only-one-of-them']) writeFileSync(join(work, file), '');
}

/** Gives fish as many lines as aish has, and both of them the sign in one line. */
function prepareHistory({ root }: Place, state: string): void {
  const ours = join(state, 'aish/history.jsonl');
  writeFileSync(ours, readFileSync(ours, 'utf8').replace(`part ${RARE}`, `part ${RARE} ${SIGN}`));
  const sign = (at: number): string => (String(at) === RARE ? ` ${SIGN}` : '');
  const lines = Array.from(
    { length: 10_000 },
    (_, at) => `- cmd: git commit -m "part ${at}${sign(at)}"\n  when: ${1_600_000_000 + at}\n`,
  );
  const folder = join(root, 'home/.local/share/fish');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'fish_history'), lines.join(''));
}

async function timeKey(screen: Screen, { typed, key, seen, back }: Step): Promise<number> {
  screen.write(typed);
  await Bun.sleep(150);
  screen.forget();
  const pressedAt = now();
  screen.write(key);
  const at = await screen.until((plain) => plain.includes(seen), seen);
  await Bun.sleep(50);
  screen.write(back);
  await Bun.sleep(150);
  return at - pressedAt;
}
