import * as v from 'valibot';

/**
 * Every key of the configuration file, with its check, its default and the line the manual prints for it. Loaded only
 * when there is a file to check; the types and the defaults alone are in `config.ts`.
 */

/** What names a model or a server: letters, digits, `-` and `_`. */
const NAME = /^[A-Za-z0-9_-]+$/;

function text(line: string) {
  return v.pipe(v.string(), v.nonEmpty('must not be empty'), v.description(line));
}

function flag(line: string) {
  return v.pipe(v.boolean(), v.description(line));
}

function count(line: string, smallest: number) {
  return v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(smallest, `must be ${smallest} or more`),
    v.description(line),
  );
}

function choice<const T extends readonly [string, ...string[]]>(line: string, choices: T) {
  return v.pipe(v.picklist(choices), v.description(line));
}

function webAddress(line: string) {
  return v.pipe(
    v.string(),
    v.regex(/^https?:\/\/[^\s/]+/, 'must be an http:// or https:// address'),
    v.description(line),
  );
}

function strings(line: string) {
  return v.pipe(v.record(v.string(), v.string()), v.description(line));
}

const modelSchema = v.strictObject({
  base_url: webAddress(
    'Address of an OpenAI-compatible endpoint, up to and without `/chat/completions`; a bare host means `/v1` there.',
  ),
  model: v.optional(text('Name the server knows the model by; without it the first one the server lists.')),
  key_env: v.optional(text('Environment variable that holds the API key. The key itself never stands in this file.')),
  context: v.optional(
    count(
      'Tokens the model can hold at once; without it the server is asked. A tool result takes at most a quarter of them.',
      1,
    ),
  ),
  role: v.optional(
    choice(
      'What the model is for: `fast` writes summaries and other small things; `deep` and `cloud` are not acted on yet.',
      ['fast', 'deep', 'cloud'],
    ),
  ),
  images: v.optional(flag('True sends pictures that a message mentions with `@`; otherwise they are only named.')),
  timeout_ms: v.optional(
    count(
      'Longest silence to bear from the model; without it 2 minutes, and 10 before the first word of one in the own network.',
      1,
    ),
  ),
});

const serverFields = v.strictObject({
  url: v.optional(webAddress('Address of a server spoken to over HTTP.')),
  command: v.optional(text('Program of a server spoken to over its standard input and output. No shell reads it.')),
  args: v.optional(v.pipe(v.array(v.string()), v.description('Arguments of `command`.'))),
  env: v.optional(strings('Environment variables for `command`, on top of a small safe set.')),
  cwd: v.optional(text('Folder `command` is started in; without it the one aish was started in.')),
  headers: v.optional(strings('Extra headers of each request to `url`.')),
  auth_token: v.optional(text('Bearer token for `url`, taken before `auth_env`. Keep the file private (mode 0600).')),
  auth_env: v.optional(text('Environment variable that holds the bearer token for `url`.')),
  timeout_ms: v.optional(count('Longest silence to bear from a running tool call.', 1), 60_000),
  trust_read_only: v.optional(
    flag(
      'True believes its tools that say they only read: no checkpoint before them, and rules hold for them everywhere.',
    ),
  ),
  enabled: v.optional(flag('False keeps the section and does not use the server.'), true),
});

const FIELDS_OF = { command: ['args', 'env', 'cwd'], url: ['headers', 'auth_token', 'auth_env'] } as const;

const serverSchema = v.pipe(
  serverFields,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const server = dataset.value;
    if ((server.url === undefined) === (server.command === undefined)) {
      addIssue({ message: 'needs exactly one of url and command' });
      return;
    }
    const [kind, other] = server.url === undefined ? (['command', 'url'] as const) : (['url', 'command'] as const);
    for (const key of FIELDS_OF[other]) {
      if (server[key] === undefined) continue;
      const path = { type: 'object', origin: 'value', input: server, key, value: server[key] } as const;
      addIssue({ message: `goes with ${other}, and this server has ${kind}`, path: [path] });
    }
  }),
);

const modelName = v.pipe(v.string(), v.regex(NAME, 'a model is named with letters, digits, - and _'));

const alias = v.pipe(
  v.string(),
  v.regex(NAME, 'a server is named with letters, digits, - and _'),
  v.check((name) => name !== 'aish', 'the name aish is taken by the built-in tools'),
);

const rule = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+\.(\*|[^*]+)$/, 'a rule reads "alias.tool" or "alias.*"'));

const mcpSchema = v.strictObject({
  max_tool_depth: v.optional(count('Rounds of tool calls one turn may take.', 1), 8),
  servers: v.optional(
    v.pipe(v.record(alias, serverSchema), v.description('Servers whose tools the model may call, by alias.')),
    {},
  ),
  auto_approve: v.optional(
    v.pipe(
      v.record(rule, v.boolean()),
      v.description(
        'Calls that run unasked: `"alias.tool" = true` or `"alias.*" = true`; the exact rule goes before the star. It holds for a tool as it was when it began to; a changed one is asked about until `:mcp approve`.',
      ),
    ),
    {},
  ),
  ask: v.optional(
    v.pipe(
      v.array(rule),
      v.description('Calls that are asked whatever approves them, as `"alias.tool"` or `"alias.*"`.'),
    ),
    [],
  ),
  deny: v.optional(
    v.pipe(
      v.array(rule),
      v.description('Calls that are refused without a question, as `"alias.tool"` or `"alias.*"`.'),
    ),
    [],
  ),
});

const shellSchema = v.strictObject({
  program: v.optional(text('The shell that runs commands (bash or zsh); without it the one of `$SHELL`.')),
  confirm_cmd: v.optional(
    flag('Take `CMD:` lines of an answer for commands, asked like any other. False drops such lines.'),
    true,
  ),
});

const commandRule = v.union([
  v.pipe(v.string(), v.nonEmpty('must not be empty')),
  v.strictObject({
    prefix: v.pipe(v.string(), v.nonEmpty('must not be empty')),
    match: v.optional(v.array(v.string())),
    no_match: v.optional(v.array(v.string())),
  }),
]);

function commandRules(line: string) {
  return v.optional(v.pipe(v.array(commandRule), v.description(line)), []);
}

const safetySchema = v.strictObject({
  unasked: v.optional(
    choice(
      'Commands of the model that run without a question, in a sandbox: those that only look, or none. Without a working sandbox it is none.',
      ['read-only', 'none'],
    ),
    'read-only',
  ),
  approve: commandRules(
    'Commands that run unasked, by their first words: `"git log"`. What does more than the bare words would is asked all the same.',
  ),
  ask: commandRules('Commands that are asked whatever `approve` says, also behind wrappers and other options.'),
  deny: commandRules('Commands that are refused without a question, also behind wrappers and other options.'),
});

/** A secret is named as the variable that holds it, or as its placeholder does. */
const secretName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_.:@/-]{1,80}$/, 'a secret is named as its variable, or as its placeholder does'),
);

const secretsSchema = v.strictObject({
  allow: v.optional(
    v.pipe(
      v.record(secretName, v.array(v.pipe(v.string(), v.nonEmpty('must not be empty')))),
      v.description(
        'Who is handed a secret unasked: `GITHUB_TOKEN = ["gh", "git push", "alias.tool"]`, by the first words of a command or by the name of a tool. Only your own file may say so.',
      ),
    ),
    {},
  ),
  names: v.optional(
    v.pipe(v.array(secretName), v.description('Variables that hold a secret, whatever they are called.')),
    [],
  ),
  files: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(), v.nonEmpty('must not be empty'))),
      v.description('More files whose values are secrets, such as `"config/production.env"`; `~/` is your home.'),
    ),
    [],
  ),
  public: v.optional(
    v.pipe(
      v.array(secretName),
      v.description('Names whose value is no secret, though it looks like one. Only your own file may say so.'),
    ),
    [],
  ),
});

const checkpointSchema = v.strictObject({
  mode: v.optional(
    choice('Where the state before a change is kept: a private ref, a commit on the branch, or nowhere.', [
      'ref',
      'commit',
      'off',
    ]),
    'ref',
  ),
  commands: v.optional(
    choice(
      'Which of your own commands can be undone too: none, or all that may change something, as far as can be told.',
      ['none', 'mutating'],
    ),
    'none',
  ),
  keep: v.optional(
    count('Most steps that are kept of one place; the least needed go first, and never the newest.', 1),
    200,
  ),
  max_disk: v.optional(
    count(
      'Most bytes that the steps of one place take on the disk beside what git holds anyway; looked at every few steps.',
      1,
    ),
    1_000_000_000,
  ),
  max_files: v.optional(
    count(
      'Most files that git does not track which a step keeps; outside of a repository, most files and folders of a tree of which steps are kept.',
      1,
    ),
    20_000,
  ),
  max_bytes: v.optional(
    count('Most bytes of files that git does not track which a step keeps. Each over 10 MB is left out anyway.', 1),
    200_000_000,
  ),
});

const contextSchema = v.strictObject({
  compact_at: v.optional(
    v.pipe(
      v.number(),
      v.integer('must be a whole number'),
      v.minValue(0, 'must be 0 or more'),
      v.maxValue(95, 'must be 95 or less'),
      v.description(
        'Per cent of the window that a conversation fills before its older part is summarised; 0 leaves that to `:compact` and to refusals.',
      ),
    ),
    80,
  ),
});

const historySchema = v.strictObject({
  enabled: v.optional(flag('Remember typed lines between sessions.'), true),
  ignore: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description('Lines not to remember: patterns for a whole line, with `*` and `?`, as in `"cd *"`.'),
    ),
    [],
  ),
  duplicates: v.optional(
    choice(
      'Of the same line typed again, show every one, only the last of several in a row, or only the last of all.',
      ['keep', 'ignore', 'erase'],
    ),
    'ignore',
  ),
  max_lines: v.optional(count('Lines remembered at most; older ones go.', 100), 10_000),
});

const uiSchema = v.strictObject({
  color: v.optional(
    choice('Colours on the screen; `auto` obeys NO_COLOR and the terminal.', ['auto', 'always', 'never']),
    'auto',
  ),
  theme: v.optional(
    choice('The colours: for a `light` or a `dark` background, `none`, or `auto`, which asks the terminal.', [
      'auto',
      'light',
      'dark',
      'none',
    ]),
    'auto',
  ),
  keys: v.optional(
    choice("The keys that edit the line: those of `emacs`, as in every shell, or vi's, with a mode for commands.", [
      'emacs',
      'vi',
    ]),
    'emacs',
  ),
  screen_reader: v.optional(
    flag('Say everything in words, line by line, and draw nothing twice; AISH_SCREEN_READER=1 does the same.'),
    false,
  ),
  prompt: v.optional(
    choice(
      "Whose prompt stands before the line: the one of your shell (PS1, rendered by the shell itself), or aish's; `auto` takes the shell's where you made one.",
      ['auto', 'shell', 'aish'],
    ),
    'auto',
  ),
  notify: v.optional(
    choice(
      'How you are told, while the terminal has not the focus, that long work has ended or a question waits: a notification of the desktop where the terminal shows them (`auto`), or the bell.',
      ['auto', 'bell', 'off'],
    ),
    'auto',
  ),
  notify_after_s: v.optional(count('Seconds from which on a command or a turn is long enough to be told of.', 0), 10),
});

/** The whole file. Strict: a key it does not name is an error. */
export const configSchema = v.strictObject({
  model: v.optional(text('The model to use, by its name in `[models]`; without it the first one there.')),
  models: v.optional(
    v.pipe(v.record(modelName, modelSchema), v.description('Models that can be talked to, by name.')),
    {},
  ),
  shell: v.optional(shellSchema, {}),
  mcp: v.optional(mcpSchema, {}),
  safety: v.optional(safetySchema, {}),
  secrets: v.optional(secretsSchema, {}),
  checkpoint: v.optional(checkpointSchema, {}),
  context: v.optional(contextSchema, {}),
  history: v.optional(historySchema, {}),
  ui: v.optional(uiSchema, {}),
});
