import type { McpServers, ServerStatus } from '../../../adapters/mcp/servers.ts';
import type { ServerReview } from '../../../adapters/mcp/tool-pins.ts';
import { AishError } from '../../../protocol/error.ts';
import { countTools, formatReview, type ToolRules } from '../screen/server-review.ts';
import * as messages from './messages.ts';

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
