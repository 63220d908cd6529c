import { writeSync } from 'node:fs';
import { sanitizeText } from '../../core/sanitize.ts';
import { AishError, formatError, toErrorFact } from '../../protocol/error.ts';

/** Says on standard error what ended the program. The answer is the exit status: 2 for a wrong command line, else 1. */
export function reportFatal(thrown: unknown): number {
  if (isClosedPipe(thrown)) return 1;
  const error = toErrorFact(thrown);
  writeSync(2, sanitizeText(`aish: ${formatError(error)}\n`));
  if (!(thrown instanceof AishError) && thrown instanceof Error) writeSync(2, sanitizeText(`${thrown.stack ?? ''}\n`));
  return error.code === 'usage' || error.code.startsWith('config.') ? 2 : 1;
}

/** The reader of our output went away, as `aish … | head` does: nothing to report. */
function isClosedPipe(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPIPE';
}
