/*
 * Everything that may stand on the command line of aish. Reading it, `--help`, the manual page and the completions of three shells
 * are made from these rows, so that none of them can say anything else than another.
 */

/** What completes a value, where it is none of a few words. */
export type Completes = 'file' | 'folder' | 'model' | 'session' | 'checkpoint';

/** One option. */
export interface OptionRow {
  readonly names: readonly string[];
  /** Name of its value; an option without one is a switch. */
  readonly value?: string;
  /** The value may be left out. */
  readonly optional?: true;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  readonly summary: string;
}

/** What a subcommand can be told to do by its next word. */
export interface ActionRow {
  readonly name: string;
  readonly usage?: string;
  readonly completes?: Completes;
  readonly summary: string;
}

/** One subcommand. */
export interface SubcommandRow {
  readonly name: string;
  readonly usage?: string;
  readonly summary: string;
  readonly actions?: readonly ActionRow[];
  readonly options?: readonly OptionRow[];
  readonly completes?: Completes;
}

/** How a one-shot answer is printed. */
export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;

/** What may run without asking. */
export const APPROVALS = ['ask', 'read-only', 'all'] as const;

/** Shells that a completion script can be made for. */
export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Ways to call aish, apart from its subcommands. */
export const CALLS: readonly { readonly usage: string; readonly summary: string }[] = [
  { usage: 'aish', summary: 'the shell, in this directory' },
  { usage: 'aish "question"', summary: 'one answer, then exit; piped input and each @file in it go along' },
  { usage: 'aish -p, --print PROMPT', summary: 'the same, explicit' },
  { usage: 'aish -c COMMAND [ARG…]', summary: 'what a shell does with -c: your own shell runs it at once' },
];

const APPROVE = {
  names: ['--approve'],
  value: 'MODE',
  choices: APPROVALS,
  summary: 'what may run without asking; commands only by rules of the configuration',
} as const satisfies OptionRow;

const MAX_STEPS = {
  names: ['--max-steps'],
  value: 'N',
  summary: 'the most model requests of one turn',
} as const satisfies OptionRow;

/** What is to become of files that changed since. */
const APART_OPTION = {
  names: ['--apart'],
  summary: 'of the steps that are kept apart, of the time when the folder was no repository',
} as const satisfies OptionRow;

const UNDO_OPTIONS = [
  { names: ['--keep'], summary: 'files that changed since stay as they are' },
  { names: ['--take'], summary: 'files that changed since are put back all the same' },
  { names: ['--merge'], summary: 'files that changed since are merged, where nothing overlaps' },
  APART_OPTION,
] as const satisfies readonly OptionRow[];

/** Options that hold with a subcommand too. */
export const COMMON_OPTIONS = [
  { names: ['--model'], value: 'NAME', completes: 'model', summary: 'a model of the configuration' },
  { names: ['--cwd'], value: 'DIR', completes: 'folder', summary: 'work in this directory' },
  { names: ['--config'], value: 'FILE', completes: 'file', summary: 'read this configuration instead of your own' },
  { names: ['--no-color'], summary: 'no colours' },
  { names: ['--help', '-h'], summary: 'what can be said here' },
] as const satisfies readonly OptionRow[];

/** Options of the shell and of one-shot answers. */
export const MAIN_OPTIONS = [
  { names: ['--print', '-p'], summary: 'print one answer, then exit' },
  { names: ['--output'], value: 'FORMAT', choices: OUTPUT_FORMATS, summary: 'how a one-shot answer is printed' },
  { names: ['--continue'], summary: 'go on with the last session of this directory' },
  {
    names: ['--resume'],
    value: 'ID',
    optional: true,
    completes: 'session',
    summary: 'go on with a session by its id, or with the newest one',
  },
  { names: ['--fork'], summary: 'with --resume or --continue: go on with a copy of the session' },
  APPROVE,
  MAX_STEPS,
  { names: ['--sandbox'], summary: 'run in a sandbox what you allow the model to run' },
  { names: ['--login', '-l'], summary: 'be a login shell' },
  { names: ['--version', '-V'], summary: 'the version' },
] as const satisfies readonly OptionRow[];

/** The subcommands that come as a first word. */
export const SUBCOMMAND_ROWS = [
  {
    name: 'serve',
    summary: 'run the daemon: an HTTP API on a unix socket, or on loopback TCP',
    options: [
      { names: ['--socket'], value: 'PATH', completes: 'file', summary: 'listen on this unix socket' },
      { names: ['--host'], value: 'HOST', choices: ['127.0.0.1', 'localhost', '::1'], summary: 'listen on TCP' },
      { names: ['--port'], value: 'N', summary: 'listen on this TCP port' },
      APPROVE,
      MAX_STEPS,
    ],
  },
  {
    name: 'attach',
    usage: '[ID | URL]',
    completes: 'session',
    summary: 'join a session that is open in another terminal or at a daemon',
  },
  {
    name: 'halt',
    summary: 'stop at once all that models do in the sessions of the daemon',
    options: [{ names: ['--socket'], value: 'PATH', completes: 'file', summary: 'the socket it listens on' }],
  },
  {
    name: 'sessions',
    summary: 'what was talked about before',
    actions: [
      { name: 'list', summary: 'the sessions, newest first' },
      { name: 'search', usage: 'WORDS', summary: 'sessions in which these words were said, typed or printed' },
      { name: 'show', usage: 'ID', completes: 'session', summary: 'one session as text' },
      {
        name: 'export',
        usage: 'ID',
        completes: 'session',
        summary: 'one session as Markdown, or its facts as JSON lines',
      },
      {
        name: 'replay',
        usage: 'ID',
        completes: 'session',
        summary: 'play one session again on the screen; nothing of it happens',
      },
      {
        name: 'why',
        usage: 'ID [TURN]',
        completes: 'session',
        summary:
          'what was sent to the model in a turn, what decided its calls, and what they returned; 3.2 for the bytes of a request',
      },
      { name: 'rename', usage: 'ID NAME', completes: 'session', summary: 'call one session something else' },
      { name: 'remove', usage: 'ID…', completes: 'session', summary: 'remove sessions from the disk' },
    ],
    options: [
      { names: ['--here'], summary: 'only sessions of this directory' },
      { names: ['--since'], value: 'WHEN', summary: 'only sessions used since then: 3h, 2d, 1w or 2026-11-01' },
      { names: ['--limit'], value: 'N', summary: 'no more than so many' },
      {
        names: ['--output'],
        value: 'FORMAT',
        choices: ['text', 'json'],
        summary: 'how a list or what was found is printed',
      },
      { names: ['--format'], value: 'FORMAT', choices: ['markdown', 'jsonl'], summary: 'how a session is exported' },
      { names: ['--speed'], value: 'N', summary: 'how many times as fast a replay is' },
      { names: ['--step'], summary: 'a replay that waits for a key after each thing it shows' },
      { names: ['--yes'], summary: 'remove without asking' },
    ],
  },
  {
    name: 'undo',
    usage: '[N | ID] [PATH…]',
    completes: 'file',
    summary: 'take back what the last step changed, the last N, or one of them',
    options: UNDO_OPTIONS,
  },
  {
    name: 'redo',
    usage: '[N | ID] [PATH…]',
    completes: 'file',
    summary: 'do once more what was undone',
    options: UNDO_OPTIONS,
  },
  {
    name: 'checkpoints',
    summary: 'the steps that are kept, and what they take',
    actions: [
      { name: 'list', summary: 'the steps of this place, newest first' },
      { name: 'usage', summary: 'what steps take on the disk, here and in the stores apart' },
      { name: 'prune', summary: 'let steps go: what is over the limits, or more' },
    ],
    options: [
      { names: ['--all'], summary: 'in all places that sessions were in, not just in this one' },
      APART_OPTION,
      {
        names: ['--keep'],
        value: 'N',
        summary: 'prune: keep no more than so many steps of a place; the newest always stays, with its undos and redos',
      },
      { names: ['--older-than'], value: 'AGE', summary: 'prune: let go what is older, such as 12h, 7d or 2w' },
      { names: ['--dry-run'], summary: 'prune: only tell what would go' },
      { names: ['--output'], value: 'FORMAT', choices: ['text', 'json'], summary: 'how the answer is printed' },
    ],
  },
  {
    name: 'diff',
    usage: '[ID] [PATH…]',
    completes: 'checkpoint',
    summary: 'what changed since a step began',
    options: [{ names: ['--step'], summary: 'what the step alone changed' }, APART_OPTION],
  },
  {
    name: 'mcp',
    summary: 'the MCP servers and their tools',
    actions: [
      { name: 'list', summary: 'the servers that are configured' },
      { name: 'tools', summary: 'the tools of all servers' },
      { name: 'tool', usage: 'ALIAS.NAME', summary: 'one tool with its arguments' },
      { name: 'review', usage: '[ALIAS]', summary: 'review the tool descriptions of a server' },
      { name: 'unreview', usage: 'ALIAS', summary: 'take back a review' },
    ],
  },
  { name: 'models', summary: 'the models that are configured' },
  {
    name: 'config',
    summary: 'the configuration',
    actions: [
      { name: 'show', summary: 'every value that holds, and where it comes from' },
      { name: 'path', summary: 'where the file belongs' },
      { name: 'check', summary: 'look for mistakes' },
      { name: 'init', summary: 'write a commented file' },
      {
        name: 'trust',
        summary: "look at the project's files: let its configuration say all it does, and send its AGENTS.md",
      },
      { name: 'untrust', summary: 'take that back' },
    ],
  },
  { name: 'demo', summary: 'the whole loop with a scripted model, in a repository of its own' },
  {
    name: 'completion',
    summary: 'a script that lets your shell complete the command line of aish',
    actions: [
      { name: 'bash', summary: 'for ~/.bashrc: eval "$(aish completion bash)"' },
      { name: 'zsh', summary: 'for ~/.zshrc: eval "$(aish completion zsh)"' },
      { name: 'fish', summary: 'for config.fish: aish completion fish | source' },
    ],
  },
] as const satisfies readonly SubcommandRow[];

/** The exit statuses. */
export const EXIT_STATUSES: readonly (readonly [number, string])[] = [
  [0, 'ok'],
  [1, 'failed'],
  [2, 'usage'],
  [3, 'denied'],
  [4, 'limit reached'],
  [130, 'interrupted'],
];

/** Variables that aish heeds. */
export const VARIABLES: readonly (readonly [string, string])[] = [
  ['AISH_CONFIG', 'The configuration file, where --config names none.'],
  ['SHELL', 'The shell that runs commands, where shell.program names none.'],
  ['NO_COLOR', 'No colours, if set to anything.'],
  ['PAGER', 'What long outputs are shown with.'],
  [
    'OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY',
    'Keys of models, where none is configured.',
  ],
  ['XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR', 'Where the configuration, the sessions and the sockets are.'],
  ['HTTP_PROXY, HTTPS_PROXY, NO_PROXY', 'The proxy for models and MCP servers.'],
];

/** Files that aish reads or writes. */
export const FILES: readonly (readonly [string, string])[] = [
  ['~/.config/aish/config.toml', 'The configuration; aish config init writes one with every key as a comment.'],
  ['.aish/config.toml', 'What a project adds: until you trust it, it can only make things stricter.'],
  ['~/.config/aish/AGENTS.md', 'Notes of your own that every session sends to the model.'],
  ['AGENTS.md', 'Notes of a project, from its root down to where you are; sent once you trust them as they are.'],
  ['~/.local/state/aish/sessions', 'The sessions, readable by you alone.'],
];

/** All subcommands as plain rows. */
export function subcommandRows(): readonly SubcommandRow[] {
  return SUBCOMMAND_ROWS;
}

/** All options of the shell and of one-shot answers, in the order help lists them. */
export function mainOptions(): readonly OptionRow[] {
  return [...MAIN_OPTIONS, ...COMMON_OPTIONS];
}

/** The options that may stand behind a subcommand. */
export function optionsOf(row: SubcommandRow): readonly OptionRow[] {
  return [...(row.options ?? []), ...COMMON_OPTIONS];
}

/** The long name of an option. */
export function longName({ names }: OptionRow): string {
  return names.find((name) => name.startsWith('--')) ?? names[0] ?? '';
}

/** An option as it is typed: `-p, --print`, `--output FORMAT`. */
export function formatOption({ names, value, optional, choices }: OptionRow): string {
  const shown = [...names].sort((one, other) => one.length - other.length).join(', ');
  if (value === undefined) return shown;
  const filled = choices === undefined || choices.length > 3 ? value : choices.join('|');
  return `${shown} ${optional === true ? `[${filled}]` : filled}`;
}

/** A subcommand as it is typed: `aish config [show|path|check|init]`. */
export function formatSubcommand({ name, usage, actions }: SubcommandRow): string {
  const words = actions?.map((action) => [action.name, action.usage].filter((word) => word).join(' ')).join('|');
  return ['aish', name, words === undefined ? usage : `[${words}]`].filter((word) => word).join(' ');
}
