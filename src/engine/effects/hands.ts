import type { Effect } from '../../core/session/next.ts';
import type { SessionState } from '../../core/session/state.ts';
import type { CallPreview } from '../../protocol/tool.ts';
import type { CommandGate } from '../gate/command-gate.ts';
import type { ModelHands } from '../requests/request-model.ts';
import type { SecretHandover } from '../secrets/secret-handover.ts';
import type { RehearsalRunner } from '../shell/rehearsal-runner.ts';
import type { SandboxRunner } from '../shell/sandbox-runner.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import type { Toolbox } from '../toolbox.ts';

/** What effects work with. */
export interface Hands extends ModelHands {
  readonly toolbox: Toolbox;
  readonly gate: CommandGate;
  readonly sharedShell: SharedShell;
  readonly sandbox: SandboxRunner;
  readonly rehearsals: RehearsalRunner;
  readonly outputs: SessionOutputs;
  readonly handover: SecretHandover;
  /** Looks into the files with secrets that the text of what is about to run names, so that its output is covered as it comes; null where it names none. */
  readonly lookAhead: (text: string) => Promise<void> | null;
  /** Why nothing in a place can be undone, as far as questions of the session told it. */
  readonly told: Set<string>;
  readonly now: () => number;
}

/** The effect of a kind. */
export type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>;

/** What was known of a call when it was allowed. */
export function previewOf(callId: string, state: SessionState): CallPreview | undefined {
  return state.turn?.open.find((open) => open.call.id === callId)?.preview;
}
