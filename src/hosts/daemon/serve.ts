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
import type { OpenShow } from '../../engine/session/show.ts';
import { formatError, toErrorFact } from '../../protocol/error.ts';
import type { ApproveMode } from '../../protocol/settings.ts';
import { VERSION } from '../../protocol/version.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { parseServeArgs, type ServeArgs } from './serve-args.ts';

/** The options of the program that hold for the daemon too. */
export interface ServeOptions {
  readonly model?: string;
  readonly cwd?: string;
  readonly config?: string;
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
}

/** `aish serve`: answers over HTTP until a signal ends it. The answer is the exit status. */
export async function runServe(args: readonly string[], options: ServeOptions, openShow: OpenShow): Promise<number> {
  const serve = { ...onlyLimits(options), ...parseServeArgs(args) };
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
  const settings = toSettings(config, {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(serve.approve === undefined ? {} : { approve: serve.approve }),
    ...(serve.maxSteps === undefined ? {} : { maxSteps: serve.maxSteps }),
  });
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
    listen: toListen(serve, runtimeFolder),
    show: openShow({ engine, setup: { env, cwd, paths, loaded, settings } }),
    onFault: (thrown) => void engine.redact(formatError(toErrorFact(thrown))).then(report),
  });
  return { engine, daemon };
}

/** The options that may stand before the word `serve` as well as behind it. */
function onlyLimits({ approve, maxSteps }: ServeOptions): Pick<ServeOptions, 'approve' | 'maxSteps'> {
  return { ...(approve === undefined ? {} : { approve }), ...(maxSteps === undefined ? {} : { maxSteps }) };
}

function toListen({ listen }: ServeArgs, runtimeFolder: () => string) {
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
