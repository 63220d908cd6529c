import { now } from '../clock.ts';
import { inTurn, type Row } from '../row.ts';
import { openPrompt } from '../screen.ts';

/** The least command there is, `:`, from Enter to the next prompt. */
export const nextPrompt: Row = {
  name: 'next-prompt',
  async measure(place) {
    const programs = [
      { command: [place.aish], line: '!:', prompt: 'work' },
      { command: ['bash', '-i'], line: ':', prompt: 'work' },
    ];
    const clients = await Promise.all(
      programs.map(async (program) => ({
        ...program,
        screen: await openPrompt(program.command, place.env, place.work),
      })),
    );
    const [values = [], baseline = []] = await inTurn(
      60,
      clients.map(({ screen, line, prompt }) => async () => {
        screen.write(line);
        await Bun.sleep(30);
        screen.forget();
        const pressedAt = now();
        screen.write('\r');
        return (await screen.until((plain) => plain.includes(prompt), 'the next prompt')) - pressedAt;
      }),
    );
    for (const { screen } of clients) await screen.close();
    return [
      { what: '`:`, Enter to the next prompt', unit: 'ms', values, baseline: { what: 'bash -i', values: baseline } },
    ];
  },
};
