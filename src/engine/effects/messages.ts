import { formatPlaceholder } from '../../core/secrets/secret.ts';
import type { RestoreDirection } from '../../protocol/checkpoint.ts';
import { AishError, type ErrorFact } from '../../protocol/error.ts';

/*
 * Everything that effects report. Lines that begin with `[aish]` are for the model; the others are for the user, behind a prefix.
 */

export const formatMissingServers = (servers: readonly string[]) =>
  servers.length === 1
    ? `the MCP server ${servers[0]} is still starting, so the model cannot use its tools yet`
    : `the MCP servers ${servers.join(', ')} are still starting, so the model cannot use their tools yet`;

/** The first call of a session that the server did not parse. */
export const formatPrintedCall = (model: string) =>
  `${model} printed its tool call as text, because its server does not parse calls. aish reads the text. To let the server parse calls, ` +
  'start llama-server with --jinja, or vLLM with --enable-auto-tool-choice and --tool-call-parser.';

export const CONTEXT_FULL_HINT =
  'start a new session with :new, or use a model with a larger context; :context shows what fills this one';

/** The part that every request sends does not fit, so no compaction helps. */
export const formatFixedPart = (tokens: string, window: string | null) =>
  `the system prompt and the tools alone need about ${tokens} ${window === null ? 'tokens' : `of ${window} tokens`}; start the server with a larger context ` +
  '(llama-server: -c, Ollama: num_ctx), or connect fewer MCP servers';

export const formatSmallWindow = (model: string, tokens: number) =>
  `${model} has a context of ${tokens} tokens, which fills up soon; 8192 or more work better (${LARGER_CONTEXT})`;

const LARGER_CONTEXT = 'llama-server: -c 16384; Ollama: OLLAMA_CONTEXT_LENGTH=16384; vLLM: --max-model-len';

/** Nothing could be freed: `isHardly` if the conversation would be almost as long as before. */
export const nothingToFree = (tokens: string, isHardly: boolean): ErrorFact => ({
  code: 'context.nothing-to-free',
  message: isHardly
    ? `it would stay almost as long (${tokens} tokens)`
    : `its ${tokens} tokens contain nothing to remove`,
  hint: ':context shows what fills it',
});

export const COMPACTION_PAUSED =
  'two compactions freed too little, so aish waits until there is much more to remove; :compact tries again now, and :new starts a new session';

export const formatNoSummary = (model: string, why: string) => `${model} wrote no summary: ${why}`;

export const CHECKPOINTS_OFF = 'checkpoints are off';

export const formatDryRunLabel = (line: string) => `before the dry run of ${line}`;

/** A dry run of a line whose placeholder cannot become its value. */
export const noDryRun = (secret: string, cause: 'no-rule' | 'no-value') =>
  new AishError(
    'dry-run.impossible',
    `cannot start the dry run: ${cause === 'no-rule' ? 'no rule grants' : 'aish cannot insert'} ${formatPlaceholder(secret)}`,
    { hint: 'run the command without a dry run, or edit it so that it names no secret' },
  );

export const formatUngranted = (secrets: readonly string[]) =>
  `The dry run had no access to ${secrets.join(', ')}: no rule grants it.`;

export const formatNotApplied = (why: string) => `[aish] the dry run was not applied: ${why}`;

export const formatNotRun = (why: string) => `[aish] not run: ${why}`;
export const formatUnavailable = (why: string) => `[aish] tool unavailable: ${why}`;
export const formatEditedCommand = (command: string) => `[aish] the user changed the command to: ${command}`;

/** The note that an estimate failed, with the reason. */
export const formatNoEstimate = (why: string) => `the estimate failed (${why})`;

export const nothingToRestore = (direction: RestoreDirection, paths: readonly string[]) =>
  new AishError('checkpoint.none', `no step to ${direction} changed ${paths.join(', ')}`, {
    hint: ':checkpoints lists the steps, and :diff ID shows what one of them changed',
  });

export const NO_FILE = 'no file';
export const A_FILE = 'a file';
export const A_FOLDER = 'a folder';
export const NO_PLAIN_FILE = 'not a regular file';
export const formatLink = (target: string) => `a link to ${target}`;

/** Lines and size of a file; `lines` is null unless it holds text. */
export const formatFileSize = (lines: number | null, size: string, isExecutable: boolean) =>
  `${lines === null ? '' : `${lines} ${lines === 1 ? 'line' : 'lines'}, `}${size}${isExecutable ? ', executable' : ''}`;

export const formatNewSecrets = (secrets: readonly string[]) => `the command would now get ${secrets.join(', ')}`;

export const formatSampled = (alias: string, model: string, used: number, most: number): string =>
  `server ${alias} asked ${model} a question: ${used} of ${most} tokens of this call`;
export const formatSamplingLimit = (alias: string, most: number): string =>
  `server ${alias} has used the ${most} tokens of this call`;
export const formatSandboxBlocked = (why: string | null) =>
  `the sandbox blocked the command${why === null ? '' : ` (${why})`}; if you allow it, it runs in your shell`;
