import type { ServerPrompt, ServerResource } from '../../../adapters/mcp/catalogue.ts';
import type { McpServer } from '../../../adapters/mcp/server.ts';
import type { LogEntry } from '../../../adapters/mcp/server-event.ts';
import type { KnownTools, McpServers, ServerConfig, ServerStatus } from '../../../adapters/mcp/servers.ts';
import type { ServerReview } from '../../../adapters/mcp/tool-pins.ts';
import type { MetaCommand, ShowCommand } from '../../../core/meta/meta-entry.ts';
import { clipRows, formatTable } from '../../../core/terminal/table.ts';
import { quoteText } from '../../../core/terminal/wrap.ts';
import { spellName } from '../../../core/text/hidden-character.ts';
import { sanitizeLine, sanitizeText } from '../../../core/text/sanitize.ts';
import type { Engine, LiveSession } from '../../../engine/session/engine.ts';
import { AishError, formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Tool } from '../../../protocol/tool.ts';
import { countTools, formatReview, type ToolRules } from '../screen/server-review.ts';
import * as messages from './messages.ts';
import * as mcpMessages from './messages-extend.ts';

/** Time limit of a tool call, for servers connected with `:mcp connect`. */
const CALL_TIMEOUT_MS = 60_000;

/** Dependencies of `:mcp`. */
interface McpContext {
  readonly engine: Engine;
  readonly live: LiveSession;
  readonly columns: number;
}

type McpCommand = Extract<MetaCommand, { name: 'mcp' }>;

/** Carries out `:mcp`: a text to be printed, or what is put before the user. */
export async function runMcp(command: McpCommand, context: McpContext): Promise<string | OpenReview> {
  if (command.action === 'review') return review(command.alias ?? null, context);
  return report(command, context);
}

async function report(command: Exclude<McpCommand, { action: 'review' }>, context: McpContext): Promise<string> {
  const { engine } = context;
  switch (command.action) {
    case 'connect': {
      const [program, ...args] = 'command' in command ? command.command : [];
      const place = 'url' in command ? { url: command.url } : { command: program, args };
      const status = await engine.connectServer(command.alias ?? null, {
        ...place,
        enabled: true,
        timeout_ms: CALL_TIMEOUT_MS,
      });
      return messages.formatConnected(status.alias);
    }
    case 'disconnect':
      await (await serversWith(command.alias, engine)).disconnect(command.alias);
      return '';
    case 'unreview':
      return withdrawReview(command.alias, await engine.servers());
    case 'refresh':
      await (await serverOf(command.alias, engine)).refresh(new AbortController().signal);
      return mcpMessages.formatRefreshed(command.alias);
    case 'logout':
      return logout(command.alias, await serversWith(command.alias, engine));
    case 'login':
      return login(command.alias, command.pasted ?? null, context);
    case 'list':
    case 'tools':
    case 'tool':
    case 'resources':
    case 'prompts':
    case 'log':
      return lookAtServers(command, context);
  }
}

/** Forgets the login to a server. */
export async function logout(alias: string, servers: McpServers): Promise<string> {
  return (await servers.server(alias).logout())
    ? mcpMessages.formatLoggedOut(alias)
    : mcpMessages.formatNotLoggedIn(alias);
}

interface LookContext extends Pick<McpContext, 'engine' | 'columns'> {
  /** How long to wait for servers that were never seen. */
  readonly waitMs?: number;
  /** The command that lists the tools. */
  readonly listing?: string;
}

/** Shows the servers, without a change to any. */
export async function lookAtServers(
  command: Extract<ShowCommand, { name: 'mcp' }>,
  { engine, columns, waitMs = 2000, listing = ':mcp tools' }: LookContext,
): Promise<string> {
  const { signal } = new AbortController();
  switch (command.action) {
    case 'list':
      return formatServers((await engine.servers())?.statuses() ?? []);
    case 'tools': {
      const servers = await engine.servers();
      if (servers === null) return formatServers([]);
      const { alias } = command;
      const { tools, held, instructions } = await servers.tools({ waitMs, signal });
      const isMeant = ({ name }: { readonly name: string }) => alias === undefined || name.startsWith(`${alias}.`);
      const known = {
        tools: tools.filter(isMeant),
        held: held.filter(isMeant),
        instructions: instructions.filter((one) => alias === undefined || one.alias === alias),
      };
      return formatTools(known, columns);
    }
    case 'resources':
      return formatResources(await (await serverOf(command.alias, engine)).resources(signal), columns);
    case 'prompts':
      return formatPrompts(await (await serverOf(command.alias, engine)).prompts(signal), columns);
    case 'log':
      return formatLog((await serverOf(command.alias, engine)).log);
    case 'tool': {
      const tool = (await engine.servers())?.describe(command.tool) ?? null;
      if (tool === null)
        throw new AishError('tool.unknown', messages.formatNoTool(command.tool), {
          hint: messages.formatListsTools(listing),
        });
      return formatTool(tool);
    }
  }
}

async function serversWith(alias: string, engine: Engine): Promise<McpServers> {
  const servers = await engine.servers();
  if (servers !== null) return servers;
  throw new AishError('mcp.unknown-server', messages.formatNoServer(alias), { hint: messages.LISTS_SERVERS });
}

async function serverOf(alias: string, engine: Engine): Promise<McpServer> {
  return (await serversWith(alias, engine)).server(alias);
}

/** Begins a login and shows its page, or ends one with the address that the browser went to. A notice reports the end. */
async function login(alias: string, pasted: string | null, { engine, live }: McpContext): Promise<string> {
  const server = await serverOf(alias, engine);
  if (pasted !== null) {
    if (server.paste(pasted)) return '';
    throw new AishError('mcp.login', mcpMessages.formatNoOpenLogin(alias));
  }
  const page = Promise.withResolvers<string | null>();
  const tell = (level: 'info' | 'error', text: string) => live.session.record({ type: 'notice', level, text });
  const done = server.login({ signal: new AbortController().signal, present: page.resolve }).then(
    () => tell('info', mcpMessages.formatLoggedIn(alias)),
    (thrown: unknown) => tell('error', formatError(toErrorFact(thrown))),
  );
  void done.then(() => page.resolve(null));
  const url = await page.promise;
  return url === null ? '' : mcpMessages.formatLoginPage(alias, url);
}

/** The review shows beside each tool what the rules of this session would allow after a yes. */
async function review(alias: string | null, { engine, live }: McpContext): Promise<string | OpenReview> {
  const { settings } = live.session.state;
  const opened = await openReview(alias, await engine.servers(), settings, new AbortController().signal);
  if (typeof opened === 'string') return opened;
  const answer = (text: string): string => `${opened.answer(text)}${noteRead(opened.alias, live)}`;
  return { ...opened, answer };
}

/** A review of the present descriptions does not cover descriptions that the model read before. */
function noteRead(alias: string, { session }: LiveSession): string {
  const wasRead = session.state.taint.sources.some(({ name }) => name === `descriptions of ${alias}`);
  return wasRead ? `\n${messages.READ_BEFORE_REVIEW}` : '';
}

/** The review of a server: its text, and the effect of the answer. */
export interface OpenReview {
  readonly alias: string;
  /** The text for a screen of a width. */
  readonly show: (columns: number) => string;
  readonly question: string;
  /** Takes the answer and returns the text to print; only the word yes pins. */
  readonly answer: (text: string) => string | Promise<string>;
}

/**
 * `:mcp review` and `aish mcp review`: the tools of a server to be looked at, or a text where there is nothing to decide. Without an alias
 * the one server is meant that nobody has looked at as it is now.
 */
export async function openReview(
  alias: string | null,
  servers: McpServers | null,
  rules: ToolRules,
  signal: AbortSignal,
): Promise<OpenReview | string> {
  const found = alias ?? findUnreviewed(servers?.statuses() ?? []);
  if (typeof found !== 'string') return found.text;
  if (servers === null)
    throw new AishError('mcp.unknown-server', messages.formatNoServer(found), { hint: messages.LISTS_SERVERS });
  const review = await servers.server(found).review(signal);
  if (review.tools.every(({ isSame }) => isSame) && review.gone.length === 0 && !review.isFirst)
    return messages.formatReviewedAlready(found);
  return {
    alias: found,
    show: (columns) => formatReview(review, rules, columns),
    question: messages.REVIEW_QUESTION,
    answer: (text) => takeAnswer(text, review),
  };
}

/** `:mcp unreview`: treats the tools of a server like those of a server without a review. */
export function withdrawReview(alias: string, servers: McpServers | null): string {
  const was = servers?.server(alias).forgetReview() ?? false;
  return messages.formatUnreviewed(alias, was);
}

function takeAnswer(text: string, review: ServerReview): string {
  if (text.trim().toLowerCase() !== 'yes') return messages.formatNotReviewed(review.alias);
  review.pin();
  return messages.formatReviewed(review.alias, countTools(review.tools));
}

function findUnreviewed(statuses: readonly ServerStatus[]): string | { readonly text: string } {
  const open = statuses.filter(({ state, review }) => state !== 'disabled' && review !== 'done');
  const [first] = open;
  if (first === undefined)
    return { text: statuses.length === 0 ? messages.NO_SERVERS_TO_REVIEW : messages.ALL_REVIEWED };
  if (open.length === 1) return first.alias;
  const rows = open.map(
    ({ alias, review }) => `  ${alias}${review === 'changed' ? ` (${messages.CHANGED_SERVER})` : ''}`,
  );
  return { text: `${messages.REVIEW_WHICH}\n${rows.join('\n')}` };
}

/** The MCP servers and their state. */
export function formatServers(statuses: readonly ServerStatus[]): string {
  if (statuses.length === 0) return messages.NO_SERVERS;
  return formatTable(
    statuses.map((status) => [
      status.alias,
      status.state,
      describeTools(status),
      sanitizeText(status.error ?? status.url ?? status.command ?? ''),
    ]),
  );
}

const LONGEST_INSTRUCTIONS = 2000;

/** Settings that the state and the address of a server show. */
const SHOWN_ANYWAY: readonly string[] = ['url', 'command', 'args', 'enabled'];

/** One server: its state, its settings without the secrets in them, and its tools. */
export function formatServer(status: ServerStatus, config: ServerConfig, instructions: string | null): string {
  const { state, url, command, version, era, error } = status;
  const { env = {}, headers = {}, auth_token, ...others } = config;
  const settings = Object.entries(others).filter(([key]) => !SHOWN_ANYWAY.includes(key));
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['state', state],
    ['url', url],
    ['command', command],
    ['tools', describeTools(status)],
    ['version', version],
    ['era', era],
    ...settings.map(([key, value]) => [key, String(value)] as const),
    ['auth_token', auth_token === undefined ? undefined : mcpMessages.HIDDEN],
    ...Object.keys({ ...env, ...headers }).map((name) => [name, mcpMessages.HIDDEN] as const),
    ['instructions', instructions?.slice(0, LONGEST_INSTRUCTIONS)],
    ['error', error],
  ];
  const known = rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
  return formatTable([[status.alias, ''], ...known].map((row) => row.map(sanitizeLine)));
}

function describeTools({ state, toolCount, review }: ServerStatus): string {
  if (toolCount === 0 && state !== 'connected') return messages.TOOLS_UNKNOWN;
  return messages.formatToolCount(toolCount, review);
}

/** Tools, one on each line, with the first line of their description, or the reason why aish holds them back. */
export function formatTools(
  { tools, held, instructions }: Pick<KnownTools, 'tools' | 'held' | 'instructions'>,
  columns = Number.POSITIVE_INFINITY,
): string {
  if (tools.length + held.length === 0) return messages.NO_TOOLS;
  const table = formatTable([
    ...tools.map((tool) => [sanitizeText(tool.name), sanitizeText(tool.description).split('\n')[0] ?? '']),
    ...held.map(({ name }) => [spellName(name), messages.formatHeldBack(name.slice(0, name.indexOf('.')))]),
  ]);
  const texts = instructions.map(({ alias, text }) =>
    [messages.formatInstructionsHead(alias), ...quoteText(sanitizeText(text), columns)].join('\n'),
  );
  return [clipRows(table, columns), ...texts].join('\n\n');
}

/** One tool with its whole schema. */
export function formatTool(tool: Tool): string {
  return sanitizeText(
    `${tool.name} (${describeEffect(tool)})\n${tool.description}\n${JSON.stringify(tool.parameters, null, 2)}`,
  );
}

function describeEffect({ effect, hint }: Tool): string {
  if (effect === 'exec') return messages.TOOL_EFFECTS.exec;
  if (effect === 'read') return messages.TOOL_EFFECTS.read;
  return hint === 'read' ? messages.TOOL_EFFECTS.claimsRead : messages.TOOL_EFFECTS.change;
}

/** Resources, one on each line. */
export function formatResources(resources: readonly ServerResource[], columns: number): string {
  if (resources.length === 0) return mcpMessages.NO_RESOURCES;
  const rows = resources.map(({ uri, name, description, mimeType }) =>
    [uri, name === uri ? '' : name, mimeType, description].map(sanitizeLine),
  );
  return clipRows(formatTable(rows), columns);
}

/** Prompts with their arguments, one on each line; arguments that may be left out are in brackets. */
export function formatPrompts(prompts: readonly ServerPrompt[], columns: number): string {
  if (prompts.length === 0) return mcpMessages.NO_PROMPTS;
  const rows = prompts.map((prompt) => {
    const given = prompt.arguments.map(({ name, isRequired }) => (isRequired ? name : `[${name}]`));
    return [prompt.name, given.join(' '), prompt.description].map(sanitizeLine);
  });
  return clipRows(formatTable(rows), columns);
}

/** The log of a server, oldest line first. */
export function formatLog(entries: readonly LogEntry[]): string {
  if (entries.length === 0) return mcpMessages.NO_LOG;
  return formatTable(entries.map(({ level, text }) => [level, text].map(sanitizeLine)));
}
