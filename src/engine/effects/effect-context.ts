import type { Effect } from '../../core/session/next.ts';
import type { DryRun, SessionState } from '../../core/session/state.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { FormAnswer } from '../../protocol/form.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { commandOf } from '../policy/command-gate.ts';
import { formatEditedCommand } from './messages.ts';

/** The actions on its session that an effect may take. */
export interface EffectContext {
  readonly state: () => SessionState;
  /** Facts that belong together come at once: nothing is waited for between them. */
  readonly record: (...events: readonly SessionEvent[]) => void;
  /** Records what was spent, even after the effect was aborted. */
  readonly spend: (event: EventOf<'tool-call.sampled' | 'request.counted'>) => void;
  readonly signal: AbortSignal;
  /** The line of the requested command as typed: its event may hold less of it, or nothing. */
  readonly takeTypedLine: () => string;
  /** Waits for the answer to a form, whose values no event has. Returns the way to give up waiting. */
  readonly onFormAnswer: (form: string, taker: FormTaker) => () => void;
}

/** A call that waits for the answer to its form. */
export interface FormTaker {
  /** Why an answer does not fit the form; null if it does. */
  check(answer: FormAnswer): string | null;
  take(answer: FormAnswer): void;
}

/** Runs one effect to its closing fact. It must not throw for a failure of the world. */
export type RunEffect = (effect: Effect, context: EffectContext) => Promise<void>;

/** The effect of a kind. */
export type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>;

/** The preview of a call at the time it was allowed. */
export function previewOf(callId: string, state: SessionState): CallPreview | undefined {
  return state.turn?.open.find((open) => open.call.id === callId)?.preview;
}

/** The dry run that is applied in the place of running a call; null where the call is to be run. */
export function appliedFor(call: ToolCall, { dryRun = null }: SessionState): DryRun | null {
  return dryRun?.callId === call.id && dryRun.stage === 'applying' ? dryRun : null;
}

/** Reports to the model that the user edited the command. */
export function withEdit(call: ToolCall, context: EffectContext, text: string): string {
  const isEdited = context.state().turn?.open.some((open) => open.call.id === call.id && open.edited === true);
  if (isEdited !== true) return text;
  const [status = '', ...rest] = text.split('\n');
  return [status, formatEditedCommand(commandOf(call)), ...rest].join('\n');
}
