import { existsSync, readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { McpServers } from '../../../adapters/mcp/servers.ts';
import { misuse, requireWords } from '../../../core/command-line/subcommand-args.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import type { Engine } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import { parseJsonObject } from '../../../protocol/json.ts';
import * as messages from '../commands/messages.ts';
import * as mcpMessages from '../commands/messages-mcp.ts';
import {
  formatPrompts,
  formatResources,
  formatServer,
  formatServers,
  formatTool,
  formatTools,
} from '../commands/reports.ts';
import { askAtTerminal, outputColumns } from '../setup/output-terminal.ts';
import { PROCESS_OUTPUT, printText } from '../setup/process-output.ts';
import { engineOptions, type Setup } from '../setup/setup.ts';

/** How long a command waits for servers that were never seen. */
const SERVER_WAIT_MS = 30_000;

/** A script gets whole rows. */
const WIDEST = Number.POSITIVE_INFINITY;

/** The text that a command prints, and its exit status. */
interface Report {
  readonly text: string;
  readonly exit: number;
}

/** Runs `aish mcp`. The answer is the exit status. */
export async function runMcpSubcommand(args: readonly string[], setup: Setup): Promise<number> {
  requireWords('mcp', args);
  const { Engine } = await import('../../../engine/session/engine.ts');
  const edited = await edit(args, setup);
  if (edited !== null) return print(edited);
  const engine = new Engine(engineOptions(setup));
  try {
    const { text, exit } = await run(args, engine, setup);
    // The last words of a server may hold a secret that it has read, and users copy what they see into reports.
    return print({ text: await engine.redact(text), exit });
  } finally {
    await engine.close();
  }
}

function print({ text, exit }: Report): number {
  printText(text);
  return exit;
}

/** Changes the servers of the configuration file; null for another action. */
async function edit([action, name, ...rest]: readonly string[], setup: Setup): Promise<Report | null> {
  if (action !== 'add' && action !== 'remove' && action !== 'import') return null;
  const { addServers, readForeignServers, removeServer } = await import('../../../adapters/config/edit-config.ts');
  const { configPath } = await import('../../../adapters/config/load.ts');
  const path = setup.loaded.file ?? configPath({ env: process.env, cwd: setup.cwd });
  if (name === undefined) throw misuse('mcp');
  if (action === 'remove') {
    await removeServer(path, name);
    return report(mcpMessages.formatRemovedServer(name, path));
  }
  if (action === 'add') {
    const [first, ...words] = rest;
    if (first === undefined) throw misuse('mcp');
    await addServers(path, { [name]: /^https?:/.test(first) ? { url: first } : { command: first, args: words } });
    return report(mcpMessages.formatAdded([name], path));
  }
  if (!existsSync(name))
    throw new AishError('usage', mcpMessages.formatNoForeignFile(name), { hint: mcpMessages.FOREIGN_FILE_HINT });
  const all = readForeignServers(readFileSync(name, 'utf8'), name);
  const chosen = Object.entries(all).filter(([alias]) => rest.length === 0 || rest.includes(alias));
  await addServers(path, Object.fromEntries(chosen));
  return report(
    mcpMessages.formatAdded(
      chosen.map(([alias]) => alias),
      path,
    ),
  );
}

async function run(args: readonly string[], engine: Engine, setup: Setup): Promise<Report> {
  const [action = 'list', name, ...rest] = args;
  const servers = await engine.servers();
  if (servers === null) return { text: formatServers([]), exit: 0 };
  switch (action) {
    case 'list':
      return list(servers);
    case 'get':
      return get(name, servers);
    case 'tools':
      return tools(servers);
    case 'tool':
      return report(await tool(name, servers));
    case 'review':
      return report(await review(name ?? null, servers, setup));
    case 'unreview':
      if (name === undefined) throw misuse('mcp');
      return report((await import('../commands/review-command.ts')).withdrawReview(name, servers));
    case 'resources':
      if (name === undefined) throw misuse('mcp');
      return report(formatResources(await servers.server(name).resources(new AbortController().signal), WIDEST));
    case 'prompts':
      if (name === undefined) throw misuse('mcp');
      return report(formatPrompts(await servers.server(name).prompts(new AbortController().signal), WIDEST));
    case 'read':
    case 'prompt':
      return report(await read(action, args.slice(1), servers));
    case 'approve':
      return report(await approve(name, rest, servers));
    case 'call':
      return call(name, rest[0] ?? '{}', servers);
    case 'login':
      return report(await login(name, servers));
    case 'logout': {
      if (name === undefined) throw misuse('mcp');
      const had = await servers.server(name).logout();
      return report(had ? mcpMessages.formatLoggedOut(name) : mcpMessages.formatNotLoggedIn(name));
    }
    default:
      throw misuse('mcp');
  }
}

/**
 * Approves the tools of a server, or one of them, by their fingerprint: for machines without a user. Without a fingerprint it only prints
 * the present one.
 */
async function approve(name: string | undefined, [flag, pin]: readonly string[], servers: McpServers): Promise<string> {
  if (name === undefined || (flag !== undefined && (flag !== '--pin' || pin === undefined))) throw misuse('mcp');
  const { signal } = new AbortController();
  await servers.server(name.split('.')[0] ?? name).refresh(signal);
  const now = servers.fingerprintOf(name);
  if (now === null) throw new AishError('tool.unknown', messages.formatNoTool(name));
  if (pin === undefined) return mcpMessages.formatApproveWith(name, now);
  await servers.approve(name, pin, signal);
  return mcpMessages.formatApproved(name);
}

/** The text of a resource, or of a prompt with arguments such as `name=value`. */
async function read(
  action: 'read' | 'prompt',
  [alias, what, ...given]: readonly string[],
  servers: McpServers,
): Promise<string> {
  if (alias === undefined || what === undefined) throw misuse('mcp');
  const { signal } = new AbortController();
  if (action === 'read') return servers.server(alias).readResource(what, signal);
  const pairs = given.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] as const);
  if (pairs.some(([name]) => name === '')) throw misuse('mcp');
  return servers.server(alias).getPrompt(what, Object.fromEntries(pairs), signal);
}

/** Calls a tool: the user's own doing, which needs no approval. A tool that reports an error exits with status 1. */
async function call(name: string | undefined, json: string, servers: McpServers): Promise<Report> {
  const args = parseJsonObject(json);
  if (args === null) throw misuse('mcp', mcpMessages.ARGUMENTS_NO_JSON);
  if (name === undefined) throw misuse('mcp');
  const { text, isError } = await servers.call(name, args, new AbortController().signal);
  return { text, exit: isError ? 1 : 0 };
}

/** Prints the page of a login and waits for its end: the return of the browser, or its address on standard input. */
async function login(alias: string | undefined, servers: McpServers): Promise<string> {
  if (alias === undefined) throw misuse('mcp');
  const stop = new AbortController();
  const present = (url: string): void => {
    PROCESS_OUTPUT.out(`${sanitizeText(mcpMessages.formatLoginStart(alias, url))}\n`);
    if (isatty(0)) void readLine(stop.signal).then((line) => line !== null && servers.server(alias).paste(line));
  };
  try {
    await servers.server(alias).login({ signal: new AbortController().signal, present });
  } finally {
    stop.abort();
  }
  return mcpMessages.formatLoggedIn(alias);
}

/** A line of standard input; null if it ends, or after the signal. */
async function readLine(signal: AbortSignal): Promise<string | null> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin });
  signal.addEventListener('abort', () => lines.close(), { once: true });
  for await (const line of lines) return line;
  return null;
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

/** Connects to a server and shows all that is known of it. */
async function get(alias: string | undefined, servers: McpServers): Promise<Report> {
  if (alias === undefined) throw misuse('mcp');
  const server = servers.server(alias);
  await server.link.connect({ byUser: true }).catch(() => {});
  const { status, config } = server;
  const instructions = server.link.connection?.instructions ?? null;
  return { text: formatServer(status, config, instructions), exit: status.error === undefined ? 0 : 1 };
}

/** The tools, and the reason why a server has none. */
async function tools(servers: McpServers): Promise<Report> {
  const known = await servers.tools({ waitMs: SERVER_WAIT_MS, signal: new AbortController().signal });
  const missing = servers.statuses().filter(({ alias }) => known.missing.includes(alias));
  const faults = missing.map(({ alias, error }) =>
    mcpMessages.formatNoTools(alias, error ?? mcpMessages.NOT_CONNECTED),
  );
  const isEmpty = known.tools.length + known.held.length === 0;
  const rows = isEmpty && faults.length > 0 ? [] : [formatTools(known)];
  return { text: [...rows, ...faults].join('\n'), exit: faults.length > 0 ? 1 : 0 };
}

async function tool(name: string | undefined, servers: McpServers): Promise<string> {
  if (name === undefined) throw misuse('mcp');
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
  const opened = await openReview(alias, servers, setup.settings, new AbortController().signal);
  if (typeof opened === 'string') return opened;
  PROCESS_OUTPUT.out(`${opened.show(outputColumns() ?? 80)}\n\n`);
  const answer = askAtTerminal(opened.question);
  if (answer !== null) return opened.answer(answer);
  throw new AishError('trust.nobody', messages.formatOnlyAtTerminal(`the tools of ${opened.alias}`), {
    hint: messages.formatRunAtTerminal(`aish mcp review ${opened.alias}`),
  });
}
