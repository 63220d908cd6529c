import { checkArguments, extractCommands } from '../../core/model/model-call.ts';
import { type SessionState, toCallId } from '../../core/session/state.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Completion, FinishReason, RawToolCall } from '../../protocol/model.ts';
import { omitUndefined } from '../../protocol/omit-undefined.ts';
import type { Tool, ToolCall } from '../../protocol/tool.ts';
import { EXEC_TOOL } from '../tools/own-tools.ts';

/** Turns an answer into calls: its tool calls, or, when it has none, the `CMD:` lines of its text. */
export function resolveCalls(
  completion: Completion,
  tools: ReadonlyMap<string, Tool>,
  state: Pick<SessionState, 'calls' | 'settings'>,
): ToolCall[] {
  const cut = whyCut(completion.finish);
  if (completion.toolCalls.length > 0)
    return completion.toolCalls.map((raw, at) => resolveCall(raw, toCallId(state.calls + at), tools, cut));
  if (!state.settings.confirmCmd || cut !== null) return [];
  return extractCommands(completion.text).map((command, at) => ({
    id: toCallId(state.calls + at),
    name: EXEC_TOOL.name,
    arguments: { command },
    effect: 'exec',
    origin: 'command-line',
  }));
}

/** Why nothing of an answer may run; null when it is whole. */
function whyCut(finish: FinishReason): string | null {
  if (finish === 'length')
    return 'the answer was cut off at the token limit, so the call may be incomplete; send a shorter call';
  if (finish === 'content_filter')
    return 'the answer was stopped by a content filter, so the call may be incomplete; go another way';
  return null;
}

/** `tools` is keyed by wire name. A call that cannot run is kept, with the reason, so that the model gets an answer to it. */
function resolveCall(raw: RawToolCall, id: string, tools: ReadonlyMap<string, Tool>, cut: string | null): ToolCall {
  const tool = tools.get(raw.name) ?? [...tools.values()].find((candidate) => candidate.name === raw.name);
  const parsed = parseArguments(raw.arguments);
  const call: ToolCall = {
    id,
    name: tool?.name ?? raw.name,
    arguments: parsed ?? {},
    effect: tool?.effect ?? 'write',
    origin: 'model',
    ...omitUndefined({ extra: raw.extra }),
  };
  const invalid = reasonNotToRun(tool, parsed, cut);
  return invalid === null ? call : { ...call, invalid: `[aish] not run: ${invalid}` };
}

function reasonNotToRun(tool: Tool | undefined, parsed: JsonObject | null, cut: string | null): string | null {
  if (cut !== null) return cut;
  if (tool === undefined) return 'there is no tool of this name; use one of the `tools` field';
  if (parsed === null) return 'the arguments are not a valid JSON object; send them again';
  return checkArguments(parsed, tool.parameters);
}

function parseArguments(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
