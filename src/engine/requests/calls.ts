import { checkArguments, extractCommands } from '../../core/model/model-call.ts';
import { type SessionState, toCallId } from '../../core/session/state.ts';
import { type JsonObject, omitUndefined, parseJsonObject } from '../../protocol/json.ts';
import type { Completion, FinishReason, RawToolCall } from '../../protocol/model.ts';
import type { Tool, ToolCall } from '../../protocol/tool.ts';
import { EXEC_TOOL } from '../tools/own-tools.ts';
import { BAD_ARGUMENTS, CUT_OFF, FILTERED, formatNotRun, NO_TOOL } from './messages.ts';

/** Turns an answer into calls: its tool calls; without any, the `CMD:` lines of its text. */
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

/** Why no call of an answer may run; null if the answer is complete. */
function whyCut(finish: FinishReason): string | null {
  if (finish === 'length') return CUT_OFF;
  return finish === 'content_filter' ? FILTERED : null;
}

/** `tools` is keyed by wire name. A call that cannot run stays, with the reason for the model. */
function resolveCall(raw: RawToolCall, id: string, tools: ReadonlyMap<string, Tool>, cut: string | null): ToolCall {
  const tool = tools.get(raw.name) ?? [...tools.values()].find((candidate) => candidate.name === raw.name);
  const parsed = parseJsonObject(raw.arguments.trim() === '' ? '{}' : raw.arguments);
  const call: ToolCall = {
    id,
    name: tool?.name ?? raw.name,
    arguments: parsed ?? {},
    effect: tool?.effect ?? 'write',
    origin: 'model',
    ...omitUndefined({ extra: raw.extra }),
  };
  const invalid = reasonNotToRun(tool, parsed, cut);
  return invalid === null ? call : { ...call, invalid: formatNotRun(invalid) };
}

function reasonNotToRun(tool: Tool | undefined, parsed: JsonObject | null, cut: string | null): string | null {
  if (cut !== null) return cut;
  if (tool === undefined) return NO_TOOL;
  if (parsed === null) return BAD_ARGUMENTS;
  return checkArguments(parsed, tool.parameters);
}
