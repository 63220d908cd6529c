import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import type { CommandRuleLists } from './check-file.ts';
import { type FileText, formatKey, type KeyPath, readConfigFile } from './config-file.ts';
import { configNotFound, formatBadProjectFile, formatChangedProjectFile } from './messages.ts';
import { type Environment, projectFolders, toPaths } from './paths.ts';

interface ConfigFlags {
  readonly model?: string;
  readonly color?: Config['ui']['color'];
}

/** Sources of the configuration. */
export interface LoadOptions {
  readonly env: Environment;
  readonly cwd: string;
  /** `--config`; wins over `AISH_CONFIG` and the default path. */
  readonly file?: string;
  readonly flags?: ConfigFlags;
}

/** The configuration and the origin of each value. */
export interface LoadedConfig {
  readonly config: Config;
  /** By TOML key: `--model` or the path of a file; none for a default. */
  readonly origins: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
  /** Path of the user's file; null without one. */
  readonly file: string | null;
}

/** Reads the configuration: flags win over the project's file, which wins over the user's file and the defaults. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const origins = new Map<string, string>();
  const own = await loadOwnFile(options, origins);
  const project = await applyProjectFile(own, options, origins);
  return {
    config: applyFlags(project.config, options.flags ?? {}, origins),
    origins,
    warnings: [...own.warnings, ...project.warnings],
    file: own.file,
  };
}

/** Path of the user's file, which may not exist. */
export function configPath(options: Pick<LoadOptions, 'env' | 'cwd' | 'file'>): string {
  const named = options.file ?? options.env.AISH_CONFIG;
  if (named === undefined || named === '') return join(toPaths(options.env).config, 'config.toml');
  return isAbsolute(named) ? named : resolve(options.cwd, named);
}

/** The file of the project around a directory: the nearest one up to the root of the work tree; outside one only here. */
export function findProjectFile(cwd: string, name = 'config.toml'): string | null {
  const candidates = (projectFolders(cwd) ?? [cwd]).map((folder) => join(folder, '.aish', name));
  return candidates.findLast((candidate) => existsSync(candidate)) ?? null;
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
    throw configNotFound(path, options.file === undefined ? 'AISH_CONFIG' : '--config');
  }
  const { checkFile, warnOfWriters } = await import('./check-file.ts');
  const { config, set, warnings } = await checkFile(file);
  note(origins, set, path);
  noteRules(origins, config.safety, path);
  return { config, warnings: [...warnOfWriters(file), ...warnings], file: path };
}

/** A mistake in the project's file must not disable the user's configuration. */
async function applyProjectFile(own: OwnFile, options: LoadOptions, origins: Map<string, string>): Promise<Loaded> {
  const path = findProjectFile(options.cwd);
  // --config named the project's file, so it counted as the user's file.
  if (path === null || path === own.file) return { config: own.config, warnings: [] };
  try {
    const file = readConfigFile(path);
    if (file === null) return { config: own.config, warnings: [] };
    const { TrustStore } = await import('./trust.ts');
    const { state } = new TrustStore(toPaths(options.env).state).look(path, file.text);
    if (state === 'trusted') return await takeWhole(file, own.config, origins);
    return await takeTightening(file, own.config, origins, { hasChanged: state === 'changed' });
  } catch (thrown) {
    if (!(thrown instanceof AishError)) throw thrown;
    return { config: own.config, warnings: [formatBadProjectFile(thrown.message)] };
  }
}

async function takeWhole(file: FileText, config: Config, origins: Map<string, string>): Promise<Loaded> {
  const { checkFile } = await import('./check-file.ts');
  const { isOwnersAffair, takeTrusted, warnOfOwnersAffairs } = await import('./project-file.ts');
  const { config: project, set, warnings } = await checkFile(file);
  const taken = set.filter((path) => !isOwnersAffair(path));
  note(origins, taken, file.path);
  noteRules(origins, project.safety, file.path);
  const left = warnOfOwnersAffairs(file.path, set);
  return { config: takeTrusted(config, project, taken), warnings: [...warnings, ...left] };
}

async function takeTightening(
  file: FileText,
  config: Config,
  origins: Map<string, string>,
  { hasChanged }: { readonly hasChanged: boolean },
): Promise<Loaded> {
  const { parseFile, checkRulesOf } = await import('./check-file.ts');
  const { formatRefused, tighten } = await import('./project-file.ts');
  const raw = await parseFile(file);
  const tightened = tighten(config, raw);
  await checkRulesOf(file, tightened.config.safety, config.safety);
  note(origins, tightened.taken, file.path);
  noteRules(origins, rulesBeyond(tightened.config.safety, config.safety), file.path);
  const { refused } = tightened;
  if (refused.length === 0) return { config: tightened.config, warnings: [] };
  const warning = hasChanged ? formatChangedProjectFile(file.path) : formatRefused(file.path, refused);
  return { config: tightened.config, warnings: [warning] };
}

/** The appended rules. */
function rulesBeyond(all: CommandRuleLists, before: CommandRuleLists): CommandRuleLists {
  return {
    approve: all.approve.slice(before.approve.length),
    ask: all.ask.slice(before.ask.length),
    deny: all.deny.slice(before.deny.length),
  };
}

/** One list holds rules of several files, so each rule has its origin. */
function noteRules(origins: Map<string, string>, { approve, ask, deny }: CommandRuleLists, origin: string): void {
  for (const [kind, rules] of Object.entries({ approve, ask, deny })) {
    for (const rule of rules) {
      const prefix = typeof rule === 'string' ? rule : rule.prefix;
      const key = formatKey(['safety', kind, prefix]);
      if (!origins.has(key)) origins.set(key, origin);
    }
  }
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
