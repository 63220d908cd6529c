import { formatKey, type KeyPath, type Leaf, listLeaves, matchesPattern } from './key-path.ts';
import type { LoadedConfig } from './load.ts';

/** Values that may be secrets and are never printed. */
const SECRET: readonly KeyPath[] = [
  ['mcp', 'servers', '*', 'auth_token'],
  ['mcp', 'servers', '*', 'headers', '*'],
  ['mcp', 'servers', '*', 'env', '*'],
];

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
  return SECRET.some((pattern) => matchesPattern(path, pattern)) ? '"…"' : formatToml(value);
}

/** Writes a value as TOML does. */
export function formatToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatToml).join(', ')}]`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
