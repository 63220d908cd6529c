import { withoutText } from '../../core/session/lost-command.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { snapshotBefore } from './checkpoints.ts';
import type { EffectContext, EffectOf } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';

/** The line comes past the events, which may hold less of it; nothing of what a private command did goes into one. */
export async function runCommand(
  effect: EffectOf<'run-command'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  const { isPrivate } = effect;
  const line = context.takeTypedLine();
  // Nothing is waited for that need not be: a user waits for the command.
  const expanding = deps.outputs.expand(line);
  const expanded = expanding === null ? null : await expanding;
  const revealing = deps.handover.revealLine(expanded ?? line);
  const revealed = revealing === null ? null : await revealing;
  const looking = deps.lookAhead(line);
  if (looking !== null) await looking;
  if (!isPrivate) await snapshotBefore(line, context, deps);
  const ran = await deps.sharedShell.run(line, 'user', context.signal, {
    isPrivate,
    // By custom no program that sees lines keeps what a blank begins.
    expanded: revealed === null ? expanded : ` ${revealed}`,
  });
  await deps.lookForSecrets(line);
  context.record({ type: 'command.completed', record: isPrivate ? withoutText(ran) : ran });
}

/** The record of a command whose end nobody saw. */
export function lostCommand({ line, isPrivate }: EffectOf<'run-command'>, cwd: string): CommandRecord {
  const record: CommandRecord = { line, driver: 'user', exit: null, cwd, output: '', bytes: 0, durationMs: 0 };
  return isPrivate ? withoutText(record) : record;
}
