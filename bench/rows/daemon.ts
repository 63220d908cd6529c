import { startDaemon } from '../daemon.ts';
import { treeMemory } from '../memory.ts';
import { inTurn, type Row } from '../row.ts';

/** The daemon: from its start to its first answer, and what it holds when nothing happens. */
export const daemon: Row = {
  name: 'daemon',
  async measure(place) {
    const held: number[] = [];
    const [values = []] = await inTurn(5, [
      async () => {
        const started = await startDaemon(place);
        await Bun.sleep(700);
        held.push(treeMemory(started.pid).rss);
        await started.stop();
        return started.startedIn;
      },
    ]);
    return [
      { what: 'daemon, start to first answer', unit: 'ms', values, atMost: 60 },
      { what: 'daemon, idle', unit: 'MiB', values: held, atMost: 45 },
    ];
  },
};
