import type { SessionState } from '../../core/session/state.ts';
import type { Config } from '../../protocol/config.ts';
import type { DurableEvent, Recorded, SessionEvent } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { Hooks } from '../extend/hooks.ts';
import type { CommandGate } from '../policy/command-gate.ts';
import type { FallbackDeps } from '../requests/request-with-fallback.ts';
import type { DryRunner } from '../shell/dry-runner.ts';
import type { SandboxRunner } from '../shell/sandbox-runner.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import type { UntrustedContent } from '../taint/untrusted-content.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import type { ModelDeps } from './request-model.ts';
import type { SecretInjector } from './secret-injection.ts';

/** The dependencies of effects. */
export interface EffectDeps extends ModelDeps, FallbackDeps {
  readonly toolbox: Toolbox;
  readonly untrustedContent: UntrustedContent;
  readonly gate: CommandGate;
  readonly sharedShell: SharedShell;
  readonly sandbox: SandboxRunner;
  readonly dryRuns: DryRunner;
  readonly outputs: SessionOutputs;
  readonly injector: SecretInjector;
  /**
   * Reads the files with secrets that the text of the next command names, so that its output is redacted as it comes; null if it names
   * none.
   */
  readonly lookAhead: (text: string) => Promise<void> | null;
  /** Reasons why nothing can be undone that a prompt of the session already showed. */
  readonly told: Set<string>;
  /** The paths that the step of a checkpoint in an autonomous run changed, absolute and raw, by the checkpoint's id. */
  readonly ownChanges: Map<string, Set<string>>;
  readonly now: () => number;
  /** The hooks of the configuration, loaded at their first use; null without any. */
  readonly hooks: (() => Promise<Hooks>) | null;
  /** All stored events of the session, oldest first. */
  readonly recorded: () => readonly Recorded[];
  /** The limits of explorers. */
  readonly explore: Config['explore'];
  /** Opens a session inside a call. */
  readonly openChild: (options: ChildOptions) => Promise<ChildSession>;
}

/** A session inside a call of another one. */
export interface ChildOptions {
  readonly first: SessionEvent;
  readonly deps: EffectDeps;
  /** Gets its durable events before they count in its state. */
  readonly onEvent: (event: DurableEvent) => void;
}

/** The actions on such a session. */
export interface ChildSession {
  readonly state: SessionState;
  take(op: Op): unknown;
  record(...events: readonly SessionEvent[]): void;
  atRest(): Promise<void>;
  close(): Promise<void>;
}
