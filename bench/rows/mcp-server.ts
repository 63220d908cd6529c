import { join } from 'node:path';
import { runOneShot } from '../one-shot.ts';
import { inTurn, type Row } from '../row.ts';

/** The cost that one configured MCP server adds to a one-shot that does not call it. */
export const mcpServer: Row = {
  name: 'mcp-server',
  async measure(place) {
    const program = join(import.meta.dir, '../../node_modules/.bin/mcp-server-filesystem');
    const config = place.configure('mcp', `[mcp.servers.fs]\ncommand = "${program}"\nargs = ["${place.work}"]\n`);
    const ask = [place.aish, '-p', 'hello'];
    const withServer = { ...place.env, AISH_CONFIG: config };
    // A server whose tools are known, as it is in all runs but the first.
    await Bun.spawn([place.aish, 'mcp', 'tools'], { cwd: place.work, env: withServer, stdout: 'ignore' }).exited;
    const [plain = [], added = []] = await inTurn(15, [
      async () => (await runOneShot(place, ask, place.env)).toExit,
      async () => (await runOneShot(place, ask, withServer)).toExit,
    ]);
    const differences = added.map((value, index) => value - (plain[index] ?? Number.NaN));
    return [{ what: 'one MCP server adds to a one-shot', unit: 'ms', values: differences, atMost: 3 }];
  },
};
