import type { Effect } from '../../core/session/next.ts';
import type { EffectContext } from '../session.ts';
import { makeCheckpoint, seal } from './checkpoints.ts';
import { prepareCall } from './decide-call.ts';
import type { Hands } from './hands.ts';
import { measureAskedCall } from './measure-call.ts';
import { applyOwnRehearsal, rehearse } from './rehearse.ts';
import { restore } from './restore.ts';
import { runTool } from './run-call.ts';
import { runCommand } from './run-command.ts';

/** An effect that an answer without calls does not need, so that such an answer does not wait for what it takes. */
export type LaterEffect = Exclude<Effect, { type: 'request-model' | 'refuse-call' | 'end-turn' }>;

/** Runs such an effect. */
export async function runLaterEffect(effect: LaterEffect, context: EffectContext, hands: Hands): Promise<void> {
  switch (effect.type) {
    case 'compact':
      return (await import('../context/compact.ts')).compact(effect, context, hands);
    case 'prepare-call':
      return prepareCall(effect, context, hands);
    case 'measure-call':
      return measureAskedCall(effect, context, hands);
    case 'create-checkpoint':
      return makeCheckpoint(effect, context, hands);
    case 'seal-checkpoint':
      return seal(effect, context);
    case 'run-tool':
      return runTool(effect, context, hands);
    case 'run-command':
      return runCommand(effect, context, hands);
    case 'restore-checkpoint':
      return restore(effect, context, hands);
    case 'rehearse':
      return rehearse(effect, context, hands);
    case 'apply-rehearsal':
      return applyOwnRehearsal(effect, context, hands);
  }
}
