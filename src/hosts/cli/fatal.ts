import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { loadConfig } from '../../adapters/config/load.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import { sanitizeText } from '../../core/sanitize.ts';
import { openKeeper } from '../../engine/secrets/own-keeper.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import { AishError, formatError, toErrorFact } from '../../protocol/error.ts';
import { wrapText } from './screen/fold.ts';

/**
 * Says on standard error what ended the program, without any secret: what stands there is copied into reports, and a daemon's goes to a
 * journal. The answer is the exit status: 2 for a wrong command line, else 1.
 */
export async function reportFatal(thrown: unknown): Promise<number> {
  if (isClosedPipe(thrown)) return 1;
  const error = toErrorFact(thrown);
  const stack = !(thrown instanceof AishError) && thrown instanceof Error ? `${thrown.stack ?? ''}\n` : '';
  const text = sanitizeText(await withoutSecrets(`aish: ${formatError(error)}\n${stack}`, error.code));
  const columns = systemCalls()?.windowSize(2)?.columns;
  writeSync(2, columns === undefined ? text : wrapText(text, columns));
  return error.code === 'usage' || error.code.startsWith('config.') ? 2 : 1;
}

/** A text that cannot be looked at is not told. */
async function withoutSecrets(text: string, code: string): Promise<string> {
  try {
    const { env } = process;
    const cwd = currentDirectory();
    const config = await loadConfig({ env, cwd }).then(
      (loaded) => loaded.config,
      () => DEFAULT_CONFIG,
    );
    return (await openKeeper({ config, env, cwd })).conceal(text);
  } catch {
    return `aish: it ended with the error ${code}, whose words could not be searched for secrets\n`;
  }
}

/** Where a directory is gone that this program stands in, as after a clean-up, errors come from just that. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return homedir();
  }
}

/** The reader of our output went away, as `aish … | head` does: nothing to report. */
function isClosedPipe(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPIPE';
}
