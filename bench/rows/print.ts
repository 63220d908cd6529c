import { runOneShot } from '../one-shot.ts';
import { inTurn, type Row } from '../row.ts';

/** One question without a terminal: from the start to the request, and to the end. */
export const print: Row = {
  name: 'print',
  async measure(place) {
    const toRequest: { aish: number[]; floor: number[] } = { aish: [], floor: [] };
    const floorUrl = `${place.model.url}/v1/chat/completions`;
    const [aish = [], floor = []] = await inTurn(20, [
      async () => {
        const times = await runOneShot(place, [place.aish, '-p', 'hello'], place.env);
        toRequest.aish.push(times.toRequest);
        return times.toExit;
      },
      async () => {
        const times = await runOneShot(place, [place.bareFetch, floorUrl], place.env);
        toRequest.floor.push(times.toRequest);
        return times.toExit;
      },
    ]);
    const bare = (values: readonly number[]) => ({ what: 'bare fetch', values });
    return [
      {
        what: 'one-shot, start to request',
        unit: 'ms',
        values: toRequest.aish,
        floor: bare(toRequest.floor),
        atMost: 20,
        timesFloor: 3,
      },
      {
        what: 'one-shot, start to exit',
        unit: 'ms',
        values: aish,
        floor: bare(floor),
        atMost: 45,
        timesFloor: 2.2,
        obstacle: {
          why: 'it lies near the budget from run to run; configuration, session and log are made besides the request.',
          bound: 45,
        },
      },
    ];
  },
};
