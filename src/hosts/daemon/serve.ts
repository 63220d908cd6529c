import { writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '../../adapters/config/load.ts';
import { openRuntimeFolder, toPaths } from '../../adapters/config/paths.ts';
import { enterDirectory, ownProgram } from '../../adapters/system/own-program.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import { APPROVALS } from '../../core/command-line/main-options.ts';
import { type GivenOptions, misuse, readArgs } from '../../core/command-line/subcommand-args.ts';
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
  const { options: given } = readArgs('serve', args);
  const listen = toListen(given);
  allowMoreRequests(process.env);
  const ended = nextSignal();
  const { engine, daemon } = await open(listen, withLimits(options, given), openShow);
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

/** The limits behind the word `serve` count before those that stand before it. */
function withLimits(options: ServeOptions, given: GivenOptions): ServeOptions {
  const approve = APPROVALS.find((mode) => mode === given.get('--approve'));
  return { ...options, ...omitUndefined({ approve, maxSteps: given.number('--max-steps') }) };
}

async function open(
  listen: ReturnType<typeof toListen>,
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
  const { model, approve, maxSteps } = options;
  const settings = toSettings(config, omitUndefined({ model, approve, maxSteps }));
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
    listen: toAddress(listen, runtimeFolder),
    show: openShow({ engine, setup: { env, cwd, paths, loaded, settings } }),
    onFault: (thrown) => void engine.redact(formatError(toErrorFact(thrown))).then(report),
  });
  return { engine, daemon };
}

function toAddress(listen: ReturnType<typeof toListen>, runtimeFolder: () => string) {
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

function toListen(given: GivenOptions) {
  const [socket, host, port] = [given.get('--socket'), given.get('--host'), given.number('--port')];
  if (port === undefined && host === undefined) return { type: 'socket', path: socket ?? null } as const;
  if (socket !== undefined) throw misuse('serve', messages.SOCKET_OR_PORT);
  return { type: 'tcp', host: host ?? '127.0.0.1', port: port ?? 3000 } as const;
}
