import { join, resolve } from 'node:path';
import { openRuntimeFolder } from '../../../adapters/config/runtime-folder.ts';
import { sendRequest, toRefusal } from '../../../adapters/daemon/daemon-request.ts';
import { AishError } from '../../../protocol/error.ts';
import { isJsonObject } from '../../../protocol/json.ts';

/** `aish halt`: stops all that models do in the sessions of the daemon; settles when it has ended. The answer is what to print. */
export async function runHalt(args: readonly string[]): Promise<string> {
  const path = toSocket(args);
  const response = await sendRequest({ type: 'socket', path }, { method: 'POST', path: '/halt' });
  if (!response.ok) throw await toRefusal(response);
  const body: unknown = await response.json();
  const halted = isJsonObject(body) ? Number(body.halted ?? 0) : 0;
  if (halted === 0) return 'no model was at work; every session asks about everything now';
  return `stopped ${halted} ${halted === 1 ? 'session' : 'sessions'}; every session asks about everything now`;
}

function toSocket(args: readonly string[]): string {
  const [first, second, ...more] = args.flatMap((word) =>
    word.startsWith('--socket=') ? ['--socket', word.slice(9)] : [word],
  );
  if (first === undefined) return join(openRuntimeFolder(process.env), 'aish.sock');
  if (first === '--socket' && second !== undefined && second !== '' && more.length === 0) return resolve(second);
  throw new AishError('usage', 'aish halt takes --socket PATH or nothing', { hint: 'see aish halt --help' });
}
