import type { McpServers } from '../adapters/mcp/servers.ts';
import type { HaltReport } from '../protocol/halt.ts';
import type { RehearsalRunner } from './shell/rehearsal-runner.ts';
import type { SharedShell } from './shell/shared-shell.ts';

/** Ends what the model's work has started in a shell, what servers do for it, and what is rehearsed; begins before it waits for anything. */
export async function endWork(
  sharedShell: Pick<SharedShell, 'halt'>,
  rehearsals: Pick<RehearsalRunner, 'end'>,
  loading: Promise<McpServers> | null,
): Promise<HaltReport> {
  const ending = sharedShell.halt();
  const dropping = rehearsals.end();
  const servers = (await (await loading)?.halt()) ?? [];
  await dropping;
  const report = await ending;
  return servers.length === 0 ? report : { ...report, servers };
}
