import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { loadConfig } from '../../../adapters/config/load.ts';
import { systemCalls } from '../../../adapters/system/system-calls.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import { openSecretStore } from '../../../engine/secrets/process-secrets.ts';
import { DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { type ErrorFact, errorCode, formatError, toErrorFact } from '../../../protocol/error.ts';
import { wrapText } from '../screen/wrap.ts';

/**
 * Says on standard error what ended the program, without any secret: what stands there is copied into reports, and a daemon's goes to a
 * journal. The answer is the exit status: 2 for a wrong command line, else 1.
 */
export async function reportFatal(thrown: unknown): Promise<number> {
  if (isClosedPipe(thrown)) return 1;
  const error = systemFailure(thrown) ?? toErrorFact(thrown);
  const stack = error.code === 'internal' && thrown instanceof Error ? `${thrown.stack ?? ''}\n` : '';
  const text = sanitizeText(await withoutSecrets(`aish: ${formatError(error)}\n${stack}`, error.code));
  const columns = systemCalls()?.windowSize(2)?.columns;
  writeSync(2, columns === undefined ? text : wrapText(text, columns));
  return error.code === 'usage' || error.code.startsWith('config.') ? 2 : 1;
}

/** What a system says of a file that it does not let a program use. */
const SYSTEM: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'something else has its name',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'there is no space left',
  EDQUOT: 'your quota is used up',
  EIO: 'the device reports an error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this system',
};

/** A file or folder that cannot be used is the state of a machine and no fault of the program: its stack would help nobody. */
function systemFailure(thrown: unknown): ErrorFact | null {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('path' in thrown)) return null;
  const { code, path } = thrown;
  const why = typeof code === 'string' ? SYSTEM[code] : undefined;
  if (why === undefined || typeof path !== 'string') return null;
  return {
    code: 'system.file',
    message: `cannot use ${path}: ${why}`,
    hint: 'aish keeps its files where HOME and the XDG variables say; see aish --help',
  };
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
    return (await openSecretStore({ config, env, cwd })).redact(text);
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
  return errorCode(thrown) === 'EPIPE';
}
