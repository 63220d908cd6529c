import { PRICES_OF } from '../../../core/accounting/spending.ts';
import type { MetaCommand } from '../../../core/meta/meta-entry.ts';
import { formatCount } from '../../../core/text/truncate.ts';
import type { RestoreDirection } from '../../../protocol/checkpoint.ts';
import type { ContextWindow } from '../../../protocol/model.ts';
import type { ApproveMode } from '../../../protocol/settings.ts';
import type { TaintSource } from '../../../protocol/tool.ts';

/*
 * All texts of the meta-commands, and of the subcommands that share their code. An error follows `aish: ` in a shell, so it begins in
 * lower case; a report stands alone.
 */

// The places in which a command works.

/** An alternative for an attached client, by the command that only the owner can run. */
export const INSTEAD_AT_CLIENT: Readonly<Partial<Record<MetaCommand['name'], string>>> = {
  new: 'leave this session with :quit, then start aish',
  resume: 'leave this session with :quit, then run aish --resume ID',
  demo: 'run aish demo in any shell',
  private: 'put a space before a command to keep that command private',
};
export const USE_OWNER = "type it in the owner's terminal; :help lists the commands that work here";
export const HAS_KEYBOARD = 'you have the keyboard already; if you lent it, press Ctrl-] to take it back';

export const formatOwnerOnly = (line: string): string => `${line} works only in the terminal that owns the session`;
export const formatClientOnly = (line: string): string => `${line} works only in an attached terminal`;
export const formatIsChange = (name: string): string => `:${name} changes something, so it cannot be shown here`;

// :approve

export const APPROVE_HINT = ':approve takes ask, read-only, all, why, revoke, save, or the first words of a command';
export const THIS_SESSION = 'this session';

const MODES: Readonly<Record<ApproveMode, string>> = {
  ask: 'Tools run without asking only if a rule allows them.',
  'read-only': "aish's own tools that only read run without asking.",
  all: 'Tools run without asking if aish can undo their changes.',
};

export const formatMode = (mode: ApproveMode): string => `Mode: ${mode}. ${MODES[mode]}`;
export const SECRETS_HEAD = 'Secrets that commands get without asking:';
export const COMMANDS_BY_RULE = 'Commands run without asking only if a rule allows them.';
export const COMMANDS_IN_SANDBOX =
  "Commands run without asking if a rule allows them, or in the sandbox if they're read-only.";
export const WHY_HINT = ':approve why explains the last approval prompt.';
export const HALTED =
  'Since the halt, aish asks before read-only commands, too. To run them in the sandbox again: :approve ask';

export const formatNoRule = (named: string): string => `there is no rule "${named}"`;
export const LISTS_RULES = ':approve lists the rules';
export const formatRuleStays = (rule: string): string => `cannot revoke "${rule}", because it makes aish stricter`;
export const formatRuleOrigin = (origin: string): string => `the rule comes from ${origin}; change it there`;
export function formatRevoked(rule: string, file: string | null): string {
  const back = file === null ? '' : ` The rule is still in ${file}, and returns with the next session.`;
  return `aish asks about "${rule}" again.${back}`;
}
export const formatRefusedRule = (prefix: string, fault: string): string =>
  `cannot make a rule of "${prefix}": it ${fault}`;
export const formatNoProgram = (prefix: string, program: string): string =>
  `cannot make a rule of "${prefix}": there is no command ${program} here`;
export const formatNewRule = (rule: string, words: string): string =>
  `Rule: ${rule}\nTo remove it: :approve revoke ${words}`;
export const formatSavedAlready = (rule: string, origin: string): string => `"${rule}" is already in ${origin}`;
export const formatSaveTool = (file: string): string => `To keep this rule, add to [mcp.auto_approve] in ${file}:`;
export const formatSaveCommand = (file: string): string => `To keep this rule, write in ${file}:`;

// :approve why

export const formatNoPrompt = (back: number): string =>
  back === 1 ? 'the model has called no tool yet' : `the model has made fewer than ${back} tool calls`;
export const NO_PROMPT_HINT = 'ask the model to do something that needs a command';
export const ASKED = 'aish asked you';
export const formatRan = (rule: string): string => `ran without asking, by the rule "${rule}"`;
export const formatDenied = (rule: string | null): string =>
  rule === null ? 'denied by a built-in rule' : `denied by the rule "${rule}"`;
export const PREVIEW_HEAD = 'impact preview:';
export const formatCannotUndo = (why: string | undefined): string =>
  `undo cannot reverse it: ${why ?? 'unknown reason'}`;
export const TOOL_MOVED = 'the tool has changed since your rule was made; :mcp review shows the changes';
export const formatToolRule = (name: string): string => `to allow it: "${name}" = true in [mcp.auto_approve]`;
export const formatClass = (kind: string): string => `${kind}, because of its most dangerous part:`;
export const formatProposal = (rule: string): string => `a rule that allows it: ${rule}`;
export const WHOLE_LINE = '(the whole line)';
export const NO_RULE = 'no rule';
export const WRAPPED = 'the rules for the command that it runs apply';
export const formatPartRule = (effect: RuleEffect, rule: string): string => `${RULE_VERBS[effect]} "${rule}"`;

/** The effect of a rule on calls that match it. */
export type RuleEffect = 'allow' | 'ask' | 'deny';

const RULE_VERBS: Readonly<Record<RuleEffect, string>> = {
  allow: 'allowed by',
  ask: 'aish asks by',
  deny: 'denied by',
};

/** The built-in rules that no rule of a user overrides, by the code in the log. */
const BUILT_IN_RULES: Readonly<Record<string, string>> = {
  D1: 'no damage outside the project',
  D2: 'no hidden code, and none from the network',
  D3: 'nothing that runs later, and no change to aish itself',
  D4: 'no secrets or output to other machines',
  D5: 'no text that misleads or cannot be read',
};

export const formatBuiltInRules = (codes: readonly string[]): string =>
  `denied by a built-in rule: ${codes.map((code) => BUILT_IN_RULES[code] ?? code).join('; ')}`;

// :trust

export const TAINT_KINDS: Readonly<Record<TaintSource['kind'], string>> = {
  server: 'an MCP server',
  network: 'the network',
  file: 'a file outside the project',
  input: 'piped or attached input, or a fact from memory',
  command: 'a command with unknown sources',
};
export const TAINTED_PATH = 'a project file that may contain untrusted content';
export const NO_TAINT = 'No untrusted content in this session.';
export const TAINT_HEAD = 'The model has read untrusted content:';
export const TAINT_EFFECT =
  'aish now asks before a command uses the network, leaves the project or gets a secret, even if a rule allows it.\n' +
  'If you have checked this content, :trust makes your rules apply again.';
export const TRUSTED_CONTENT =
  'You trust the content that the model has read so far. Your rules apply again until it reads more untrusted content.';

// :sandbox

export const SANDBOX_OFF = 'Sandbox: off. Commands that you approve run in your shell.';
export const SANDBOX_ON = 'Sandbox: on. Commands that you approve can change only the project.';
export const formatSandboxMissing = (why: string): string =>
  `Sandbox: on, but ${why}. Commands that you approve run in your shell.`;

// :context

const ORIGINS: Readonly<Record<ContextWindow['origin'], string>> = {
  configured: 'from the configuration',
  server: 'reported by the server',
  refusal: 'learned from a refused request',
};
export const formatUsed = (tokens: string): string => `Next request: about ${tokens} tokens`;
export const formatUsedShare = (
  tokens: string,
  share: number,
  whole: string,
  model: string,
  origin: ContextWindow['origin'],
): string => `Next request to ${model}: about ${tokens} of ${whole} tokens, ${share} % (limit ${ORIGINS[origin]})`;
export const WINDOW_UNKNOWN = 'The size of the context window is unknown. To set it, add context to [models.NAME].';
export const ANSWER_SHARE = 'reserved for the answer';
export const FREE_SHARE = 'free';
export const formatCovered = (entries: number): string =>
  `A summary replaces the first ${entries} messages, calls and commands. The log keeps them.`;
export const formatNotes = (notes: readonly string[]): string => `Notes: ${notes.join(', ')}`;
export const COMPACTS_ON_REFUSAL =
  'aish compacts when the model refuses a request as too long, or when you type :compact.';
export const formatCompactsAt = (most: string, target: string): string =>
  `At ${most} tokens aish summarises the oldest part, down to about ${target}.`;
export const formatWouldCover = (entries: number, all: number): string =>
  `:compact would summarise the oldest ${entries} of ${all} messages, calls and commands now.`;

// :checkpoints and aish checkpoints

export const NO_CHECKPOINTS = 'No checkpoints yet.';
export const NO_CHECKPOINTS_HERE = 'No checkpoints here.';
export const OLDER_CHECKPOINTS =
  'This folder also has checkpoints from before it was a git repository: aish checkpoints --apart';
export const formatCheckpoints = (number: number): string => formatCount(number, 'checkpoint');
export const formatLimits = (checkpoints: number, size: string): string =>
  `Limits for each folder: ${formatCount(checkpoints, 'checkpoint')}, ${size}`;
export const FOLDER_GONE = 'folder not found';
export const IN_REPOSITORY = 'in the git repository';
export const BEFORE_REPOSITORY = 'external store, from before this was a git repository';
export const NOTHING_TO_DELETE = 'Nothing to delete.';
export const formatFreed = (size: string): string => `${size} less`;
export const formatFreedInAll = (size: string): string => `${size} less in total`;
export const formatPruned = (folder: string, { removed, kept }: PrunedCounts, isDryRun: boolean): string =>
  isDryRun
    ? `${folder}: would delete ${formatCount(removed, 'checkpoint')} and keep ${kept}`
    : `${folder}: deleted ${formatCount(removed, 'checkpoint')}, kept ${kept}`;
export const formatOverLimit = (folder: string, kept: number, most: number): string =>
  `${folder}: kept ${kept} instead of ${most}, because aish never deletes the newest checkpoint, nor its undos and redos`;
export const SPACE_FREED_LATER =
  'In a git repository, the next prune after a minute frees the space, or the next git gc.';

/** Numbers of checkpoints that a prune deletes and keeps. */
interface PrunedCounts {
  readonly removed: number;
  readonly kept: number;
}

// :undo, :redo and :diff in a shell

export const formatUndoUsage = (direction: RestoreDirection): string =>
  `aish ${direction} takes [N | ID] [PATH…] and one of --keep, --take, --merge`;
export const formatDashPath = (direction: RestoreDirection, path: string): string =>
  `put a path that begins with a dash after --: aish ${direction} -- ${path}`;
export const NOT_MERGED = 'files whose edits overlap were left alone';
export const formatLeftAlone = (direction: RestoreDirection): string =>
  `${direction} left edited and pre-existing files alone, because it cannot ask here`;
export const formatChoose = (why: string, command: string): string => `${why}; to choose: ${command}`;
export const LETTER_PROMPT = 'Type a letter and press Enter: ';
export const WRONG_LETTER = 'Type one of the letters in brackets. Nothing has changed yet.';
export const formatNoPath = (path: string): string => `there is no ${path}, now or at the checkpoint`;
export const NO_PATH_HINT = 'name a file, a folder, or the id of a checkpoint such as c12; :checkpoints lists the ids';
export const NO_STEP_CHANGES = 'This checkpoint has no changes there.';
export const formatNoChanges = (id: string | undefined): string =>
  `Nothing has changed since ${id ?? 'the last checkpoint'}.`;

// :history

export const NO_CHOICES = 'You have not started a line with ! or ? yet, so the lines themselves decide where they go.';
export const FORGET_CHOICE = 'The same lines go there without their mark. To forget one: :history delete NUMBER';
export const NO_LINES = 'No such lines in the history.';
export const RUNNING = 'no end';
export const formatRemoved = (lines: number): string => `Deleted ${formatCount(lines, 'line')}.`;
export const formatNoLine = (from: number, to: number): string =>
  `the history has no ${from === to ? `line ${from}` : `lines ${from} to ${to}`}`;
export const LISTS_NUMBERS = ':history lists the lines with their numbers';
export const NO_MATCH = 'no line of the history contains that text';
export const NO_MATCH_HINT = ':history lists the lines; you can also give a number, or a range such as 12-15';
export const formatManyMatches = (lines: number): string => `${formatCount(lines, 'line')} contain that text`;
export const formatDeleteAll = (text: string): string =>
  `nothing was deleted; to delete them: :history delete --all ${text}`;
export const formatClear = (lines: number): string =>
  `This deletes ${lines === 1 ? 'the only line' : `all ${lines} lines`} for all terminals. To confirm: :history clear yes`;
export const NOTHING_TO_IMPORT = 'found no lines to import';
export const IMPORT_HINT = 'name bash, zsh, fish or the path of a history file';
export const formatImported = (lines: number): string => `Imported ${formatCount(lines, 'line')}.`;
export const formatAllKnown = (lines: number): string =>
  lines === 1 ? 'The line is in the history already.' : `All ${lines} lines are in the history already.`;

// :mcp and :model

export const NO_SERVERS = 'No MCP servers. Add [mcp.servers.ALIAS] to the configuration, or type :mcp connect URL.';
export const NO_SERVERS_TO_REVIEW = 'No MCP servers.';
export const formatNoServer = (alias: string): string => `there is no server "${alias}"`;
export const LISTS_SERVERS = ':mcp list shows the servers';
export const formatNoTool = (tool: string): string => `there is no tool "${tool}"`;
export const formatListsTools = (command: string): string => `${command} lists the tools`;
export const formatConnected = (alias: string): string =>
  `The model can now use the tools ${alias}.*. To list them: :mcp tools`;
export const TOOLS_UNKNOWN = 'tools not known yet';
export const formatToolCount = (tools: number, review: 'none' | 'done' | 'changed' | undefined): string =>
  `${formatCount(tools, 'tool')}${review === undefined ? '' : `, ${REVIEWS[review]}`}`;
export const NO_TOOLS = 'No tools known yet.';
export const formatInstructionsHead = (alias: string): string => `Instructions of ${alias} for the model:`;
export const formatHeldBack = (alias: string): string => `held back until you review it: :mcp review ${alias}`;
export const TOOL_EFFECTS = {
  exec: 'runs commands',
  read: 'only reads',
  claimsRead: 'claims to only read',
  change: 'may change things',
} as const;
export const NO_MODELS =
  'No models are configured. Add [models.NAME] with base_url, or start a model server that aish can find.';
export const FOUND_MODELS =
  'Switch with :model NAME, or start with aish --model NAME. PROVIDER:MODEL works for other models, too.';

/** The place of a further model of a server. */
export const ALSO_THERE = 'on the same server';

export const formatFound = (source: string): string => `found: ${source}`;

export const formatNoProfile = (name: string): string =>
  `aish has learned nothing about ${name}: its server refused no request.`;
export const formatForgotten = (name: string): string =>
  `aish has forgotten what it learned about ${name}, and will learn again.`;
export const formatForgetHint = (name: string): string => `To learn again: aish models forget ${name}`;
export const formatProfileNote = (text: string, said: string, day: string): string =>
  `  ${day} ${text}${said === '' ? '' : `\n    the server said: ${said}`}`;
export const SERVER_CHOOSES = '(chosen by the server)';
export const formatModel = (name: string): string => `Model: ${name}`;

const REVIEWS = { none: 'not reviewed', done: 'reviewed', changed: 'changed since your review' } as const;

export const REVIEW_QUESTION = 'Have you read this, and may aish send it to the model without asking? Type yes: ';
export const formatReviewedAlready = (alias: string): string =>
  `You have reviewed ${alias} already. To withdraw the review: :mcp unreview ${alias}`;
export const formatUnreviewed = (alias: string, was: boolean): string =>
  was ? `You withdrew the review of ${alias}.` : `${alias} was not reviewed.`;
export const formatNotReviewed = (alias: string): string => `Nothing changed: ${alias} is not reviewed.`;
export const formatReviewed = (alias: string, tools: number): string =>
  `You reviewed ${formatCount(tools, 'tool')} of ${alias}. aish holds back new and changed tools until you review them.`;
export const ALL_REVIEWED = 'All servers are reviewed.';
export const CHANGED_SERVER = 'changed';
export const REVIEW_WHICH = 'Name one of these servers after :mcp review:';
export const READ_BEFORE_REVIEW =
  'The model read descriptions of this server before your review. They are still untrusted content; to trust them: :trust';
export const formatOnlyAtTerminal = (what: string): string => `only a user at a terminal can trust ${what}`;
export const formatRunAtTerminal = (command: string): string => `run ${command} in a terminal`;

// :output

export const NO_OUTPUTS = 'No outputs yet.';
export const formatNoOutput = (handle: number): string => `there is no output %${handle}`;
export const LISTS_OUTPUTS = ':output lists the outputs';
export const formatCutShort = (handle: number): string => `%${handle} is lost: aish ended while the command ran.`;
export const formatEmpty = (handle: number): string => `%${handle} is empty.`;
export const formatSame = (one: number, other: number): string => `%${one} and %${other} are the same.`;
export const formatTooLarge = (one: number, other: number): string =>
  `%${one} and %${other} are too large to compare here`;
export const formatRunDiff = (command: string): string => `run: ${command}`;
export const formatMoreOutput = (size: string, handle: number): string =>
  `… ${size} more. To see it: :output %${handle} in the owner's terminal, or take the keyboard and type %${handle} | less`;
export const CUT_SHORT = 'cut short';

// :z, :cdh

export const formatNoDirectory = (words: string): string => `no directory of the history matches "${words}"`;
export const NO_DIRECTORY_HINT = 'go there once with cd; :z then finds it';
export const NOTHING_VISITED = 'This session was in no other directory yet.';
export const formatNoVisited = (number: number): string => `there is no directory ${number}`;
export const VISITED_HINT = ':cdh lists the directories';
export const DIRECTORY_QUESTION = 'Number of the directory (Enter: stay here): ';

// :abbr

export const OF_SHELL = 'your shell';
export const NO_ABBRS = 'There are no abbreviations.';
export const ABBR_USE = "To add one: :abbr gco 'git checkout'";
export const formatNoAbbr = (name: string): string => `there is no abbreviation ${name}`;
export const LISTS_ABBRS = ':abbr lists the abbreviations';
export const formatKeepAbbr = (name: string, file: string): string =>
  `Space or Enter expands ${name} in this session. To keep it, write in ${file}:`;
export function formatAbbrRemoved(name: string, file: string | null): string {
  const back = file === null ? '' : ` It is still in ${file}, and returns with the next session.`;
  return `aish does not expand ${name} any more.${back}`;
}

// :help, :resume, :sandbox

export const formatNoTopic = (topic: string): string => `there is no command :${topic}`;
export const LISTS_COMMANDS = ':help lists the commands';
export const formatThisSession = (id: string): string => `you are in the session ${id} already`;
export const CHOOSE_SESSION = 'to choose another session, type :resume alone';

// aish config trust

export const formatTrustedAlready = (path: string): string => `You trust ${path} already, with its present content.`;
export const formatTrusted = (path: string, effect: string): string =>
  `You trust ${path}, with exactly this content. ${effect}`;
export const formatUntrusted = (path: string, was: boolean): string =>
  was ? `You no longer trust ${path}.` : `${path} was not trusted.`;
export const formatChangedSince = (path: string): string => `${path}: changed since you trusted it`;
export const formatCut = (share: string): string => `This is ${share}. aish never sends the rest, so it shows no more.`;
export const formatNoProjectFile = (cwd: string): string =>
  `nothing to trust: there is no .aish/config.toml, .aish/memory.jsonl or AGENTS.md in ${cwd} or its parents`;
export const NO_PROJECT_FILE_HINT = 'go to the folder of the project, or create the file';

export const CONTRACT_QUESTION = 'Begin this run? Type yes: ';
export const NO_PLAN = 'The model has made no plan.';
export const RESUME_QUESTION = 'Go on with this run? Type yes: ';
export const RESUME_EXAMPLE = 'write it like this: :norris resume within 40 steps, 30 min';
export const CONTRACT_DECLINED = 'The run has not begun.';
export const NO_CONTRACT = 'this session has no autonomous run';
export const NOTHING_TO_UNDO_OF_RUN = 'The last autonomous run left no change to undo.';
export const formatLaterStep = (id: string) => `a later step (${id}) is in the way`;
export const formatUndoEach = (ids: readonly string[]) =>
  `undo the steps of the run one by one: ${ids.map((id) => `:undo ${id}`).join(', ')}`;

export const COST_HEAD = ['', 'requests', 'input', 'cached', 'output', 'tokens/s', 'first token', 'cost'];
export const COST_LAST_TURN = 'last turn';
export const COST_SESSION = 'this session';
export const COST_TODAY = 'today';
export const COST_ALL = 'all';
export const COST_PRICES = `Costs follow your configuration, else the list prices of ${PRICES_OF}; a local model costs nothing.`;
export const COST_UNKNOWN =
  'Some requests have no known price (?). Set price_input and price_output in the [models] section of their model.';
export const formatNoCost = (days: number) =>
  days === 1 ? 'No model answered today.' : `No model answered in the last ${days} days.`;
export const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
export const formatUsd = (usd: number, unpriced: number) =>
  `${usd === 0 && unpriced > 0 ? '' : `$${usd.toFixed(usd < 1 ? 4 : 2)}`}${unpriced > 0 ? '?' : ''}`;
