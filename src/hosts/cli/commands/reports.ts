import type { KnownTools, ServerStatus } from '../../../adapters/mcp/servers.ts';
import { toShownUrl } from '../../../core/model/server-fault.ts';
import { spellName } from '../../../core/text/hidden-character.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import type { Config } from '../../../protocol/config.ts';
import type { Tool } from '../../../protocol/tool.ts';
import { clipRows, formatTable } from '../screen/table.ts';

/** The MCP servers and how they are. */
export function formatServers(statuses: readonly ServerStatus[]): string {
  if (statuses.length === 0)
    return 'no MCP servers; add [mcp.servers.ALIAS] to the configuration, or :mcp connect <url>';
  return formatTable(
    statuses.map((status) => [
      status.alias,
      status.state,
      formatToolCount(status),
      sanitizeText(status.error ?? status.url ?? status.command ?? ''),
    ]),
  );
}

function formatToolCount({ state, toolCount, review }: ServerStatus): string {
  if (toolCount === 0 && state !== 'connected') return 'tools not known yet';
  const states = { none: ', not reviewed', done: ', reviewed', changed: ', changed since reviewed' };
  return `${toolCount} ${toolCount === 1 ? 'tool' : 'tools'}${review === undefined ? '' : states[review]}`;
}

/** Tools, one a line, with the first line of what they say of themselves; of those that are held back, with why instead. */
export function formatTools(
  { tools, held }: Pick<KnownTools, 'tools' | 'held'>,
  columns = Number.POSITIVE_INFINITY,
): string {
  if (tools.length + held.length === 0) return 'no tools known yet';
  const table = formatTable([
    ...tools.map((tool) => [sanitizeText(tool.name), sanitizeText(tool.description).split('\n')[0] ?? '']),
    ...held.map(({ name }) => [
      spellName(name),
      `held back: new or changed; :mcp review ${name.slice(0, name.indexOf('.'))}`,
    ]),
  ]);
  return clipRows(table, columns);
}

/** One tool with its whole schema. */
export function formatTool(tool: Tool): string {
  return sanitizeText(
    `${tool.name} (${describeEffect(tool)})\n${tool.description}\n${JSON.stringify(tool.parameters, null, 2)}`,
  );
}

function describeEffect({ effect, hint }: Tool): string {
  if (effect === 'exec') return 'runs commands';
  if (effect === 'read') return 'only reads';
  return hint === 'read' ? 'says that it only reads' : 'may change things';
}

/** The models of the configuration; the star marks the one in use. */
export function formatModels(models: Config['models'], used: string | null): string {
  const names = Object.keys(models);
  if (names.length === 0)
    return 'no models are configured; add [models.NAME] with base_url, or start a server aish finds by itself';
  return formatTable(
    names.map((name) => [
      name === used ? '*' : ' ',
      name,
      models[name]?.model ?? '(the server chooses)',
      toShownUrl(models[name]?.base_url ?? ''),
    ]),
  );
}
