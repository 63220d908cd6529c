import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { Completion, CompletionDelta, EndpointProfile, ModelRequest } from '../../protocol/model.ts';
import { type ConnectionHooks, ModelConnection } from './connection.ts';
import { type Learned, LearningClient } from './learning.ts';
import { RESPONSE_ENDED } from './messages.ts';
import { toModelError } from './model-error.ts';
import { listModels, nameModel } from './model-list.ts';
import type { ModelEndpoint } from './models.ts';
import { Retries, type RetryOptions } from './retries.ts';
import type { ServerSign, Wire } from './wire.ts';
import { wireOf } from './wires.ts';

/** Callbacks for a caller that waits. */
export interface RequestOptions extends RetryOptions {
  /** The endpoint with the model its server named, once that name has answered. */
  readonly onNamed?: (endpoint: ModelEndpoint) => void;
  /** The body that has just left, and the endpoint it was made for. */
  readonly onBody?: (body: string, endpoint: ModelEndpoint) => void;
  /** The known profile of an endpoint that has a model. */
  readonly profileOf?: (endpoint: ModelEndpoint) => EndpointProfile | undefined;
  /** An answer came after refusals that taught something. */
  readonly onLearned?: (endpoint: ModelEndpoint, lessons: readonly Learned[]) => void;
  /** The server says something beside its answer. */
  readonly onSign?: (sign: ServerSign) => void;
}

const LIST_LIMIT_MS = 3000;

/**
 * Sends a request to a model and streams its response. aish repeats the request only if no byte of the answer has come. Every failure is an
 * AishError with a code `model.*`.
 */
export async function requestCompletion(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  onDelta: (delta: CompletionDelta) => void,
  signal: AbortSignal,
  options: RequestOptions = {},
): Promise<Completion> {
  const retries = new Retries(endpoint, signal, options);
  const named = await retries.run(() => nameModel(endpoint, signal));
  const wire = await wireOf(named);
  const client = new LearningClient({ ...named, ...omitUndefined({ profile: options.profileOf?.(named) }) });
  let sent = '';
  const onBody = (body: string): void => {
    // A body that goes out again is the same request.
    if (body !== sent) options.onBody?.(body, client.endpoint);
    sent = body;
  };
  const hooks = { onDelta, onBody, onSign: options.onSign ?? (() => {}) };
  const work = (asked: ModelEndpoint): Promise<Completion> => ask(wire, asked, request, hooks, signal);
  const completion = await retries.run(() => client.ask(work, () => sent));
  if (client.lessons.length > 0) options.onLearned?.(client.endpoint, client.lessons);
  if (named !== endpoint) options.onNamed?.(named);
  return completion;
}

/** Sends a request exactly once: nothing is learned from a refusal, and nothing is repeated. */
export async function requestOnce(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  onDelta: (delta: CompletionDelta) => void,
  signal: AbortSignal,
): Promise<Completion> {
  return ask(await wireOf(endpoint), endpoint, request, { onDelta, onBody: () => {}, onSign: () => {} }, signal);
}

/** One try at an answer. */
async function ask(
  wire: Wire,
  endpoint: ModelEndpoint,
  request: ModelRequest,
  hooks: ConnectionHooks,
  signal: AbortSignal,
): Promise<Completion> {
  const { fault, finish, ...whole } = await send(wire, endpoint, request, hooks, signal);
  if (fault === null && finish !== null) return { ...whole, finish };
  const why = fault ?? { kind: 'incomplete_stream', message: RESPONSE_ENDED };
  const hasBegun = whole.text !== '' || whole.reasoning !== '' || whole.toolCalls.length > 0;
  throw await toModelError({ fault: why, hasBegun }, endpoint, () => listNames(endpoint, signal));
}

async function send(
  wire: Wire,
  endpoint: ModelEndpoint,
  request: ModelRequest,
  hooks: ConnectionHooks,
  signal: AbortSignal,
): Promise<AnswerReading> {
  await using connection = new ModelConnection(endpoint, signal, hooks);
  try {
    return await wire.answer(request, connection);
  } catch (thrown) {
    throw connection.explain(thrown);
  }
}

/** The models that a server lists, for an error; empty if it lists none. */
async function listNames(endpoint: ModelEndpoint, signal: AbortSignal): Promise<string[]> {
  try {
    return (await listModels(endpoint, signal, LIST_LIMIT_MS)).map((model) => model.id);
  } catch {
    return [];
  }
}
