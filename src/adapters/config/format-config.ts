import { toShownUrl } from '../../core/model/server-fault.ts';
import { toShownVariable, toShownWords } from '../../core/secrets/shapes.ts';
import { type ConfigKey, listConfigKeys } from '../../protocol/config-keys.ts';
import { FIELDS_OF } from '../../protocol/mcp-schema.ts';
import { formatKey, isTable, type KeyPath, type Leaf, listLeaves, matchesPattern } from './config-file.ts';
import type { LoadedConfig } from './load.ts';

type Show = (value: unknown) => string;

/** A value that may be a secret is never printed, and an address, a variable or an argument may hold one. */
const hide: Show = () => '"…"';
const showAddress: Show = (value) => formatToml(toShownUrl(String(value)));
const showVariable: Show = (value) => formatToml(toShownVariable(String(value)));
const showWords: Show = (value) =>
  formatToml(Array.isArray(value) ? toShownWords(value.map((word) => toShownUrl(String(word)))) : value);

const SHOWN: readonly (readonly [KeyPath, Show])[] = [
  [['mcp', 'servers', '*', 'auth_token'], hide],
  [['mcp', 'servers', '*', 'headers', '*'], hide],
  [['mcp', 'servers', '*', 'env', '*'], hide],
  [['models', '*', 'base_url'], showAddress],
  [['mcp', 'servers', '*', 'url'], showAddress],
  [['models', '*', 'key_env'], showVariable],
  [['mcp', 'servers', '*', 'auth_env'], showVariable],
  [['models', '*', 'args'], showWords],
  [['mcp', 'servers', '*', 'args'], showWords],
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
  const found = loaded.file === null ? 'no configuration file; aish uses the defaults' : `${loaded.file}: no mistakes`;
  return [`${found}\n`, ...formatWarnings(loaded)].join('');
}

function formatWarnings(loaded: LoadedConfig): readonly string[] {
  return loaded.warnings.map((warning) => `warning: ${warning}\n`);
}

function formatValue({ path, value }: Leaf): string {
  const [, show = formatToml] = SHOWN.find(([pattern]) => matchesPattern(path, pattern)) ?? [];
  return show(value);
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

/** One table of the example, with a value for each key that has no default to show. */
interface ExampleTable {
  readonly path: KeyPath;
  readonly values: Readonly<Record<string, string | number | boolean | readonly unknown[]>>;
  /** Keys that go with another kind of the same table. */
  readonly without?: readonly string[];
}

const TABLES: readonly ExampleTable[] = [
  { path: [], values: { model: 'local' } },
  {
    path: ['models', 'local'],
    values: {
      base_url: 'http://127.0.0.1:8080/v1',
      model: 'qwen3',
      command: 'llama-server',
      args: ['-m', '/home/ada/qwen3.gguf', '--port', '8080', '--jinja'],
      key_env: 'OPENAI_API_KEY',
      provider: 'openai-chat',
      reasoning_effort: 'medium',
      context: 32_768,
      role: 'fast',
      fallback: ['anthropic:claude-haiku-4-5'],
      images: true,
      price_input: 2.5,
      price_output: 10,
      price_cached: 0.25,
      timeout_ms: 300_000,
    },
  },
  { path: ['shell'], values: { program: '/bin/bash' } },
  { path: ['mcp'], values: {} },
  {
    path: ['mcp', 'servers', 'fs'],
    values: {
      sampling_tokens: 5000,
      trust_read_only: true,
      total_timeout_ms: 600_000,
      roots: ['.'],
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
      cwd: '/tmp',
    },
    without: ['url', ...FIELDS_OF.url],
  },
  { path: ['mcp', 'servers', 'fs', 'env'], values: { LOG_LEVEL: 'warn' } },
  {
    path: ['mcp', 'servers', 'web'],
    values: {
      url: 'https://example.com/mcp',
      sampling_tokens: 5000,
      trust_read_only: true,
      total_timeout_ms: 600_000,
      roots: ['.'],
      auth_token: 'secret',
      auth_env: 'WEB_MCP_TOKEN',
      oauth_client_id: 'aish-at-example',
      oauth_client_secret_env: 'WEB_MCP_SECRET',
      oauth_client_metadata_url: 'https://example.com/aish.json',
      oauth_key_file: '/home/me/.config/aish/key.pem',
      oauth_key_algorithm: 'ES256',
      oauth_scope: 'read write',
      oauth_grant: 'authorization_code',
      oauth_assertion_file: '/run/secrets/token',
      oauth_dpop: true,
      oauth_port: 8765,
    },
    without: ['command', ...FIELDS_OF.command],
  },
  { path: ['mcp', 'servers', 'web', 'headers'], values: { 'X-Team': 'blue' } },
  { path: ['mcp', 'auto_approve'], values: { 'fs.read_file': true, 'web.*': true } },
  {
    path: ['safety'],
    values: {
      approve: ['git log', { prefix: 'npm test', match: ['npm test -- --watch'], no_match: ['npm publish'] }],
      ask: ['git commit'],
      deny: ['git push --force'],
    },
  },
  {
    path: ['secrets'],
    values: { names: ['DEPLOY_PIN'], files: ['config/production.env'], public: ['SENTRY_PUBLIC_KEY'] },
  },
  { path: ['secrets', 'allow'], values: { GITHUB_TOKEN: ['gh', 'git push'], LINEAR_API_KEY: ['linear.*'] } },
  { path: ['checkpoint'], values: {} },
  { path: ['budget'], values: { session_usd: 2, day_usd: 10, tokens: 2_000_000, steps: 40, minutes: 20 } },
  { path: ['context'], values: {} },
  { path: ['explore'], values: {} },
  { path: ['history'], values: {} },
  { path: ['memory'], values: {} },
  { path: ['abbreviations'], values: { gco: 'git checkout' } },
  { path: ['extend'], values: { folders: ['~/.claude', '.claude'] } },
  { path: ['hooks'], values: { 'pre-tool': ['~/.config/aish/hooks/check'] } },
  { path: ['ui'], values: {} },
];

/** A configuration file with every key, all commented out; what `aish config init` writes. */
export function formatExample(): string {
  const head = [
    '# The configuration of aish. This file lists every key, commented out, with its default.',
    '# A line that begins with ## explains the next line.',
  ];
  const keys = listConfigKeys();
  return `${[...head, ...TABLES.flatMap((table) => formatTable(table, keys))].join('\n')}\n`;
}

function formatTable(table: ExampleTable, keys: readonly ConfigKey[]): string[] {
  const own = keys.find((key) => matchesPattern(table.path, key.path));
  const header = table.path.length === 0 ? [] : [...explain(own?.line), `# [${formatKey(table.path)}]`];
  const scalars = keys.filter((key) => matchesPattern(table.path, key.path.slice(0, -1)) && key.type !== 'table');
  const known = scalars.filter((key) => key.path.at(-1) !== '*' && !table.without?.includes(key.path.at(-1) ?? ''));
  const named = scalars.some((key) => key.path.at(-1) === '*') ? Object.entries(table.values) : [];
  return [
    '',
    ...header,
    ...known.flatMap((key) => formatExampleKey(key, table)),
    ...named.map(([name, value]) => `# ${formatKey([name])} = ${formatToml(value)}`),
  ];
}

function formatExampleKey(key: ConfigKey, table: ExampleTable): string[] {
  const name = key.path.at(-1) ?? '';
  return [...explain(key.line), `# ${name} = ${formatToml(table.values[name] ?? key.fallback)}`];
}

function explain(line: string | undefined): string[] {
  return line === undefined || line === '' ? [] : [`## ${line}`];
}
