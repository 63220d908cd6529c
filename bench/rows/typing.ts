import { now } from '../clock.ts';
import { withHistory } from '../history.ts';
import type { Place } from '../place.ts';
import type { Measured, Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';

/** Typed letter by letter; each has a suggestion from history, colours, and a route that changes on the way. */
const LINES = [
  'git commit -m "part 99"',
  'docker logs service-97',
  'grep -rn word98 src | sort',
  'please explain the tests in src',
];
const ROUNDS = 4;

/** From a key to its echo with 10,000 lines of history, colours and suggestions on; the same while a model streams 200 tokens a second. */
export const typing: Row = {
  name: 'typing',
  async measure(place) {
    const [still, bash] = await typeAll(place, null);
    const [streamed] = await typeAll(place, '?stream=4000');
    const budget = { unit: 'ms', atMost: 0.5, p99AtMost: 5, baseline: { what: 'bash -i', values: bash } } as const;
    return [
      { what: 'echo with 10000 lines of history, colours, suggestions', values: still, ...budget },
      { what: 'the same while a model streams 200 tokens a second', values: streamed, ...budget },
    ] satisfies readonly Measured[];
  },
};

/** Times of aish, and of bash by turns with it. */
async function typeAll(place: Place, question: string | null): Promise<readonly [number[], number[]]> {
  const env = withHistory(place, 10_000);
  const [screen, bash] = await Promise.all([open(place, [place.aish], env), open(place, ['bash', '-i'], env)]);
  if (question !== null) {
    screen.write(`${question}\r`);
    await screen.until((plain) => plain.includes('piece'), 'the beginning of the answer');
  }
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const line of LINES) {
      for (const [at, client] of [screen, bash].entries()) times[at]?.push(...(await typeLine(client, line)));
    }
  }
  await screen.close();
  await bash.close();
  const first = LINES[0]?.length ?? 0;
  return [times[0].slice(first), times[1].slice(first)];
}

function open(place: Place, command: readonly string[], env: Readonly<Record<string, string>>): Promise<Screen> {
  return openPrompt(command, env, place.work);
}

async function typeLine(screen: Screen, line: string): Promise<number[]> {
  // Ctrl-U: each line begins empty.
  screen.write('\x15');
  await Bun.sleep(20);
  const times: number[] = [];
  for (const letter of line) times.push(await press(screen, letter));
  return times;
}

/** A blank may be echoed by moving over one that stands there, so any answer counts for it. */
async function press(screen: Screen, letter: string): Promise<number> {
  await Bun.sleep(5);
  screen.forget();
  const pressedAt = now();
  screen.write(letter);
  const before = screen.bytes;
  const at = await screen.until(
    (plain) => (letter === ' ' ? screen.bytes > before : plain.includes(letter)),
    `the echo of ${letter}`,
  );
  return at - pressedAt;
}
