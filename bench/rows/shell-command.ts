import { now } from '../clock.ts';
import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';
import { openPrompt, type Screen } from '../screen.ts';

/** A builtin through the shared shell: from Enter to its output. */
export const shellCommand: Row = {
  name: 'shell-command',
  async measure(place) {
    const screens = await Promise.all([open(place, [place.aish]), open(place, ['bash', '-i'])]);
    const [values = [], baseline = []] = await inTurn(
      40,
      screens.map((screen) => () => roundTrip(screen)),
    );
    for (const screen of screens) await screen.close();
    return [
      {
        what: 'a command, Enter to its output',
        unit: 'ms',
        values,
        baseline: { what: 'bash -i', values: baseline },
        atMost: 1.5,
        obstacle: {
          why: 'a line passes from the terminal to aish, to the shell, back to aish and to the terminal, a change of process each, where bash needs half of them; and code that ran last a while ago is read from memory, not from the caches.',
          bound: 3.5,
        },
      },
    ];
  },
};

function open(place: Place, command: readonly string[]): Promise<Screen> {
  return openPrompt(command, place.env, place.work);
}

async function roundTrip(screen: Screen): Promise<number> {
  // The output is not part of the typed line, so that its echo cannot be taken for it.
  screen.write("printf 'a%sb\\n' 1234");
  await Bun.sleep(30);
  screen.forget();
  const pressedAt = now();
  screen.write('\r');
  const at = await screen.until((plain) => plain.includes('a1234b'), 'the output');
  await Bun.sleep(30);
  return at - pressedAt;
}
