import { AishError } from '../../protocol/error.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import type { EffectContext } from '../session.ts';
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
  const { createCheckpoint } = await import('../../adapters/git/checkpoint.ts');
  const toolName = call.name.slice(call.name.indexOf('.') + 1);
  try {
    const options = {
      cwd: hands.seat.cwd,
      label: `before ${call.name}`,
      toolName,
      mode: settings.checkpointMode,
      sessionId: id,
      at: hands.now(),
      touches: await listTouched(call, preview, hands),
      signal: context.signal,
    };
    context.record({ type: 'checkpoint.created', callId, checkpoint: await createCheckpoint(options) });
  } catch (thrown) {
    // A person who was told "this cannot be undone" and said yes is not told again.
    const known = preview !== undefined && !preview.undoable;
    if (!known || !(thrown instanceof AishError)) throw thrown;
    context.record({ type: 'checkpoint.skipped', callId, why: preview.why ?? thrown.message });
  }
}

async function listTouched(call: ToolCall, preview: CallPreview | undefined, { seat }: Hands) {
  const { touchedPaths } = await import('../touched-paths.ts');
  return touchedPaths(call, preview, seat.cwd);
}

/** Takes the picture after the step. */
export async function seal({ checkpoint }: EffectOf<'seal-checkpoint'>, context: EffectContext): Promise<void> {
  const { sealCheckpoint } = await import('../../adapters/git/checkpoint.ts');
  const { dropped } = await sealCheckpoint(checkpoint, context.signal);
  context.record({ type: 'checkpoint.sealed', id: checkpoint.id, ...(dropped ? { dropped } : {}) });
}
