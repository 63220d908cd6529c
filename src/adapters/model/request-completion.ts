import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import { applyLesson, type Lesson } from '../../core/model/endpoint-profile.ts';
import { guessLessons, readLesson } from '../../core/model/refusal.ts';
import { NO_RETRIES, nextRetry, type RetryLimits, type RetryProgress } from '../../core/model/retry-policy.ts';
import type { EndpointProfile } from '../../protocol/endpoint-profile.ts';
import { omitUndefined, parseJsonObject } from '../../protocol/json.ts';
import type { Completion, CompletionDelta, ModelRequest, RequestDelay } from '../../protocol/model.ts';
import { chatWire } from './chat-wire.ts';
import { type ConnectionHooks, ModelConnection, type ServerSign, type Wire } from './connection.ts';
import { formatLesson, RESPONSE_ENDED } from './messages.ts';
import { ModelFault, toModelError } from './model-error.ts';
import { listModels, nameModel } from './model-list.ts';
import { isNear, type ModelEndpoint } from './models.ts';

/** Callbacks for a caller that waits. */
interface RequestOptions extends RetryOptions {
  /** The endpoint with the model its server names, if that was asked before. */
  readonly named?: Promise<ModelEndpoint> | null;
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
  let ahead = options.named ?? null;
  const named = await retries.run(() => {
    const naming = ahead ?? nameModel(endpoint, signal);
    ahead = null;
    return naming;
  });
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

/** Time and chance for retries. */
export interface RetryClock {
  /** Waits. After an abort it returns early; the next try reports the abort. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

const REAL_CLOCK: RetryClock = { wait: waitOut, random: Math.random };

/** The surroundings of retries. */
interface RetryOptions {
  /** The server is not ready, and the request waits. */
  readonly onDelay?: (delay: RequestDelay) => void;
  /** The server has answered before, or aish runs it: if it refuses connections, it is starting. */
  readonly isExpected?: boolean;
  readonly clock?: RetryClock;
}

/** Repeats the requests of one answer, as long as no byte of it has come. All of them share one count. */
class Retries {
  readonly #endpoint: ModelEndpoint;
  readonly #limits: RetryLimits;
  readonly #signal: AbortSignal;
  readonly #options: RetryOptions;
  #progress: RetryProgress = NO_RETRIES;

  constructor(endpoint: ModelEndpoint, signal: AbortSignal, options: RetryOptions = {}) {
    const { baseUrl, timeouts } = endpoint;
    this.#endpoint = endpoint;
    this.#limits = {
      isNear: isNear(baseUrl),
      firstByteMs: timeouts.firstByteMs,
      isExpected: options.isExpected === true,
    };
    this.#signal = signal;
    this.#options = options;
  }

  /** Does the work, and again after each setback that may pass. Any wire can use it: it throws a `ModelFault` for a failed try. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (thrown) {
        if (this.#signal.aborted || !(await this.#waitAfter(thrown))) throw thrown;
      }
    }
  }

  async #waitAfter(thrown: unknown): Promise<boolean> {
    if (!(thrown instanceof ModelFault) || thrown.setback === null) return false;
    const { onDelay, clock = REAL_CLOCK } = this.#options;
    const { setback, said } = thrown;
    const retry = nextRetry(this.#progress, setback, this.#limits, clock.random());
    if (retry === null) return false;
    const { progress, ...rest } = retry;
    this.#progress = progress;
    // A model that loads is reported once: there is no time to count down to.
    if (setback.reason !== 'loading' || rest.attempt === 1)
      onDelay?.({ reason: setback.reason, model: this.#endpoint.name, ...rest, said });
    await clock.wait(rest.waitMs, this.#signal);
    return true;
  }
}

async function waitOut(ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  const onAbort = (): void => over.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (!signal.aborted) await over.promise;
  signal.removeEventListener('abort', onAbort);
  clearTimeout(timer);
}

/** The wire that an endpoint speaks. Those of provider packages load with the first request to a provider. */
async function wireOf({ provider = 'openai-chat' }: Pick<ModelEndpoint, 'provider'>): Promise<Wire> {
  if (provider === 'openai-chat') return chatWire;
  return (await import('./provider-wire.ts')).openProviderWire(provider, process.env);
}

/** The body that a request to an endpoint has. Nothing is sent. */
export async function bodyOf(endpoint: ModelEndpoint, request: ModelRequest): Promise<string> {
  const wire = await wireOf(endpoint);
  const projected = Promise.withResolvers<string>();
  const open = async ({ body }: { readonly body: string }): Promise<never> => {
    projected.resolve(body);
    throw new Error('not sent');
  };
  const silent = { onDelta: () => {}, onGrowth: () => {}, onSign: () => {}, isBroken: () => false };
  const over = (): void => projected.reject(new Error('the wire sent nothing'));
  wire.answer(request, { endpoint, open, ...silent }).then(over, over);
  return projected.promise;
}

/** A lesson that led to an answer. */
export interface Learned {
  readonly lesson: Lesson;
  /** The lesson as the end of a sentence. */
  readonly text: string;
  /** One line of the server's own words. */
  readonly said: string;
}

/** Failures that may be refusals in unknown words. */
const GUESSED: ReadonlySet<string> = new Set(['model.refused', 'model.template']);

/** Most refusals of one request that are guessed at. */
const MOST_GUESSED = 3;

/** A server that contradicts itself would be asked for ever: the last refusal counts as its answer. */
const MOST_REFUSALS = 20;

/** Lessons on trial: they count if the server then answers, or refuses something else. */
interface Trial {
  readonly before: ModelEndpoint;
  readonly known: readonly Learned[];
  /** The words of the refusal that they may answer. */
  readonly said: string;
  /** The lessons to try next. */
  readonly others: readonly (readonly Lesson[])[];
}

/** Asks one server, and leaves out what it refuses, until it answers or refuses something that a request needs. */
class LearningClient {
  #lessons: readonly Learned[] = [];
  #endpoint: ModelEndpoint;
  #trial: Trial | null = null;
  /** The words that guesses were made for. */
  readonly #guessed = new Set<string>();
  /** The words of the last failure. */
  #failed = '';
  #refusals = 0;

  constructor(endpoint: ModelEndpoint) {
    this.#endpoint = endpoint;
  }

  /** The endpoint with all that is known of it by now. */
  get endpoint(): ModelEndpoint {
    return this.#endpoint;
  }

  get lessons(): readonly Learned[] {
    return this.#lessons;
  }

  /** `sent` gives the body of the last request. */
  async ask(work: (endpoint: ModelEndpoint) => Promise<Completion>, sent: () => string): Promise<Completion> {
    for (;;) {
      try {
        return await work(this.#endpoint);
      } catch (thrown) {
        if (!this.#learn(thrown, sent())) throw thrown;
      }
    }
  }

  #learn(thrown: unknown, sent: string): boolean {
    const { provider = 'openai-chat' } = this.#endpoint;
    const body = parseJsonObject(sent);
    if (!(thrown instanceof ModelFault) || thrown.refusal === null || provider !== 'openai-chat' || body === null)
      return false;
    this.#refusals += 1;
    if (this.#refusals > MOST_REFUSALS) return false;
    const said = withoutNumbers(thrown.said);
    if (this.#trial?.said === said) return this.#tryNext(this.#trial);
    this.#trial = null;
    const profile = this.#endpoint.profile ?? {};
    const lesson = readLesson(thrown.refusal, body, profile);
    if (lesson !== null && this.#take(lesson, thrown.said)) return true;
    const isRepeated = this.#failed === said;
    this.#failed = said;
    const mayGuess = GUESSED.has(thrown.code) || (thrown.code === 'model.server-error' && isRepeated);
    if (!mayGuess || this.#guessed.has(said) || this.#guessed.size >= MOST_GUESSED) return false;
    this.#guessed.add(said);
    const others = guessLessons(thrown.refusal, body, profile);
    return this.#tryNext({ before: this.#endpoint, known: this.#lessons, said, others });
  }

  #tryNext({ before, known, said, others: [next, ...others] }: Trial): boolean {
    this.#endpoint = before;
    this.#lessons = known;
    this.#trial = next === undefined ? null : { before, known, said, others };
    return next?.map((lesson) => this.#take(lesson, said)).includes(true) === true;
  }

  #take(lesson: Lesson, said: string): boolean {
    const next = applyLesson(this.#endpoint.profile ?? {}, lesson);
    if (next === null) return false;
    this.#lessons = [...this.#lessons, { lesson, text: formatLesson(lesson), said }];
    this.#endpoint = { ...this.#endpoint, profile: next };
    return true;
  }
}

/** Two refusals with other numbers, such as ids of requests, are the same. */
function withoutNumbers(said: string): string {
  return said.replaceAll(/[\da-f-]*\d[\da-f-]*/gi, '');
}
