import type { Sampling, SamplingAnswer } from '../../adapters/mcp/server-event.ts';
import { estimateTokens } from '../../core/context/estimate.ts';
import { currentModel } from '../../core/session/state.ts';
import { AishError } from '../../protocol/error.ts';
import type { Message, RequestDelay, Usage } from '../../protocol/model.ts';
import type { EffectContext } from './effect-context.ts';
import { formatSampled, formatSamplingLimit } from './messages.ts';
import type { ModelDeps } from './request-model.ts';

interface SamplerDeps extends Pick<ModelDeps, 'checkBudget' | 'endpoint' | 'complete'> {
  readonly requestCover: Pick<ModelDeps['requestCover'], 'cover'>;
}

/** Has the model of the session answer the requests of a tool's server during one call, within the tokens that its section allows. */
export class Sampler {
  readonly #context: Pick<EffectContext, 'state' | 'record' | 'signal'>;
  readonly #deps: SamplerDeps;
  #model = '';
  #last: Promise<unknown> = Promise.resolve();
  #usage: Usage = { promptTokens: 0, completionTokens: 0 };

  constructor(context: Pick<EffectContext, 'state' | 'record' | 'signal'>, deps: SamplerDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** The use of the model by all answers; undefined without one. */
  get used(): { readonly model: string; readonly usage: Usage } | undefined {
    return this.#model === '' ? undefined : { model: this.#model, usage: this.#usage };
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
      // One that the server withdraws has cost what went and what came.
      if (sent.isGone) this.#add(endpoint.name, estimate());
      throw thrown;
    }
  }

  get #total(): number {
    return this.#usage.promptTokens + this.#usage.completionTokens;
  }

  #add(model: string, { promptTokens, completionTokens }: Usage): void {
    this.#model = model;
    this.#usage = {
      promptTokens: this.#usage.promptTokens + promptTokens,
      completionTokens: this.#usage.completionTokens + completionTokens,
    };
  }
}
