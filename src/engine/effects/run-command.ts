import { withoutText } from '../../core/private-command.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { EffectContext } from '../session.ts';
import { pictureBefore } from './checkpoints.ts';
import type { EffectOf, Hands } from './hands.ts';

/** The line comes past the events, which may hold less of it; nothing of what a private command did goes into one. */
export async function runCommand(effect: EffectOf<'run-command'>, context: EffectContext, hands: Hands): Promise<void> {
  const { isPrivate } = effect;
  const line = context.takeTypedLine();
  // Nothing is waited for that need not be: a person waits for the command.
  const expanding = hands.outputs.expand(line);
  const expanded = expanding === null ? null : await expanding;
  const revealing = hands.handover.revealLine(expanded ?? line);
  const revealed = revealing === null ? null : await revealing;
  const looking = hands.lookAhead(line);
  if (looking !== null) await looking;
  if (!isPrivate) await pictureBefore(line, context, hands);
  const ran = await hands.sharedShell.run(line, 'person', context.signal, {
    isPrivate,
    // By custom no program that sees lines keeps what a blank begins.
    expanded: revealed === null ? expanded : ` ${revealed}`,
  });
  await hands.lookForSecrets(line);
  context.record({ type: 'command.completed', record: isPrivate ? withoutText(ran) : ran });
}

/** The record of a command whose end nobody saw. */
export function lostCommand({ line, isPrivate }: EffectOf<'run-command'>, cwd: string): CommandRecord {
  const record: CommandRecord = { line, driver: 'person', exit: null, cwd, output: '', bytes: 0, durationMs: 0 };
  return isPrivate ? withoutText(record) : record;
}
