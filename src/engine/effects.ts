import type { Effect } from '../core/session/next.ts';
import type { SessionState } from '../core/session/state.ts';
import { formatError, toErrorFact } from '../protocol/error.ts';
import type { SessionEvent } from '../protocol/event.ts';
import { compact } from './context/compact.ts';
import { makeCheckpoint, seal } from './effects/checkpoints.ts';
import { prepareCall } from './effects/decide-call.ts';
import type { EffectOf, Hands } from './effects/hands.ts';
import { measureAskedCall, notMeasured } from './effects/measure-call.ts';
import { applyOwnRehearsal, rehearse } from './effects/rehearse.ts';
import { failedRestore, restore } from './effects/restore.ts';
import { runTool } from './effects/run-call.ts';
import { lostCommand, runCommand } from './effects/run-command.ts';
import { requestModel } from './request-model.ts';
import type { EffectContext, RunEffect } from './session.ts';
import { taintFactsOfServer } from './taint/note-taint.ts';

/** Makes the function that runs effects: one function per effect, and the only place where failures of the world become facts. */
export function createRunEffect(hands: Hands): RunEffect {
  return async (effect, context) => {
    try {
      await runEffect(effect, context, hands);
    } catch (thrown) {
      for (const fact of factsOfFailure(effect, context.state(), thrown)) context.record(fact);
    }
  };
}

async function runEffect(effect: Effect, context: EffectContext, hands: Hands): Promise<void> {
  switch (effect.type) {
    case 'request-model':
      return requestModel(context, hands);
    case 'compact':
      return compact(effect, context, hands);
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
    case 'refuse-call':
      return context.record({ type: 'tool-call.completed', callId: effect.call.id, text: effect.text, isError: true });
    case 'end-turn':
      return context.record({ type: 'turn.ended', reason: effect.reason });
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

/** The facts that close an effect which failed, so that the session waits for something else. */
function factsOfFailure(effect: Effect, state: SessionState, thrown: unknown): SessionEvent[] {
  const error = toErrorFact(thrown);
  const notice: SessionEvent = { type: 'notice', level: 'error', text: formatError(error) };
  switch (effect.type) {
    case 'request-model':
    case 'end-turn': {
      const text = state.turn?.streamed ?? '';
      return [{ type: 'turn.ended', reason: 'failed', error, ...(text === '' ? {} : { text }) }];
    }
    case 'compact':
      return [{ type: 'compaction.failed', error }];
    case 'prepare-call':
    case 'create-checkpoint':
    case 'refuse-call':
    case 'run-tool': {
      const text = formatFailedCall(effect, error.message);
      return [
        { ...notice, text: `${effect.call.name}: ${notice.text}` },
        // An error may be told in the words of others.
        ...(effect.type === 'run-tool' ? taintFactsOfServer(effect.call, state) : []),
        { type: 'tool-call.completed', callId: effect.call.id, text, isError: true },
      ];
    }
    case 'measure-call':
      return [notMeasured(effect, error.message)];
    case 'seal-checkpoint':
      return [{ type: 'checkpoint.sealed', id: effect.checkpoint.id, error }];
    case 'run-command':
      return [notice, { type: 'command.completed', record: lostCommand(effect, state.cwd) }];
    case 'restore-checkpoint':
      return [failedRestore(effect, error)];
    case 'rehearse':
      return [{ type: 'rehearsal.completed', number: effect.rehearsal.number, error }];
    case 'apply-rehearsal':
      return [{ type: 'rehearsal.applied', number: effect.rehearsal.number, error }];
  }
}

function formatFailedCall(
  effect: EffectOf<'run-tool' | 'prepare-call' | 'create-checkpoint' | 'refuse-call'>,
  message: string,
): string {
  return effect.type === 'run-tool' ? `[aish] tool unavailable: ${message}` : `[aish] not run: ${message}`;
}
