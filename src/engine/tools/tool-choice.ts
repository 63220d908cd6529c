import { parseToolName, toWireName } from '../../core/model/model-call.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { RawToolCall } from '../../protocol/model.ts';
import type { Tool } from '../../protocol/tool.ts';

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
