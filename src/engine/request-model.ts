import type { ModelEndpoint } from '../adapters/model/models.ts';
import { type PromptFrame, toMessages } from '../core/prompt.ts';
import { toWireName } from '../core/tool-name.ts';
import { AishError } from '../protocol/error.ts';
import type { Completion, CompletionDelta, ModelRequest, OfferedTool } from '../protocol/model.ts';
import type { RequestFrame } from '../protocol/request-frame.ts';
import type { Tool } from '../protocol/tool.ts';
import { resolveCalls } from './calls.ts';
import { CoveredDeltas } from './covered-deltas.ts';
import type { RequestCover } from './request-cover.ts';
import type { RequestLedger } from './request-ledger.ts';
import type { SecretKeeper } from './secret-keeper.ts';
import type { EffectContext } from './session.ts';
import { noteRequest, type TaintHands } from './taint/note-taint.ts';
import type { OfferedTools } from './toolbox.ts';

/** What is told of a request while it is under way. */
export interface RequestTold {
  readonly onStatus: (text: string) => void;
  readonly onBody: (body: string, endpoint: ModelEndpoint) => void;
}

/** What a model request needs of the outside. */
export interface ModelHands extends TaintHands {
  readonly frame: PromptFrame;
  readonly toolbox: { list(signal: AbortSignal): Promise<OfferedTools> };
  /** The endpoint of a configured model; null asks for whatever can be found. */
  readonly endpoint: (name: string | null) => Promise<ModelEndpoint>;
  readonly complete: (
    endpoint: ModelEndpoint,
    request: ModelRequest,
    onDelta: (delta: CompletionDelta) => void,
    signal: AbortSignal,
    told: RequestTold,
  ) => Promise<Completion>;
  readonly secrets: SecretKeeper;
  readonly requestCover: RequestCover;
  readonly requestLedger: RequestLedger;
  /** Looks where secrets may have changed since. */
  readonly lookForSecrets: () => Promise<void>;
  /** Most characters of one tool result in the history. */
  readonly resultBudget: (model: string | null) => number;
}

/** One step: offers the tools, streams the answer, and records it whole with its calls resolved. */
export async function requestModel(context: EffectContext, hands: ModelHands): Promise<void> {
  const { record, signal } = context;
  const endpoint = await hands.endpoint(context.state().settings.model);
  const [offered] = await Promise.all([hands.toolbox.list(signal), hands.lookForSecrets()]);
  if (offered.missing.length > 0) {
    record({
      type: 'notice',
      level: 'warning',
      text: `asking without the tools of ${offered.missing.join(', ')}: still starting`,
    });
  }
  const tools = byWireName(offered.tools);
  // What the request holds must be known when its calls are decided: nobody waits for that while the model works.
  const [completion] = await Promise.all([
    completeOrFallBack(endpoint, tools, context, hands),
    noteRequest(context, offered.tools, hands),
  ]);
  if (signal.aborted) return;
  const { text, reasoning, finish, usage } = completion;
  record({
    type: 'step.completed',
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    calls: resolveCalls(completion, tools, context.state()),
    finish,
    model: endpoint.name,
    ...(usage === undefined ? {} : { usage }),
  });
}

/** The only way back from a wire name. Our own tools come first, and no later one takes the place of one that was there. */
function byWireName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const named = new Map<string, Tool>();
  for (const tool of tools) {
    const name = toWireName(tool.name);
    if (!named.has(name)) named.set(name, tool);
  }
  return named;
}

/** Asks with `role: "tool"` turns; a chat template that refuses them is asked once more with results as plain text. */
async function completeOrFallBack(
  endpoint: ModelEndpoint,
  tools: ReadonlyMap<string, Tool>,
  context: EffectContext,
  hands: ModelHands,
): Promise<Completion> {
  const ask = (toolTurns: 'role' | 'text'): Promise<Completion> => {
    const shape = {
      toolTurns,
      images: endpoint.images === true,
      outputBudget: Math.ceil(hands.resultBudget(context.state().settings.model) / 4),
    };
    const messages = toMessages(context.state(), { frame: hands.frame, wireName: toWireName, ...shape });
    const whole: ModelRequest = { messages, tools: [...tools].map(([name, tool]) => toOffered(name, tool)) };
    return complete(endpoint, hands.requestCover.cover(whole), shape, context, hands);
  };
  try {
    return await ask('role');
  } catch (thrown) {
    const hasResults = context.state().entries.some((entry) => entry.type === 'result');
    if (!(thrown instanceof AishError) || thrown.code !== 'model.template' || !hasResults) throw thrown;
    return ask('text');
  }
}

/** Sends the request as it is and tells the answer as it comes. */
async function complete(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  shape: Pick<RequestFrame, 'toolTurns' | 'images' | 'outputBudget'>,
  context: EffectContext,
  hands: ModelHands,
): Promise<Completion> {
  const onBody: RequestTold['onBody'] = (body, named) => {
    const frame = { ...frameOf(named, request), ...shape };
    context.record(...hands.requestLedger.factsOf(body, frame));
  };
  const deltas = new CoveredDeltas(() => hands.secrets.stream(), context.record);
  const onStatus = (text: string): void => context.record({ type: 'notice', level: 'info', text });
  try {
    return await hands.complete(endpoint, request, (delta) => deltas.take(delta), context.signal, { onStatus, onBody });
  } finally {
    deltas.end();
  }
}

/** What of a request the facts of the session do not tell. */
function frameOf({ name, model, baseUrl }: ModelEndpoint, { messages, tools }: ModelRequest) {
  const [first] = messages;
  return {
    endpoint: name,
    model,
    host: new URL(baseUrl).hostname,
    system: first?.role === 'system' ? first.content : '',
    tools,
  };
}

function toOffered(name: string, tool: Tool): OfferedTool {
  return { name, description: tool.description, parameters: tool.parameters };
}
