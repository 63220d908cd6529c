import { nameSome } from '../../core/text/truncate.ts';
import type { Config } from '../../protocol/config.ts';
import { formatKey, isTable, type KeyPath, type Leaf, listLeaves, matchesPattern } from './key-path.ts';
import { formatLooserKeys, formatOwnersKeys } from './messages.ts';

interface Tightened {
  readonly config: Config;
  readonly taken: readonly KeyPath[];
  /** The ignored keys, which would loosen or change something. */
  readonly refused: readonly KeyPath[];
}

/**
 * Lets a project's file make settings stricter, and nothing else: its author is not the user. A value equal to the current one is
 * neither applied nor ignored.
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
  [['mcp', 'ask'], addToolRules],
  [['mcp', 'deny'], addToolRules],
  [['mcp', 'servers', '*', 'enabled'], disableServer],
  [['shell', 'confirm_cmd'], confirmCommands],
  [['safety', 'ask'], addCommandRules],
  [['safety', 'deny'], addCommandRules],
  [['safety', 'auto_run'], askAlways],
  [['secrets', 'names'], addSecretNames],
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
  // An exact rule wins over the star, so a star with false must also turn off the exact rules under it.
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

/** More commands that need approval or are denied. */
function addCommandRules(config: Config, value: unknown, path: KeyPath): Config | null {
  const kind = path[1] === 'deny' ? 'deny' : 'ask';
  if (!Array.isArray(value) || !value.every((rule) => typeof rule === 'string' || isTable(rule))) return null;
  const added = value.flatMap((rule: unknown) => {
    const prefix = isTable(rule) ? rule.prefix : rule;
    return typeof prefix === 'string' && prefix !== '' ? [prefix] : [];
  });
  if (added.length !== value.length) return null;
  return added.length === 0 ? config : withCommandRules(config, kind, added);
}

/** More tools that need approval or are denied. */
function addToolRules(config: Config, value: unknown, path: KeyPath): Config | null {
  if (
    !Array.isArray(value) ||
    !value.every((rule) => typeof rule === 'string' && /^[\w-]+\.[^*]+$|^[\w-]+\.\*$/.test(rule))
  )
    return null;
  return value.length === 0 ? config : withToolRules(config, path[1] === 'deny' ? 'deny' : 'ask', value);
}

function withToolRules(config: Config, kind: 'ask' | 'deny', added: readonly string[]): Config {
  return { ...config, mcp: { ...config.mcp, [kind]: [...config.mcp[kind], ...added] } };
}

/** More variables that hold a secret. No files, because aish would read them. */
function addSecretNames(config: Config, value: unknown): Config | null {
  const names = Array.isArray(value) ? value.flatMap((name: unknown) => (typeof name === 'string' ? [name] : [])) : [];
  if (!Array.isArray(value) || names.length !== value.length) return null;
  return names.length === 0 ? config : withSecrets(config, { names });
}

function askAlways(config: Config, value: unknown): Config | null {
  return value === 'none' ? { ...config, safety: { ...config.safety, auto_run: 'none' } } : null;
}

function withCommandRules(config: Config, kind: 'approve' | 'ask' | 'deny', added: Config['safety']['ask']): Config {
  const { safety } = config;
  return { ...config, safety: { ...safety, [kind]: [...safety[kind], ...added] } };
}

type Hook = Exclude<keyof Config['hooks'], 'timeout_ms'>;

const HOOKS: Readonly<Record<Hook, true>> = { 'pre-tool': true, 'post-tool': true, prompt: true, 'turn-end': true };

function isHook(key: string | undefined): key is Hook {
  return key !== undefined && Object.hasOwn(HOOKS, key);
}

/** A project adds hooks to the user's own, and removes none. */
function withHooks(config: Config, kind: Hook, added: readonly string[]): Config {
  const { hooks } = config;
  return { ...config, hooks: { ...hooks, [kind]: [...hooks[kind], ...added] } };
}

/** Applies a trusted project's file whole: its values win over the user's, and lists of rules add up. */
export function takeTrusted(config: Config, project: Config, set: readonly KeyPath[]): Config {
  let current = config;
  const paths = new Map(set.map((path) => wholeOf(path)).map((path) => [formatKey(path), path]));
  for (const path of paths.values()) {
    const [table, kind] = path;
    if (table === 'safety' && (kind === 'approve' || kind === 'ask' || kind === 'deny'))
      current = withCommandRules(current, kind, project.safety[kind]);
    else if (table === 'mcp' && (kind === 'ask' || kind === 'deny'))
      current = withToolRules(current, kind, project.mcp[kind]);
    else if (table === 'hooks' && isHook(kind)) current = withHooks(current, kind, project.hooks[kind]);
    else if (table === 'secrets' && kind === 'names') current = withSecrets(current, { names: project.secrets.names });
    else if (table === 'secrets' && kind === 'files') current = withSecrets(current, { files: project.secrets.files });
    else current = { ...current, ...replaceIn(current, path, project) };
  }
  return current;
}

/** A model or a server is replaced whole, never merged. */
function wholeOf(path: KeyPath): KeyPath {
  if (path[0] === 'models') return path.slice(0, 2);
  return path[0] === 'mcp' && path[1] === 'servers' ? path.slice(0, 3) : path;
}

function replaceIn(target: object, [key = '', ...rest]: KeyPath, source: unknown): object {
  const value: unknown = isTable(source) ? source[key] : undefined;
  if (rest.length === 0) return { ...target, [key]: value };
  const inner: unknown = Object.entries(target).find(([name]) => name === key)?.[1];
  return { ...target, [key]: replaceIn(isTable(inner) ? inner : {}, rest, value) };
}

function keepCheckpoints(config: Config, value: unknown): Config | null {
  if (value === config.checkpoint.mode) return config;
  if (value !== 'ref' || config.checkpoint.mode !== 'off') return null;
  return { ...config, checkpoint: { ...config.checkpoint, mode: 'ref' } };
}

/** One line for all keys that a project's file may not set. */
export function formatRefused(path: string, refused: readonly KeyPath[]): string {
  const keys = refused.map((key) => formatKey(key));
  return formatLooserKeys(path, nameSome(keys, 8));
}

/** Adds more secrets. */
function withSecrets(config: Config, added: Partial<Pick<Config['secrets'], 'names' | 'files'>>): Config {
  const { secrets } = config;
  const names = [...secrets.names, ...(added.names ?? [])];
  return { ...config, secrets: { ...secrets, names, files: [...secrets.files, ...(added.files ?? [])] } };
}

/** True for keys that count only in the user's configuration: receivers of secrets, values that are not secret, and folders of commands. */
export function isOwnersAffair([table, key]: KeyPath): boolean {
  return (table === 'secrets' && (key === 'allow' || key === 'public')) || (table === 'extend' && key === 'folders');
}

/** A warning about keys of a trusted project's file that only the user's own file may set. */
export function warnOfOwnersAffairs(path: string, set: readonly KeyPath[]): readonly string[] {
  const left = [...new Set(set.filter(isOwnersAffair).map((key) => formatKey(key.slice(0, 2))))];
  if (left.length === 0) return [];
  return [formatOwnersKeys(path, left.join(', '))];
}
