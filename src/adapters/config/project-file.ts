import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../protocol/config.ts';
import { formatKey, type KeyPath, type Leaf, listLeaves, matchesPattern } from './key-path.ts';

/** A configuration after a project's file had its say. */
export interface Tightened {
  readonly config: Config;
  /** The keys that were taken. */
  readonly taken: readonly KeyPath[];
  /** The keys that were not, because they would have loosened or changed something. */
  readonly refused: readonly KeyPath[];
}

/** The file of the project around a directory: the nearest one up to the root of the work tree; outside one only here. */
export function findProjectFile(cwd: string): string | null {
  let nearest: string | null = null;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const candidate = join(folder, '.aish', 'config.toml');
    if (nearest === null && existsSync(candidate)) nearest = candidate;
    if (existsSync(join(folder, '.git'))) return nearest;
    if (dirname(folder) === folder) break;
  }
  return nearest === join(cwd, '.aish', 'config.toml') ? nearest : null;
}

/**
 * Lets a project's file make things stricter, and nothing else: whoever wrote the repository is not the person at the
 * keyboard. A value equal to what holds already is neither taken nor refused.
 */
export function tighten(config: Config, raw: unknown): Tightened {
  const taken: KeyPath[] = [];
  const refused: KeyPath[] = [];
  let current = config;
  for (const leaf of listLeaves(raw)) {
    const stricter = tightenOne(current, leaf);
    if (stricter === null) refused.push(leaf.path);
    else if (stricter !== current) taken.push(leaf.path);
    current = stricter ?? current;
  }
  return { config: current, taken, refused };
}

type Tightening = (config: Config, value: unknown, path: KeyPath) => Config | null;

const TIGHTENINGS: readonly (readonly [KeyPath, Tightening])[] = [
  [['mcp', 'max_tool_depth'], lowerDepth],
  [['mcp', 'auto_approve', '*'], dropApproval],
  [['mcp', 'servers', '*', 'enabled'], disableServer],
  [['shell', 'confirm_cmd'], confirmCommands],
  [['checkpoint', 'mode'], keepCheckpoints],
];

function tightenOne(config: Config, leaf: Leaf): Config | null {
  const entry = TIGHTENINGS.find(([pattern]) => matchesPattern(leaf.path, pattern));
  return entry === undefined ? null : entry[1](config, leaf.value, leaf.path);
}

function lowerDepth(config: Config, value: unknown): Config | null {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) return null;
  if (value > config.mcp.max_tool_depth) return null;
  return value === config.mcp.max_tool_depth ? config : { ...config, mcp: { ...config.mcp, max_tool_depth: value } };
}

function dropApproval(config: Config, value: unknown, path: KeyPath): Config | null {
  const rule = path[2] ?? '';
  if (value !== false) return null;
  const approved = config.mcp.auto_approve;
  // The exact rule goes before the star, so a star that says no must also silence the exact rules under it.
  const covered = rule.endsWith('.*') ? Object.keys(approved).filter((name) => name.startsWith(rule.slice(0, -1))) : [];
  const dropped = Object.fromEntries([rule, ...covered].map((name) => [name, false]));
  return { ...config, mcp: { ...config.mcp, auto_approve: { ...approved, ...dropped } } };
}

function disableServer(config: Config, value: unknown, path: KeyPath): Config | null {
  const alias = path[2] ?? '';
  const server = Object.hasOwn(config.mcp.servers, alias) ? config.mcp.servers[alias] : undefined;
  if (value !== false || server === undefined) return null;
  if (!server.enabled) return config;
  const servers = { ...config.mcp.servers, [alias]: { ...server, enabled: false } };
  return { ...config, mcp: { ...config.mcp, servers } };
}

function confirmCommands(config: Config, value: unknown): Config | null {
  if (value !== true) return null;
  return config.shell.confirm_cmd ? config : { ...config, shell: { ...config.shell, confirm_cmd: true } };
}

function keepCheckpoints(config: Config, value: unknown): Config | null {
  if (value === config.checkpoint.mode) return config;
  if (value !== 'ref' || config.checkpoint.mode !== 'off') return null;
  return { ...config, checkpoint: { ...config.checkpoint, mode: 'ref' } };
}

/** One line for all that a project's file was not allowed to say. */
export function formatRefused(path: string, refused: readonly KeyPath[]): string {
  const shown = refused.slice(0, 8).map((key) => formatKey(key));
  const more = refused.length > shown.length ? ` and ${refused.length - shown.length} more` : '';
  return `${path}: a project's file may only tighten; left out ${shown.join(', ')}${more}`;
}
