import type { McpServers } from '../../../adapters/mcp/servers.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import type { Engine } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import { VERSION } from '../../../protocol/version.ts';
import * as messages from '../commands/messages.ts';
import { formatServers, formatTool, formatTools } from '../commands/reports.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { runtimeFolder, type Setup } from '../setup/setup.ts';
import { columnsOf, usage } from './command-line.ts';

/** How long a command waits for servers that were never seen. */
const SERVER_WAIT_MS = 30_000;
const USAGE = 'list | tools | tool ALIAS.NAME | review [ALIAS] | unreview ALIAS';

/** The text that a command prints, and its exit status. */
interface Report {
  readonly text: string;
  readonly exit: number;
}

/** Runs `aish mcp`. The answer is the exit status. */
export async function runMcpSubcommand(args: readonly string[], setup: Setup): Promise<number> {
  const { Engine } = await import('../../../engine/session/engine.ts');
  const engine = new Engine({
    ...setup,
    config: setup.loaded.config,
    version: VERSION,
    runtimeFolder: () => runtimeFolder(setup),
  });
  try {
    const { text, exit } = await run(args, engine, setup);
    // The last words of a server may hold a secret that it has read, and users copy what they see into reports.
    const shown = sanitizeText(await engine.redact(text));
    PROCESS_OUTPUT.out(shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`);
    return exit;
  } finally {
    await engine.close();
  }
}

async function run([action = 'list', name]: readonly string[], engine: Engine, setup: Setup): Promise<Report> {
  const servers = await engine.servers();
  if (servers === null) return { text: formatServers([]), exit: 0 };
  switch (action) {
    case 'list':
      return list(servers);
    case 'tools':
      return tools(servers);
    case 'tool':
      return report(await tool(name, servers));
    case 'review':
      return report(await review(name ?? null, servers, setup));
    case 'unreview':
      if (name === undefined) throw usage('mcp', USAGE);
      return report((await import('../commands/review-command.ts')).withdrawReview(name, servers));
    default:
      throw usage('mcp', USAGE);
  }
}

function report(text: string): Report {
  return { text, exit: 0 };
}

/** The servers and their states. Only a server whose tools are not known is connected. */
async function list(servers: McpServers): Promise<Report> {
  await servers.tools({ waitMs: SERVER_WAIT_MS, signal: new AbortController().signal });
  const statuses = servers.statuses();
  return { text: formatServers(statuses), exit: statuses.some(({ error }) => error !== undefined) ? 1 : 0 };
}

/** The tools, and the reason why a server has none. */
async function tools(servers: McpServers): Promise<Report> {
  const known = await servers.tools({ waitMs: SERVER_WAIT_MS, signal: new AbortController().signal });
  const missing = servers.statuses().filter(({ alias }) => known.missing.includes(alias));
  const faults = missing.map(({ alias, error }) => messages.formatNoTools(alias, error ?? messages.NOT_CONNECTED));
  const isEmpty = known.tools.length + known.held.length === 0;
  const rows = isEmpty && faults.length > 0 ? [] : [formatTools(known)];
  return { text: [...rows, ...faults].join('\n'), exit: faults.length > 0 ? 1 : 0 };
}

async function tool(name: string | undefined, servers: McpServers): Promise<string> {
  if (name === undefined) throw usage('mcp', USAGE);
  await servers.tools({ waitMs: SERVER_WAIT_MS, signal: new AbortController().signal });
  const found = servers.describe(name);
  if (found !== null) return formatTool(found);
  throw new AishError('tool.unknown', messages.formatNoTool(name), {
    hint: messages.formatListsTools('aish mcp tools'),
  });
}

/** Asks for the review at a terminal: no script can answer for a user. */
async function review(alias: string | null, servers: McpServers, setup: Setup): Promise<string> {
  const { openReview } = await import('../commands/review-command.ts');
  const { askAtTerminal } = await import('../commands/trust-command.ts');
  const opened = await openReview(alias, servers, setup.settings, new AbortController().signal);
  if (typeof opened === 'string') return opened;
  const { out } = PROCESS_OUTPUT;
  out(`${opened.show((await columnsOf(1)) ?? 80)}\n\n`);
  const answer = askAtTerminal(opened.question, out);
  if (answer !== null) return opened.answer(answer);
  throw new AishError('trust.nobody', messages.formatOnlyAtTerminal(`the tools of ${opened.alias}`), {
    hint: messages.formatRunAtTerminal(`aish mcp review ${opened.alias}`),
  });
}
