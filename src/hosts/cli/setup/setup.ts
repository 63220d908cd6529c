import { existsSync } from 'node:fs';
import { type LoadedConfig, loadConfig } from '../../../adapters/config/load.ts';
import { type Environment, type Paths, toPaths } from '../../../adapters/config/paths.ts';
import { openRuntimeFolder } from '../../../adapters/config/runtime-folder.ts';
import { enterDirectory } from '../../../adapters/system/own-program.ts';
import { type SettingsFlags, toSettings } from '../../../core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { AishError, type ErrorFact, toErrorFact } from '../../../protocol/error.ts';
import type { ApproveMode, Settings } from '../../../protocol/settings.ts';
import type { Options } from './args.ts';

/** What every host begins with. */
export interface Setup {
  readonly env: Environment;
  readonly cwd: string;
  readonly paths: Paths;
  readonly loaded: LoadedConfig;
  readonly settings: Settings;
  /** The mode that the command line sets; absent if it sets none. */
  readonly approve?: ApproveMode;
  /** Where a model may be looked for when none is configured: without knowing what the user configured, on this machine only. */
  readonly discovery: 'anywhere' | 'loopback';
}

/** Reads the configuration and finds the folders. */
export async function prepare(options: Options): Promise<Setup> {
  const cwd = enterDirectory(options.cwd);
  const loaded = await loadConfig({ env: process.env, cwd, ...toConfigOptions(options) });
  return { ...toSetup(cwd, loaded, toSettings(loaded.config, toSettingsFlags(options))), ...explicit(options) };
}

/** As `prepare`, but a broken configuration is told and the defaults hold: nobody may be locked out of their login shell. */
export async function prepareForUser(options: Options): Promise<{ setup: Setup; problem: ErrorFact | null }> {
  const { cwd, ...rest } = options;
  const lost = leaveLostDirectory(cwd);
  // The program is there now: a relative --cwd would lead further down.
  const { setup, problem } = await prepareOrDefault(rest);
  return { setup, problem: problem ?? lost };
}

/** A shell that begins in a directory that is gone begins in the home, and says so. */
function leaveLostDirectory(wanted: string | undefined): ErrorFact | null {
  try {
    enterDirectory(wanted);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof AishError) || thrown.code !== 'folder.gone') throw thrown;
    const home = process.env.HOME;
    const place = home !== undefined && existsSync(home) ? home : '/';
    process.chdir(place);
    return { code: thrown.code, message: `${thrown.message}; this shell begins in ${place}` };
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
  const meanwhile = 'until then the defaults hold, and no model is used but one on this machine';
  return { ...error, hint: error.hint === undefined ? meanwhile : `${error.hint}; ${meanwhile}` };
}

function toSettingsFlags({ model, approve, maxSteps, sandbox }: Options): SettingsFlags {
  return {
    ...(model === undefined ? {} : { model }),
    ...(approve === undefined ? {} : { approve }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
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
    throw new AishError('session.none', `there is no earlier session in ${setup.cwd}`, {
      hint: 'aish sessions lists those of other directories',
    });
  }
  return newest.id;
}

function toConfigOptions(options: Options): { file?: string; flags?: { model?: string; color?: 'never' } } {
  const flags = {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.color ? {} : { color: 'never' as const }),
  };
  return options.config === undefined ? { flags } : { file: options.config, flags };
}
