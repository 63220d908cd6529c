import type { McpServers } from '../../../adapters/mcp/servers.ts';
import type { MetaCommand, ShowCommand } from '../../../core/meta/meta-entry.ts';
import type { Engine, LiveSession } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatServers, formatTool, formatTools } from './reports.ts';
import type { OpenReview } from './review-command.ts';

/** Longest silence to bear from a tool of a server that was connected by hand. */
const CALL_TIMEOUT_MS = 60_000;

/** What `:mcp` works with. */
export interface McpContext {
  readonly engine: Engine;
  readonly live: LiveSession;
  readonly columns: number;
}

type McpCommand = Extract<MetaCommand, { name: 'mcp' }>;

/** Carries out `:mcp`: a text to be printed, or what is put before the user. */
export async function runMcp(command: McpCommand, context: McpContext): Promise<string | OpenReview> {
  if (command.action === 'review') return approve(command.alias ?? null, context);
  return report(command, context);
}

async function report(command: Exclude<McpCommand, { action: 'review' }>, context: McpContext): Promise<string> {
  const { engine } = context;
  switch (command.action) {
    case 'connect': {
      const status = await engine.connectServer(command.alias ?? null, {
        url: command.url,
        enabled: true,
        timeout_ms: CALL_TIMEOUT_MS,
      });
      return `its tools are offered to the model as ${status.alias}.*; :mcp tools lists them`;
    }
    case 'disconnect':
      await (await serversWith(command.alias, engine)).disconnect(command.alias);
      return '';
    case 'unreview': {
      const servers = await serversWith(command.alias, engine);
      return (await import('./review-command.ts')).takeBack(command.alias, servers);
    }
    case 'list':
    case 'tools':
    case 'tool':
      return lookAtServers(command, context);
  }
}

/** What there is to see of the servers, without a change to any. */
export async function lookAtServers(
  command: Extract<ShowCommand, { name: 'mcp' }>,
  { engine, columns }: Pick<McpContext, 'engine' | 'columns'>,
): Promise<string> {
  switch (command.action) {
    case 'list':
      return formatServers((await engine.servers())?.statuses() ?? []);
    case 'tools': {
      const servers = await engine.servers();
      if (servers === null) return formatServers([]);
      return formatTools(await servers.tools({ waitMs: 2000, signal: new AbortController().signal }), columns);
    }
    case 'tool': {
      const tool = (await engine.servers())?.describe(command.tool) ?? null;
      if (tool === null)
        throw new AishError('tool.unknown', `there is no tool "${command.tool}"`, { hint: ':mcp tools lists them' });
      return formatTool(tool);
    }
  }
}

async function serversWith(alias: string, engine: Engine): Promise<McpServers> {
  const servers = await engine.servers();
  if (servers !== null) return servers;
  throw new AishError('mcp.unknown-server', `there is no server "${alias}"`, { hint: ':mcp list shows them' });
}

/** The rules of this session count: what a yes means for them is said beside each tool. */
async function approve(alias: string | null, { engine, live }: McpContext): Promise<string | OpenReview> {
  const { openReview } = await import('./review-command.ts');
  const { settings } = live.session.state;
  const review = await openReview(alias, await engine.servers(), settings, new AbortController().signal);
  if (typeof review === 'string') return review;
  const answer = (text: string): string => `${review.answer(text)}${tellRead(review.alias, live)}`;
  return { ...review, answer };
}

/** What the model has read already is not made good by what a user says of the list as it is now. */
function tellRead(alias: string, { session }: LiveSession): string {
  const wasRead = session.state.taint.sources.some(({ name }) => name === `descriptions of ${alias}`);
  return wasRead
    ? '\nwhat the model read of them before is still untrusted content; :trust says that it may stand'
    : '';
}
