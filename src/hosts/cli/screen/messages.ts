import * as limits from '../../../core/session/messages.ts';
import { MOST_SAME_FAILURES, MOST_SAME_RESULTS } from '../../../core/session/repeated-call.ts';
import { type AnswerGap, MOST_REFUSALS } from '../../../core/session/state.ts';
import { formatCount } from '../../../core/text/truncate.ts';
import type { RestoreDirection } from '../../../protocol/checkpoint.ts';
import { formatError } from '../../../protocol/error.ts';
import type { EventOf, TurnEnd } from '../../../protocol/event.ts';
import type { DelayReason, RequestDelay } from '../../../protocol/model.ts';
import type { CommandClass } from '../../../protocol/tool.ts';

/** A statement of aish as a sentence: a capital at its beginning, and an end. */
export function toSentence(text: string): string {
  const capital = /^(?!aish\b)[a-z]+(?=[ ,:]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.:?!…]$/.test(capital) ? capital : `${capital}.`;
}

/** First lines of the approval prompt; a command or the name of a tool follows. */
export const HEAD_OF_COMMAND = 'The model wants to run:';
export const HEAD_OF_SUGGESTION = 'The answer suggests running:';
export const HEAD_OF_TOOL = 'The model wants to call';
export const HEAD_OF_SUGGESTED_TOOL = 'The answer suggests calling';

/** The possible effects of a command, if its reasons give no more. */
export const CLASS_EFFECTS: Readonly<Record<CommandClass, string>> = {
  'read-only': 'Only reads and prints.',
  mutating: 'May change files.',
  network: 'Opens a connection.',
  privileged: 'Needs more rights than you have.',
  destructive: 'May delete or overwrite files.',
  unparseable: "aish can't tell what this would run.",
};

/** Limits of a rule, as the end of "as long as it". */
const CLASS_LIMITS: Readonly<Record<CommandClass, string>> = {
  'read-only': 'only reads',
  mutating: 'deletes nothing and opens no connection',
  network: 'deletes nothing and needs no more rights',
  privileged: 'deletes nothing',
  destructive: 'runs nothing that aish cannot read',
  unparseable: 'is a command',
};

export const formatRuleText = (prefix: string, ceiling: CommandClass) =>
  `"${prefix} …" runs without asking in this session, with any arguments, as long as it ${CLASS_LIMITS[ceiling]}`;

export const formatMoreReasons = (left: number) => `And ${left} more.`;

export const formatAskingRule = (rule: string) => `The rule "${rule}" requires your approval.`;

export const formatHeldRule = (rule: string) => `The rule "${rule}" covers only commands that aish can undo.`;

export const formatSandboxRun = (kind: CommandClass) =>
  kind === 'read-only'
    ? '[y] runs it in the sandbox: it cannot change files or use the network.'
    : '[y] runs it in the sandbox: it can change only the project and cannot use the network.';

export const formatUnsandboxedRun = (why: string) => toSentence(`[y] runs it outside the sandbox: ${why}`);

export const formatHookAdded = ({ command, text }: EventOf<'hook.added'>): string =>
  `the hook \`${command}\` adds ${text.length} characters to the message`;
export const formatAskedAgain = (why: string) => toSentence(`aish asks again: ${why}`);

export const formatSecretGrant = (names: readonly string[], to: string, rule: string | undefined) =>
  `gives ${names.length === 1 ? 'the secret' : 'the secrets'} ${names.join(', ')} to ${to}${rule === undefined ? '' : ` (rule "${rule}")`}`;

export const formatRealPath = (path: string, isForeign: boolean) =>
  `real path: ${path}${isForeign ? ' (outside the project)' : ''}`;
export const formatNewFile = (path: string) => `creates ${path}`;
export const CHANGE_TITLE = 'change:';

export const formatProblem = (problem: string) => toSentence(`This would fail: ${problem}`);
export const NOT_UNDOABLE_HERE = 'This cannot be undone here.';
export const NOT_UNDOABLE = 'This cannot be undone.';
export const formatNotUndoable = (why: string) => toSentence(`This cannot be undone: ${why}`);
export const SERVER_SAYS_READS = 'The server says that this tool only reads.';
export const formatMovedDefinition = (alias: string) =>
  `This tool has changed since a rule for it began to apply. ":mcp review ${alias}" shows the change.`;
export const formatUnreviewed = (alias: string) =>
  `You have not reviewed the tools of this server. ":mcp review ${alias}" shows them.`;

export const formatFolded = (lines: number, thenRuns: boolean) =>
  `… Press v to view all ${lines} lines.${thenRuns ? ' Then y can run the command.' : ''}`;

export const formatApprovalKeys = (isCommand: boolean, tool: string) => ({
  y: isCommand ? '[y] run once' : '[y] allow once',
  n: '[n] no',
  a: isCommand ? '[a] always allow' : `[a] always allow ${tool} (this session)`,
  e: '[e] edit',
  r: '[r] dry run',
  d: '[d] deny with a reason',
  v: '[v] view all',
});

export const NO_ARGUMENTS = '(no arguments)';
export const formatLineCount = (lines: number) => formatCount(lines, 'line');
export const LINES_END_WITH_CRLF = 'lines end with CRLF';
export const TABS_AS_SPACES = 'each tab shows as 4 spaces';
export const NO_NEWLINE_AT_END = 'no newline at the end';
export const NEWLINE_AT_END = 'a newline at the end';
export const formatSpacesAtEnd = (spaces: number) => `${formatCount(spaces, 'space')} at the end`;

export const CHANGES_NOTHING = 'Changes nothing.';
export const STILL_COUNTING = 'Still counting …';
/** `isKnown`: the screen says already that the command opens a connection. */
export const formatConnections = (hosts: string, count: number, isKnown: boolean) =>
  isKnown ? `${count === 1 ? 'Host' : 'Hosts'}: ${hosts}.` : `Connects to ${hosts}.`;
/** The estimate knows no more than the effects of the command, which stand on the screen. */
export const formatNothingMore = (dryRun: string | undefined) =>
  `The estimate shows nothing more.${dryRun === undefined ? '' : ` ${dryRun} may show more.`}`;
export const formatUnknownEffects = (parts: string, dryRun: string | undefined) =>
  `Unknown effects: ${parts}.${dryRun === undefined ? '' : ` ${dryRun} may show them.`}`;

// Undo and redo

export const formatConflicts = (files: number, haveChanged: boolean) =>
  `${formatCount(files, 'file')} ${files === 1 ? (haveChanged ? 'has' : 'needs') : haveChanged ? 'have' : 'need'} ${haveChanged ? 'changed since' : 'your choice'}. aish changes nothing before you choose.`;
export const formatFree = (files: number, direction: RestoreDirection) =>
  `After your choice, aish also ${direction}es the changes to ${formatCount(files, 'file')} that nobody has edited since.`;
export const LEFT = 'left as it is';
export const formatMoreLeft = (files: number) => `left as they are: ${files} more`;
export const formatVersions = (mine: string, theirs: string, direction: RestoreDirection) =>
  `now: ${mine}; after the ${direction}: ${theirs}`;
export const MERGED_TITLE = 'merged:';
export const formatUndoKeys = (direction: RestoreDirection, left: number) => ({
  k: '[k] keep the current version',
  t: `[t] take the ${direction === 'undo' ? 'old version' : 'version after the redo'}`,
  m: '[m] merge both',
  v: '[v] view all',
  K: `[K] keep all ${left}`,
  T: `[T] take all ${left}`,
  g: '[g] give up',
});
export const formatRestoredAlready = (direction: RestoreDirection) =>
  `Nothing to do: the files are already as they were ${direction === 'undo' ? 'before' : 'after'} this step.`;
/** The step stays open: on another branch its files may differ. */
export const formatStillOpen = (direction: RestoreDirection, step: string) =>
  direction === 'undo'
    ? `On another branch, :undo ${step} can still undo it. The next :undo goes to the step before it.`
    : `On another branch, :redo ${step} can still redo it. The next :redo goes to the step after it.`;
export const REDO_RESTORES = ':redo restores the removed files';
export const formatMoreFiles = (files: number, undo: string | undefined) =>
  `… and ${files} more ${files === 1 ? 'file' : 'files'}${undo === undefined ? '' : `; :diff --step ${undo} shows all`}`;
export const NO_CHECKPOINTS = 'No checkpoints here yet.';

// Dry runs

export const formatMoreLines = (lines: number, then: string) =>
  `… Press v to view ${lines} more ${lines === 1 ? 'line' : 'lines'}.${then}`;
export const THEN_APPLY = ' After that, [a] applies all changes.';
export const formatDryRunHead = (exit: number | null, changes: number, handle: number | undefined) =>
  [
    `dry run: ${exit === null ? 'no exit status' : `exit ${exit}`}`,
    changes === 0 ? 'no changes' : formatCount(changes, 'change'),
    ...(handle === undefined ? [] : [`%${handle}`]),
    'the project is unchanged',
  ].join(' · ');
export const formatOutputTitle = (size: string | null) => `output${size === null ? '' : ` (${size})`}:`;
export const formatInapplicable = (why: string) => `cannot be applied: ${why}`;
export const formatMoreChanges = (changes: number) => `and ${changes} more; [a] applies them, too`;
/** The first key of a dry run without changes. */
export const USE_RESULT = '[a] use this result';
export const DRY_RUN_KEYS = {
  a: '[a] apply all',
  c: '[c] choose some',
  d: '[d] discard',
  y: '[y] run it for real',
  n: '[n] no',
  v: '[v] view all',
};
export const NOTHING_APPLIED = 'Nothing to apply.';
export const formatApplied = (applied: number, left: number) =>
  `Applied ${formatCount(applied, 'change')}${left === 0 ? '.' : `; ${left} not applied.`}`;
export const formatNotApplied = (path: string, why: string) => `not applied: ${path}: ${why}`;

// The review of a server

export const formatReviewHead = (server: string, tools: number, isFirst: boolean, news: number) =>
  `${server}: ${formatCount(tools, 'tool')}, ${isFirst ? 'not reviewed yet' : `${news} new or changed since your review`}`;
export const formatUnchangedTools = (tools: string) => `unchanged since your review: ${tools}`;
export const formatInstructions = (alias: string) => `instructions of ${alias}`;
export const formatToolGone = (tool: string) => `${tool}: the server no longer has this tool`;
export const formatInstructionsGone = (alias: string) => `${alias}: the server no longer has instructions`;
export const TOOL_NEWS = { new: ' (new)', changed: ' (changed)' } as const;
export const formatRenamedTool = (former: string) => `You reviewed this tool when its name was ${former}.`;
export const formatLookAlike = (other: string) => `The name looks like the name of another tool: ${other}.`;
export const NOW_SAYS_READS = 'The server now says that this tool only reads.';
export const SAYS_READS_NO_MORE = 'The server no longer says that this tool only reads.';
export const TRUSTED_READS = 'aish believes that it only reads, because trust_read_only is set for this server.';
export const ASKED_EACH_CALL = 'aish asks you before each call.';
export const formatDeniedTool = (rule: string) => `The rule "${rule}" denies each call.`;
export const formatAllowedTool = (rule: string, isFirst: boolean) =>
  `${isFirst ? 'The' : 'After your review, the'} rule "${rule}" allows calls without asking.`;

// Work at another client

export const PRIVATE_COMMAND = '(a private command)';
export const formatAnswered = (who: string, answer: string) => `${who} answered: ${answer}`;
export const formatAbandoned = (who: string) => `${who} gave up the undo`;
export const formatDiscarded = (who: string) => `${who} discarded the dry run`;
export const formatTrusted = (who: string) => `${who} trusts everything that the model has read`;
export const formatDryRunStarted = (who: string) => `${who} started a dry run`;
export const formatApplying = (who: string, items: readonly number[] | undefined) =>
  `${who} applied ${items === undefined ? 'all changes' : `some changes: ${items.join(', ')}`}`;
export const formatHalted = (who: string) => `${who} halted the session`;
export const formatStopRequested = (who: string) => `${who} stops the model after this step`;
export const formatInterrupted = (who: string) => `${who} interrupted the model`;
export const CHOSEN = { mine: 'keep', theirs: 'take', merged: 'merge' } as const;
export const NOTHING_CHOSEN = 'nothing';

// Status lines

export const formatPreparing = (tool: string) => `preparing ${tool}`;
export const formatSessionName = (name: string) => `session name: ${name}`;
export const formatCheckpoint = (id: string) => `checkpoint ${id}`;
export const formatNoCheckpoint = (why: string) => `no checkpoint: ${why}`;
export const formatIncomplete = (id: string, why: string) => `checkpoint ${id} is incomplete: ${why}`;
export const formatOwnNotUndoable = (why: string) => `aish cannot undo your commands here: ${why}`;
export const STEP_LIMIT_REACHED =
  '[aish] stopped: this message has used all its model requests; say "go on", or raise --max-steps';
export const SAVING = 'making a checkpoint';
export const CHECKING = 'running the checks';
export const PAUSED = 'paused';
export const FINISHING = 'finishing what runs';
export const THINKING = 'thinking';

/** The label of a request of which so much is read; null if it waits for its turn. */
export const formatPrompt = (percent: number | null): string => {
  if (percent === null) return 'queued';
  return percent === 100 ? THINKING : `reading the prompt ${percent} %`;
};

type Progress = { readonly name: string; readonly done: number; readonly total?: number; readonly message?: string };

/** How far a call is: its share where the server knows the whole. */
export const formatProgress = ({ name, done, total, message = '' }: Progress): string => {
  const share =
    total === undefined || total <= 0 ? String(done) : `${Math.min(100, Math.round((100 * done) / total))} %`;
  return `${name}: ${share}${message === '' ? '' : ` · ${message}`}`;
};
export const DRY_RUNNING = 'dry run, without input';
export const DRY_RUN_STOPPED = 'The dry run stopped; the project is unchanged.';
export const formatAllowedByRule = (rule: string, path: string | null) =>
  `allowed by the rule "${rule}"${path === null ? '' : `: ${path}`}`;
export const formatDenyingRule = (rule: string): string => `by the rule "${rule}"`;
export const formatRefusal = (why: string, what: string): string => `refused (${why}): ${what}`;

// The end of a turn, and waits

const ENDS: Readonly<Record<TurnEnd, string | null>> = {
  interrupted: 'interrupted',
  'depth-limit': limits.DEPTH_LIMIT_REACHED,
  'step-limit': STEP_LIMIT_REACHED,
  denied: limits.formatRefusalLimit(MOST_REFUSALS),
  'repeated-failure': limits.formatFailureLimit(MOST_SAME_FAILURES),
  'repeated-call': limits.formatRepetitionLimit(MOST_SAME_RESULTS),
  completed: null,
  failed: null,
  halted: null,
  budget: null,
  contract: null,
};

const OTHERWISE = 'Ask in other words, or choose another model with :model.';

function formatGap(gap: AnswerGap, tokens: number | undefined): string {
  const count = tokens === undefined ? '' : ` (${tokens} tokens)`;
  return {
    empty: 'The model sent an empty answer. Ask again, or choose another model with :model.',
    'reasoning-only': 'The model sent its reasoning and no answer. Ask again, or ask for a short answer.',
    'token-limit': `The answer was cut off at the token limit${count}. Ask the model to continue, or raise the limit of the server.`,
    refused: `The model refused to answer. ${OTHERWISE}`,
    filtered: `The provider's content filter stopped the answer. ${OTHERWISE}`,
  }[gap];
}

/** The line for the end of a turn; null if it needs none. The last answer has this gap, and so many tokens. */
export function formatTurnEnd(
  { reason, error }: EventOf<'turn.ended'>,
  gap: AnswerGap | null,
  tokens?: number,
): string | null {
  if (error !== undefined) return formatError(error);
  return reason === 'completed' && gap !== null ? formatGap(gap, tokens) : ENDS[reason];
}

const DELAYS: Readonly<Record<DelayReason, string>> = {
  loading: 'is loading its model',
  'rate-limited': 'is rate-limiting requests',
  overloaded: 'is overloaded',
  unavailable: 'is not available at the moment',
  'timed-out': 'gave up waiting for the request',
  'server-error': 'reports an error',
  'connection-lost': 'closed the connection without a response',
  'connection-refused': 'does not accept connections yet',
};

/** Why a request waits: `cloud is overloaded (1 of 4): Too many requests`. */
function formatReason({ reason, model, attempt, of, said }: RequestDelay): string {
  const which = of === null || of === 1 ? '' : ` (${attempt} of ${of})`;
  const why = said === '' || reason === 'loading' ? '' : `: ${said.replace(/[.;:, ]+$/, '')}`;
  return `${model} ${DELAYS[reason]}${which}${why}`;
}

/** The reason, and when aish tries again. A model that loads has no such time. */
export function formatDelay(delay: RequestDelay, leftMs: number): string {
  if (delay.reason === 'loading') return formatReason(delay);
  const time = leftMs <= 0 ? 'aish tries again' : `aish tries again in ${Math.ceil(leftMs / 1000)} s`;
  return `${formatReason(delay)}; ${time}`;
}
