import { writeSync } from 'node:fs';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { errorCode } from '../../../protocol/error.ts';

/** Standard output and standard error of this process, without its stream classes. Errors may contain untrusted content. */
export const PROCESS_OUTPUT = {
  out: (text: string): void => writeAll(1, text),
  error: (text: string): void => writeAll(2, sanitizeText(text)),
};

/** Prints a text that may contain untrusted content, on lines of its own. */
export function printText(text: string): void {
  const shown = sanitizeText(text);
  PROCESS_OUTPUT.out(shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`);
}

/** Writes all bytes, also to a pipe that is full at the moment. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (thrown) {
      if (errorCode(thrown) !== 'EAGAIN') throw thrown;
      Bun.sleepSync(1);
    }
  }
}
