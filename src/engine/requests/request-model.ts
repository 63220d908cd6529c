import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { AishError } from '../../protocol/error.ts';
import type { Completion, CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import type { RequestFrame } from '../../protocol/request-frame.ts';
import type { Tool } from '../../protocol/tool.ts';
import type { SessionNotes } from '../context/session-notes.ts';
import {
  type ContextHands,
  compactAfterRefusal,
  compactFirst,
  learnFromAnswer,
  noteWindow,
} from '../context/watch-context.ts';
import type { SecretKeeper } from '../secrets/secret-keeper.ts';
import type { EffectContext } from '../session.ts';
import { noteRequest, type TaintHands } from '../taint/note-taint.ts';
import { type OfferedTools, OWN_TOOLS } from '../toolbox.ts';
import { resolveCalls } from './calls.ts';
import { byWireName, type ComposeHands, composeRequest, shapeFor } from './compose-request.ts';
import { CoveredDeltas } from './covered-deltas.ts';
import type { RequestCover } from './request-cover.ts';
import type { RequestLedger } from './request-ledger.ts';

/** Of our own tools, which hold no secret, as everybody may read. */
const OWN_PARAMETERS: ReadonlySet<object> = new Set(OWN_TOOLS.map(({ parameters }) => parameters));

/** What is told of a request while it is under way. */
export interface RequestTold {
  readonly onStatus: (text: string) => void;
  readonly onBody: (body: string, endpoint: ModelEndpoint) => void;
}

/** What a model request needs of the outside. */
export interface ModelHands extends TaintHands, ContextHands, ComposeHands {
  readonly notes: SessionNotes;
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
  /** Looks where secrets may have changed since, and in the files that what `ran` just now names. */
  readonly lookForSecrets: (ran?: string) => Promise<void>;
}

/** The same for one step. */
interface AskingHands extends ModelHands {
  /** The request is on its way. */
  readonly onLeft: () => void;
}

/** What an answer teaches of the window can wait until what the answer asked for is under way. */
const LEARN_AFTER_MS = 200;

/** One step: offers the tools, streams the answer, and records it whole with its calls resolved. */
export async function requestModel(context: EffectContext, hands: ModelHands): Promise<void> {
  const { record, signal } = context;
  const endpoint = await hands.endpoint(context.state().settings.model);
  const [offered] = await Promise.all([hands.toolbox.list(signal), hands.lookForSecrets('')]);
  if (offered.missing.length > 0) {
    record({
      type: 'notice',
      level: 'warning',
      text: `asking without the tools of ${offered.missing.join(', ')}: still starting`,
    });
  }
  noteWindow(context, endpoint, hands);
  lookForNotes(context, hands);
  const request = composeRequest(context.state(), endpoint, offered.tools, 'role', hands);
  if (compactFirst(context, endpoint, request, hands)) return;
  const tools = byWireName(offered.tools);
  // What the request holds must be known when its calls are decided: nobody waits for that while the model works.
  const left = Promise.withResolvers<void>();
  const [completion] = await Promise.all([
    completeOrFallBack(endpoint, request, offered.tools, context, { ...hands, onLeft: left.resolve }).finally(
      left.resolve,
    ),
    left.promise.then(() => noteRequest(context, offered.tools, hands)),
  ]);
  if (signal.aborted || completion === null) return;
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
  const { model } = context.state().settings;
  setTimeout(() => void learnFromAnswer(completion, request, model, hands), LEARN_AFTER_MS).unref();
}

/** What project and person want known is looked for once a turn: within one, what was sent stays as it is. */
function lookForNotes({ state, record }: EffectContext, { notes }: ModelHands): void {
  const { turn, context } = state();
  if (turn === null || turn.steps > 0) return;
  record(...notes.look(context.window?.tokens ?? null).map((told) => ({ type: 'notice' as const, ...told })));
}

/**
 * Asks with `role: "tool"` turns; a chat template that refuses them is asked once more with results as plain text. Null where the request was
 * too long, and is made shorter first.
 */
async function completeOrFallBack(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  tools: readonly Tool[],
  context: EffectContext,
  hands: AskingHands,
): Promise<Completion | null> {
  const ask = (whole: ModelRequest, toolTurns: 'role' | 'text'): Promise<Completion> => {
    const shape = { toolTurns, ...shapeFor(context.state(), endpoint, hands) };
    return complete(endpoint, hands.requestCover.cover(whole, OWN_PARAMETERS), shape, context, hands);
  };
  try {
    return await ask(request, 'role').catch((thrown: unknown) => {
      const hasResults = context.state().entries.some((entry) => entry.type === 'result');
      if (!(thrown instanceof AishError) || thrown.code !== 'model.template' || !hasResults) throw thrown;
      return ask(composeRequest(context.state(), endpoint, tools, 'text', hands), 'text');
    });
  } catch (thrown) {
    compactAfterRefusal(thrown, context, endpoint, request, hands);
    return null;
  }
}

/** Sends the request as it is and tells the answer as it comes. */
async function complete(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  shape: Pick<RequestFrame, 'toolTurns' | 'images' | 'outputBudget'>,
  context: EffectContext,
  hands: AskingHands,
): Promise<Completion> {
  const onBody: RequestTold['onBody'] = (body, named) => {
    const frame = { ...frameOf(named, request), ...shape };
    // What is called off is not recorded, so the ledger may not think it was.
    if (!context.signal.aborted) context.record(...hands.requestLedger.factsOf(body, frame));
    hands.onLeft();
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
