import * as v from 'valibot';
import { choice, count, dollars, flag, NAME, text, webAddress } from './config-values.ts';
import { mcpSchema } from './mcp-schema.ts';

/**
 * Every key of the configuration file, with its check, its default and its line in the manual. Loaded only if there is a file to check;
 * `config.ts` has the types and the defaults.
 */

/** One word without special characters for shells. */
const ABBREVIATION = /^[\w.,%@+][\w.,%@+-]*$/;

const modelSchema = v.strictObject({
  base_url: webAddress('URL of the endpoint, without `/chat/completions`. A bare host means its `/v1`.'),
  model: v.optional(text('The name of the model on the server. Default: the first one that the server lists.')),
  command: v.optional(
    text(
      'A program that serves the model at `base_url` on this machine, such as `llama-server`. aish starts it at its first use, unless something listens there, and ends it with aish. No shell parses it.',
    ),
  ),
  args: v.optional(v.pipe(v.array(v.string()), v.description('Arguments of `command`.'))),
  key_env: v.optional(
    text('The environment variable that holds the API key. Never write the key itself into this file.'),
  ),
  provider: v.optional(
    v.pipe(
      v.string(),
      v.regex(NAME, 'must be the name of a provider'),
      v.description(
        'The wire of the endpoint: `openai-chat` (chat completions), `anthropic` (Messages), `openai` (Responses), `azure` (the same at Azure), `google` (Gemini), or a provider that `aish models provider add` installed. Default: the own wire of api.anthropic.com, api.openai.com and generativelanguage.googleapis.com, else `openai-chat`.',
      ),
    ),
  ),
  reasoning_effort: v.optional(
    choice(
      'How much the model thinks before it answers, with the wires `anthropic`, `openai` and `google`. Default: as the provider decides.',
      ['none', 'low', 'medium', 'high'],
    ),
  ),
  context: v.optional(
    count(
      'The size of the context window in tokens. Default: aish asks the server. The result of one tool call takes at most a quarter of the window.',
      1,
    ),
  ),
  role: v.optional(
    choice(
      'The purpose of the model: `fast` writes summaries and names of sessions. With `:model auto`, `fast` also answers easy messages and `deep` difficult ones; `cloud` stands in for a missing `deep` one.',
      ['fast', 'deep', 'cloud'],
    ),
  ),
  price_input: v.optional(dollars('US dollars for a million input tokens. `:cost` uses it instead of its list price.')),
  price_output: v.optional(dollars('US dollars for a million output tokens.')),
  price_cached: v.optional(dollars('US dollars for a million cached input tokens. Default: `price_input`.')),
  fallback: v.optional(
    v.pipe(
      v.array(text('The name of a model.')),
      v.description(
        'The models to ask if this one does not answer, in order. From a model on your network, aish moves to a cloud model only if you allow it: `:cloud on`, or `[safety] cloud`.',
      ),
    ),
  ),
  images: v.optional(
    flag(
      'True if the model takes images. aish then sends the images that a message mentions with `@`, otherwise only their names.',
    ),
  ),
  timeout_ms: v.optional(
    count(
      'Milliseconds to wait for the model to send something. Default: 2 minutes, or 10 minutes for the first word of a model on your own network.',
      1,
    ),
  ),
});

const abbreviationName = () =>
  v.pipe(v.string(), v.regex(ABBREVIATION, 'an abbreviation is one word without signs of a shell'));
const modelName = v.pipe(v.string(), v.regex(NAME, 'the name of a model has only letters, digits, - and _'));

const shellSchema = () =>
  v.strictObject({
    program: v.optional(text('The shell that runs commands (bash, zsh or fish). Default: `$SHELL`.')),
    confirm_cmd: v.optional(
      flag('Treat `CMD:` lines of an answer as commands that need approval. False ignores these lines.'),
      true,
    ),
    doubt: v.optional(
      choice(
        'The destination of a line that may be a command or a message: the `model` or the `shell`. ' +
          'With `model`, aish asks you about a line that would change something as a command.',
        ['model', 'shell'],
      ),
      'model',
    ),
  });

const commandRule = () =>
  v.union([
    v.pipe(v.string(), v.nonEmpty('must not be empty')),
    v.strictObject({
      prefix: v.pipe(v.string(), v.nonEmpty('must not be empty')),
      match: v.optional(v.array(v.string())),
      no_match: v.optional(v.array(v.string())),
    }),
  ]);

function commandRules(line: string) {
  return v.optional(v.pipe(v.array(commandRule()), v.description(line)), []);
}

const safetySchema = () =>
  v.strictObject({
    auto_run: v.optional(
      choice(
        'Commands of the model that run without asking, in a sandbox: `read-only` ones or `none`. Without a working sandbox, aish asks about read-only commands too.',
        ['read-only', 'none'],
      ),
      'read-only',
    ),
    cloud: v.optional(
      choice(
        'Whether aish may pass a conversation from a model on your network to a cloud model by itself, with `:model auto` or as a fallback. `:cloud on` allows it for one session.',
        ['never', 'allowed'],
      ),
      'never',
    ),
    approve: commandRules(
      'Commands that run without asking, by their first words: `"git log"`. aish still asks if other arguments make the command more dangerous.',
    ),
    ask: commandRules('Commands that always need approval, also behind wrappers and other options.'),
    deny: commandRules('Commands that aish always denies, also behind wrappers and other options.'),
  });

/** A secret is named by its variable, or by its placeholder. */
const secretName = () =>
  v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9_.:@/-]{1,80}$/, 'write the name of the variable, or the name in the placeholder'),
  );

const secretsSchema = () =>
  v.strictObject({
    allow: v.optional(
      v.pipe(
        v.record(secretName(), v.array(v.pipe(v.string(), v.nonEmpty('must not be empty')))),
        v.description(
          'Commands and tools that get a secret without asking: `GITHUB_TOKEN = ["gh", "git push", "server.tool"]`, by the first words of a command or the name of a tool. Only your own file can have this.',
        ),
      ),
      {},
    ),
    names: v.optional(
      v.pipe(v.array(secretName()), v.description('More environment variables that hold a secret.')),
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
        v.array(secretName()),
        v.description(
          'Names whose values are not secret, although they look like secrets. Only your own file can have this.',
        ),
      ),
      [],
    ),
  });

const checkpointSchema = () =>
  v.strictObject({
    mode: v.optional(
      choice(
        'The place of the snapshot before a change: `ref` is a private git ref, `commit` a commit on your branch. `off` makes no snapshots.',
        ['ref', 'commit', 'off'],
      ),
      'ref',
    ),
    commands: v.optional(
      choice('Your own commands that get checkpoints: `none`, or `mutating` for all that may change something.', [
        'none',
        'mutating',
      ]),
      'none',
    ),
    keep: v.optional(
      count('The largest number of checkpoints of a project. If there are more, aish deletes the oldest ones.', 1),
      200,
    ),
    max_disk: v.optional(
      count(
        'The most bytes on disk for the checkpoints of a project, without the content that git stores anyway. If they take more, aish deletes the oldest ones.',
        1,
      ),
      1_000_000_000,
    ),
    max_files: v.optional(
      count(
        'The largest number of untracked files in a checkpoint. Outside a git repository: of all files and folders; a larger folder gets no checkpoints.',
        1,
      ),
      20_000,
    ),
    max_bytes: v.optional(
      count('The most bytes of untracked files in a checkpoint. A checkpoint never contains a file over 10 MB.', 1),
      200_000_000,
    ),
  });

const budgetSchema = () =>
  v.strictObject({
    session_usd: v.optional(dollars('The most US dollars of one session.')),
    day_usd: v.optional(dollars('The most US dollars of one day, over all sessions.')),
    tokens: v.optional(count('The most input and output tokens of one session.', 1)),
    steps: v.optional(count('The most requests to the model in one turn.', 1)),
    minutes: v.optional(count('The most minutes of one turn.', 1)),
  });

const contextSchema = () =>
  v.strictObject({
    compact_at: v.optional(
      v.pipe(
        v.number(),
        v.integer('must be a whole number'),
        v.minValue(0, 'must be 0 or more'),
        v.maxValue(95, 'must be 95 or less'),
        v.description(
          'The share of the context window, in per cent, at which aish summarizes the oldest turns. With 0, aish does so only for `:compact` and after a refused request.',
        ),
      ),
      80,
    ),
  });

const exploreSchema = () =>
  v.strictObject({
    offer: v.optional(
      choice(
        'Whether aish offers the tool `aish.explore` to the model. `auto` offers it to models with a context window of at least 64,000 tokens.',
        ['auto', 'always', 'never'],
      ),
      'auto',
    ),
    steps: v.optional(count('The most requests of one explorer, without the request for its report.', 1), 12),
    tokens: v.optional(count('The input and output tokens after which an explorer must report.', 1), 150_000),
  });

const historySchema = () =>
  v.strictObject({
    enabled: v.optional(flag('Keep a history of typed lines between sessions.'), true),
    ignore: v.optional(
      v.pipe(
        v.array(v.string()),
        v.description(
          'Lines that the history leaves out: patterns for a whole line, with `*` and `?`, as in `"cd *"`.',
        ),
      ),
      [],
    ),
    duplicates: v.optional(
      choice(
        'Copies of a line that you typed several times: `keep` shows all, `ignore` shows one of several in a row, `erase` shows only the last one.',
        ['keep', 'ignore', 'erase'],
      ),
      'ignore',
    ),
    max_lines: v.optional(
      count('The largest number of lines in the history. If there are more, aish deletes the oldest ones.', 100),
      10_000,
    ),
  });

const memorySchema = () =>
  v.strictObject({
    propose: v.optional(
      flag(
        'Let the model with `role = "fast"` propose facts from your last session, once it has ended with three turns or more. ' +
          'Without such a model, nothing is proposed.',
      ),
      true,
    ),
  });

/** The parts of aish's prompt. */
const PROMPT_PARTS = ['duration', 'status', 'jobs', 'host', 'environment', 'directory', 'repository'] as const;

const uiSchema = () =>
  v.strictObject({
    color: v.optional(
      choice('Colours on the screen. `auto` follows NO_COLOR and the terminal.', ['auto', 'always', 'never']),
      'auto',
    ),
    theme: v.optional(
      choice('Colours for a `light` or a `dark` background, or `none`. `auto` asks the terminal.', [
        'auto',
        'light',
        'dark',
        'none',
      ]),
      'auto',
    ),
    keys: v.optional(
      choice('The keys that edit the line: `emacs`, the default of every shell, or `vi`.', ['emacs', 'vi']),
      'emacs',
    ),
    screen_reader: v.optional(
      flag('Write words instead of symbols, line by line, without redrawing. AISH_SCREEN_READER=1 does the same.'),
      false,
    ),
    prompt: v.optional(
      choice(
        "The prompt before the line: your shell's own (PS1), or aish's. `auto` takes your shell's if your startup files set one.",
        ['auto', 'shell', 'aish'],
      ),
      'auto',
    ),
    prompt_parts: v.optional(
      v.pipe(
        v.array(v.picklist(PROMPT_PARTS)),
        v.description(
          `The parts of aish's prompt, in their order: ${PROMPT_PARTS.map((part) => `\`${part}\``).join(', ')}. \`host\` shows only over ssh and as root.`,
        ),
      ),
      [...PROMPT_PARTS],
    ),
    prompt_duration_s: v.optional(count('Seconds after which the prompt shows how long the last command took.', 0), 3),
    notify: v.optional(
      choice(
        'How aish notifies you about finished work and approval prompts while the terminal has no focus. `auto` sends a desktop notification if the terminal supports it, else it rings the bell.',
        ['auto', 'bell', 'off'],
      ),
      'auto',
    ),
    notify_after_s: v.optional(
      count('Seconds after which a command or a turn is long enough for a notification.', 0),
      10,
    ),
  });

/** Commands of one hook. */
function hookLines(line: string) {
  return v.optional(v.pipe(v.array(text('A command for /bin/sh.')), v.description(line)), []);
}

const hooksSchema = () =>
  v.strictObject({
    'pre-tool': hookLines('Commands that run before each tool call, and may deny it or ask you.'),
    'post-tool': hookLines('Commands that run after each tool call, and may add a note or withhold the result.'),
    prompt: hookLines('Commands that run before a message goes to the model, and may refuse it or add context.'),
    'turn-end': hookLines('Commands that run after a turn.'),
    timeout_ms: v.optional(
      count('Milliseconds that a hook may take. A hook that takes longer counts as one that denies.', 1),
      10_000,
    ),
  });

const extendSchema = () =>
  v.strictObject({
    folders: v.optional(
      v.pipe(
        v.array(text('A folder.')),
        v.description(
          'More folders with `commands` and `skills`, such as `"~/.claude"`; `".claude"` is that of the project. Only your own file can have this.',
        ),
      ),
      [],
    ),
  });

const abbreviationsSchema = () =>
  v.pipe(
    v.record(abbreviationName(), text('The text that takes the place of the abbreviation.')),
    v.description(
      'Abbreviations by name, such as `gco = "git checkout"`. Space or Enter expands one in the place of a command.',
    ),
  );

/** The whole file. An unknown key is an error. A section is made when it is met: most files have few, and a start waits for them. */
export const configSchema = v.strictObject({
  model: v.optional(text('The model to use, by its name in `[models]`. Default: the first one there.')),
  models: v.optional(v.lazy(() => v.pipe(v.record(modelName, modelSchema), v.description('The models, by name.')))),
  shell: v.optional(v.lazy(shellSchema)),
  mcp: v.optional(v.lazy(mcpSchema)),
  safety: v.optional(v.lazy(safetySchema)),
  secrets: v.optional(v.lazy(secretsSchema)),
  checkpoint: v.optional(v.lazy(checkpointSchema)),
  budget: v.optional(v.lazy(budgetSchema)),
  context: v.optional(v.lazy(contextSchema)),
  explore: v.optional(v.lazy(exploreSchema)),
  history: v.optional(v.lazy(historySchema)),
  memory: v.optional(v.lazy(memorySchema)),
  abbreviations: v.optional(v.lazy(abbreviationsSchema)),
  extend: v.optional(v.lazy(extendSchema)),
  hooks: v.optional(v.lazy(hooksSchema)),
  ui: v.optional(v.lazy(uiSchema)),
});
