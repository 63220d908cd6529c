import { now } from '../clock.ts';
import type { Place } from '../place.ts';
import { inTurn, type Measured, type Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';

const ROUNDS = 15;
/** How long `yes` floods the screen before Ctrl-C, and how long the terminal reads nothing of it. */
const FLOOD_MS = 150;
const STALL_MS = 300;

/** From Ctrl-C to the next prompt while `yes` floods the terminal, and when the terminal has read nothing for a while. */
export const interrupt: Row = {
  name: 'interrupt',
  async measure(place) {
    return [
      ...(await measureCase(place, 'Ctrl-C under `yes`, to the prompt', () => Bun.sleep(FLOOD_MS))),
      ...(await measureCase(place, 'Ctrl-C at a terminal stalled under `yes`, to the prompt', stall)),
    ];
  },
};

/** Nothing is read meanwhile: this process is the terminal. */
async function stall(): Promise<void> {
  await Bun.sleep(FLOOD_MS);
  Bun.sleepSync(STALL_MS);
}

async function measureCase(place: Place, what: string, flood: () => Promise<void>): Promise<readonly Measured[]> {
  const programs = [[place.aish], ['bash', '-i'], ['script', '-qfc', 'bash -i', '/dev/null']];
  const screens = await Promise.all(programs.map((command) => open(place, command)));
  const [values = [], bash = [], script = []] = await inTurn(
    ROUNDS,
    screens.map((screen, at) => () => stopFlood(screen, at === 0 ? '!yes' : 'yes', flood)),
  );
  for (const screen of screens) await screen.close();
  return [
    { what, unit: 'ms', values, baseline: { what: 'bash -i', values: bash } },
    { what: `${what}, beside script`, unit: 'ms', values, baseline: { what: 'script', values: script } },
  ];
}

function open(place: Place, command: readonly string[]): Promise<Screen> {
  return openPrompt(command, place.env, place.work);
}

/** To aish a bare `yes` is a reply. */
async function stopFlood(screen: Screen, line: string, flood: () => Promise<void>): Promise<number> {
  screen.write(line);
  await Bun.sleep(60);
  screen.forget();
  screen.write('\r');
  await screen.until((plain) => plain.includes('y\r\ny\r\ny'), 'the flood');
  await flood();
  screen.forget();
  const pressedAt = now();
  screen.write('\x03');
  const at = await screen.until((plain) => /work[^\n]*[>#$] ?$/.test(plain), 'the prompt');
  await Bun.sleep(60);
  return at - pressedAt;
}
