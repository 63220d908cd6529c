import { parseToolName } from '../../core/model/model-call.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Tool, ToolResult } from '../../protocol/tool.ts';

const FOUND = 8;
const MOST_FOUND = 30;
const LONGEST_DESCRIPTION = 600;
const MOST_CHARACTERS = 16_000;

const NO_TOOL_FOUND = 'No tool matches. Try other words, or fewer.';
const formatFoundTools = (shown: number, found: number) =>
  `${found === 1 ? 'One tool matches' : `${found} tools match`}${shown < found ? `; these are the best ${shown}` : ''}. Call one with aish.call_tool.`;

/** Finds tools by words: a word in the name counts most. The result has what a call needs. */
export function searchTools(args: JsonObject, tools: readonly Tool[]): ToolResult {
  const words = toWords(typeof args.query === 'string' ? args.query : '');
  const limit = typeof args.limit === 'number' && args.limit >= 1 ? Math.min(args.limit, MOST_FOUND) : FOUND;
  const meant = typeof args.server === 'string' && args.server !== '' ? args.server : null;
  const ranked = tools
    .filter(({ name }) => meant === null || parseToolName(name)?.alias === meant)
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1));
  if (ranked.length === 0) return { text: NO_TOOL_FOUND, isError: false };
  let text = formatFoundTools(Math.min(limit, ranked.length), ranked.length);
  for (const { tool } of ranked.slice(0, limit)) {
    const row = `\n\n${tool.name}: ${tool.description.slice(0, LONGEST_DESCRIPTION)}\n${JSON.stringify(tool.parameters)}`;
    if (text.length + row.length > MOST_CHARACTERS) break;
    text += row;
  }
  return { text, isError: false };
}

function scoreOf({ name, description }: Tool, words: readonly string[]): number {
  const own = (parseToolName(name)?.tool ?? name).toLowerCase();
  const parts = new Set(toWords(own));
  const about = description.toLowerCase();
  return words.reduce((sum, word) => {
    if (own === word) return sum + 20;
    if (parts.has(word)) return sum + 8;
    if (own.includes(word)) return sum + 5;
    return about.includes(word) ? sum + 2 : sum;
  }, 0);
}

/** The words of a text; those of a name are parted by signs and capitals. */
function toWords(text: string): string[] {
  const parted = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return parted.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
