import { grammarOf } from './command-table.ts';

/** Tells whether the tables know a command of this name. */
export function isTabled(name: string): boolean {
  return grammarOf(name) !== null;
}
