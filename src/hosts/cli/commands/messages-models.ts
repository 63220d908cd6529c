import type { AnswerGap } from '../../../core/session/state.ts';
import type { DelayReason } from '../../../protocol/model.ts';

/* The reports of `aish models doctor` and `aish doctor`. */

/** The marks of the report: nothing to do, a difference that aish copes with, and a setting to change. */
export const MARKS = { ok: 'ok', note: 'note', fix: 'FIX' } as const;

/** The things that are examined. */
export const CHECKS = {
  server: 'server',
  answer: 'answer',
  speed: 'speed',
  fields: 'request fields',
  stream: 'streaming',
  tools: 'tools',
  schema: 'tool schemas',
  call: 'tool calls',
  parallel: 'parallel calls',
  names: 'tool names',
  ids: 'call ids',
  roles: 'roles',
  alternation: 'alternation',
  content: 'empty content',
  limit: 'token limit',
  reasoning: 'reasoning',
  window: 'context',
  model: 'model name',
  config: 'configuration',
  shell: 'shell',
  terminal: 'terminal',
  locale: 'locale',
  sandbox: 'sandbox',
  undo: 'git for undo',
  models: 'model server',
  mcp: 'MCP server',
  runs: 'runs',
} as const;

/** `runs`: each with its project. */
export const formatRunsWaiting = (runs: readonly string[]): string =>
  `working copies of runs wait for you: ${runs.join(', ')}`;
export const RUNS_CURE =
  'in its project, :norris diff shows the changes, and :norris apply or :norris discard decides about them';

export const FIRST_MODEL = 'the first model';
export const formatAsking = (name: string): string =>
  `asking ${name} a few short questions; a slow model needs some minutes`;

// The server

export const SERVER_READY = 'It was ready at once.';
export const formatWaited = (reasons: readonly DelayReason[]): string =>
  `A request had to wait (${reasons.join(', ')}); the next one was answered.`;

// The answer

export const ANSWER_WHOLE = 'The model answered in full.';
export const ANSWER_REPEATED = 'The model called again, although it had the result.';
export const REPEATED_CURE = 'Use a larger model, or one that was made for tools.';
export const GAPS: Readonly<Record<AnswerGap, readonly [text: string, cure: string]>> = {
  empty: [
    'The answer was empty.',
    'Check the chat template of the model; llama-server: --jinja, --chat-template-file.',
  ],
  'reasoning-only': [
    'The model only reasoned and did not answer.',
    'Set reasoning_effort = "low" in [models.NAME], or a larger limit of tokens on the server (llama-server: -n -1).',
  ],
  'token-limit': [
    'The answer was cut at the token limit of the server.',
    'Raise the limit of the server (llama-server: -n -1; Ollama: num_predict -1).',
  ],
  filtered: ['A content filter of the server stopped the answer.', 'Use another model, or switch the filter off.'],
  refused: ['The model refused a harmless question.', 'Use another model.'],
};

// Speed

export const formatSpeed = (seconds: string, perSecond: string | null): string =>
  `The first token came after ${seconds} s${perSecond === null ? '' : `, then ${perSecond} tokens per second`}.`;

// Tools

export const CALL_PARSED = 'The server parsed the call.';
export const CALL_PRINTED =
  'The model printed its call as text, because the server does not parse calls. aish reads the text.';
export const PARSER_CURE =
  'llama-server: --jinja; vLLM: --enable-auto-tool-choice --tool-call-parser NAME; SGLang: --tool-call-parser NAME; ' +
  'Ollama: a model whose template has tools (ollama show MODEL).';
export const CALL_DAMAGED = 'The call was damaged or incomplete.';
export const CALL_NONE = 'The model made no call, although aish asked for one.';
export const NONE_CURE = `If the model was made for tools, the server does not pass them on. ${PARSER_CURE}`;

// Roles

export const ROLES = 'The server takes the roles system and tool.';

// Reasoning, context and model

export const REASONING = 'It comes in a field of its own.';
export const REASONING_TAGS = 'It comes in the answer, between tags. aish takes it out.';
export const TAGS_CURE = 'llama-server: --reasoning-format deepseek; vLLM and SGLang: --reasoning-parser NAME.';
export const formatWindow = (tokens: number): string => `The server has ${tokens} tokens.`;
export const NO_WINDOW = 'The server does not say how many tokens it takes.';
export const WINDOW_CURE = 'Set context in [models.NAME].';
export const LARGER_CURE = 'llama-server: -c 16384; Ollama: OLLAMA_CONTEXT_LENGTH=16384; vLLM: --max-model-len.';
export const formatWindowDiffers = (tokens: number, configured: number): string =>
  `The server has ${tokens} tokens, but the configuration says ${configured}.`;
export const formatDiffersCure = (tokens: number): string =>
  `Set context = ${tokens} in [models.NAME], or start the server with more (llama-server: -c; Ollama: num_ctx).`;

/** Questions with two answers: the text of a yes, and that of a no, with which aish copes. */
export const ANSWERS = {
  parallel: [
    'Two calls came in one answer.',
    'The model made one call in an answer, although aish asked for two. aish needs no more.',
  ],
  names: ['The server takes names with dots.', 'The server refuses names with dots. aish sends none.'],
  ids: ['The server takes long ids.', 'The server refuses long ids. aish sends nine letters and digits.'],
  alternation: [
    'The server takes two messages of one role in a row.',
    'The roles have to alternate. In the requests of aish they do.',
  ],
  model: [
    'The server refuses a model that it does not have.',
    'The server answers to any name, so a wrong name goes unnoticed.',
  ],
} as const;

/** A lesson as a sentence: `It refuses stream_options, so aish leaves it out.` */
export const formatLessonLine = (lesson: string): string => `It ${lesson}.`;

export const formatKept = (name: string): string =>
  `aish remembers the differences for 60 days (aish models show ${name}).`;
export const NO_DIFFERENCES = 'The server refuses nothing that aish sends.';

// This machine

export const NO_CONFIG = 'There is no file, so aish uses the defaults.';
export const formatConfigGood = (path: string): string => `${path} has no mistakes.`;
export const CONFIG_CURE = 'aish config check lists the mistakes.';
export const formatShellGood = (program: string): string => `Your commands run in ${program}.`;
export const formatShellBroken = (program: string): string => `${program} does not start.`;
export const SHELL_CURE = 'Repair it, or set [shell] program to another bash, zsh or fish.';
export const formatTerminalGood = (term: string): string => `aish can draw on this terminal (${term}).`;
export const NO_TERMINAL = 'There is no terminal here.';
export const NO_TERMINAL_CURE = 'For an answer without a terminal: aish -p "question".';
export const TERMINAL_DUMB = 'TERM says that the terminal understands no sequences.';
export const TERMINAL_CURE = 'If it does: export TERM=xterm-256color.';
export const formatLocaleGood = (locale: string): string => `Text is UTF-8 (${locale}).`;
export const NO_LOCALE = 'No variable says that text is UTF-8, so programs may show letters as question marks.';
export const LOCALE_CURE = 'export LANG=C.UTF-8, or another UTF-8 locale that locale -a lists.';
export const formatSandboxGood = (kind: string): string => `Commands can run in ${kind}.`;
export const formatSandboxMissing = (why: string): string => `There is no sandbox: ${why}.`;
export const SANDBOX_CURE = 'Install bubblewrap (Debian: apt install bubblewrap), and allow user namespaces.';
export const formatGitGood = (version: string): string => `${version} keeps the checkpoints for undo.`;
export const formatServerGood = (name: string, place: string): string =>
  `${name} answers at ${place}. A whole test: aish models doctor ${name}.`;
export const formatServerStarts = (name: string): string => `aish starts the server of ${name} at its first use.`;
export const NO_SERVER = 'No server is configured.';
export const formatMcpGood = (alias: string, tools: number): string => `${alias} has ${tools} tools.`;
export const formatMcpBroken = (alias: string, why: string): string => `${alias}: ${why}`;
export const MCP_CURE = 'aish mcp list shows the servers; correct their sections [mcp.servers.NAME].';
export const ALL_GOOD = 'All is well.';
export const formatToFix = (count: number): string =>
  count === 1 ? 'Follow the advice in the line with FIX.' : `Follow the advice in the ${count} lines with FIX.`;

/* The texts of `aish models add` and `aish models provider`. */

export const MODEL_ADD_FORMS =
  'aish models add takes NAME --gguf PATH [--port N] [--context N], or NAME [MODEL] --url URL [--key-env VAR] [--context N]';
export const formatModelAdded = (name: string, path: string): string =>
  `aish added ${name} to ${path}. To use it: aish --model ${name}, or :model ${name}`;

export const PROVIDER_FORMS =
  'aish models provider takes list, add NAME, add NAME PACKAGE@VERSION --integrity SHA512, or remove NAME';

/** `known`: the providers that need no package name. */
export const formatUnknownPackage = (name: string, known: readonly string[]): string =>
  `aish has no pin for provider ${name}; it has pins for ${known.join(', ')}`;
export const PACKAGE_HINT =
  'for another package: aish models provider add NAME PACKAGE@VERSION --integrity SHA512; npm view PACKAGE@VERSION dist.integrity prints it';
export const formatOwnName = (name: string): string =>
  `${name} needs no package; to use it: aish --model ${name}:MODEL`;
export const OWN_NAME_HINT = 'choose another name for your package';
export const NOT_EXACT_PACKAGE = 'a package is PACKAGE@VERSION with one exact version, and --integrity is its sha512-…';

export const formatInstalling = (from: string, version: string): string => `installing ${from} ${version}`;
/** `key`: the variable with the API key; undefined if aish does not know it. */
export const formatInstalled = (name: string, what: string, key: string | undefined): string =>
  key === undefined
    ? `${name} is installed: ${what}. Use it with provider = "${name}", base_url, model and key_env in [models.NAME].`
    : `${name} is installed: ${what}. Put the key into ${key}, then: aish --model ${name}:MODEL`;
export const formatCode = (from: string, version: string, kilobytes: number): string =>
  `${from} ${version}, ${kilobytes} kB of code`;
export const formatUninstalled = (name: string): string => `aish removed the package of provider ${name}`;
export const formatNotInstalled = (name: string): string => `no package of provider ${name} is installed`;

export const NOT_INSTALLED = 'not installed';
export const formatInstalledOn = (day: string): string => `installed ${day}`;
export const formatOutdated = (day: string): string => `installed ${day} with another version; add it again`;
