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
  #usage: Usage = { promptTokens: 0, completionTokens: 0 };

  constructor(context: Pick<EffectContext, 'state' | 'record' | 'signal'>, deps: SamplerDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** The use of the model by all answers; undefined without one. */
  get used(): { readonly model: string; readonly usage: Usage } | undefined {
    return this.#model === '' ? undefined : { model: this.#model, usage: this.#usage };
  }

  /** The model gets the texts of the server alone: no tools, and nothing of the session. */
  async answer({ alias, system, messages, tokens }: Sampling, signal: AbortSignal): Promise<SamplingAnswer> {
    if (this.#total >= tokens) throw new AishError('mcp.sampling', formatSamplingLimit(alias, tokens));
    await this.#deps.checkBudget();
    const { state, record } = this.#context;
    const endpoint = await this.#deps.endpoint(currentModel(state()));
    const request: readonly Message[] = [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...messages,
    ];
    const { text, usage } = await this.#deps.complete(
      endpoint,
      this.#deps.requestCover.cover({ messages: request, tools: [] }),
      () => {},
      AbortSignal.any([signal, this.#context.signal]),
      {
        onBody: () => {},
        onLearned: () => {},
        onProgress: () => {},
        onDelay: (delay: RequestDelay) => record({ type: 'request.delayed', delay }),
      },
    );
    this.#model = endpoint.name;
    const asked = request.reduce((sum, { content }) => sum + estimateTokens(content), 0);
    this.#add(usage ?? { promptTokens: asked, completionTokens: estimateTokens(text) });
    record({ type: 'notice', level: 'info', text: formatSampled(alias, endpoint.name, this.#total, tokens) });
    return { model: endpoint.name, text };
  }

  get #total(): number {
    return this.#usage.promptTokens + this.#usage.completionTokens;
  }

  #add({ promptTokens, completionTokens }: Usage): void {
    this.#usage = {
      promptTokens: this.#usage.promptTokens + promptTokens,
      completionTokens: this.#usage.completionTokens + completionTokens,
    };
  }
}
