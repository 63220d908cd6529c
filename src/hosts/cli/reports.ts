import type { KnownTools, ServerStatus } from '../../adapters/mcp/servers.ts';
import { toShownUrl } from '../../core/address.ts';
import { spellName } from '../../core/look-alike.ts';
import { sanitizeText } from '../../core/sanitize.ts';
import type { Config } from '../../protocol/config.ts';
import type { Tool } from '../../protocol/tool.ts';
import { clipText } from './screen/fold.ts';

/** Rows with their columns aligned; the last column is as wide as it is. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))));
  return rows.map((row) => formatRow(row, widths)).join('\n');
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, at) =>
      at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + cell.length - Bun.stringWidth(cell)),
    )
    .join('  ')
    .trimEnd();
}

/** A table whose rows are cut to the window. */
export function clipRows(table: string, columns: number): string {
  return table
    .split('\n')
    .map((row) => clipText(row, columns))
    .join('\n');
}

/** Fewer columns than these are no room for a text. */
const LEAST_TEXT = 24;

/**
 * A table whose last column is a text, in a window: cut to it where enough of the text is left, else with the text in a row of its own under
 * the facts.
 */
export function fitTable(rows: readonly (readonly string[])[], columns: number): string {
  const facts = formatTable(rows.map((row) => row.slice(0, -1))).split('\n');
  const widest = Math.max(0, ...facts.map((row) => Bun.stringWidth(row)));
  const table = formatTable(rows);
  const isFitting = table.split('\n').every((row) => Bun.stringWidth(row) <= columns);
  if (isFitting || columns - widest - 2 >= LEAST_TEXT) return clipRows(table, columns);
  const stacked = rows.flatMap((row, at) => {
    const text = row.at(-1) ?? '';
    return [facts[at] ?? '', ...(text === '' ? [] : [`    ${text}`])];
  });
  return clipRows(stacked.join('\n'), columns);
}

/** How long ago something was, roughly: `3 min ago`. */
export function formatAge(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

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
      `held back: new or changed; :mcp approve ${name.slice(0, name.indexOf('.'))}`,
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
