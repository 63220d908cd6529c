import type { Row } from '../row.ts';

/** How much a first question sends, without tools of MCP servers. */
export const firstRequest: Row = {
  name: 'first-request',
  async measure(place) {
    await place.model.seen();
    await Bun.spawn([place.aish, '-p', 'hello'], {
      cwd: place.work,
      env: { ...place.env },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    }).exited;
    const [request] = await place.model.seen();
    if (request === undefined) throw new Error('aish -p sent no request');
    return [
      { what: 'first request', unit: 'kB', values: [request.bytes / 1000], atMost: 5 },
      { what: 'system prompt', unit: 'kB', values: [request.systemBytes / 1000], atMost: 2 },
    ];
  },
};
