import { quote } from '../../../adapters/shell/integration/integration.ts';
import { ownProgram } from '../../../adapters/system/own-program.ts';

/** The line that starts this very program with other arguments. */
export function ownLine(...args: readonly string[]): string {
  return [...ownProgram(), ...args].map(quote).join(' ');
}
