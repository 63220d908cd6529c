import { quote } from '../../adapters/shell/integration/quote.ts';

/** The line that starts this very program with other arguments. */
export function ownLine(...args: readonly string[]): string {
  const isCompiled = Bun.main.startsWith('/$bunfs/');
  const program = isCompiled ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main];
  return [...program, ...args].map(quote).join(' ');
}
