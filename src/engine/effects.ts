import { endTurn } from '../core/session/end-turn.ts';
import type { Effect } from '../core/session/next.ts';
import type { Hands } from './effects/hands.ts';
import { requestModel } from './requests/request-model.ts';
import type { EffectContext, RunEffect } from './session.ts';

/** What a first call takes is loaded when the model takes longer than this to answer. */
const LOAD_AHEAD_MS = 5;

/** Makes the function that runs effects: one function per effect, and the only place where failures of the world become facts. */
export function createRunEffect(hands: Hands): RunEffect {
  return async (effect, context) => {
    try {
      await runEffect(effect, context, hands);
    } catch (thrown) {
      const { factsOfFailure } = await import('./effects/failure.ts');
      for (const fact of factsOfFailure(effect, context.state(), thrown)) context.record(fact);
    }
  };
}

async function runEffect(effect: Effect, context: EffectContext, hands: Hands): Promise<void> {
  switch (effect.type) {
    case 'request-model':
      return whileLoading(() => requestModel(context, hands));
    case 'refuse-call':
      return context.record({ type: 'tool-call.completed', callId: effect.call.id, text: effect.text, isError: true });
    case 'end-turn':
      return context.record(endTurn(context.state(), effect.reason));
    default:
      return (await import('./effects/run-effect.ts')).runLaterEffect(effect, context, hands);
  }
}

/** A call that the answer asks for waits for no module. */
async function whileLoading(ask: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => void import('./effects/run-effect.ts'), LOAD_AHEAD_MS);
  try {
    await ask();
  } finally {
    clearTimeout(timer);
  }
}
