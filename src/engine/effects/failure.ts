import { endTurn } from '../../core/session/end-turn.ts';
import type { Effect } from '../../core/session/next.ts';
import type { SessionState } from '../../core/session/state.ts';
import { formatError, toErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { taintFactsOfServer } from '../taint/note-taint.ts';
import type { EffectOf } from './hands.ts';
import { notMeasured } from './measure-call.ts';
import { failedRestore } from './restore.ts';
import { lostCommand } from './run-command.ts';

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
