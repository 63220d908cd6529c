import { type ConfigKey, listConfigKeys } from '../../protocol/config-keys.ts';
import { formatToml } from './format-config.ts';
import { formatKey, type KeyPath, matchesPattern } from './key-path.ts';

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
      key_env: 'OPENAI_API_KEY',
      context: 32_768,
      role: 'fast',
      images: true,
      timeout_ms: 300_000,
    },
  },
  { path: ['shell'], values: { program: '/bin/bash' } },
  { path: ['mcp'], values: {} },
  {
    path: ['mcp', 'servers', 'fs'],
    values: {
      trust_read_only: true,
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
      cwd: '/tmp',
    },
    without: ['url', 'headers', 'auth_token', 'auth_env'],
  },
  { path: ['mcp', 'servers', 'fs', 'env'], values: { LOG_LEVEL: 'warn' } },
  {
    path: ['mcp', 'servers', 'web'],
    values: { url: 'https://example.com/mcp', trust_read_only: true, auth_token: 'secret', auth_env: 'WEB_MCP_TOKEN' },
    without: ['command', 'args', 'env', 'cwd'],
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
  { path: ['context'], values: {} },
  { path: ['history'], values: {} },
  { path: ['ui'], values: {} },
];

/** A configuration file with every key, all commented out; what `aish config init` writes. */
export function formatExample(): string {
  const head = [
    '# The configuration of aish. Every key is here, commented out; one that has a default shows it.',
    '# Lines beginning with ## explain the line after them.',
  ];
  const keys = listConfigKeys();
  return `${[...head, ...TABLES.flatMap((table) => formatTable(table, keys))].join('\n')}\n`;
}

function formatTable(table: ExampleTable, keys: readonly ConfigKey[]): string[] {
  const own = keys.find((key) => matchesPattern(table.path, key.path));
  const header = table.path.length === 0 ? [] : [...explain(own?.line), `# [${formatKey(table.path)}]`];
  const scalars = keys.filter((key) => isIn(table.path, key) && key.type !== 'table');
  const known = scalars.filter((key) => key.path.at(-1) !== '*' && !table.without?.includes(key.path.at(-1) ?? ''));
  const named = scalars.some((key) => key.path.at(-1) === '*') ? Object.entries(table.values) : [];
  return [
    '',
    ...header,
    ...known.flatMap((key) => formatExampleKey(key, table)),
    ...named.map(([name, value]) => `# ${formatKey([name])} = ${formatToml(value)}`),
  ];
}

function isIn(table: KeyPath, key: ConfigKey): boolean {
  return matchesPattern(table, key.path.slice(0, -1));
}

function formatExampleKey(key: ConfigKey, table: ExampleTable): string[] {
  const name = key.path.at(-1) ?? '';
  return [...explain(key.line), `# ${name} = ${formatToml(table.values[name] ?? key.fallback)}`];
}

function explain(line: string | undefined): string[] {
  return line === undefined || line === '' ? [] : [`## ${line}`];
}
