import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { loadConfig } from '../../../adapters/config/load.ts';
import { systemCalls } from '../../../adapters/system/system-calls.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { openSecretStore } from '../../../engine/secrets/process-secrets.ts';
import { DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { type ErrorFact, errorCode, formatError, toErrorFact } from '../../../protocol/error.ts';
import * as messages from './messages.ts';

/**
 * Prints the error that ends the program, without any secret: users copy standard error into reports, and that of a daemon goes to a
 * journal. Returns the exit status: 2 for a wrong command line, else 1.
 */
export async function reportFatal(thrown: unknown): Promise<number> {
  // The reader of the output went away, as in `aish … | head`: nothing to report.
  if (errorCode(thrown) === 'EPIPE') return 1;
  const error = systemFailure(thrown) ?? toErrorFact(thrown);
  const stack = error.code === 'internal' && thrown instanceof Error ? `${thrown.stack ?? ''}\n` : '';
  const text = sanitizeText(await withoutSecrets(`aish: ${formatError(error)}\n${stack}`, error.code));
  const columns = systemCalls()?.windowSize(2)?.columns;
  writeSync(2, columns === undefined ? text : wrapText(text, columns));
  return error.code === 'usage' || error.code.startsWith('config.') ? 2 : 1;
}

/** The error of a file, a folder or an output that aish cannot use: the machine is at fault and not the program, so no stack is shown. */
function systemFailure(thrown: unknown): ErrorFact | null {
  if (!(thrown instanceof Error) || !('code' in thrown)) return null;
  const { code } = thrown;
  const why = typeof code === 'string' ? messages.SYSTEM_ERRORS[code] : undefined;
  const path = 'path' in thrown ? thrown.path : undefined;
  if (why === undefined) return null;
  if (path === undefined && 'syscall' in thrown && thrown.syscall === 'write')
    return { code: 'system.output', message: messages.formatUnwritable(why) };
  if (typeof path !== 'string') return null;
  return { code: 'system.file', message: messages.formatUnusable(path, why), hint: messages.FOLDERS_HINT };
}

/** Redacts the text; a text that cannot be checked is withheld. */
async function withoutSecrets(text: string, code: string): Promise<string> {
  try {
    const { env } = process;
    const cwd = currentDirectory();
    const config = await loadConfig({ env, cwd }).then(
      (loaded) => loaded.config,
      () => DEFAULT_CONFIG,
    );
    return (await openSecretStore({ config, env, cwd })).redact(text);
  } catch {
    return `aish: ${messages.formatWithheld(code)}\n`;
  }
}

/** The working directory, or the home if the working directory was deleted: then errors come from exactly that. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return homedir();
  }
}
