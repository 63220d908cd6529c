import { targetPath } from '../../adapters/files/named-file.ts';
import { toRawPath } from '../../adapters/git/process/raw-path.ts';
import type { CheckpointOptions } from '../../adapters/git/snapshot/checkpoint.ts';
import { nextTurn } from '../../adapters/system/patience.ts';
import { findPathArguments } from '../../core/policy/path-arguments.ts';
import { isCommand } from '../../core/policy/policy.ts';
import { causeOf, labelOf, shortLine } from '../../core/session/checkpoints.ts';
import { USUAL_RETENTION } from '../../core/session/settings.ts';
import { NO_COMMAND_RULES, OWN_COMMAND } from '../../core/session/state.ts';
import { attempt } from '../../core/text/attempt.ts';
import type { Checkpoint } from '../../protocol/checkpoint.ts';
import { AishError } from '../../protocol/error.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { appliedFor, type EffectContext, type EffectDeps, type EffectOf, previewOf } from './effect-context.ts';
import { lazy } from './lazy.ts';
import { CHECKPOINTS_OFF } from './messages.ts';

/** Takes the snapshot before the step's first change. */
export async function makeCheckpoint(
  { call }: EffectOf<'create-checkpoint'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { settings } = context.state();
  const callId = call.id;
  if (settings.checkpointMode === 'off')
    return context.record({ type: 'checkpoint.skipped', callId, why: CHECKPOINTS_OFF });
  const preview = previewOf(callId, context.state());
  const { turn, contractRun } = context.state();
  const { paused, open = [] } = turn ?? {};
  const { cwd } = deps.sharedShell;
  const others = open.flatMap((other) => (other.call.id === callId ? [] : [other.call]));
  const dryRun = appliedFor(call, context.state());
  const change = {
    label: deps.secrets.redact(labelOf(call, others)),
    toolName: call.name.slice(call.name.indexOf('.') + 1),
    cause: causeOf(call),
    mode: settings.checkpointMode,
    run: context.state().contractRun?.number,
    touches: touchedPaths(call, preview, cwd),
    dryRunAt: dryRun === null ? null : deps.dryRuns.begunAt(dryRun.number),
  };
  // The user already saw "this cannot be undone" and approved the call.
  const mayFail = preview !== undefined && !preview.undoable;
  // Nobody knows what a hook changes, or what was done before a step goes on.
  const notesChanges = Boolean(contractRun) || (deps.hooks === null && paused === undefined);
  await recordCheckpoint({ callId, change, mayFail, why: preview?.why, paused, notesChanges }, context, deps);
}

/** Notes the file that a call is about to write. Only an autonomous run knows what any other call changes. */
export function noteWrite(
  call: ToolCall,
  path: string | undefined,
  context: EffectContext,
  { ownChanges }: Pick<EffectDeps, 'ownChanges'>,
): void {
  const { openCheckpoint, contractRun } = context.state();
  if (call.effect === 'read' || openCheckpoint === null) return;
  if (path !== undefined) ownChanges.get(openCheckpoint.id)?.add(toRawPath(path));
  else if (!contractRun) ownChanges.delete(openCheckpoint.id);
}

/** Notes paths that a call of an autonomous run changes, absolute and raw. */
export function noteOwnChanges(
  paths: readonly string[],
  { state }: Pick<EffectContext, 'state'>,
  { ownChanges }: Pick<EffectDeps, 'ownChanges'>,
) {
  const own = ownChanges.get(state().openCheckpoint?.id ?? '');
  for (const path of paths) own?.add(path);
}

interface WantedCheckpoint {
  readonly callId: string;
  readonly change: Pick<CheckpointOptions, 'label' | 'toolName' | 'cause' | 'mode' | 'run' | 'touches' | 'dryRunAt'>;
  /** The change may go ahead without a checkpoint. */
  readonly mayFail: boolean;
  /** Why there may be none, if that is known; else the error says it. */
  readonly why?: string | undefined;
  /** The checkpoint of a step that was interrupted: it counts again while nothing has changed since. */
  readonly paused?: Checkpoint | undefined;
  /** The calls of the step say what they change. */
  readonly notesChanges?: boolean;
}

/** Takes a snapshot before a change, and records it or why there is none. */
export async function recordCheckpoint(
  { callId, change, mayFail, why, paused, notesChanges = false }: WantedCheckpoint,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { settings, id: sessionId } = context.state();
  const { createCheckpoint, isAsLeft } = await lazy.checkpoint();
  const place = { cwd: deps.sharedShell.cwd, sessionId, at: deps.now(), signal: context.signal };
  // The call begins as soon as the checkpoint is recorded, and notes what it changes.
  const begin = (checkpoint: Checkpoint, again?: { readonly again: true }): void => {
    if (notesChanges) deps.ownChanges.set(checkpoint.id, new Set());
    context.record({ type: 'checkpoint.created', callId, checkpoint, ...again });
  };
  try {
    if (paused !== undefined && (await isAsLeft(paused, place.cwd, place.signal)))
      return begin(paused, { again: true });
    begin(await createCheckpoint({ ...change, ...place, ...limitsOf(settings) }));
  } catch (thrown) {
    if (!mayFail || !(thrown instanceof AishError)) throw thrown;
    context.record({ type: 'checkpoint.skipped', callId, why: why ?? thrown.message });
  }
}

/** The limits of the session, as options of a checkpoint. */
export function limitsOf({ checkpointLimits: limits = USUAL_RETENTION, snapshotLimits: most }: Settings) {
  return { limits, most };
}

/** Takes the snapshot before a command of the user's own, where they want that and the command may change something. */
export async function snapshotBefore(line: string, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { settings } = context.state();
  if (settings.checkpointsCommands !== true || settings.checkpointMode === 'off') return;
  const { class: kind } = await deps.gate.decideLine(line, NO_COMMAND_RULES);
  if (kind === 'read-only') return;
  const label = deps.secrets.redact(`before ${shortLine(line)}`);
  // Nothing is committed for what the user does, and a failed checkpoint never stops a command of the user.
  const change = { label, toolName: 'command', cause: 'user', mode: 'ref' } as const;
  await recordCheckpoint({ callId: OWN_COMMAND, change, mayFail: true }, context, deps);
}

/** Takes the snapshot after the step. */
export async function finalizeStep(
  { checkpoint }: EffectOf<'finalize-checkpoint'>,
  context: EffectContext,
  { ownChanges }: Pick<EffectDeps, 'ownChanges'>,
): Promise<void> {
  const endedAt = Date.now();
  const { settings, id: sessionId } = context.state();
  // The next request goes first: it is on its way after two turns of the event loop.
  for (let turn = 0; turn < 2; turn += 1) await nextTurn();
  const { finalizeCheckpoint, limitSpace } = await lazy.checkpoint();
  const wrote = ownChanges.get(checkpoint.id) ?? null;
  const { dropped } = await finalizeCheckpoint(checkpoint, { signal: context.signal, endedAt, wrote });
  ownChanges.delete(checkpoint.id);
  context.record({ type: 'checkpoint.finalized', id: checkpoint.id, ...(dropped ? { discarded: true } : {}) });
  if (!dropped) await limitSpace(checkpoint, { limits: limitsOf(settings).limits, sessionId });
}

/** Absolute paths that a call says it is about; none for a command, whose words tell too little. */
function touchedPaths(call: ToolCall, preview: CallPreview | undefined, cwd: string): readonly string[] {
  if (isCommand(call)) return [];
  if (preview?.path !== undefined) return [preview.path];
  return (findPathArguments(call.arguments) ?? []).flatMap((path) => {
    // The tool itself says what is wrong with its arguments.
    return attempt(() => [targetPath(path, cwd).real], []);
  });
}
