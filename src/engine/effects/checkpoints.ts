import { targetPath } from '../../adapters/files/target-path.ts';
import { findPathArguments } from '../../core/policy/path-arguments.ts';
import { isCommand } from '../../core/policy/policy.ts';
import { USUAL_RETENTION } from '../../core/session/settings.ts';
import { NO_COMMAND_RULES, OWN_COMMAND } from '../../core/session/state.ts';
import { causeOf, labelOf, shortLine } from '../../core/session/step-checkpoint.ts';
import { attempt } from '../../core/text/attempt.ts';
import { AishError } from '../../protocol/error.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { appliedFor, type EffectContext, type EffectOf, previewOf } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';
import { lazy } from './lazy.ts';
import { CHECKPOINTS_OFF } from './messages.ts';

/** Takes the snapshot before the step's first change. */
export async function makeCheckpoint(
  { call }: EffectOf<'create-checkpoint'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { settings, id } = context.state();
  const callId = call.id;
  if (settings.checkpointMode === 'off')
    return context.record({ type: 'checkpoint.skipped', callId, why: CHECKPOINTS_OFF });
  const preview = previewOf(callId, context.state());
  const { createCheckpoint, isAsLeft } = await lazy.checkpoint();
  const { paused, open = [] } = context.state().turn ?? {};
  const others = open.flatMap((other) => (other.call.id === callId ? [] : [other.call]));
  const toolName = call.name.slice(call.name.indexOf('.') + 1);
  const dryRun = appliedFor(call, context.state());
  try {
    if (paused !== undefined && (await isAsLeft(paused, deps.sharedShell.cwd, context.signal)))
      return context.record({ type: 'checkpoint.created', callId, checkpoint: paused, again: true });
    const options = {
      cwd: deps.sharedShell.cwd,
      label: deps.secrets.redact(labelOf(call, others)),
      toolName,
      cause: causeOf(call),
      mode: settings.checkpointMode,
      sessionId: id,
      at: deps.now(),
      touches: touchedPaths(call, preview, deps.sharedShell.cwd),
      dryRunAt: dryRun === null ? null : deps.dryRuns.begunAt(dryRun.number),
      signal: context.signal,
      ...limitsOf(settings),
    };
    context.record({ type: 'checkpoint.created', callId, checkpoint: await createCheckpoint(options) });
  } catch (thrown) {
    // The user already saw "this cannot be undone" and approved the call.
    const known = preview !== undefined && !preview.undoable;
    if (!known || !(thrown instanceof AishError)) throw thrown;
    context.record({ type: 'checkpoint.skipped', callId, why: preview.why ?? thrown.message });
  }
}

/** The limits of the session, as options of a checkpoint. */
export function limitsOf({ checkpointLimits: limits = USUAL_RETENTION, snapshotLimits: most }: Settings) {
  return { limits, most };
}

/** Takes the snapshot before a command of the user's own, where they want that and the command may change something. */
export async function snapshotBefore(line: string, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { settings, id } = context.state();
  if (settings.checkpointsCommands !== true || settings.checkpointMode === 'off') return;
  const { class: kind } = await deps.gate.decideLine(line, NO_COMMAND_RULES);
  if (kind === 'read-only') return;
  const { createCheckpoint } = await lazy.checkpoint();
  try {
    const checkpoint = await createCheckpoint({
      cwd: deps.sharedShell.cwd,
      label: deps.secrets.redact(`before ${shortLine(line)}`),
      toolName: 'command',
      cause: 'user',
      // Nothing is committed for what the user does.
      mode: 'ref',
      sessionId: id,
      at: deps.now(),
      signal: context.signal,
      ...limitsOf(settings),
    });
    context.record({ type: 'checkpoint.created', callId: OWN_COMMAND, checkpoint });
  } catch (thrown) {
    // A failed checkpoint never stops a command of the user.
    if (!(thrown instanceof AishError)) throw thrown;
    context.record({ type: 'checkpoint.skipped', callId: OWN_COMMAND, why: thrown.message });
  }
}

/** Takes the snapshot after the step. */
export async function finalizeStep(
  { checkpoint }: EffectOf<'finalize-checkpoint'>,
  context: EffectContext,
): Promise<void> {
  const endedAt = Date.now();
  const { settings, id: sessionId } = context.state();
  // The next request goes first: it is on its way after two turns of the event loop.
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
  const { finalizeCheckpoint, limitSpace } = await lazy.checkpoint();
  const { dropped } = await finalizeCheckpoint(checkpoint, { signal: context.signal, endedAt });
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
