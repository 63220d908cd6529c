import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { PLAN_TOOL } from '../../core/contract/contract-run.ts';
import { unsignedOrigin } from '../../core/secrets/redact-event.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { CompletionDelta, DelayReason, ModelRequest } from '../../protocol/model.ts';
import type { Tool } from '../../protocol/tool.ts';
import type { PrintedCalls, ReadCompletion } from '../requests/answer-calls.ts';
import { formatLearned } from '../requests/messages.ts';
import type { RequestProgress } from '../requests/model-endpoints.ts';
import { byWireName, CoveredDeltas, composeRequest, shapeFor } from '../requests/session-request.ts';
import { taintFactsOfRequest } from '../taint/request-taint.ts';
import { type OfferedTools, OWN_TOOLS } from '../tools/toolbox.ts';
import type { EffectContext, ModelDeps } from './effect-context.ts';
import { lazy } from './lazy.ts';
import { formatMissingServers, formatPrintedCall } from './messages.ts';
import { compactFirst, learnFromAnswer, noteWindow } from './watch-context.ts';

/** The parameters of aish's own tools, public and without a secret. */
const OWN_PARAMETERS: ReadonlySet<object> = new Set(OWN_TOOLS.map(({ parameters }) => parameters));

/** The dependencies of one request. */
export interface RequestDeps extends ModelDeps {
  /** Loads the modules for a first call. */
  readonly loadAhead: () => Promise<unknown>;
}

interface AskingDeps extends ModelDeps, Pick<RequestProgress, 'named'> {
  readonly onDelta: (delta: CompletionDelta) => void;
  readonly PrintedCalls: typeof PrintedCalls;
  /** The servers whose instructions the request has. */
  readonly instructed: readonly string[] | undefined;
  /** The request is on its way. */
  readonly onLeft: () => void;
}

/** An answer that comes at once pays nothing for a call it does not make. */
const PREPARE_AFTER_MS = 5;

/** After these the server may be another one, with another model and another context. */
const RESTARTS: ReadonlySet<DelayReason> = new Set(['connection-lost', 'connection-refused', 'loading', 'unavailable']);

/** Learning about the window can wait until the work that an answer requested is under way. */
const LEARN_AFTER_MS = 200;

/** One step: offers the tools, streams the answer, and records it whole with its calls resolved. */
export async function requestModel(context: EffectContext, deps: RequestDeps, model: string | null): Promise<void> {
  const { record, signal } = context;
  await deps.checkBudget();
  const endpoint = await deps.endpoint(model);
  const named = deps.nameAhead(endpoint, signal);
  noteWindow(context, endpoint, deps);
  const [offered, , reader] = await Promise.all([
    offerTools(context, deps),
    deps.lookForSecrets(''),
    lazy.answerCalls(),
  ]);
  if (offered.missing.length > 0)
    record({ type: 'notice', level: 'warning', text: formatMissingServers(offered.missing) });
  await lookForNotes(context, deps);
  record(...(await deps.memory.look(context.state())));
  const request = composeRequest(context.state(), endpoint, offered, deps);
  const exact = async (): Promise<void> => {
    const count = () => deps.count(endpoint, deps.requestCover.cover(request, OWN_PARAMETERS), signal);
    await (await import('./near-limit.ts')).countNearLimit(context, endpoint, request, deps, count);
  };
  if (await compactFirst(context, endpoint, request, deps, exact)) return;
  const described = [...offered.tools, ...offered.hidden];
  const tools = byWireName(described);
  // The facts of the request must be known when its calls are decided: nothing waits for them while the model works.
  const left = Promise.withResolvers<void>();
  const firstCall = new FirstCall(context, deps, tools);
  const onLeft = (): void => {
    firstCall.begin();
    left.resolve();
  };
  const onDelta = (delta: CompletionDelta): void => firstCall.take(delta);
  const { PrintedCalls } = reader;
  const instructed = offered.servers?.aliases;
  const asking: AskingDeps = { ...deps, named, onLeft, onDelta, PrintedCalls, instructed };
  const [completion] = await Promise.all([
    completeOrCompact(endpoint, request, context, asking).finally(() => {
      firstCall.end();
      left.resolve();
    }),
    left.promise.then(async () => record(...(await taintFactsOfRequest(context.state, described, deps)))),
  ]);
  if (signal.aborted || completion === null) return;
  const { unwrap } = offered;
  const unwrapped = unwrap === undefined ? completion : { ...completion, toolCalls: completion.toolCalls.map(unwrap) };
  const { finish, usage, refused, printed, timing, estimated } = completion;
  if (printed !== undefined) notePrinted(context, endpoint);
  // As long as an answer may be, keys have their turn before it is recorded.
  const text = await deps.secrets.redactLong(completion.text);
  const reasoning = await deps.secrets.redactLong(completion.reasoning);
  const proposed = await deps.memory.propose(text, context.state());
  const step: SessionEvent = {
    type: 'step.completed',
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    ...omitUndefined({ printed }),
    calls: reader.resolveCalls(unwrapped, tools, context.state()),
    finish,
    model: endpoint.name,
    ...omitUndefined({ usage, timing, estimated, refused, origin: originOf(completion, text, reasoning) }),
  };
  record(step, ...proposed);
  setTimeout(() => void learnFromAnswer(completion, request, model, deps), LEARN_AFTER_MS).unref();
}

/** Prepares for the first call of an answer, while the model thinks and not before the request has left. */
class FirstCall {
  readonly #context: EffectContext;
  readonly #deps: RequestDeps;
  readonly #tools: ReadonlyMap<string, Tool>;
  #timer: Timer | undefined;
  #isWarm = false;
  #isOver = false;

  constructor(context: EffectContext, deps: RequestDeps, tools: ReadonlyMap<string, Tool>) {
    this.#context = context;
    this.#deps = deps;
    this.#tools = tools;
  }

  begin(): void {
    this.#timer ??= setTimeout(() => void this.#prepare(), PREPARE_AFTER_MS);
  }

  take(delta: CompletionDelta): void {
    if (this.#isWarm || delta.type !== 'tool-call' || this.#tools.get(delta.name)?.effect !== 'exec') return;
    this.#isWarm = true;
    this.#deps.gate.warm(this.#context.state().settings.autoRun);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async #prepare(): Promise<void> {
    await this.#deps.loadAhead();
    const isExecOffered = [...this.#tools.values()].some(({ effect }) => effect === 'exec');
    if (isExecOffered && !this.#isWarm && !this.#isOver)
      this.#deps.gate.prepare(this.#context.state().settings.autoRun);
  }
}

/** The tools of a request, as far as the custom command of the turn allows them. In an autonomous run, the plan is one of them. */
async function offerTools({ state, signal }: EffectContext, { toolbox }: ModelDeps): Promise<OfferedTools> {
  const { context, turn, contractRun } = state();
  const offered = await toolbox.list(signal, context.window?.tokens ?? null);
  if (contractRun) return { ...offered, tools: [...offered.tools, PLAN_TOOL] };
  return turn?.tools === undefined ? offered : (await lazy.toolChoice()).narrowTools(offered, turn.tools);
}

/** The parts of an answer for its own model. If redaction changed them, the signed ones go, because a provider refuses changed reasoning. */
function originOf(completion: ReadCompletion, text: string, reasoning: string): ReadCompletion['origin'] {
  const { origin } = completion;
  const isSame = text === completion.text && reasoning === completion.reasoning;
  return origin === undefined || isSame ? origin : unsignedOrigin(origin);
}

/** The first printed call of a session says how the server could parse calls itself. */
function notePrinted({ state, record }: EffectContext, { name }: ModelEndpoint): void {
  if (state().entries.some((entry) => entry.type === 'assistant' && entry.printed !== undefined)) return;
  record({ type: 'notice', level: 'warning', text: formatPrintedCall(name) });
}

/** Looks for the notes of project and user once a turn: within a turn, the notes sent stay as they are. */
async function lookForNotes({ state, record }: EffectContext, { notes }: ModelDeps): Promise<void> {
  const { turn, context } = state();
  if (turn === null || turn.steps > 0) return;
  const tokens = context.window?.tokens ?? null;
  const skills = (await notes.lookForSkills?.(tokens)) ?? [];
  record(...[...notes.look(tokens), ...skills].map((told) => ({ type: 'notice' as const, ...told })));
}

/** Requests an answer. Null if the request was too long, and is made shorter first. */
async function completeOrCompact(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  context: EffectContext,
  deps: AskingDeps,
): Promise<ReadCompletion | null> {
  try {
    return await complete(endpoint, deps.requestCover.cover(request, OWN_PARAMETERS), context, deps);
  } catch (thrown) {
    (await import('./near-limit.ts')).compactAfterRefusal(thrown, context, endpoint, request, deps);
    return null;
  }
}

/** Sends the request and streams the response. */
async function complete(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  context: EffectContext,
  deps: AskingDeps,
): Promise<ReadCompletion> {
  const onBody: RequestProgress['onBody'] = (body, named) => {
    const { instructed, frame: start } = deps;
    const shape = shapeFor(context.state(), endpoint, deps);
    const frame = { ...frameOf(named, request), cwd: start.cwd, ...omitUndefined({ instructed }), ...shape };
    // A cancelled request is not recorded, so the request log must not have it either.
    if (!context.signal.aborted) context.record(...deps.requestLog.factsOf(body, frame));
    clock.start();
    deps.onLeft();
  };
  const deltas = new CoveredDeltas(() => deps.secrets.stream(), context.record);
  const onDelay: RequestProgress['onDelay'] = (delay) => {
    if (RESTARTS.has(delay.reason)) deps.windows.expire(endpoint);
    context.record({ type: 'request.delayed', delay });
  };
  const onProgress: RequestProgress['onProgress'] = (percent) => context.record({ type: 'request.progress', percent });
  const onLearned: RequestProgress['onLearned'] = (lessons) => {
    const texts = lessons.map(({ text }) => text);
    context.record({ type: 'notice', level: 'warning', text: formatLearned(endpoint.name, texts) });
  };
  const clock = new AnswerClock();
  const printed = new deps.PrintedCalls(request.tools, (delta) => {
    deps.onDelta(delta);
    deltas.take(delta);
  });
  const watch = context.state().contractRun ? (await import('./contract.ts')).watchTokens(request, context) : null;
  const onDelta = (delta: CompletionDelta): void => {
    clock.take();
    printed.take(delta);
    watch?.take(delta);
  };
  try {
    const answer = await deps.complete(endpoint, request, onDelta, context.signal, {
      onDelay,
      onProgress,
      onBody,
      onLearned,
      ...omitUndefined({ named: deps.named }),
    });
    return { ...(await printed.read(answer)), ...omitUndefined({ timing: clock.end(), estimated: watch?.estimate() }) };
  } finally {
    printed.end();
    deltas.end();
  }
}

/** Measures one answer. A repeated request counts from its last try. */
class AnswerClock {
  #sent = performance.now();
  #first: number | null = null;

  start(): void {
    this.#sent = performance.now();
    this.#first = null;
  }

  take(): void {
    this.#first ??= performance.now();
  }

  /** Undefined for an answer without text. */
  end(): { readonly firstMs: number; readonly totalMs: number } | undefined {
    if (this.#first === null) return undefined;
    return { firstMs: Math.round(this.#first - this.#sent), totalMs: Math.round(performance.now() - this.#sent) };
  }
}

/** The part of a request that the session's facts do not contain. */
function frameOf(
  { name, model, baseUrl, profile, provider, reasoningEffort }: ModelEndpoint,
  { messages, tools }: ModelRequest,
) {
  const [first] = messages;
  return {
    endpoint: name,
    model,
    host: new URL(baseUrl).hostname,
    ...omitUndefined({ profile }),
    ...(provider === undefined || provider === 'openai-chat' ? {} : omitUndefined({ provider, reasoningEffort })),
    system: first?.role === 'system' ? first.content : '',
    tools,
  };
}
