import type { Effect } from '../../core/session/next.ts';
import { endTurn, type SessionState } from '../../core/session/state.ts';
import { formatError, toErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { taintFactsOfServer } from '../taint/note-taint.ts';
import { makeCheckpoint, seal } from './checkpoints.ts';
import { prepareCall } from './decide-call.ts';
import { applyUserDryRun, dryRun } from './dry-run.ts';
import type { EffectContext, EffectOf } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';
import { measureAskedCall, notMeasured } from './measure-call.ts';
import { failedRestore, restore } from './restore.ts';
import { runTool } from './run-call.ts';
import { lostCommand, runCommand } from './run-command.ts';

/** An effect that an answer without calls does not need, so that such an answer does not wait for what it takes. */
export type LaterEffect = Exclude<Effect, { type: 'request-model' | 'refuse-call' | 'end-turn' }>;

/** Runs such an effect. */
export async function runLaterEffect(effect: LaterEffect, context: EffectContext, deps: EffectDeps): Promise<void> {
  switch (effect.type) {
    case 'compact':
      return (await import('./compact.ts')).compact(effect, context, deps);
    case 'prepare-call':
      return prepareCall(effect, context, deps);
    case 'measure-call':
      return measureAskedCall(effect, context, deps);
    case 'create-checkpoint':
      return makeCheckpoint(effect, context, deps);
    case 'finalize-checkpoint':
      return seal(effect, context);
    case 'run-tool':
      return runTool(effect, context, deps);
    case 'run-command':
      return runCommand(effect, context, deps);
    case 'restore-checkpoint':
      return restore(effect, context, deps);
    case 'dry-run':
      return dryRun(effect, context, deps);
    case 'apply-dry-run':
      return applyUserDryRun(effect, context, deps);
  }
}

/** The facts that close an effect which failed, so that the session waits for something else. */
export function factsOfFailure(effect: Effect, state: SessionState, thrown: unknown): SessionEvent[] {
  const error = toErrorFact(thrown);
  const notice: SessionEvent = { type: 'notice', level: 'error', text: formatError(error) };
  switch (effect.type) {
    case 'request-model':
    case 'end-turn':
      return [{ ...endTurn(state, 'failed'), error }];
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
    case 'finalize-checkpoint':
      return [{ type: 'checkpoint.finalized', id: effect.checkpoint.id, error }];
    case 'run-command':
      return [notice, { type: 'command.completed', record: lostCommand(effect, state.cwd) }];
    case 'restore-checkpoint':
      return [failedRestore(effect, error)];
    case 'dry-run':
      return [{ type: 'dry-run.completed', number: effect.dryRun.number, error }];
    case 'apply-dry-run':
      return [{ type: 'dry-run.applied', number: effect.dryRun.number, error }];
  }
}

function formatFailedCall(
  effect: EffectOf<'run-tool' | 'prepare-call' | 'create-checkpoint' | 'refuse-call'>,
  message: string,
): string {
  return effect.type === 'run-tool' ? `[aish] tool unavailable: ${message}` : `[aish] not run: ${message}`;
}
