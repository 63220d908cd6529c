import type { McpServers, ServerStatus } from '../../../adapters/mcp/servers.ts';
import type { ServerReview } from '../../../adapters/mcp/tool-pins.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatReview, type ToolRules } from '../screen/server-review.ts';

/** What is put before a user, and what comes of a yes. */
export interface OpenReview {
  readonly alias: string;
  /** The text for a screen of a width. */
  readonly show: (columns: number) => string;
  readonly question: string;
  /** What is said to the answer; only the word yes pins. */
  readonly answer: (text: string) => string;
}

const QUESTION = 'Have you read this, and may the model be told it without asking? Type yes: ';

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
    throw new AishError('mcp.unknown-server', `there is no server "${found}"`, { hint: ':mcp list shows them' });
  const review = await servers.review(found, signal);
  if (review.tools.every(({ isSame }) => isSame) && review.gone.length === 0 && !review.isFirst)
    return `${found} is reviewed already, as it is now; :mcp unreview ${found} takes that back`;
  return {
    alias: found,
    show: (columns) => formatReview(review, rules, columns),
    question: QUESTION,
    answer: (text) => takeAnswer(text, review),
  };
}

/** `:mcp unreview`: the tools of a server are offered and asked about like those of any server nobody has looked at. */
export function takeBack(alias: string, servers: McpServers | null): string {
  const was = servers?.forgetReview(alias) ?? false;
  return `${alias} ${was ? 'is reviewed no more' : 'was not reviewed'}`;
}

function takeAnswer(text: string, review: ServerReview): string {
  if (text.trim().toLowerCase() !== 'yes') return `nothing changed: ${review.alias} is not reviewed as it is now`;
  review.pin();
  const count = review.tools.length;
  return `${review.alias}: ${count === 1 ? 'its tool is reviewed as it is' : `its ${count} tools are reviewed as they are`} now; what changes is held back until you have looked`;
}

function findUnreviewed(statuses: readonly ServerStatus[]): string | { readonly text: string } {
  const open = statuses.filter(({ state, review }) => state !== 'disabled' && review !== 'done');
  const [first] = open;
  if (first === undefined) return { text: statuses.length === 0 ? 'no MCP servers' : 'all servers are reviewed' };
  if (open.length === 1) return first.alias;
  const rows = open.map(({ alias, review }) => `  ${alias}${review === 'changed' ? ': has changed' : ''}`);
  return { text: `:mcp review takes one of these, which nobody has looked at as they are now:\n${rows.join('\n')}` };
}
