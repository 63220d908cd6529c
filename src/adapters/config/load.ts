import { isAbsolute, join, resolve } from 'node:path';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import { formatKey, type KeyPath } from './key-path.ts';
import { type Environment, toPaths } from './paths.ts';
import { findProjectFile, formatRefused, tighten } from './project-file.ts';
import { readConfigFile } from './read-file.ts';

/** What the command line sets over any file. */
export interface ConfigFlags {
  readonly model?: string;
  readonly color?: Config['ui']['color'];
}

/** Where to look. */
export interface LoadOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** `--config`; goes before `AISH_CONFIG` and the usual place. */
  readonly file?: string;
  readonly flags?: ConfigFlags;
}

/** The configuration and where each part of it comes from. */
export interface LoadedConfig {
  readonly config: Config;
  /** By key as written in TOML: `--model`, the path of a file, or nothing for a default. */
  readonly origins: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
  /** The person's file that was read, or null. */
  readonly file: string | null;
}

/** Reads the configuration: flags before the project's tightening before the person's file before the defaults. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const origins = new Map<string, string>();
  const own = await loadOwnFile(options, origins);
  const project = await applyProjectFile(own, options.cwd, origins);
  return {
    config: applyFlags(project.config, options.flags ?? {}, origins),
    origins,
    warnings: [...own.warnings, ...project.warnings],
    file: own.file,
  };
}

/** Where the person's file is, or would be. */
export function configPath(options: Pick<LoadOptions, 'env' | 'cwd' | 'file'>): string {
  const named = options.file ?? options.env.AISH_CONFIG;
  if (named === undefined || named === '') return join(toPaths(options.env).config, 'config.toml');
  return isAbsolute(named) ? named : resolve(options.cwd, named);
}

interface Loaded {
  readonly config: Config;
  readonly warnings: readonly string[];
}

interface OwnFile extends Loaded {
  readonly file: string | null;
}

async function loadOwnFile(options: LoadOptions, origins: Map<string, string>): Promise<OwnFile> {
  const path = configPath(options);
  const file = readConfigFile(path);
  if (file === null) {
    const named = options.file ?? options.env.AISH_CONFIG;
    if (named === undefined || named === '') return { config: DEFAULT_CONFIG, warnings: [], file: null };
    throw new AishError('config.not-found', `there is no configuration file ${path}`, {
      hint: `it was named by ${options.file === undefined ? 'AISH_CONFIG' : '--config'}; make it with: aish config init`,
    });
  }
  const { checkFile } = await import('./check-file.ts');
  const { config, set, warnings } = await checkFile(file);
  note(origins, set, path);
  return { config, warnings, file: path };
}

/** Whoever wrote the repository must not be able to take the person's own configuration away, by a mistake in theirs either. */
async function applyProjectFile(own: OwnFile, cwd: string, origins: Map<string, string>): Promise<Loaded> {
  const path = findProjectFile(cwd);
  // A project's file the person named with --config is theirs, and was taken whole.
  if (path === null || path === own.file) return { config: own.config, warnings: [] };
  try {
    return await takeProjectFile(path, own.config, origins);
  } catch (thrown) {
    if (!(thrown instanceof AishError)) throw thrown;
    return { config: own.config, warnings: [`${thrown.message}; this file of the project is left out`] };
  }
}

async function takeProjectFile(path: string, config: Config, origins: Map<string, string>): Promise<Loaded> {
  const file = readConfigFile(path);
  if (file === null) return { config, warnings: [] };
  const { parseFile } = await import('./check-file.ts');
  const tightened = tighten(config, await parseFile(file));
  note(origins, tightened.taken, file.path);
  return {
    config: tightened.config,
    warnings: tightened.refused.length === 0 ? [] : [formatRefused(file.path, tightened.refused)],
  };
}

function applyFlags(config: Config, flags: ConfigFlags, origins: Map<string, string>): Config {
  let current = config;
  if (flags.model !== undefined) {
    current = { ...current, model: flags.model };
    origins.set('model', '--model');
  }
  if (flags.color !== undefined) {
    current = { ...current, ui: { ...current.ui, color: flags.color } };
    origins.set('ui.color', flags.color === 'never' ? '--no-color' : '--color');
  }
  return current;
}

function note(origins: Map<string, string>, paths: readonly KeyPath[], origin: string): void {
  for (const path of paths) origins.set(formatKey(path), origin);
}
