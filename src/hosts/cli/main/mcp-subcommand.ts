import { configPath } from '../../../adapters/config/load.ts';
import type { McpServers } from '../../../adapters/mcp/servers.ts';
import { isTerminal } from '../../../adapters/system/system-calls.ts';
import { misuse, type SubcommandArgs } from '../../../core/command-line/subcommand-args.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import type { Engine } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import { omitUndefined, parseJsonObject } from '../../../protocol/json.ts';
import {
  formatServer,
  formatServers,
  logout,
  lookAtServers,
  openReview,
  withdrawReview,
} from '../commands/mcp-command.ts';
import * as messages from '../commands/messages.ts';
import * as mcpMessages from '../commands/messages-extend.ts';
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

type Args = SubcommandArgs<'mcp'>;

/** Runs `aish mcp`. The answer is the exit status. */
export async function runMcpSubcommand(args: Args, setup: Setup): Promise<number> {
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
async function edit({ action, words: [name = '', ...rest] }: Args, setup: Setup): Promise<Report | null> {
  if (action !== 'add' && action !== 'remove' && action !== 'import') return null;
  const { addServers, readForeignServers, removeServer } = await import('../../../adapters/config/edit-config.ts');
  const path = setup.loaded.file ?? configPath({ env: process.env, cwd: setup.cwd });
  if (action === 'remove') {
    await removeServer(path, name);
    return report(mcpMessages.formatRemovedServer(name, path));
  }
  if (action === 'add') {
    const [first = '', ...words] = rest;
    await addServers(path, { [name]: /^https?:/.test(first) ? { url: first } : { command: first, args: words } });
    return report(mcpMessages.formatAdded([name], path));
  }
  const all = readForeignServers(name);
  if (all === null)
    throw new AishError('usage', mcpMessages.formatNoForeignFile(name), { hint: mcpMessages.FOREIGN_FILE_HINT });
  const chosen = Object.entries(all).filter(([alias]) => rest.length === 0 || rest.includes(alias));
  await addServers(path, Object.fromEntries(chosen));
  return report(
    mcpMessages.formatAdded(
      chosen.map(([alias]) => alias),
      path,
    ),
  );
}

async function run({ action, words, options }: Args, engine: Engine, setup: Setup): Promise<Report> {
  const [name = '', ...rest] = words;
  const servers = await engine.servers();
  if (servers === null) return report(formatServers([]));
  const look = { engine, columns: WIDEST, waitMs: SERVER_WAIT_MS, listing: 'aish mcp tools' };
  switch (action) {
    case 'list':
      await servers.tools({ waitMs: SERVER_WAIT_MS, signal: new AbortController().signal });
      return withFaults(await lookAtServers({ name: 'mcp', action }, look), servers);
    case 'tools':
      return tools(
        words[0],
        await lookAtServers({ name: 'mcp', action, ...omitUndefined({ alias: words[0] }) }, look),
        servers,
      );
    case 'tool':
      await servers.tools({ waitMs: SERVER_WAIT_MS, signal: new AbortController().signal });
      return report(await lookAtServers({ name: 'mcp', action, tool: name }, look));
    case 'resources':
    case 'prompts':
      return report(await lookAtServers({ name: 'mcp', action, alias: name }, look));
    case 'get':
      return get(name, servers);
    case 'review':
      return report(await review(words[0] ?? null, servers, setup));
    case 'unreview':
      return report(withdrawReview(name, servers));
    case 'read':
      return report(await servers.server(name).readResource(rest[0] ?? '', new AbortController().signal));
    case 'prompt':
      return report(await prompt(name, rest, servers));
    case 'approve':
      return report(await approve(name, options.get('--pin'), servers));
    case 'call':
      return call(name, rest[0] ?? '{}', servers);
    case 'login':
      return report(await login(name, servers));
    case 'logout':
      return report(await logout(name, servers));
    case 'add':
    case 'remove':
    case 'import':
    case 'serve':
      throw misuse('mcp');
  }
}

/**
 * Approves the tools of a server, or one of them, by their fingerprint: for machines without a user. Without a fingerprint it only prints
 * the present one.
 */
async function approve(name: string, pin: string | undefined, servers: McpServers): Promise<string> {
  const { signal } = new AbortController();
  await servers.server(name.split('.')[0] ?? name).refresh(signal);
  const now = servers.fingerprintOf(name);
  if (now === null) throw new AishError('tool.unknown', messages.formatNoTool(name));
  if (pin === undefined) return mcpMessages.formatApproveWith(name, now);
  await servers.approve(name, pin, signal);
  return mcpMessages.formatApproved(name);
}

/** The text of a prompt with arguments such as `name=value`. */
async function prompt(alias: string, [what = '', ...given]: readonly string[], servers: McpServers): Promise<string> {
  const pairs = given.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] as const);
  if (pairs.some(([name]) => name === '')) throw misuse('mcp');
  return servers.server(alias).getPrompt(what, Object.fromEntries(pairs), new AbortController().signal);
}

/** Calls a tool: the user's own doing, which needs no approval. A tool that reports an error exits with status 1. */
async function call(name: string, json: string, servers: McpServers): Promise<Report> {
  const args = parseJsonObject(json);
  if (args === null) throw misuse('mcp', mcpMessages.ARGUMENTS_NO_JSON);
  const { text, isError } = await servers.call(name, args, new AbortController().signal);
  return { text, exit: isError ? 1 : 0 };
}

/** Prints the page of a login and waits for its end: the return of the browser, or its address on standard input. */
async function login(alias: string, servers: McpServers): Promise<string> {
  const stop = new AbortController();
  const present = (url: string): void => {
    PROCESS_OUTPUT.out(`${sanitizeText(mcpMessages.formatLoginStart(alias, url))}\n`);
    if (isTerminal(0)) void readLine(stop.signal).then((line) => line !== null && servers.server(alias).paste(line));
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

/** The servers and their states, with status 1 if one of them failed. */
function withFaults(text: string, servers: McpServers): Report {
  return { text, exit: servers.statuses().some(({ error }) => error !== undefined) ? 1 : 0 };
}

/** Connects to a server and shows all that is known of it. */
async function get(alias: string, servers: McpServers): Promise<Report> {
  const server = servers.server(alias);
  await server.link.connect({ byUser: true }).catch(() => {});
  const { status, config } = server;
  const instructions = server.link.connection?.instructions ?? null;
  return { text: formatServer(status, config, instructions), exit: status.error === undefined ? 0 : 1 };
}

/** The tools, and the reason why a server has none. */
async function tools(alias: string | undefined, text: string, servers: McpServers): Promise<Report> {
  const known = await servers.tools({ waitMs: SERVER_WAIT_MS, signal: new AbortController().signal });
  const faults = servers
    .statuses()
    .filter((status) => known.missing.includes(status.alias) && (alias ?? status.alias) === status.alias)
    .map((status) => mcpMessages.formatNoTools(status.alias, status.error ?? mcpMessages.NOT_CONNECTED));
  const isEmpty = known.tools.length + known.held.length === 0;
  const rows = isEmpty && faults.length > 0 ? [] : [text];
  return { text: [...rows, ...faults].join('\n'), exit: faults.length > 0 ? 1 : 0 };
}

/** Asks for the review at a terminal: no script can answer for a user. */
async function review(alias: string | null, servers: McpServers, setup: Setup): Promise<string> {
  const opened = await openReview(alias, servers, setup.settings, new AbortController().signal);
  if (typeof opened === 'string') return opened;
  PROCESS_OUTPUT.out(`${opened.show(outputColumns() ?? 80)}\n\n`);
  const answer = askAtTerminal(opened.question);
  if (answer !== null) return opened.answer(answer);
  throw new AishError('trust.nobody', messages.formatOnlyAtTerminal(`the tools of ${opened.alias}`), {
    hint: messages.formatRunAtTerminal(`aish mcp review ${opened.alias}`),
  });
}
