import { writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '../../adapters/config/load.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { openRuntimeFolder } from '../../adapters/config/runtime-folder.ts';
import { enterDirectory, ownProgram } from '../../adapters/system/own-program.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import { toSettings } from '../../core/session/settings.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { Engine } from '../../engine/session/engine.ts';
import type { OpenShow } from '../../engine/session/session-server.ts';
import { formatError, toErrorFact } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { ApproveMode } from '../../protocol/settings.ts';
import { VERSION } from '../../protocol/version.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import * as messages from './messages.ts';

interface ServeOptions {
  readonly model?: string;
  readonly cwd?: string;
  readonly config?: string;
  /** Limits may stand before the word `serve` as well as behind it. */
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
}

/** `aish serve`: answers over HTTP until a signal ends it. The answer is the exit status. */
export async function runServe(args: readonly string[], options: ServeOptions, openShow: OpenShow): Promise<number> {
  const serve = parseServeArgs(args);
  allowMoreRequests(process.env);
  const ended = nextSignal();
  const { engine, daemon } = await open(serve, options, openShow);
  try {
    const token = daemon.tokenFile === null ? '' : ` token-file ${daemon.tokenFile}`;
    writeSync(1, `listening ${daemon.address}${token}\n`);
    await ended;
    await engine.halt('signal');
    return 0;
  } finally {
    await daemon.close();
    await engine.close();
  }
}

async function open(
  serve: ServeArgs,
  options: ServeOptions,
  openShow: OpenShow,
): Promise<{ engine: Engine; daemon: Daemon }> {
  const cwd = enterDirectory(options.cwd);
  const { AISH_TOKEN, ...env } = withoutOwnSetting(process.env);
  delete process.env.AISH_TOKEN; // Neither the shell nor a tool server of a session may read it.
  const file = options.config === undefined ? {} : { file: options.config };
  const loaded = await loadConfig({ env, cwd, ...file });
  const { config } = loaded;
  for (const warning of loaded.warnings) report(warning);
  const { approve = options.approve, maxSteps = options.maxSteps } = serve;
  const settings = toSettings(config, omitUndefined({ model: options.model, approve, maxSteps }));
  const paths = toPaths(env);
  const runtimeFolder = (): string => openRuntimeFolder(env);
  const onServerStatus = (_status: unknown, line: string | null): void => {
    if (line !== null) report(line);
  };
  const engine = new Engine({ config, paths, env, cwd, version: VERSION, runtimeFolder, onServerStatus });
  const daemon = startDaemon({
    engine,
    config,
    settings,
    env: { ...env, AISH_TOKEN },
    stateDir: paths.state,
    cwd,
    listen: toAddress(serve, runtimeFolder),
    show: openShow({ engine, setup: { env, cwd, paths, loaded, settings } }),
    onFault: (thrown) => void engine.redact(formatError(toErrorFact(thrown))).then(report),
  });
  return { engine, daemon };
}

function toAddress({ listen }: ServeArgs, runtimeFolder: () => string) {
  if (listen.type === 'tcp') return listen;
  return {
    type: 'socket',
    path: listen.path === null ? join(runtimeFolder(), 'aish.sock') : resolve(listen.path),
  } as const;
}

function report(line: string): void {
  writeSync(2, `aish: ${sanitizeText(line)}\n`);
}

function nextSignal(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => done());
  });
}

/** Read by Bun once, when a process begins: how many HTTP requests it has under way at once. */
const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
const MOST = '4096';

/**
 * Begins this process anew, once, with room for more requests to models. Bun lets 256 go at a time, and each session with an
 * answer streaming holds one: the next would stand still until another ends. Costs a start of some milliseconds and keeps
 * the process id. Returns where that is done already, was set by the owner, or cannot be.
 */
function allowMoreRequests(env: Readonly<Record<string, string | undefined>>): void {
  if (env[VARIABLE] !== undefined) return;
  const [program] = ownProgram();
  systemCalls()?.execute(program, [program, ...process.argv.slice(2)], { ...env, [VARIABLE]: MOST });
}

/** The environment without what was set for this process alone. */
function withoutOwnSetting(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const { [VARIABLE]: most, ...rest } = env;
  return most === undefined || most === MOST ? rest : { ...rest, [VARIABLE]: most };
}

interface ServeArgs {
  readonly listen:
    | { readonly type: 'socket'; readonly path: string | null }
    | { readonly type: 'tcp'; readonly host: string; readonly port: number };
  readonly approve: ApproveMode | undefined;
  readonly maxSteps: number | undefined;
}

const HOSTS = ['127.0.0.1', 'localhost', '::1'];
const APPROVE: readonly ApproveMode[] = ['ask', 'read-only', 'all'];
const KNOWN = ['--socket', '--host', '--port', '--approve', '--max-steps'];

function parseServeArgs(args: readonly string[]): ServeArgs {
  const values = readValues(args);
  const approve = values.get('--approve');
  const maxSteps = values.get('--max-steps');
  return {
    listen: toListen(values),
    approve: approve === undefined ? undefined : toApprove(approve),
    maxSteps: maxSteps === undefined ? undefined : toNumber('--max-steps', maxSteps, 1, Number.MAX_SAFE_INTEGER),
  };
}

function readValues(args: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const cut = word.indexOf('=');
    const name = cut > 0 ? word.slice(0, cut) : word;
    if (!KNOWN.includes(name)) throw messages.badUsage(messages.formatUnknownArgument(word));
    const value = cut > 0 ? word.slice(cut + 1) : args[at + 1];
    if (value === undefined || value === '') throw messages.badUsage(messages.formatNeedsValue(name));
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
  if (socket !== undefined) throw messages.badUsage(messages.SOCKET_OR_PORT);
  if (host !== undefined && !HOSTS.includes(host)) throw messages.hostRefused(host);
  return { type: 'tcp', host: host ?? '127.0.0.1', port: toNumber('--port', port ?? '3000', 0, 65_535) };
}

function toApprove(value: string): ApproveMode {
  const found = APPROVE.find((mode) => mode === value);
  if (found === undefined) throw messages.badUsage(messages.formatTakes('--approve', APPROVE.join(', '), value));
  return found;
}

function toNumber(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  const range = messages.formatRange(least, most < 1e6 ? most : null);
  throw messages.badUsage(messages.formatTakes(name, range, value));
}
