import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';
import { anyText, openScreen } from '../screen.ts';

/** From the start to the first bytes of the prompt. */
export const start: Row = {
  name: 'start',
  async measure(place) {
    const [aish = [], bash = []] = await inTurn(15, [
      () => timeToPrompt(place, [place.aish]),
      () => timeToPrompt(place, ['bash', '-i']),
    ]);
    return [
      {
        what: 'start to prompt',
        unit: 'ms',
        values: aish,
        baseline: { what: 'bash -i', values: bash },
        atMost: 35,
        timesBaseline: 3,
        obstacle: {
          why: 'the runtime alone takes longer to begin than three times what `bash -i` with an empty startup file takes to its prompt.',
          bound: 35,
        },
      },
    ];
  },
};

async function timeToPrompt(place: Place, command: readonly string[]): Promise<number> {
  const screen = openScreen(command, place.env, place.work);
  const at = await screen.until(anyText, 'a prompt');
  await screen.close();
  return at - screen.startedAt;
}
