import { parseToolName, toWireName } from '../../core/model/tool-name.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { RawToolCall } from '../../protocol/model.ts';
import type { Tool, ToolResult } from '../../protocol/tool.ts';

/** Finds tools that a request does not describe. */
export const SEARCH_TOOL = 'aish.search_tools';
/** Calls a tool that a request does not describe. */
const CALL_TOOL = 'aish.call_tool';

/** Most tools of a request: some model servers refuse more than 128. */
const MOST_TOOLS = 100;
/** The part of a context window that tools of servers may take, and the size without a known window. */
const SHARE = 0.1;
const USUAL_CHARACTERS = 48_000;
const CHARACTERS_PER_TOKEN = 4;

/** The tools that a request describes, and the others, which the model finds with `aish.search_tools`. */
export interface ToolChoice {
  readonly tools: readonly Tool[];
  readonly hidden: readonly Tool[];
  readonly unwrap?: (call: RawToolCall) => RawToolCall;
}

/** Chooses how a request offers the tools of servers: each with its description, or all of them behind a search. */
export function chooseTools(tools: readonly Tool[], windowTokens: number | null): ToolChoice {
  const room = windowTokens === null ? USUAL_CHARACTERS : windowTokens * CHARACTERS_PER_TOKEN * SHARE;
  return tools.length <= MOST_TOOLS && fits(tools, room)
    ? { tools, hidden: [] }
    : { tools: toSearchTools(tools), hidden: tools, unwrap: unwrapCall };
}

/** The call inside a call of `aish.call_tool`: approvals and rules are about the tool that it names. It names no tool of aish. */
export function unwrapCall(raw: RawToolCall): RawToolCall {
  if (raw.name !== toWireName(CALL_TOOL) && raw.name !== CALL_TOOL) return raw;
  const given = parseJsonObject(raw.arguments);
  const name = typeof given?.name === 'string' ? given.name : '';
  const inner = given?.arguments ?? {};
  const isOwn = name.startsWith('aish.') || name.startsWith('aish__');
  return {
    ...raw,
    name: name === '' || isOwn ? `${CALL_TOOL} ${name}` : name,
    arguments: typeof inner === 'string' ? inner : JSON.stringify(inner),
  };
}

function fits(tools: readonly Tool[], room: number): boolean {
  let left = room;
  for (const { name, description, parameters } of tools) {
    left -= name.length + description.length + JSON.stringify(parameters).length;
    if (left < 0) return false;
  }
  return true;
}

function toSearchTools(tools: readonly Tool[]): readonly Tool[] {
  const counts = new Map<string, number>();
  for (const { name } of tools) {
    const alias = parseToolName(name)?.alias ?? name;
    counts.set(alias, (counts.get(alias) ?? 0) + 1);
  }
  const servers = [...counts].map(([alias, count]) => `${alias} (${count})`).join(', ');
  return [
    {
      name: SEARCH_TOOL,
      description: `Find tools of MCP servers by words of their names and descriptions. Servers and numbers of their tools: ${servers.slice(0, 2000)}.`,
      parameters: {
        type: 'object',
        properties: { query: { type: 'string' }, server: { type: 'string' }, limit: { type: 'integer' } },
        required: ['query'],
      },
      effect: 'read',
    },
    {
      name: CALL_TOOL,
      description: 'Call a tool that aish.search_tools has found.',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string', description: 'server.tool' }, arguments: { type: 'object' } },
        required: ['name'],
      },
      effect: 'write',
    },
  ];
}

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
