import { existsSync } from 'node:fs';
import { type LoadedConfig, loadConfig } from '../../../adapters/config/load.ts';
import { openRuntimeFolder, toPaths } from '../../../adapters/config/paths.ts';
import { enterDirectory } from '../../../adapters/system/own-program.ts';
import type { Options } from '../../../core/command-line/invocation.ts';
import { toSettings } from '../../../core/session/settings.ts';
import type { HostSetup } from '../../../engine/session/session-server.ts';
import { DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { AishError, type ErrorFact, toErrorFact } from '../../../protocol/error.ts';
import { omitUndefined } from '../../../protocol/json.ts';
import { VERSION } from '../../../protocol/version.ts';
import { DEFAULTS_HINT, formatNoSession, formatStartsIn, NO_SESSION_HINT } from './messages.ts';

/** The facts that the program starts with. */
export interface Setup extends HostSetup {
  /** The places to search for a model if none is configured: only this machine if the configuration cannot be read. */
  readonly discovery: 'anywhere' | 'loopback';
}

/** Reads the configuration and finds the folders. */
export async function prepare(options: Options): Promise<Setup> {
  const cwd = enterDirectory(options.cwd);
  const { config: file, model } = options;
  const flags = omitUndefined({ model, color: options.color ? undefined : ('never' as const) });
  return toSetup(cwd, await loadConfig({ env: process.env, cwd, ...omitUndefined({ file }), flags }), options);
}

/** Like `prepare`, but reports a broken configuration and uses the defaults: no user may be locked out of a login shell. */
export async function prepareForUser(options: Options): Promise<{ setup: Setup; problem: ErrorFact | null }> {
  const { cwd, ...rest } = options;
  const lost = leaveLostDirectory(cwd);
  // The process is in that folder now: a relative --cwd would lead further down.
  const { setup, problem } = await prepareOrDefault(rest);
  return { setup, problem: problem ?? lost };
}

/** Goes to the home if the start directory is gone, and returns that as a problem. */
function leaveLostDirectory(wanted: string | undefined): ErrorFact | null {
  try {
    enterDirectory(wanted);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof AishError) || thrown.code !== 'folder.gone') throw thrown;
    const home = process.env.HOME;
    const place = home !== undefined && existsSync(home) ? home : '/';
    process.chdir(place);
    return { code: thrown.code, message: formatStartsIn(thrown.message, place) };
  }
}

async function prepareOrDefault(options: Options): Promise<{ setup: Setup; problem: ErrorFact | null }> {
  try {
    return { setup: await prepare(options), problem: null };
  } catch (thrown) {
    if (!(thrown instanceof AishError) || thrown.code === 'usage' || options.config !== undefined) throw thrown;
    const { model: _, ...others } = options;
    const loaded: LoadedConfig = { config: DEFAULT_CONFIG, origins: new Map(), warnings: [], file: null };
    const setup = toSetup(process.cwd(), loaded, others);
    return { setup: { ...setup, discovery: 'loopback' }, problem: toProblem(thrown) };
  }
}

function toSetup(cwd: string, loaded: LoadedConfig, { model, approve, maxSteps, sandbox }: Options): Setup {
  const { env } = process;
  const settings = toSettings(loaded.config, omitUndefined({ model, approve, maxSteps, sandbox }));
  const chosen = approve === undefined ? {} : { approve };
  return { env, cwd, paths: toPaths(env), loaded, settings, ...chosen, discovery: 'anywhere' };
}

function toProblem(thrown: AishError): ErrorFact {
  const error = toErrorFact(thrown);
  return { ...error, hint: error.hint === undefined ? DEFAULTS_HINT : `${error.hint}; ${DEFAULTS_HINT}` };
}

/** The folder for sockets and shell files, made when first needed. */
export function runtimeFolder(setup: Setup): string {
  return openRuntimeFolder(setup.env);
}

/** The options of an engine for this setup. */
export function engineOptions(setup: Setup) {
  return { ...setup, config: setup.loaded.config, version: VERSION, runtimeFolder: () => runtimeFolder(setup) };
}

/** The stored session the command line names, or undefined for a new one. */
export async function chosenSession(options: Options, setup: Setup): Promise<string | undefined> {
  if (!options.continue && options.resume === undefined) return undefined;
  const { findSession, newestSession } = await import('../../../adapters/store/sessions.ts');
  if (options.resume !== undefined && options.resume !== '') return findSession(setup.paths.state, options.resume).id;
  const newest = newestSession(setup.paths.state, setup.cwd);
  if (newest === null) throw new AishError('session.none', formatNoSession(setup.cwd), { hint: NO_SESSION_HINT });
  return newest.id;
}
