import { applyLesson, toTextTurns } from '../../core/model/endpoint-profile.ts';
import { offeredName, parseArguments } from '../../core/model/model-call.ts';
import { wantsStream } from '../../core/model/refusal.ts';
import { findTextCalls, type TextCalls } from '../../core/model/text-calls/find-text-calls.ts';
import { type AnswerGap, findAnswerGap } from '../../core/session/state.ts';
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { Completion, DelayReason, ModelRequest } from '../../protocol/model.ts';
import * as probes from './doctor-probes.ts';
import { aborted, formatLesson } from './messages.ts';
import { ModelFault } from './model-error.ts';
import { askContextWindow } from './model-list.ts';
import type { ModelEndpoint } from './models.ts';
import { type Learned, type RetryClock, requestCompletion, requestOnce } from './request-completion.ts';
import { makeCallId } from './response.ts';

/** The results of a short conversation with a server. Null stands for a probe that was not made, or that said nothing. */
export interface Diagnosis {
  /** With the model that answered, and with the profile that the lessons add up to. */
  readonly endpoint: ModelEndpoint;
  readonly lessons: readonly Learned[];
  /** The reasons for which a request had to wait. */
  readonly delays: readonly DelayReason[];
  /** The fault that ended the examination. */
  readonly error: AishError | null;
  /** How the call came that the model was asked for. */
  readonly call: 'parsed' | 'printed' | 'damaged' | 'none' | null;
  /** The answer after the result of the call. */
  readonly answer: 'whole' | 'repeated' | AnswerGap | null;
  readonly reasoning: 'field' | 'tags' | null;
  /** Two calls came in one answer. */
  readonly hasParallelCalls: boolean | null;
  readonly takesDots: boolean | null;
  /** It takes two messages of the user in a row. */
  readonly takesSameRole: boolean | null;
  /** It takes ids of calls that another server made. */
  readonly takesLongIds: boolean | null;
  /** It refuses a model that it does not have. */
  readonly readsModel: boolean | null;
  /** The tokens of context that the server reports. */
  readonly window: number | null;
  readonly speed: Speed | null;
}

interface Speed {
  readonly firstTokenMs: number;
  /** Null if the server counts no tokens, or sent too few. */
  readonly tokensPerSecond: number | null;
}

/** Fewer tokens than these are no measure of speed. */
const LEAST_TOKENS = 8;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const UNKNOWN = {
  error: null,
  call: null,
  answer: null,
  reasoning: null,
  hasParallelCalls: null,
  takesDots: null,
  takesSameRole: null,
  takesLongIds: null,
  readsModel: null,
  window: null,
  speed: null,
} as const;

/** Examines a model with a few short requests. The known profile of its server does not count. */
export async function examine(endpoint: ModelEndpoint, signal: AbortSignal, clock?: RetryClock): Promise<Diagnosis> {
  const { profile: _, ...unknown } = endpoint;
  return new Examination(unknown, signal, clock).run();
}

class Examination {
  readonly #signal: AbortSignal;
  readonly #clock: RetryClock | undefined;
  readonly #lessons: Learned[] = [];
  readonly #delays = new Set<DelayReason>();
  readonly #found: Writable<Omit<Diagnosis, 'endpoint' | 'lessons' | 'delays'>> = { ...UNKNOWN };
  #endpoint: ModelEndpoint;

  constructor(endpoint: ModelEndpoint, signal: AbortSignal, clock: RetryClock | undefined) {
    this.#endpoint = endpoint;
    this.#signal = signal;
    this.#clock = clock;
  }

  async run(): Promise<Diagnosis> {
    try {
      await this.#converse();
      if ((this.#endpoint.provider ?? 'openai-chat') === 'openai-chat') {
        await this.#unmask();
        await this.#vary();
      }
      this.#found.window = await askContextWindow(this.#endpoint, this.#signal);
    } catch (thrown) {
      if (!(thrown instanceof AishError) || this.#signal.aborted) throw thrown;
      this.#found.error = thrown;
    }
    return { ...this.#found, endpoint: this.#endpoint, lessons: lastOf(this.#lessons), delays: [...this.#delays] };
  }

  /** A call and its result, as in every turn. */
  async #converse(): Promise<void> {
    const asked = await this.#ask(probes.ASK_FOR_CALL);
    const printed = asked.toolCalls.length > 0 ? null : findTextCalls(asked, probes.OFFERED);
    this.#takeReasoning(asked);
    this.#found.call = readCall(asked, printed !== null);
    if (this.#found.call === 'none' || this.#found.call === 'damaged') {
      this.#found.answer = findAnswerGap({ ...asked, calls: [] }) ?? 'whole';
      if (this.#endpoint.profile?.tools === 'none') this.#found.call = null;
      return;
    }
    const last = await this.#ask(printed === null ? resultOf(asked) : resultOfPrinted(printed));
    this.#takeReasoning(last);
    this.#found.answer = last.toolCalls.length > 0 ? 'repeated' : (findAnswerGap({ ...last, calls: [] }) ?? 'whole');
    if (this.#found.call === 'parsed') this.#found.hasParallelCalls = await this.#callTwice();
  }

  /** A refusal hides what the server would refuse behind it. Requests of forms that aish never sends show the rest. */
  async #unmask(): Promise<void> {
    if (this.#endpoint.profile?.tools === 'none') await this.#learnFrom(probes.TURNS_WITHOUT_TOOLS);
    const { toolTurns, emptyContent, stream } = this.#endpoint.profile ?? {};
    if (toolTurns === 'text' && emptyContent === undefined) await this.#learnFrom(probes.CALL_WITHOUT_RESULT);
    const hasOmitted = this.#lessons.some(
      ({ lesson }) => lesson.type === 'plainest' || (lesson.type === 'omit' && lesson.field === 'stream_options'),
    );
    if (stream === false && !hasOmitted) await this.#sendStreamOptions();
  }

  /** Sends turns of tools in spite of the profile, and keeps what the server teaches about them. */
  async #learnFrom(request: ModelRequest): Promise<void> {
    const { tools: _, toolTurns: known, ...profile } = this.#endpoint.profile ?? {};
    const onLearned = (_: ModelEndpoint, lessons: readonly Learned[]): void => {
      const isText = lessons.some(({ lesson }) => lesson.type === 'text-tool-turns');
      if (isText && known === 'text') return;
      for (const one of lessons)
        if (one.lesson.type === 'text-tool-turns' || one.lesson.type === 'empty-content') this.#keep(one);
    };
    const options = { ...omitUndefined({ clock: this.#clock }), onLearned };
    try {
      await requestCompletion({ ...this.#endpoint, profile }, request, () => {}, this.#signal, options);
    } catch {
      this.#unlessAborted(null);
    }
  }

  /** A server that does not stream may refuse the options of a stream for that reason alone. */
  async #sendStreamOptions(): Promise<void> {
    const { omit = [], ...profile } = this.#endpoint.profile ?? {};
    const asked = { ...profile, omit: omit.filter((field) => field !== 'stream_options') };
    try {
      await requestOnce({ ...this.#endpoint, profile: asked }, probes.HELLO, () => {}, this.#signal);
    } catch (thrown) {
      const status = thrown instanceof ModelFault ? thrown.refusal?.status : undefined;
      const said = thrown instanceof ModelFault ? thrown.said : '';
      const lesson = { type: 'omit', field: 'stream_options' } as const;
      if (this.#unlessAborted(status === 400 || status === 422) && !wantsStream(said))
        this.#keep({ lesson, text: formatLesson(lesson), said });
    }
  }

  #keep(learned: Learned): void {
    const profile = this.#endpoint.profile ?? {};
    this.#endpoint = { ...this.#endpoint, profile: applyLesson(profile, learned.lesson) ?? profile };
    this.#lessons.push(learned);
  }

  /** Requests that differ in one thing from those of aish. A refusal says something about the server, and changes nothing. */
  async #vary(): Promise<void> {
    const { tools, toolTurns } = this.#endpoint.profile ?? {};
    const hasTools = tools !== 'none';
    const hasToolTurns = hasTools && toolTurns !== 'text';
    if (hasTools) this.#found.takesDots = await this.#isTaken(probes.DOTTED_NAME);
    if (hasToolTurns) this.#found.takesSameRole = await this.#isTaken(probes.SAME_ROLE);
    if (hasToolTurns) this.#found.takesLongIds = await this.#isTaken(probes.LONG_ID);
    const wrong = await this.#isTaken(probes.HELLO, { ...this.#endpoint, model: probes.NO_SUCH_MODEL });
    this.#found.readsModel = wrong === null ? null : !wrong;
  }

  async #ask(request: ModelRequest): Promise<Completion> {
    let sentAt = performance.now();
    let firstAt: number | null = null;
    const onDelta = (): void => {
      firstAt ??= performance.now();
    };
    const completion = await requestCompletion(this.#endpoint, request, onDelta, this.#signal, {
      ...omitUndefined({ clock: this.#clock }),
      onDelay: ({ reason }) => this.#delays.add(reason),
      onBody: (_, { model }) => {
        this.#endpoint = { ...this.#endpoint, model };
        sentAt = performance.now();
      },
      onLearned: (asked, lessons) => {
        this.#endpoint = asked;
        this.#lessons.push(...lessons);
      },
    });
    this.#takeSpeed(completion, { sentAt, firstAt: firstAt ?? performance.now() });
    return completion;
  }

  /** The longest answer gives the best measure. */
  #takeSpeed({ usage }: Completion, { sentAt, firstAt }: { readonly sentAt: number; readonly firstAt: number }): void {
    const tokens = usage?.completionTokens ?? 0;
    const seconds = (performance.now() - firstAt) / 1000;
    const tokensPerSecond = tokens < LEAST_TOKENS || seconds <= 0 ? null : tokens / seconds;
    const firstTokenMs = firstAt - sentAt;
    this.#found.speed = {
      firstTokenMs,
      tokensPerSecond: tokensPerSecond ?? this.#found.speed?.tokensPerSecond ?? null,
    };
  }

  #takeReasoning({ reasoning, origin }: Completion): void {
    if (reasoning === '') return;
    this.#found.reasoning = probes.isTagged(origin) ? 'tags' : 'field';
  }

  async #callTwice(): Promise<boolean | null> {
    try {
      const { toolCalls } = await requestOnce(this.#endpoint, probes.ASK_FOR_TWO, () => {}, this.#signal);
      return toolCalls.length > 1;
    } catch {
      return this.#unlessAborted(null);
    }
  }

  /** Whether the server takes a request; null if it fails in another way. The answer is not read to its end. */
  async #isTaken(request: ModelRequest, endpoint: ModelEndpoint = this.#endpoint): Promise<boolean | null> {
    const enough = new AbortController();
    let hasBegun = false;
    const onDelta = (): void => {
      hasBegun = true;
      enough.abort();
    };
    try {
      await requestOnce(endpoint, request, onDelta, AbortSignal.any([this.#signal, enough.signal]));
      return true;
    } catch (thrown) {
      if (hasBegun) return this.#unlessAborted(true);
      const status = thrown instanceof ModelFault ? thrown.refusal?.status : undefined;
      return this.#unlessAborted(status !== undefined && [400, 404, 422, 500].includes(status) ? false : null);
    }
  }

  #unlessAborted<T>(value: T): T {
    if (this.#signal.aborted) throw aborted();
    return value;
  }
}

/** The lessons without those that a later one corrects. */
function lastOf(lessons: readonly Learned[]): readonly Learned[] {
  return lessons.filter(
    ({ lesson }, at) =>
      lesson.type === 'omit' || !lessons.slice(at + 1).some((later) => later.lesson.type === lesson.type),
  );
}

/** The request after calls that the server parsed. */
function resultOf({ text, toolCalls, reasoning, origin }: Completion): ModelRequest {
  const calls = toolCalls.map((call) => ({ ...call, id: makeCallId() }));
  const thoughts = { ...(reasoning === '' ? {} : { reasoning }), ...omitUndefined({ origin }) };
  return probes.toResultRequest({ role: 'assistant', content: text, toolCalls: calls, ...thoughts }, calls);
}

/** The request after printed calls: their results go as text, as in a turn. */
function resultOfPrinted({ text, calls }: TextCalls): ModelRequest {
  const made = calls.map((call) => ({ id: makeCallId(), name: call.name, arguments: JSON.stringify(call.arguments) }));
  const { messages, tools } = probes.toResultRequest({ role: 'assistant', content: text, toolCalls: made }, made);
  return { messages: toTextTurns(messages), tools };
}

function readCall({ toolCalls }: Completion, isPrinted: boolean): NonNullable<Diagnosis['call']> {
  if (isPrinted) return 'printed';
  if (toolCalls.length === 0) return 'none';
  return toolCalls.every(
    (call) => offeredName(call.name, probes.OFFERED) !== null && parseArguments(call.arguments) !== null,
  )
    ? 'parsed'
    : 'damaged';
}
