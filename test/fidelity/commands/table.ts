import { type FidelityCommand, SHELLS, type ShellName } from '../command.ts';
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

/** The commands that each run of the tests compares in this shell: all that it alone has, and its half of those that both have. */
export function turnOf(shell: ShellName): readonly FidelityCommand[] {
  const own = SHELLS.indexOf(shell);
  const both = commandsOf(shell).filter(({ only }) => only === undefined);
  return commandsOf(shell).filter((command) => command.only === shell || both.indexOf(command) % SHELLS.length === own);
}
