import { AishError } from '../../protocol/error.ts';
import type { ApproveMode } from '../../protocol/settings.ts';

/** Where to listen and what the daemon's sessions may do. */
export interface ServeArgs {
  readonly listen:
    | { readonly type: 'socket'; readonly path: string | null }
    | { readonly type: 'tcp'; readonly host: string; readonly port: number };
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
}

const HOSTS = ['127.0.0.1', 'localhost', '::1'];
const APPROVE: readonly ApproveMode[] = ['ask', 'read-only', 'all'];
const KNOWN = ['--socket', '--host', '--port', '--approve', '--max-steps'];

/** Reads the arguments of `aish serve`. */
export function parseServeArgs(args: readonly string[]): ServeArgs {
  const values = readValues(args);
  const approve = values.get('--approve');
  const maxSteps = values.get('--max-steps');
  return {
    listen: toListen(values),
    ...(approve === undefined ? {} : { approve: toApprove(approve) }),
    ...(maxSteps === undefined ? {} : { maxSteps: toNumber('--max-steps', maxSteps, 1, Number.MAX_SAFE_INTEGER) }),
  };
}

function readValues(args: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const cut = word.indexOf('=');
    const name = cut > 0 ? word.slice(0, cut) : word;
    if (!KNOWN.includes(name)) throw usage(`aish serve does not know ${word}`);
    const value = cut > 0 ? word.slice(cut + 1) : args[at + 1];
    if (value === undefined || value === '') throw usage(`${name} needs a value`);
    values.set(name, value);
    if (cut <= 0) at += 1;
  }
  return values;
}

function toListen(values: ReadonlyMap<string, string>): ServeArgs['listen'] {
  const port = values.get('--port');
  const host = values.get('--host');
  const socket = values.get('--socket');
  if (port === undefined && host === undefined) return { type: 'socket', path: socket ?? null };
  if (socket !== undefined) throw usage('--socket and --port exclude each other');
  if (host !== undefined && !HOSTS.includes(host)) {
    throw new AishError(
      'usage',
      `--host ${host} is refused: the daemon runs commands as you and listens on loopback only`,
      {
        hint: 'from another machine go through ssh: ssh -L 3000:127.0.0.1:3000 HOST',
      },
    );
  }
  return { type: 'tcp', host: host ?? '127.0.0.1', port: toNumber('--port', port ?? '3000', 0, 65_535) };
}

function toApprove(value: string): ApproveMode {
  const found = APPROVE.find((mode) => mode === value);
  if (found === undefined) throw usage(`--approve takes ${APPROVE.join(', ')}, not ${value}`);
  return found;
}

function toNumber(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw usage(`${name} takes a whole number from ${least}${most < 1e6 ? ` to ${most}` : ''}, not ${value}`);
}

function usage(message: string): AishError {
  return new AishError('usage', message, {
    hint: 'aish serve [--socket PATH | --host 127.0.0.1 --port N] [--approve ask|read-only|all] [--max-steps N]',
  });
}
