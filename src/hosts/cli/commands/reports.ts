import type { ServerPrompt, ServerResource } from '../../../adapters/mcp/catalogue.ts';
import type { LogEntry } from '../../../adapters/mcp/server-event.ts';
import type { KnownTools, ServerConfig, ServerStatus } from '../../../adapters/mcp/servers.ts';
import { clipRows, formatTable } from '../../../core/terminal/table.ts';
import { quoteText } from '../../../core/terminal/wrap.ts';
import { spellName } from '../../../core/text/hidden-character.ts';
import { sanitizeLine, sanitizeText } from '../../../core/text/sanitize.ts';
import type { Tool } from '../../../protocol/tool.ts';
import * as messages from './messages.ts';
import * as mcpMessages from './messages-mcp.ts';

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
