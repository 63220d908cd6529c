import {
  CALLS,
  EXIT_STATUSES,
  SHELL_OPTIONS,
  SUBCOMMAND_ROWS,
  type SubcommandRow,
} from '../src/core/command-line/command-table.ts';
import { formatOption, formatSubcommand, formatSummary } from '../src/core/command-line/help.ts';
import type { OptionRow } from '../src/core/command-line/invocation.ts';
import { type HelpPart, keyParts, markPart, metaCommandParts } from '../src/core/meta/help-text.ts';
import { VERSION } from '../src/protocol/version.ts';

const DESCRIPTION = [
  'aish is your bash, zsh or fish prompt with a language model next to it. A line is a command for your shell, a message to the model, or a command for aish itself, which begins with a colon. The sign before the line shows which of them it is.',
  'aish asks you before the model changes anything, and you can undo changes to files. Without a model, aish is still your shell.',
];

/** Environment variables that aish reads. */
const VARIABLES: readonly (readonly [string, string])[] = [
  ['AISH_CONFIG', 'The configuration file, if --config names no other.'],
  ['SHELL', 'The shell that runs commands, if shell.program names no other.'],
  ['NO_COLOR', 'Turns colours off, if set to any value.'],
  ['PAGER', 'The program that shows long outputs.'],
  [
    'OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY',
    'API keys, if no model is configured or a model is named as PROVIDER:MODEL.',
  ],
  ['GROQ_API_KEY, MISTRAL_API_KEY, DEEPSEEK_API_KEY, XAI_API_KEY', 'API keys for PROVIDER:MODEL.'],
  [
    'AZURE_API_KEY, AWS_BEARER_TOKEN_BEDROCK, COHERE_API_KEY, GOOGLE_VERTEX_API_KEY',
    'API keys for Azure, which also needs AZURE_RESOURCE_NAME, and for the providers of aish models provider add.',
  ],
  ['OPENAI_BASE_URL', 'Another address in place of that of OpenAI.'],
  [
    'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR',
    'The folders of the configuration, the sessions and the sockets.',
  ],
  ['HTTP_PROXY, HTTPS_PROXY, NO_PROXY', 'The proxy for models and MCP servers.'],
];

/** Files that aish reads or writes. */
const FILES: readonly (readonly [string, string])[] = [
  ['~/.config/aish/config.toml', 'The configuration. aish config init writes a file with every key as a comment.'],
  ['.aish/config.toml', 'The configuration of a project. Until you trust it, it can only make things stricter.'],
  ['~/.config/aish/AGENTS.md', 'Your notes. aish sends them to the model in every session.'],
  [
    'AGENTS.md',
    'Notes of a project, from its root to the current directory. aish sends them to the model once you trust their content.',
  ],
  ['~/.local/state/aish/memory.jsonl', 'The facts for later sessions. A project may have more in .aish/memory.jsonl.'],
  ['~/.local/state/aish/sessions', 'The sessions. Only you can read them.'],
];

/** The manual page, made from the tables that the program itself reads. */
export function formatManualPage(): string {
  return [
    '.\\" Made by scripts/generate-docs.ts from the tables of the program; edit there.',
    `.TH AISH 1 "" "aish ${VERSION}" "User Commands"`,
    ...section('NAME'),
    'aish \\- a shell you talk to',
    ...section('SYNOPSIS'),
    ...CALLS.flatMap(({ usage }, at) => [...(at === 0 ? [] : ['.br']), bold(usage)]),
    '.br',
    bold('aish SUBCOMMAND [ARG…]'),
    ...section('DESCRIPTION'),
    ...DESCRIPTION.flatMap((paragraph) => ['.PP', toRoff(paragraph)]),
    ...section('USAGE'),
    ...CALLS.flatMap(({ usage, summary }) => entry(usage, summary)),
    ...section('SUBCOMMANDS'),
    ...SUBCOMMAND_ROWS.flatMap((row) => formatRow(row)),
    ...section('OPTIONS'),
    ...SHELL_OPTIONS.flatMap((option) => formatOptionEntry(option)),
    ...section('META-COMMANDS'),
    ...metaCommandParts().flatMap((part) => formatPart(part)),
    ...formatPart(markPart()),
    ...section('KEYS'),
    ...keyParts().flatMap((part) => formatPart(part)),
    ...section('EXIT STATUS'),
    ...EXIT_STATUSES.flatMap(([status, meaning]) => entry(String(status), meaning)),
    ...section('ENVIRONMENT'),
    ...VARIABLES.flatMap(([name, meaning]) => entry(name, meaning)),
    ...section('FILES'),
    ...FILES.flatMap(([name, meaning]) => entry(name, meaning)),
    '',
  ].join('\n');
}

function section(title: string): readonly string[] {
  return [`.SH "${title}"`];
}

function entry(term: string, text: string): readonly string[] {
  return ['.TP', bold(term), toRoff(text)];
}

/** One line in bold; quotes would part it into arguments. */
function bold(text: string): string {
  return `.B "${toRoff(text).replaceAll('"', '\\(dq')}"`;
}

function formatRow(row: SubcommandRow): readonly string[] {
  const actions = (row.actions ?? []).flatMap(({ name, usage, summary }) =>
    entry([name, usage].filter((word) => word).join(' '), summary),
  );
  const options = (row.options ?? []).flatMap((option) => formatOptionEntry(option));
  const inner = [...actions, ...options];
  return [...entry(formatSubcommand(row), `${row.summary}.`), ...(inner.length === 0 ? [] : ['.RS', ...inner, '.RE'])];
}

function formatOptionEntry(option: OptionRow): readonly string[] {
  return entry(formatOption(option), `${formatSummary(option)}.`);
}

function formatPart({ title, rows }: HelpPart): readonly string[] {
  return [`.SS "${toRoff(title)}"`, ...rows.flatMap(([left, right]) => entry(left, `${right}.`))];
}

/** No character of the text may be a request or an escape of roff, and no dash may become a hyphen. */
function toRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/^[.]/gm, '\\&.');
}
