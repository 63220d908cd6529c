import { toShownUrl } from '../../core/address.ts';
import { formatKey, isTable, type KeyPath, type Leaf, listLeaves, matchesPattern } from './key-path.ts';
import type { LoadedConfig } from './load.ts';

/** Values that may be secrets and are never printed. */
const SECRET: readonly KeyPath[] = [
  ['mcp', 'servers', '*', 'auth_token'],
  ['mcp', 'servers', '*', 'headers', '*'],
  ['mcp', 'servers', '*', 'env', '*'],
];

/** Addresses, which may hold a password or a key. */
const ADDRESSES: readonly KeyPath[] = [
  ['models', '*', 'base_url'],
  ['mcp', 'servers', '*', 'url'],
];

const ARGUMENTS: KeyPath = ['mcp', 'servers', '*', 'args'];
const SECRET_NAME = /key|token|secret|passw|credential/i;

/** The text of `aish config show`: every value that holds, and where it comes from. */
export function formatConfig(loaded: LoadedConfig): string {
  const rows = listLeaves(loaded.config).map((leaf) => {
    const key = formatKey(leaf.path);
    return { setting: `${key} = ${formatValue(leaf)}`, origin: loaded.origins.get(key) ?? 'default' };
  });
  const width = Math.min(60, Math.max(...rows.map((row) => row.setting.length)));
  return [...rows.map((row) => `${row.setting.padEnd(width)}  # ${row.origin}\n`), ...formatWarnings(loaded)].join('');
}

/** The text of `aish config check` when nothing is wrong; what is wrong is thrown by `loadConfig`. */
export function formatCheck(loaded: LoadedConfig): string {
  const found = loaded.file === null ? 'no configuration file; the defaults hold' : `${loaded.file}: no mistakes`;
  return [`${found}\n`, ...formatWarnings(loaded)].join('');
}

function formatWarnings(loaded: LoadedConfig): readonly string[] {
  return loaded.warnings.map((warning) => `warning: ${warning}\n`);
}

function formatValue({ path, value }: Leaf): string {
  if (SECRET.some((pattern) => matchesPattern(path, pattern))) return '"…"';
  if (ADDRESSES.some((pattern) => matchesPattern(path, pattern))) return formatToml(toShownUrl(String(value)));
  return formatToml(Array.isArray(value) && matchesPattern(path, ARGUMENTS) ? value.map(toShownArgument) : value);
}

/** Arguments of a program: what an option named after a secret is given, with `=` or as the next word, is left out. */
function toShownArgument(argument: unknown, at: number, all: readonly unknown[]): string {
  const text = String(argument);
  const before = String(all[at - 1] ?? '');
  if (/^-[^=]*$/.test(before) && SECRET_NAME.test(before)) return '…';
  const equals = text.indexOf('=');
  if (equals > 0 && SECRET_NAME.test(text.slice(0, equals))) return `${text.slice(0, equals)}=…`;
  return toShownUrl(text);
}

/** Writes a value as TOML does. */
export function formatToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatToml).join(', ')}]`;
  if (isTable(value)) {
    const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return `{ ${pairs.map(([key, inner]) => `${formatKey([key])} = ${formatToml(inner)}`).join(', ')} }`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
