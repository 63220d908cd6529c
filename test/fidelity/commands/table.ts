import type { FidelityCommand, ShellName } from '../command.ts';
import { EVERYDAY } from './everyday.ts';
import { LANGUAGE } from './language.ts';
import { SHORT_FORMS } from './short-forms.ts';
import { SYSTEM } from './system.ts';

/** All commands of the table that this shell has. */
export function commandsOf(shell: ShellName): readonly FidelityCommand[] {
  return [...EVERYDAY, ...LANGUAGE, ...SYSTEM, ...SHORT_FORMS].filter(
    ({ only }) => only === undefined || only === shell,
  );
}
