import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { PromptFrame } from '../../core/context/messages.ts';
import { type ProjectionOptions, toMessages } from '../../core/context/request-messages.ts';
import { toWireName } from '../../core/model/tool-name.ts';
import { currentModel, type SessionState } from '../../core/session/state.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { RecalledFact } from '../../protocol/memory.ts';
import type { ModelRequest, OfferedTool } from '../../protocol/model.ts';
import type { Tool } from '../../protocol/tool.ts';

/** Inputs of a request besides the session. */
export interface ComposeDeps {
  readonly frame: PromptFrame;
  readonly notes: { readonly text: string | null };
  readonly memory: { readonly facts: readonly RecalledFact[] };
  readonly resultBudget: (model: string | null) => number;
  readonly again: ProjectionOptions['again'];
}

/** The part of a request that comes from tools and their servers. */
export interface Offer {
  readonly tools: readonly Tool[];
  /** The instructions of MCP servers. */
  readonly servers?: { readonly text: string } | null;
}

/** The shape of requests to an endpoint. */
export function shapeFor(state: SessionState, endpoint: ModelEndpoint, deps: ComposeDeps) {
  const { facts } = deps.memory;
  return {
    images: endpoint.images === true,
    outputBudget: Math.ceil(deps.resultBudget(currentModel(state)) / 4),
    ...(facts.length === 0 ? {} : { memory: facts }),
  };
}

/** The request of a session to an endpoint, before redaction. */
export function composeRequest(
  state: SessionState,
  endpoint: ModelEndpoint,
  { tools, servers = null }: Offer,
  deps: ComposeDeps,
): ModelRequest {
  const { text } = deps.notes;
  const frame = { ...deps.frame, ...omitUndefined({ notes: text ?? undefined, servers: servers?.text }) };
  return {
    messages: toMessages(state, { frame, again: deps.again, wireName: toWireName, ...shapeFor(state, endpoint, deps) }),
    tools: [...byWireName(tools)].map(([name, tool]) => toOffered(name, tool)),
  };
}

/** Tools by wire name. Built-in tools come first, and the first tool of a name wins. */
export function byWireName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const named = new Map<string, Tool>();
  for (const tool of tools) {
    const name = toWireName(tool.name);
    if (!named.has(name)) named.set(name, tool);
  }
  return named;
}

function toOffered(name: string, tool: Tool): OfferedTool {
  return { name, description: tool.description, parameters: tool.parameters };
}
