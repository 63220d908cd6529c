import type { Sampling, SamplingAnswer } from '../../adapters/mcp/server-event.ts';
import { estimateTokens } from '../../core/context/estimate.ts';
import { currentModel } from '../../core/session/state.ts';
import { AishError } from '../../protocol/error.ts';
import type { Message, RequestDelay, Usage } from '../../protocol/model.ts';
import type { EffectContext, ModelDeps } from './effect-context.ts';
import { formatSampled, formatSamplingLimit } from './messages.ts';

interface SamplerDeps extends Pick<ModelDeps, 'checkBudget' | 'endpoint' | 'complete'> {
  readonly requestCover: Pick<ModelDeps['requestCover'], 'cover'>;
}

type SamplerContext = Pick<EffectContext, 'state' | 'record' | 'spend' | 'signal'>;

/** Has the model of the session answer the requests of a tool's server during one call, within the tokens that its section allows. */
export class Sampler {
  readonly #callId: string;
  readonly #context: SamplerContext;
  readonly #deps: SamplerDeps;
  #last: Promise<unknown> = Promise.resolve();
  /** Tokens of all answers. */
  #total = 0;

  constructor(callId: string, context: SamplerContext, deps: SamplerDeps) {
    this.#callId = callId;
    this.#context = context;
    this.#deps = deps;
  }

  /** One answer at a time: each finds the tokens of those before it counted, however many the server asks for at once. */
  answer(sampling: Sampling, signal: AbortSignal): Promise<SamplingAnswer> {
    const answer = this.#last.then(() => this.#answer(sampling, AbortSignal.any([signal, this.#context.signal])));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** The model gets the texts of the server alone: no tools, and nothing of the session. */
  async #answer(sampling: Sampling, signal: AbortSignal): Promise<SamplingAnswer> {
    signal.throwIfAborted();
    const { alias, system, messages, tokens } = sampling;
    const request: readonly Message[] = [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...messages,
    ];
    const asked = request.reduce((sum, { content }) => sum + estimateTokens(content), 0);
    if (this.#total + asked >= tokens) throw new AishError('mcp.sampling', formatSamplingLimit(alias, tokens));
    await this.#deps.checkBudget();
    const { state, record } = this.#context;
    const endpoint = await this.#deps.endpoint(currentModel(state()));
    const sent = { isGone: false, come: '' };
    const complete = this.#deps.complete(
      endpoint,
      this.#deps.requestCover.cover({ messages: request, tools: [] }),
      (delta) => {
        if (delta.type !== 'tool-call') sent.come += delta.text;
      },
      signal,
      {
        onBody: () => {
          sent.isGone = true;
        },
        onLearned: () => {},
        onProgress: () => {},
        onDelay: (delay: RequestDelay) => record({ type: 'request.delayed', delay }),
      },
    );
    const estimate = (): Usage => ({ promptTokens: asked, completionTokens: estimateTokens(sent.come) });
    try {
      const { text, usage } = await complete;
      sent.come = text;
      this.#add(endpoint.name, usage ?? estimate());
      record({ type: 'notice', level: 'info', text: formatSampled(alias, endpoint.name, this.#total, tokens) });
      return { model: endpoint.name, text };
    } catch (thrown) {
      // One that the server withdraws, or the user with the call, has cost what went and what came.
      if (sent.isGone) this.#add(endpoint.name, estimate());
      throw thrown;
    }
  }

  /** At once, because the call may be cancelled before its end. */
  #add(model: string, usage: Usage): void {
    this.#total += usage.promptTokens + usage.completionTokens;
    this.#context.spend({ type: 'tool-call.sampled', callId: this.#callId, model, usage });
  }
}
