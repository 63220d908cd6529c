import type { McpServers } from '../adapters/mcp/servers.ts';
import type { HaltReport } from '../protocol/halt.ts';
import type { RehearsalSeat } from './shell/rehearsal-seat.ts';
import type { ShellSeat } from './shell/shell-seat.ts';

/** Ends what the model's work has started in a shell, what servers do for it, and what is rehearsed; begins before it waits for anything. */
export async function endWork(
  seat: Pick<ShellSeat, 'halt'>,
  rehearsals: Pick<RehearsalSeat, 'end'>,
  loading: Promise<McpServers> | null,
): Promise<HaltReport> {
  const ending = seat.halt();
  const dropping = rehearsals.end();
  const servers = (await (await loading)?.halt()) ?? [];
  await dropping;
  const report = await ending;
  return servers.length === 0 ? report : { ...report, servers };
}
