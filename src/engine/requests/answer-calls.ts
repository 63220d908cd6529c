import {
  checkArguments,
  extractCommands,
  FIRST_WORDS,
  fitArguments,
  offeredName,
  parseArguments,
  SIGNS,
} from '../../core/model/model-call.ts';
import type { TextCalls } from '../../core/model/text-calls/find-text-calls.ts';
import type { Offered } from '../../core/model/text-calls/printed-call.ts';
import type { TextCallHold } from '../../core/model/text-calls/text-call-hold.ts';
import { type SessionState, toCallId } from '../../core/session/state.ts';
import { type JsonObject, omitUndefined } from '../../protocol/json.ts';
import type { Completion, CompletionDelta, FinishReason, OfferedTool, RawToolCall } from '../../protocol/model.ts';
import type { Tool, ToolCall } from '../../protocol/tool.ts';
import { EXEC_TOOL } from '../tools/toolbox.ts';
import { BAD_ARGUMENTS, CUT_OFF, FILTERED, formatNotRun, NO_TOOL } from './messages.ts';

/** An answer whose printed calls are calls. */
export interface ReadCompletion extends Completion {
  /** The calls as the model printed them; absent if the server parsed them, or there are none. */
  readonly printed?: string;
  readonly timing?: { readonly firstMs: number; readonly totalMs: number };
  readonly estimated?: number;
}

/** Finds the calls that a model printed as text in one answer, and keeps their raw form off the screen while it streams. */
export class PrintedCalls {
  readonly #offered: Offered;
  readonly #names: readonly string[];
  readonly #onDelta: (delta: CompletionDelta) => void;
  #hold: TextCallHold | null = null;
  /** Pieces that came while the recognizer was loading. */
  #queue: CompletionDelta[] | null = null;
  #loading: Promise<void> = Promise.resolve();
  /** The text that was passed on before. */
  #passed = '';
  #isAnnounced = false;
  #found: TextCalls | null = null;

  constructor(tools: readonly OfferedTool[], onDelta: (delta: CompletionDelta) => void) {
    this.#offered = new Map(tools.map(({ name, parameters }) => [name, parameters]));
    this.#names = [...this.#offered.keys()].flatMap((name) => [name, name.replace('__', '.')]);
    this.#onDelta = onDelta;
  }

  /** Takes the next piece of the stream, and passes on what is no call. */
  take(delta: CompletionDelta): void {
    if (this.#queue !== null) this.#queue.push(delta);
    else if (this.#hold !== null) this.#takeHeld(this.#hold, delta);
    else if (delta.type === 'text' && this.#mayBegin(delta.text)) {
      this.#queue = [delta];
      this.#loading = this.#load();
    } else this.#pass(delta);
  }

  /** The complete answer, with its printed calls as calls. */
  async read(completion: Completion): Promise<ReadCompletion> {
    await this.#loading;
    const { toolCalls, text, reasoning } = completion;
    const isNamed = this.#names.some((name) => text.includes(name) || reasoning.includes(name));
    if (toolCalls.length > 0 || !isNamed) return completion;
    const { findTextCalls } = await import('../../core/model/text-calls/find-text-calls.ts');
    this.#found = findTextCalls(completion, this.#offered);
    if (this.#found === null) return completion;
    const calls = this.#found.calls.map((call) => ({
      id: '',
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    }));
    const { text: rest, reasoning: thoughts, printed } = this.#found;
    return { ...completion, text: rest, reasoning: thoughts, toolCalls: calls, printed };
  }

  /** Passes on the rest of the answer that is no call. */
  end(): void {
    const queue = this.#queue ?? [];
    this.#queue = null;
    for (const delta of queue) this.#pass(delta);
    this.#say(this.#hold?.end(this.#found?.text ?? null) ?? '');
  }

  #mayBegin(text: string): boolean {
    const line = this.#passed.slice(this.#passed.lastIndexOf('\n') + 1);
    const words = [...this.#names, ...FIRST_WORDS];
    const isFirst = (start: string): boolean =>
      start !== '' && words.some((word) => word.startsWith(start) || start.startsWith(word));
    return SIGNS.test(text) || `${line}${text}`.split('\n').some(isFirst);
  }

  async #load(): Promise<void> {
    const { TextCallHold: Hold } = await import('../../core/model/text-calls/text-call-hold.ts');
    const hold = new Hold(this.#offered);
    hold.pass(this.#passed);
    const queue = this.#queue ?? [];
    this.#queue = null;
    this.#hold = hold;
    for (const delta of queue) this.#takeHeld(hold, delta);
  }

  #takeHeld(hold: TextCallHold, delta: CompletionDelta): void {
    if (delta.type === 'tool-call') this.#say(hold.end(null));
    if (delta.type !== 'text') {
      this.#onDelta(delta);
      return;
    }
    this.#say(hold.push(delta.text));
    const name = this.#isAnnounced ? null : hold.heldName;
    if (name === null) return;
    this.#isAnnounced = true;
    this.#onDelta({ type: 'tool-call', name });
  }

  #pass(delta: CompletionDelta): void {
    if (delta.type === 'text') this.#passed += delta.text;
    this.#onDelta(delta);
  }

  #say(text: string): void {
    if (text !== '') this.#onDelta({ type: 'text', text });
  }
}

/** Turns an answer into calls: its tool calls; without any, the `CMD:` lines of its text. */
export function resolveCalls(
  completion: ReadCompletion,
  tools: ReadonlyMap<string, Tool>,
  state: Pick<SessionState, 'calls' | 'settings'>,
): ToolCall[] {
  const cut = whyCut(completion.finish);
  if (completion.toolCalls.length > 0)
    return completion.toolCalls.map((raw, at) => ({
      ...resolveCall(raw, toCallId(state.calls + at), tools, cut),
      ...(completion.printed === undefined ? {} : { isPrinted: true as const }),
    }));
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
  const tool =
    tools.get(offeredName(raw.name, tools) ?? '') ??
    [...tools.values()].find((candidate) => candidate.name === raw.name);
  const given = parseArguments(raw.arguments, tool?.parameters);
  const isOwn = tool?.name.startsWith('aish.') === true;
  const parsed = given === null || !isOwn ? given : fitArguments(given, tool.parameters);
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
