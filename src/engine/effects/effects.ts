import type { Effect } from '../../core/session/next.ts';
import { currentModel, endTurn } from '../../core/session/state.ts';
import type { EffectContext, EffectDeps, RunEffect } from './effect-context.ts';
import { lazy } from './lazy.ts';
import { type RequestDeps, requestModel } from './request-model.ts';

type RunLaterEffect = typeof import('./later-effects.ts').runLaterEffect;

/** Makes the function that runs effects: one function per effect, and the only place where failures of the world become facts. */
export function createRunEffect(deps: EffectDeps): RunEffect {
  const later = new LaterEffects();
  return async (effect, context) => {
    try {
      await runEffect(effect, context, deps, later);
    } catch (thrown) {
      const { factsOfFailure } = await import('./later-effects.ts');
      // At once: the first of them may be the end of this effect, which records nothing afterwards.
      context.record(...factsOfFailure(effect, context.state(), thrown));
    }
  };
}

async function runEffect(effect: Effect, context: EffectContext, deps: EffectDeps, later: LaterEffects): Promise<void> {
  switch (effect.type) {
    case 'request-model':
      return askModel(context, { ...deps, loadAhead: () => later.load() });
    case 'refuse-call':
      return context.record({ type: 'tool-call.completed', callId: effect.call.id, text: effect.text, isError: true });
    case 'end-turn':
      return context.record(endTurn(context.state(), effect.reason));
    default:
      return (later.run ?? (await later.load()))(effect, context, deps);
  }
}

/** One step of the model of the turn. */
async function askModel(context: EffectContext, deps: EffectDeps & RequestDeps): Promise<void> {
  if (deps.hooks !== null) {
    context.record(...(await (await deps.hooks()).beforeTurn(context.signal)));
    if (context.signal.aborted) return;
  }
  const model = currentModel(context.state());
  if (deps.fallbacks(model).length === 0) return requestModel(context, deps, model);
  const { requestWithFallback } = await lazy.withFallback();
  return requestWithFallback(context, deps, (record, name) => requestModel({ ...context, record }, deps, name));
}

/** Runs the effects that an answer without calls does not need. Importing the module each time would take longer than most of its work. */
class LaterEffects {
  #run: RunLaterEffect | null = null;

  /** Null before it is loaded. */
  get run(): RunLaterEffect | null {
    return this.#run;
  }

  async load(): Promise<RunLaterEffect> {
    this.#run = (await import('./later-effects.ts')).runLaterEffect;
    return this.#run;
  }
}
