import { NO_COMMAND_RULES, OWN_COMMAND } from '../../core/session/state.ts';
import { causeOf, labelOf, shortLine } from '../../core/step-label.ts';
import { AishError } from '../../protocol/error.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import type { EffectContext } from '../session.ts';
import { appliedFor } from './applied-rehearsal.ts';
import { type EffectOf, type Hands, previewOf } from './hands.ts';

/** Takes the picture before the step's first change. */
export async function makeCheckpoint(
  { call }: EffectOf<'create-checkpoint'>,
  context: EffectContext,
  hands: Hands,
): Promise<void> {
  const { settings, id } = context.state();
  const callId = call.id;
  if (settings.checkpointMode === 'off')
    return context.record({ type: 'checkpoint.skipped', callId, why: 'checkpoints are off' });
  const preview = previewOf(callId, context.state());
  const { createCheckpoint, isAsLeft } = await import('../../adapters/git/checkpoint.ts');
  const { paused, open = [] } = context.state().turn ?? {};
  const others = open.flatMap((other) => (other.call.id === callId ? [] : [other.call]));
  const toolName = call.name.slice(call.name.indexOf('.') + 1);
  const rehearsal = appliedFor(call, context.state());
  try {
    if (paused !== undefined && (await isAsLeft(paused, hands.sharedShell.cwd, context.signal)))
      return context.record({ type: 'checkpoint.created', callId, checkpoint: paused, again: true });
    const options = {
      cwd: hands.sharedShell.cwd,
      label: hands.secrets.conceal(labelOf(call, others)),
      toolName,
      cause: causeOf(call),
      mode: settings.checkpointMode,
      sessionId: id,
      at: hands.now(),
      touches: await listTouched(call, preview, hands),
      rehearsedAt: rehearsal === null ? null : hands.rehearsals.begunAt(rehearsal.number),
      signal: context.signal,
      ...limitsOf(settings),
    };
    context.record({ type: 'checkpoint.created', callId, checkpoint: await createCheckpoint(options) });
  } catch (thrown) {
    // A person who was told "this cannot be undone" and said yes is not told again.
    const known = preview !== undefined && !preview.undoable;
    if (!known || !(thrown instanceof AishError)) throw thrown;
    context.record({ type: 'checkpoint.skipped', callId, why: preview.why ?? thrown.message });
  }
}

/** The limits of the session as a checkpoint is told them. */
export function limitsOf({ checkpointLimits: limits, pictureLimits: most }: Settings) {
  return limits === undefined ? { most } : { limits, most };
}

async function listTouched(call: ToolCall, preview: CallPreview | undefined, { sharedShell }: Hands) {
  const { touchedPaths } = await import('./touched-paths.ts');
  return touchedPaths(call, preview, sharedShell.cwd);
}

/** Takes the picture before a command of the person's own, where they want that and the command may change something. */
export async function pictureBefore(line: string, context: EffectContext, hands: Hands): Promise<void> {
  const { settings, id } = context.state();
  if (settings.checkpointsCommands !== true || settings.checkpointMode === 'off') return;
  const { class: kind } = await hands.gate.judgeLine(line, NO_COMMAND_RULES);
  if (kind === 'read-only') return;
  const { createCheckpoint } = await import('../../adapters/git/checkpoint.ts');
  try {
    const checkpoint = await createCheckpoint({
      cwd: hands.sharedShell.cwd,
      label: hands.secrets.conceal(`before ${shortLine(line)}`),
      toolName: 'command',
      cause: 'person',
      // Nothing is committed for what the person does.
      mode: 'ref',
      sessionId: id,
      at: hands.now(),
      signal: context.signal,
      ...limitsOf(settings),
    });
    context.record({ type: 'checkpoint.created', callId: OWN_COMMAND, checkpoint });
  } catch (thrown) {
    // Nobody is kept from a command of their own.
    if (!(thrown instanceof AishError)) throw thrown;
    context.record({ type: 'checkpoint.skipped', callId: OWN_COMMAND, why: thrown.message });
  }
}

/** Takes the picture after the step. */
export async function seal({ checkpoint }: EffectOf<'seal-checkpoint'>, context: EffectContext): Promise<void> {
  const { sealCheckpoint } = await import('../../adapters/git/checkpoint.ts');
  const { dropped } = await sealCheckpoint(checkpoint, context.signal);
  context.record({ type: 'checkpoint.sealed', id: checkpoint.id, ...(dropped ? { dropped } : {}) });
}
