/*
 * Everything that the command line of aish accepts. The parser, `--help`, the manual page and the completions of three shells
 * all use these rows, so they cannot contradict each other.
 */

import { APPROVE, COMMON_OPTIONS, type Completes, MAIN_OPTIONS, MAX_STEPS, type OptionRow, type Subcommand } from './invocation.ts';

/** An action of a subcommand: its next word. */
interface ActionRow {
  readonly name: string;
  readonly usage?: string;
  readonly completes?: Completes;
  /** Its options stand before its first word: the words behind belong to a text or to another program. */
  readonly verbatim?: true;
  readonly summary: string;
}

/** One subcommand. */
export interface SubcommandRow {
  readonly name: Subcommand;
  readonly usage?: string;
  readonly summary: string;
  readonly actions?: readonly ActionRow[];
  readonly options?: readonly OptionRow[];
  readonly completes?: Completes;
}

/** Ways to call aish, apart from its subcommands. */
export const CALLS: readonly { readonly usage: string; readonly summary: string }[] = [
  { usage: 'aish', summary: 'start the shell in this directory' },
  { usage: 'aish "question"', summary: 'answer the question and exit; the message includes piped input and each @file' },
  { usage: 'aish -p, --print PROMPT', summary: 'answer the prompt and exit, even if it is the name of a subcommand' },
  { usage: 'aish -c COMMAND [ARG…]', summary: 'run the command in your own shell, like sh -c' },
  { usage: 'aish SCRIPT [ARG…]', summary: 'run the shell script in your own shell; -e, -x, -o NAME and -s work too' },
];

const APART_OPTION = {
  names: ['--apart'],
  summary: 'use the checkpoints from before this folder was a git repository',
} as const satisfies OptionRow;

const UNDO_OPTIONS = [
  { names: ['--keep'], summary: 'keep your version of files that were edited since' },
  { names: ['--take'], summary: 'restore files even if they were edited since' },
  { names: ['--merge'], summary: 'merge files that were edited since, if the edits do not overlap' },
  APART_OPTION,
] as const satisfies readonly OptionRow[];

const ROWS = [
  {
    name: 'serve',
    summary: 'run the daemon: an HTTP API on a unix socket or loopback TCP',
    options: [
      { names: ['--socket'], value: 'PATH', completes: 'file', summary: 'listen on this unix socket' },
      {
        names: ['--host'],
        value: 'HOST',
        choices: ['127.0.0.1', 'localhost', '::1'],
        summary: 'listen on this TCP address; other machines: ssh -L',
      },
      { names: ['--port'], value: 'PORT', summary: 'listen on this TCP port' },
      APPROVE,
      MAX_STEPS,
    ],
  },
  {
    name: 'attach',
    usage: '[ID | URL [ID]]',
    completes: 'session',
    summary: 'join a session of another terminal or of a daemon (aish serve)',
  },
  {
    name: 'halt',
    summary: 'stop the model in every session of the daemon',
    options: [{ names: ['--socket'], value: 'PATH', completes: 'file', summary: 'the socket of the daemon' }],
  },
  {
    name: 'run',
    summary: 'let the model work alone, under a contract, until commands exit with 0',
    options: [
      { names: ['--goal'], value: 'TEXT', summary: 'the goal' },
      { names: ['--until'], value: 'COMMAND', summary: 'a command that exits with 0 once the goal is reached; may be repeated' },
      { names: ['--only'], value: 'PATH', completes: 'file', summary: 'let files change only here; may be repeated' },
      { names: ['--max-steps'], value: 'N', summary: 'limit the model requests (20)' },
      { names: ['--max-minutes'], value: 'MINUTES', summary: 'limit the time (15)' },
      { names: ['--max-tokens'], value: 'N', summary: 'limit the tokens (200000)' },
      { names: ['--max-usd'], value: 'AMOUNT', summary: 'limit the costs, in US dollars' },
      { names: ['--no-net'], summary: 'use no network; a run never does' },
      {
        names: ['--resume'],
        value: 'ID',
        optional: true,
        completes: 'session',
        summary: 'go on with the last run of this session, or of the last session here; limits may be given anew',
      },
      { names: ['--worktree'], summary: 'work in a copy of the project, which stays until its changes are applied or discarded' },
      { names: ['--apply'], summary: 'with --worktree: apply the changes to the project if the goal is reached' },
      { names: ['--receipt'], value: 'FILE', completes: 'file', summary: 'write the receipt to this file, as JSON if it ends in .json' },
      {
        names: ['--output'],
        value: 'FORMAT',
        choices: ['text', 'json', 'stream-json'],
        summary: 'print the receipt as text or JSON, or all events',
      },
    ],
  },
  {
    name: 'sessions',
    summary: 'list, search and replay earlier sessions',
    actions: [
      { name: 'list', summary: 'list the sessions, newest first' },
      { name: 'search', usage: 'WORDS', summary: 'search messages, commands and output for words' },
      { name: 'show', usage: 'ID', completes: 'session', summary: 'print a session as text' },
      { name: 'export', usage: 'ID', completes: 'session', summary: 'export a session as Markdown, or its events as JSON lines' },
      { name: 'replay', usage: 'ID', completes: 'session', summary: 'replay a session on the screen; nothing runs again' },
      {
        name: 'why',
        usage: 'ID [TURN]',
        completes: 'session',
        summary: 'show the model requests, tool calls and decisions of a turn; 3.2 shows the bytes of a request',
      },
      { name: 'rename', usage: 'ID NAME…', completes: 'session', summary: 'rename a session' },
      { name: 'remove', usage: 'ID…', completes: 'session', summary: 'delete sessions from the disk' },
    ],
    options: [
      { names: ['--here'], summary: 'list only sessions of this directory' },
      { names: ['--since'], value: 'WHEN', summary: 'list only sessions used since then: 3h, 2d, 1w or 2026-11-01' },
      { names: ['--limit'], value: 'N', summary: 'list at most N sessions' },
      { names: ['--output'], value: 'FORMAT', choices: ['text', 'json'], summary: 'choose the format of a list' },
      { names: ['--format'], value: 'FORMAT', choices: ['markdown', 'jsonl'], summary: 'choose the format of an export' },
      { names: ['--speed'], value: 'FACTOR', summary: 'replay this many times as fast' },
      { names: ['--step'], summary: 'wait for a key after each event of a replay' },
      { names: ['--yes'], summary: 'delete without asking' },
    ],
  },
  {
    name: 'undo',
    usage: '[N | ID] [PATH…]',
    completes: 'file',
    summary: 'undo the last change, the last N changes, or the change with this id',
    options: UNDO_OPTIONS,
  },
  {
    name: 'redo',
    usage: '[N | ID] [PATH…]',
    completes: 'file',
    summary: 'reverse the last undo, the last N undos, or the undo with this id',
    options: UNDO_OPTIONS,
  },
  {
    name: 'checkpoints',
    summary: 'list checkpoints, show their disk usage, or delete old ones',
    actions: [
      { name: 'list', summary: 'list the checkpoints of this folder, newest first' },
      { name: 'usage', summary: 'show the disk usage of checkpoints, here and in external stores' },
      { name: 'prune', summary: 'delete old checkpoints: those over the limits, or more' },
    ],
    options: [
      { names: ['--all'], summary: 'include all folders that sessions were in' },
      APART_OPTION,
      { names: ['--keep'], value: 'N', of: ['prune'], summary: 'keep the newest N checkpoints of each folder; the newest always stays' },
      { names: ['--older-than'], value: 'AGE', of: ['prune'], summary: 'delete checkpoints older than this, such as 12h, 7d or 2w' },
      { names: ['--dry-run'], of: ['prune'], summary: 'only list the checkpoints to delete' },
      { names: ['--output'], value: 'FORMAT', choices: ['text', 'json'], summary: 'choose the output format' },
    ],
  },
  {
    name: 'diff',
    usage: '[ID] [PATH…]',
    completes: 'checkpoint',
    summary: 'show what changed since a checkpoint',
    options: [{ names: ['--step'], summary: 'show only the changes of this checkpoint' }, APART_OPTION],
  },
  {
    name: 'mcp',
    summary: 'list and review MCP servers and their tools',
    actions: [
      { name: 'list', summary: 'list the configured servers' },
      { name: 'get', usage: 'NAME', summary: 'show one server, its settings and its state' },
      { name: 'add', usage: 'NAME URL|COMMAND…', verbatim: true, summary: 'add a server to the configuration' },
      { name: 'remove', usage: 'NAME', summary: 'remove a server from the configuration' },
      { name: 'import', usage: 'FILE [NAME…]', summary: 'add the servers in a file of another program' },
      { name: 'tools', usage: '[ALIAS]', summary: 'list the tools of all servers, or of one' },
      { name: 'tool', usage: 'ALIAS.NAME', summary: 'show a tool and its arguments' },
      { name: 'review', usage: '[ALIAS]', summary: 'review the tool descriptions of a server' },
      { name: 'unreview', usage: 'ALIAS', summary: 'withdraw the review of a server' },
      { name: 'approve', usage: 'NAME', summary: 'print the fingerprint of a server or a tool, or trust it by its fingerprint' },
      { name: 'call', usage: 'ALIAS.NAME [JSON]', verbatim: true, summary: 'call a tool with arguments in JSON' },
      { name: 'resources', usage: 'ALIAS', summary: 'list the resources of a server' },
      { name: 'read', usage: 'ALIAS URI', summary: 'print a resource' },
      { name: 'prompts', usage: 'ALIAS', summary: 'list the prompts of a server' },
      { name: 'prompt', usage: 'ALIAS NAME [NAME=VALUE…]', verbatim: true, summary: 'print a prompt with these arguments' },
      { name: 'login', usage: 'ALIAS', summary: 'log in to a server' },
      { name: 'logout', usage: 'ALIAS', summary: 'forget the login to a server' },
      { name: 'serve', summary: 'be an MCP server on standard input and output, or on a port' },
    ],
    options: [
      { names: ['--pin'], value: 'SHA', of: ['approve'], summary: 'trust the definition with this fingerprint' },
      { names: ['--port'], value: 'PORT', of: ['serve'], summary: 'listen on this port of 127.0.0.1' },
    ],
  },
  {
    name: 'models',
    summary: 'list, add or test models, or show what aish has learned about a server',
    actions: [
      { name: 'list', summary: 'list the configured models, or those that aish finds' },
      { name: 'add', usage: 'NAME [MODEL]', summary: 'add a model file (--gguf) or a model server (--url) to the configuration' },
      { name: 'show', usage: 'NAME', summary: 'show what the server of a model refused, and what aish does instead' },
      { name: 'forget', usage: 'NAME', summary: 'forget that, and learn it again' },
      { name: 'doctor', usage: '[NAME]', summary: 'test a model and its server, and say what to change there' },
      {
        name: 'provider',
        usage: '[list | add NAME [PACKAGE@VERSION] | remove NAME]',
        summary: 'list, install or remove the packages of further providers, such as bedrock',
      },
    ],
    options: [
      { names: ['--gguf'], value: 'PATH', completes: 'file', of: ['add'], summary: 'let aish run llama-server with this file' },
      { names: ['--port'], value: 'PORT', of: ['add'], summary: 'the port of that server; from 8091 without it' },
      { names: ['--url'], value: 'URL', of: ['add'], summary: 'the address of a model server' },
      { names: ['--key-env'], value: 'VAR', of: ['add'], summary: 'the environment variable with the API key' },
      { names: ['--context'], value: 'N', of: ['add'], summary: 'the size of the context window in tokens' },
      { names: ['--integrity'], value: 'SHA512', of: ['provider'], summary: 'the integrity of a package that aish has no pin for' },
    ],
  },
  {
    name: 'memory',
    summary: 'list, add, change or forget the facts that aish keeps for later sessions',
    actions: [
      { name: 'list', summary: 'list the facts and their scopes' },
      { name: 'search', usage: 'WORDS', verbatim: true, summary: 'list the facts that fit the words, best match first' },
      { name: 'add', usage: 'FACT', verbatim: true, summary: 'keep a fact for this project or, outside of a project, for this directory' },
      { name: 'edit', usage: 'ID FACT', verbatim: true, summary: 'replace a fact' },
      { name: 'forget', usage: 'ID…', summary: 'remove facts from all later requests, and show the sessions and turns that had them' },
      { name: 'inbox', summary: 'accept or decline the facts that the model proposes' },
    ],
    options: [
      { names: ['--everywhere'], of: ['add', 'edit'], summary: 'the fact counts everywhere' },
      { names: ['--host'], of: ['add', 'edit'], summary: 'the fact counts on this machine' },
      { names: ['--project'], of: ['add', 'edit'], summary: 'the fact counts in this project' },
      { names: ['--directory'], of: ['add', 'edit'], summary: 'the fact counts in this directory and below' },
      { names: ['--for'], value: 'AGE', of: ['add', 'edit'], summary: 'the fact expires after this time, such as 12h, 30d or 8w' },
    ],
  },
  {
    name: 'config',
    summary: 'show, check or create the configuration, or trust a project',
    actions: [
      { name: 'show', summary: 'show every value and its origin' },
      { name: 'path', summary: 'print the path of the file' },
      { name: 'check', summary: 'check the file for mistakes' },
      { name: 'init', summary: 'write a commented file' },
      { name: 'trust', summary: "review and trust the project's configuration, AGENTS.md and memory files" },
      { name: 'untrust', summary: 'withdraw the trust in the project' },
    ],
  },
  {
    name: 'cost',
    summary: 'show tokens, speed and cost of the last days, by model',
    options: [
      { names: ['--days'], value: 'N', summary: 'count the last N days; 7 without it' },
      { names: ['--output'], value: 'FORMAT', choices: ['text', 'json'], summary: 'choose the output format' },
    ],
  },
  { name: 'doctor', summary: 'look at shell, terminal, sandbox, git, servers and configuration, and say what to do' },
  {
    name: 'demo',
    summary: 'play a demo session with a scripted model, in a temporary repository',
    options: [
      { names: ['--norris'], summary: 'play an autonomous run' },
      { names: ['--yes', '-y'], summary: 'answer the approval prompts by itself' },
    ],
  },
  {
    name: 'completion',
    summary: 'print a script that completes aish commands in your shell',
    actions: [
      { name: 'bash', summary: 'print the script for bash; in ~/.bashrc: eval "$(aish completion bash)"' },
      { name: 'zsh', summary: 'print the script for zsh; in ~/.zshrc: eval "$(aish completion zsh)"' },
      { name: 'fish', summary: 'print the script for fish; in config.fish: aish completion fish | source' },
    ],
  },
] as const satisfies readonly SubcommandRow[];

/** All subcommands, in the order of the help. */
export const SUBCOMMAND_ROWS: readonly SubcommandRow[] = ROWS;

/** The names of the actions of a subcommand; undefined for one without actions. */
export type ActionOf<Name extends Subcommand> =
  Extract<(typeof ROWS)[number], { readonly name: Name }> extends {
    readonly actions: readonly { readonly name: infer Action extends string }[];
  }
    ? Action
    : undefined;

/** The exit statuses. */
export const EXIT_STATUSES: readonly (readonly [number, string])[] = [
  [0, 'ok'],
  [1, 'failed'],
  [2, 'usage'],
  [3, 'denied'],
  [4, 'limit reached'],
  [130, 'interrupted'],
];

/** All options of the shell and of one-shot answers, in the order help lists them. */
export const SHELL_OPTIONS: readonly OptionRow[] = [...MAIN_OPTIONS, ...COMMON_OPTIONS];

/** The options that may stand behind a subcommand. */
export function optionsOf(row: SubcommandRow): readonly OptionRow[] {
  return [...(row.options ?? []), ...COMMON_OPTIONS];
}
