import { AishError } from '../../../protocol/error.ts';
import { SEE_HELP } from '../setup/messages.ts';
import { formatTakes } from './messages.ts';

/** The error of a subcommand with arguments that it does not take. */
export function usage(name: string, forms: string): AishError {
  return new AishError('usage', formatTakes(name, forms), { hint: SEE_HELP });
}

/** Columns of a terminal; null for another file. */
export async function columnsOf(fd: number): Promise<number | null> {
  const { systemCalls } = await import('../../../adapters/system/system-calls.ts');
  return systemCalls()?.windowSize(fd)?.columns ?? null;
}
