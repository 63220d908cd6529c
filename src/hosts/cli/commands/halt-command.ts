import { join, resolve } from 'node:path';
import { openRuntimeFolder } from '../../../adapters/config/runtime-folder.ts';
import { sendRequest, toRefusal } from '../../../adapters/daemon/daemon-request.ts';
import { AishError } from '../../../protocol/error.ts';
import { isJsonObject } from '../../../protocol/json.ts';
import { formatHalted, formatNoDaemon, formatSeeHelp, HALT_USAGE, NO_DAEMON_HINT } from './messages.ts';

/** `aish halt`: stops the model in every session of the daemon, and waits for the end. Returns the text to print. */
export async function runHalt(args: readonly string[]): Promise<string> {
  const path = toSocket(args);
  const response = await post(path);
  if (!response.ok) throw await toRefusal(response);
  const body: unknown = await response.json();
  const halted = isJsonObject(body) ? Number(body.halted ?? 0) : 0;
  return formatHalted(halted);
}

async function post(path: string): Promise<Response> {
  try {
    return await sendRequest({ type: 'socket', path }, { method: 'POST', path: '/halt' });
  } catch (cause) {
    if (!(cause instanceof AishError) || cause.code !== 'daemon.unreachable') throw cause;
    throw new AishError(cause.code, formatNoDaemon(path), { hint: NO_DAEMON_HINT, cause });
  }
}

function toSocket(args: readonly string[]): string {
  const [first, second, ...more] = args.flatMap((word) =>
    word.startsWith('--socket=') ? ['--socket', word.slice(9)] : [word],
  );
  if (first === undefined) return join(openRuntimeFolder(process.env), 'aish.sock');
  if (first === '--socket' && second !== undefined && second !== '' && more.length === 0) return resolve(second);
  throw new AishError('usage', HALT_USAGE, { hint: formatSeeHelp('halt') });
}
