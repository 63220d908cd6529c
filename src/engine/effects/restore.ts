import { formatFewer } from '../../core/meta/messages.ts';
import type { PathPlan, RestoreChoices, RestorePlan } from '../../protocol/checkpoint.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { limitsOf } from './checkpoints.ts';
import type { EffectContext, EffectOf } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';
import { lazy } from './lazy.ts';

/**
 * Takes a step back, or once more. Where paths changed since, it only says so: nothing is touched before each of them has an answer, and
 * the answer holds for what was shown.
 */
export async function restore(
  { restore: asked }: EffectOf<'restore-checkpoint'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { signal } = context;
  const { question } = asked;
  const { askAbout, planUndo } = await import('./plan-undo.ts');
  const plan = await planUndo({
    cwd: deps.sharedShell.cwd,
    id: asked.checkpoint ?? question?.checkpoint ?? null,
    direction: asked.direction ?? 'undo',
    signal,
    ...omitUndefined({ paths: asked.paths }),
  });
  if (question === undefined && plan.paths.some(({ state }) => state === 'conflict')) {
    context.record({ type: 'restore.conflicted', prompt: await askAbout(plan) });
    return;
  }
  const { applyRestore } = await lazy.applyRestore();
  const shown = new Map(question?.conflicts.map(({ key, now }) => [key, now]));
  const done = await applyRestore(plan, stillMeant(plan, asked.choices ?? {}, shown), {
    sessionId: context.state().id,
    limits: limitsOf(context.state().settings).limits,
    at: deps.now(),
    keep: deps.sharedShell.cwd,
    signal,
    shouldEnd: () => context.state().restore?.halted === true,
  });
  const { checkpoint, undo, ...report } = done;
  context.record({
    type: 'restore.completed',
    checkpoint,
    label: plan.label,
    stepAt: plan.at,
    ...(plan.direction === 'redo' ? { direction: plan.direction } : {}),
    report,
    ...(undo === null ? {} : { undo: undo.id }),
  });
}

/** The choices for what lies there as it was shown; what changed since the question is left alone, and told. */
function stillMeant(
  { paths }: RestorePlan,
  choices: RestoreChoices,
  shown: ReadonlyMap<string, PathPlan['now']>,
): RestoreChoices {
  const isSame = ({ key, now }: PathPlan): boolean => {
    const then = shown.get(key);
    if (then === undefined || then === null || then === 'other' || now === null || now === 'other') return now === then;
    return then.mode === now.mode && then.blob === now.blob;
  };
  const meant = new Set(paths.filter(isSame).map(({ key }) => key));
  return Object.fromEntries(Object.entries(choices).filter(([key]) => meant.has(key)));
}

/** The fact that ends one that could not be carried out. */
export function failedRestore({ restore: asked }: EffectOf<'restore-checkpoint'>, error: ErrorFact): SessionEvent {
  const { direction, checkpoint, question, number = 1 } = asked;
  const id = question?.checkpoint ?? checkpoint;
  const isEnd = number > 1 && error.code === 'checkpoint.none';
  const told = isEnd ? { code: error.code, message: formatFewer(number - 1, direction ?? 'undo') } : error;
  return { type: 'restore.completed', checkpoint: id, ...omitUndefined({ direction }), error: told };
}
