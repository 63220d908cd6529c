/* An effect gets two things: the session that it works for, and its dependencies. */

import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { Effect } from '../../core/session/next.ts';
import type { DryRun, SessionState } from '../../core/session/state.ts';
import type { Config } from '../../protocol/config.ts';
import type { DurableEvent, EventOf, Recorded, SessionEvent } from '../../protocol/event.ts';
import type { FormAnswer } from '../../protocol/form.ts';
import type { ContextWindow } from '../../protocol/model.ts';
import type { Op } from '../../protocol/op.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import type { Hooks } from '../extend/hooks.ts';
import type { SessionMemory } from '../memory/session-memory.ts';
import { type CommandGate, commandOf } from '../policy/command-gate.ts';
import type { ContextWindowCache } from '../requests/context-window-cache.ts';
import type { ModelEndpoints } from '../requests/model-endpoints.ts';
import type { FallbackDeps } from '../requests/request-with-fallback.ts';
import type { SessionNotes } from '../requests/session-notes.ts';
import type { ComposeDeps, RequestCover, RequestLog } from '../requests/session-request.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { DryRunner } from '../shell/dry-runner.ts';
import type { SandboxRunner } from '../shell/sandbox-runner.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import type { TaintDeps } from '../taint/request-taint.ts';
import type { UntrustedContent } from '../taint/untrusted-content.ts';
import type { OfferedTools, Toolbox } from '../tools/toolbox.ts';
import { formatEditedCommand } from './messages.ts';
import type { SecretInjector } from './secret-injection.ts';

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

/** The dependencies that watch the context of a session. */
export interface ContextDeps {
  readonly windows: ContextWindowCache;
  /** Per cent of the window at which a conversation is compacted; 0 for never. */
  readonly compactAt: number;
  /** Name of the model for small work such as summaries; null where none is configured. */
  readonly fastModel: string | null;
  /** Records a context window that a server reported. */
  readonly tellWindow: (window: ContextWindow) => void;
}

/** The outside dependencies of a model request. */
export interface ModelDeps extends TaintDeps, ContextDeps, ComposeDeps {
  /** The first command is prepared while its call arrives; an answer without one pays nothing. */
  readonly gate: TaintDeps['gate'] & Pick<CommandGate, 'warm' | 'prepare'>;
  readonly notes: Pick<SessionNotes, 'text' | 'look'> & Partial<Pick<SessionNotes, 'lookForSkills' | 'isFileOfSkill'>>;
  readonly memory: Pick<SessionMemory, 'facts' | 'look' | 'propose'>;
  readonly toolbox: { list(signal: AbortSignal, windowTokens: number | null): Promise<OfferedTools> };
  /** The endpoint of a configured model; null asks for whatever can be found. */
  readonly endpoint: (name: string | null) => Promise<ModelEndpoint>;
  readonly complete: ModelEndpoints['complete'];
  readonly nameAhead: ModelEndpoints['nameAhead'];
  readonly count: ModelEndpoints['count'];
  readonly secrets: SecretStore;
  readonly requestCover: RequestCover;
  readonly requestLog: RequestLog;
  /** Throws at a limit of `[budget]`. */
  readonly checkBudget: () => Promise<void>;
  /** Looks where secrets may have changed since, and in the files that what `ran` just now names. */
  readonly lookForSecrets: (ran?: string) => Promise<void>;
}

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
  /** The paths that the step of a checkpoint changed, absolute and raw, by the checkpoint's id, as long as they are known. */
  readonly ownChanges: Map<string, Set<string>>;
  readonly now: () => number;
  /** The hooks of the configuration, loaded at their first use; null without any. */
  readonly hooks: (() => Promise<Hooks>) | null;
  /** All stored events of the session, oldest first. */
  readonly recorded: () => readonly Recorded[];
  /** The limits of explorers. */
  readonly explore: Config['explore'];
  /** Opens a session inside a call. */
  readonly openChild: (options: ChildOptions) => ChildSession;
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
