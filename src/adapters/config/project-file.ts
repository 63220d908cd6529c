import { nameSome } from '../../core/text/truncate.ts';
import type { Config } from '../../protocol/config.ts';
import { formatKey, isTable, type KeyPath, type Leaf, listLeaves, matchesPattern } from './config-file.ts';
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

/** The value that a project's file gives a key, beside the present one; undefined if it is looser, or no value of the key. */
type Tightening = (value: unknown, present: unknown) => unknown;

const TIGHTENINGS: readonly (readonly [KeyPath, Tightening])[] = [
  [['mcp', 'max_tool_depth'], lower],
  [['mcp', 'ask'], addEach(isToolRule)],
  [['mcp', 'deny'], addEach(isToolRule)],
  [['mcp', 'servers', '*', 'enabled'], (value, present) => (present === undefined ? undefined : only(false)(value))],
  [['shell', 'confirm_cmd'], only(true)],
  [['safety', 'ask'], addEach(isPrefix, prefixOf)],
  [['safety', 'deny'], addEach(isPrefix, prefixOf)],
  [['safety', 'auto_run'], only('none')],
  // No files, because aish would read them.
  [['secrets', 'names'], addEach((name) => typeof name === 'string')],
  [['checkpoint', 'mode'], (value, present) => (present === 'off' ? only('ref')(value) : only(present)(value))],
];

function tightenOne(config: Config, { path, value }: Leaf): Config | null {
  if (matchesPattern(path, ['mcp', 'auto_approve', '*'])) return dropApproval(config, value, path[2] ?? '');
  const [, tightening] = TIGHTENINGS.find(([pattern]) => matchesPattern(path, pattern)) ?? [];
  const present = valueIn(config, path);
  const stricter = tightening?.(value, present);
  if (stricter === undefined) return null;
  return stricter === present ? config : { ...config, ...replaceIn(config, path, stricter) };
}

function only<T>(wanted: T): (value: unknown) => T | undefined {
  return (value) => (value === wanted ? wanted : undefined);
}

function lower(value: unknown, present: unknown): unknown {
  const isLower = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= Number(present);
  return isLower ? value : undefined;
}

/** Adds the items of a list, if each of them is one. */
function addEach(isItem: (item: unknown) => boolean, toItem = (item: unknown): unknown => item): Tightening {
  return (value, present) => {
    if (!Array.isArray(value) || !Array.isArray(present)) return undefined;
    const added = value.map(toItem);
    if (!added.every(isItem)) return undefined;
    return added.length === 0 ? present : [...present, ...added];
  };
}

function prefixOf(rule: unknown): unknown {
  return isTable(rule) ? rule.prefix : rule;
}

function isPrefix(rule: unknown): boolean {
  return typeof rule === 'string' && rule !== '';
}

function isToolRule(rule: unknown): boolean {
  return typeof rule === 'string' && /^[\w-]+\.[^*]+$|^[\w-]+\.\*$/.test(rule);
}

function dropApproval(config: Config, value: unknown, rule: string): Config | null {
  if (value !== false) return null;
  const approved = config.mcp.auto_approve;
  // An exact rule wins over the star, so a star with false must also turn off the exact rules under it.
  const covered = rule.endsWith('.*') ? Object.keys(approved).filter((name) => name.startsWith(rule.slice(0, -1))) : [];
  const dropped = Object.fromEntries([rule, ...covered].map((name) => [name, false]));
  return { ...config, mcp: { ...config.mcp, auto_approve: { ...approved, ...dropped } } };
}

/** The tables whose lists add up: a project removes no rule, no hook and no secret of the user's own. */
const ADDING: readonly KeyPath[] = [
  ['safety', '*'],
  ['mcp', '*'],
  ['hooks', '*'],
  ['secrets', '*'],
];

/** Applies a trusted project's file whole: its values win over the user's, and lists of rules add up. */
export function takeTrusted(config: Config, project: Config, set: readonly KeyPath[]): Config {
  let current = config;
  const paths = new Map(set.map((path) => wholeOf(path)).map((path) => [formatKey(path), path]));
  for (const path of paths.values()) {
    const [present, value] = [valueIn(current, path), withFolder(valueIn(project, path), path)];
    const isAdding = Array.isArray(value) && Array.isArray(present) && ADDING.some((one) => matchesPattern(path, one));
    current = { ...current, ...replaceIn(current, path, isAdding ? [...present, ...value] : value) };
  }
  return current;
}

/** A model or a server is replaced whole, never merged. */
function wholeOf(path: KeyPath): KeyPath {
  if (path[0] === 'models') return path.slice(0, 2);
  return path[0] === 'mcp' && path[1] === 'servers' ? path.slice(0, 3) : path;
}

/** A server of a project is one for its folder, and may be code of it. */
function withFolder(value: unknown, path: KeyPath): unknown {
  const isProgram = matchesPattern(path, ['mcp', 'servers', '*']) && isTable(value) && value.command !== undefined;
  return isProgram ? { cwd: '.', ...value } : value;
}

function valueIn(target: unknown, path: KeyPath): unknown {
  return path.reduce(
    (value: unknown, key) => (isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    target,
  );
}

function replaceIn(target: object, [key = '', ...rest]: KeyPath, value: unknown): object {
  if (rest.length === 0) return { ...target, [key]: value };
  const inner: unknown = Object.entries(target).find(([name]) => name === key)?.[1];
  return { ...target, [key]: replaceIn(isTable(inner) ? inner : {}, rest, value) };
}

/** One line for all keys that a project's file may not set. */
export function formatRefused(path: string, refused: readonly KeyPath[]): string {
  const keys = refused.map((key) => formatKey(key));
  return formatLooserKeys(path, nameSome(keys, 8));
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
