import type { McpServers } from '../adapters/mcp/servers.ts';
import type { HaltReport } from '../protocol/halt.ts';
import type { ShellSeat } from './shell-seat.ts';

/** Ends what the model's work has started in a shell and what servers do for it; begins before it waits for anything. */
export async function endWork(seat: Pick<ShellSeat, 'halt'>, loading: Promise<McpServers> | null): Promise<HaltReport> {
  const ending = seat.halt();
  const servers = (await (await loading)?.halt()) ?? [];
  const report = await ending;
  return servers.length === 0 ? report : { ...report, servers };
}
