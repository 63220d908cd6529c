import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatExample, formatToml } from '../src/adapters/config/format-config.ts';
import { type ConfigKey, listConfigKeys } from '../src/protocol/config-keys.ts';
import { formatManualPage } from './manual-page.ts';

/** The files made from the configuration's schema and from the tables of the program, by path from the root of the repository. */
export function generateDocs(): ReadonlyMap<string, string> {
  const keys = listConfigKeys();
  return new Map([
    ['docs/config.md', formatManual(keys)],
    ['docs/config.schema.json', formatSchema(keys)],
    ['examples/config.toml', formatExample()],
    ['docs/aish.1', formatManualPage()],
  ]);
}

const INTRODUCTION = `# Configuration

<!-- Made by scripts/generate-docs.ts from src/protocol/config-schema.ts; edit there. -->

aish reads \`$XDG_CONFIG_HOME/aish/config.toml\` (\`~/.config/aish/config.toml\`), or the file that \`--config\` or \`AISH_CONFIG\` names. aish runs without a
configuration too. Options of the command line have priority over files. An unknown key or a wrong value is an error with line and column.

| command | effect |
| --- | --- |
| \`aish config init\` | Write a commented file. |
| \`aish config show\` | Print every value with its origin. |
| \`aish config check\` | Find mistakes. |
| \`aish config path\` | Print the path of the file. |
| \`aish config trust\`, \`untrust\` | Trust the file of a project, or withdraw that trust. |

\`docs/config.schema.json\` lets editors complete and check the file.

A project may have \`.aish/config.toml\`. Until you trust it, this file can only make things stricter. It can:

- add to \`safety.ask\`, \`safety.deny\` and \`secrets.names\`
- lower \`mcp.max_tool_depth\`, set rules of \`mcp.auto_approve\` to false, and set \`enabled = false\` for a server
- set \`shell.confirm_cmd = true\`, and turn checkpoints from \`off\` to \`ref\`

aish ignores everything else in it and prints a warning. If the file has a mistake, aish ignores the whole file, and the warning shows the line. \`aish config trust\` shows the
file, or the changes since you trusted it, and asks. If you say yes, the whole file applies, except \`secrets.allow\` and \`secrets.public\`. If its content or its path changes, you must trust it
again.

If your own file has a mistake, aish still starts, with the defaults. It then uses only a model on this machine, never a cloud model. Other commands of aish print the mistake and end.

Put the keys of models and the tokens of servers into the environment (\`key_env\`, \`auth_env\`). If others can read a file with a token in it, aish warns you.
`;

function formatManual(keys: readonly ConfigKey[]): string {
  const tables = [{ path: [], line: '' }, ...keys.filter((key) => key.type === 'table')];
  const sections = tables.map((table) => formatSection(table.path, table.line, keys));
  return INTRODUCTION + sections.join('');
}

function formatSection(path: readonly string[], line: string, keys: readonly ConfigKey[]): string {
  const inside = keys.filter((key) => key.type !== 'table' && isChild(path, key));
  if (inside.length === 0) return '';
  const title =
    path.length === 0 ? 'Top level' : `\`[${path.map((part) => (part === '*' ? 'NAME' : part)).join('.')}]\``;
  const text = line === '' ? '' : `${line}\n\n`;
  const rows = inside.map(
    (key) => `| ${formatName(key)} | ${formatType(key)} | ${formatFallback(key)} | ${key.line} |`,
  );
  return `\n## ${title}\n\n${text}| key | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}

function formatName(key: ConfigKey): string {
  const name = key.path.at(-1);
  return name === '*' ? 'any' : `\`${name}\``;
}

function formatType(key: ConfigKey): string {
  if (key.choices !== undefined) return key.choices.map((choice) => `\`"${choice}"\``).join(', ');
  if (key.listsRules === true) return 'list of prefixes';
  return key.type === 'array' ? 'list of strings' : key.type;
}

function formatFallback(key: ConfigKey): string {
  if (key.required) return 'required';
  return key.fallback === undefined ? '' : `\`${formatToml(key.fallback)}\``;
}

function isChild(path: readonly string[], key: ConfigKey): boolean {
  return key.path.length === path.length + 1 && path.every((part, index) => part === key.path[index]);
}

function formatSchema(keys: readonly ConfigKey[]): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'aish configuration',
    ...toTable([], '', keys),
  };
  // Lists of plain values on one line, as the formatter of this repository has them.
  return `${JSON.stringify(schema, null, 2).replaceAll(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, inner: string) => `[${inner.replaceAll(/\n\s+/g, ' ')}]`)}\n`;
}

function toTable(path: readonly string[], line: string, keys: readonly ConfigKey[]): object {
  const inside = keys.filter((key) => isChild(path, key));
  const any = inside.find((key) => key.path.at(-1) === '*');
  const named = inside.filter((key) => key !== any);
  const required = named.filter((key) => key.required).map((key) => key.path.at(-1));
  return {
    type: 'object',
    ...(line === '' ? {} : { description: line }),
    ...(named.length === 0
      ? {}
      : { properties: Object.fromEntries(named.map((key) => [key.path.at(-1), toSchema(key, keys)])) }),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: any === undefined ? false : toSchema(any, keys),
  };
}

const LIST_OF_LINES = { type: 'array', items: { type: 'string' } };

const RULE_SCHEMA = {
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      properties: { prefix: { type: 'string' }, match: LIST_OF_LINES, no_match: LIST_OF_LINES },
      required: ['prefix'],
      additionalProperties: false,
    },
  ],
};

function toSchema(key: ConfigKey, keys: readonly ConfigKey[]): object {
  if (key.type === 'table') return toTable(key.path, key.line, keys);
  return {
    type: key.type === 'number' ? 'integer' : key.type,
    ...(key.line === '' ? {} : { description: key.line }),
    ...(key.type === 'array' ? { items: key.listsRules === true ? RULE_SCHEMA : { type: 'string' } } : {}),
    ...(key.choices === undefined ? {} : { enum: key.choices }),
    ...(key.smallest === undefined ? {} : { minimum: key.smallest }),
    ...(key.fallback === undefined ? {} : { default: key.fallback }),
  };
}

function writeDocs(root: string): void {
  for (const [path, text] of generateDocs()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

if (import.meta.main) writeDocs(join(import.meta.dir, '..'));
