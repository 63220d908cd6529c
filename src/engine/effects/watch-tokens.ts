import { estimateRequest } from '../../core/context/estimate.ts';
import { CHARACTERS_PER_TOKEN, hasNoTokenLeft } from '../../core/contract/contract-run.ts';
import { endContract } from '../../core/session/contract.ts';
import type { CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import type { EffectContext } from './effect-context.ts';

/** Ends the run in the middle of an answer that uses up its tokens, whatever the answer consists of. */
export function watchTokens(request: ModelRequest, { state, record }: EffectContext) {
  let characters = 0;
  return {
    take: (delta: CompletionDelta): void => {
      characters += delta.type === 'tool-call' ? (delta.characters ?? 0) : delta.text.length;
      const { contractRun } = state();
      if (contractRun && hasNoTokenLeft(contractRun, characters)) record(...endContract(state(), 'token-limit'));
    },
    /** The tokens of the request and its answer, if the server does not count them. */
    estimate: (): number => estimateRequest(request) + Math.ceil(characters / CHARACTERS_PER_TOKEN),
  };
}
