import { runOneShot } from '../one-shot.ts';
import { inTurn, type Row } from '../row.ts';

/** One question without a terminal: from the start to the request, and to the end. */
export const print: Row = {
  name: 'print',
  async measure(place) {
    const toRequest: { aish: number[]; baseline: number[] } = { aish: [], baseline: [] };
    const baselineUrl = `${place.model.url}/v1/chat/completions`;
    const [aish = [], baseline = []] = await inTurn(20, [
      async () => {
        const times = await runOneShot(place, [place.aish, '-p', 'hello'], place.env);
        toRequest.aish.push(times.toRequest);
        return times.toExit;
      },
      async () => {
        const times = await runOneShot(place, [place.bareFetch, baselineUrl], place.env);
        toRequest.baseline.push(times.toRequest);
        return times.toExit;
      },
    ]);
    const bare = (values: readonly number[]) => ({ what: 'bare fetch', values });
    return [
      {
        what: 'one-shot, start to request',
        unit: 'ms',
        values: toRequest.aish,
        baseline: bare(toRequest.baseline),
        atMost: 20,
        timesBaseline: 3,
      },
      {
        what: 'one-shot, start to exit',
        unit: 'ms',
        values: aish,
        baseline: bare(baseline),
        atMost: 45,
        timesBaseline: 2.2,
        obstacle: {
          why: 'it lies near the budget from run to run; configuration, session and log are made besides the request.',
          bound: 45,
        },
      },
    ];
  },
};
