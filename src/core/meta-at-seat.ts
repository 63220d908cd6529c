import type { AtSeat, LookCommand, MetaCommand, MetaEntry } from './meta-entry.ts';
import { META_COMMANDS } from './meta-table.ts';

/** The meta-commands that can be given at a seat, as far as what is typed there does not change what only the owner may. */
export const SEAT_ENTRIES: readonly MetaEntry[] = META_COMMANDS.filter(({ atSeat }) => atSeat !== undefined);

/** How a command is done at a seat; null for one that works only where the session is open. */
export function atSeat(command: MetaCommand): AtSeat | null {
  const entry = entryOf(command);
  if (entry?.atSeat === 'look' && entry.onlyLooks?.(command) === false) return null;
  return entry?.atSeat ?? null;
}

/** A command that only looks, and so may be answered to a seat; null for all others. */
export function toLook(command: MetaCommand): LookCommand | null {
  return atSeat(command) === 'look' && isLook(command) ? command : null;
}

function entryOf(command: MetaCommand): MetaEntry | undefined {
  const action = 'action' in command ? command.action : undefined;
  return META_COMMANDS.find((entry) => entry.name === command.name && entry.action === action);
}

function isLook(command: MetaCommand): command is LookCommand {
  return SEAT_ENTRIES.some(({ name, atSeat: how }) => name === command.name && how === 'look');
}
