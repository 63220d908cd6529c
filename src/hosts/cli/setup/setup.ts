import { existsSync } from 'node:fs';
import { type LoadedConfig, loadConfig } from '../../../adapters/config/load.ts';
import { type Environment, type Paths, toPaths } from '../../../adapters/config/paths.ts';
import { openRuntimeFolder } from '../../../adapters/config/runtime-folder.ts';
import { enterDirectory } from '../../../adapters/system/own-program.ts';
import { type SettingsFlags, toSettings } from '../../../core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { AishError, type ErrorFact, toErrorFact } from '../../../protocol/error.ts';
import { omitUndefined } from '../../../protocol/json.ts';
import type { ApproveMode, Settings } from '../../../protocol/settings.ts';
import type { Options } from './args.ts';
import { DEFAULTS_HINT, formatNoSession, formatStartsIn, NO_SESSION_HINT } from './messages.ts';

/** The facts that every host starts with. */
export interface Setup {
  readonly env: Environment;
  readonly cwd: string;
  readonly paths: Paths;
  readonly loaded: LoadedConfig;
  readonly settings: Settings;
  /** The mode that the command line sets; absent if it sets none. */
  readonly approve?: ApproveMode;
  /** The places to search for a model if none is configured: only this machine if the configuration cannot be read. */
  readonly discovery: 'anywhere' | 'loopback';
}

/** Reads the configuration and finds the folders. */
export async function prepare(options: Options): Promise<Setup> {
  const cwd = enterDirectory(options.cwd);
  const loaded = await loadConfig({ env: process.env, cwd, ...toConfigOptions(options) });
  return { ...toSetup(cwd, loaded, toSettings(loaded.config, toSettingsFlags(options))), ...explicit(options) };
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
    const { model: _, ...flags } = toSettingsFlags(options);
    const loaded: LoadedConfig = { config: DEFAULT_CONFIG, origins: new Map(), warnings: [], file: null };
    const setup = toSetup(process.cwd(), loaded, toSettings(DEFAULT_CONFIG, flags));
    return { setup: { ...setup, ...explicit(options), discovery: 'loopback' }, problem: toProblem(thrown) };
  }
}

function toSetup(cwd: string, loaded: LoadedConfig, settings: Settings): Setup {
  const { env } = process;
  return { env, cwd, paths: toPaths(env), loaded, settings, discovery: 'anywhere' };
}

function explicit({ approve }: Options): Pick<Setup, 'approve'> {
  return approve === undefined ? {} : { approve };
}

function toProblem(thrown: AishError): ErrorFact {
  const error = toErrorFact(thrown);
  return { ...error, hint: error.hint === undefined ? DEFAULTS_HINT : `${error.hint}; ${DEFAULTS_HINT}` };
}

function toSettingsFlags({ model, approve, maxSteps, sandbox }: Options): SettingsFlags {
  return omitUndefined({ model, approve, maxSteps, sandbox });
}

/** The folder for sockets and shell files, made when first needed. */
export function runtimeFolder(setup: Setup): string {
  return openRuntimeFolder(setup.env);
}

/** The stored session the command line names, or undefined for a new one. */
export async function chosenSession(options: Options, setup: Setup): Promise<string | undefined> {
  if (!options.continue && options.resume === undefined) return undefined;
  const { findSession, newestSession } = await import('../../../adapters/store/sessions.ts');
  if (options.resume !== undefined && options.resume !== '') return findSession(setup.paths.state, options.resume).id;
  const newest = newestSession(setup.paths.state, setup.cwd);
  if (newest === null) {
    throw new AishError('session.none', formatNoSession(setup.cwd), { hint: NO_SESSION_HINT });
  }
  return newest.id;
}

function toConfigOptions(options: Options): { file?: string; flags?: { model?: string; color?: 'never' } } {
  const color = options.color ? undefined : ('never' as const);
  return omitUndefined({ file: options.config, flags: omitUndefined({ model: options.model, color }) });
}
