import type { CommandRecord } from '../../protocol/command.ts';
import type { Contract, ContractEnd, ContractLimits, Fence, FenceCode } from '../../protocol/contract.ts';
import { formatCount, nameSome, truncateMiddle } from '../text/truncate.ts';

/*
 * The texts of contracts. Those of the grammar follow a prefix such as `aish:`, so they begin in lower case.
 */

export const NO_GOAL = 'the contract has no goal';
export const GOAL_NOT_QUOTED = 'the goal needs quotes';
export const NO_CHECK = 'the contract has no check';
export const NET_ONLY_OFF = 'a contract has no network, so only "net off" is possible';
export const IN_ONLY_BACKGROUND = '"in" can only be "in background"';
export const NO_PATH = '"only" needs a path';
export const OPEN_QUOTE = 'a quote is open';
export const formatTwice = (clause: string) => `"${clause}" stands twice`;
export const formatUnknownWord = (word: string) => `"${word}" is no part of a contract`;
export const formatCheckNotQuoted = (word: string) => `the check "${word}" needs quotes`;
export const formatOutsideProject = (path: string) => `"${path}" is outside the project`;
export const formatUnknownLimit = (words: string) => `"${words}" is no limit`;
export const CONTRACT_EXAMPLE =
  'write it like this: "make the tests pass" until \'npm test\' within 20 steps, 15 min, 200k tokens only src';

/** The place of a command that the user must write. */
export const COMMAND_HERE = 'COMMAND';
export const PROPOSED = 'This is a contract for your sentence. Change it as you like, then press Enter.';
export const PROPOSED_WITHOUT_CHECK = `Write the command that proves the goal in place of ${COMMAND_HERE}, then press Enter.`;

const FENCES: Readonly<Record<FenceCode, (path: string) => string>> = {
  outside: (path) => `change ${path}, which is outside the contract`,
  pinned: (path) => `change ${path}, which the checks depend on`,
  repository: () => "change git's own data",
  network: () => 'open a network connection',
  privileged: () => 'get more rights',
  'not-undoable': (path) => `change ${path}, which aish could not undo`,
  unreadable: () => 'run a command that aish cannot read',
  server: () => 'call a tool of a server, whose effects the contract cannot limit',
};

/** The action that a fence stopped, as a sentence. */
export const formatFence = ({ code, path = 'a file', call }: Fence) => `The model wanted to ${FENCES[code](path)}: ${call}`;

const ENDS: Readonly<Record<ContractEnd, string>> = {
  achieved: 'The goal is reached: all checks pass.',
  'already-achieved': 'All checks pass already, so the model had nothing to do.',
  'pinned-changed': 'The run failed: a file that the checks depend on has changed.',
  fence: 'The run stopped at a fence of the contract.',
  'step-limit': 'The run stopped at its limit of steps.',
  'time-limit': 'The run stopped at its limit of time.',
  'token-limit': 'The run stopped at its limit of tokens.',
  'cost-limit': 'The run stopped at its limit of costs.',
  'no-progress': 'The run stopped: the project and the checks were the same three times in a row.',
  'repeated-failure': 'The run stopped: the model repeated a call that did not help.',
  stopped: 'The run was stopped.',
  failed: 'The run failed.',
};

/** Why a run ended, as a sentence. */
export const formatContractEnd = (reason: ContractEnd) => ENDS[reason];

/** The name of a contract in the place of a rule. */
export const CONTRACT_RULE = 'the contract';

export const formatReadFenced = ({ path = 'this', code }: Fence) =>
  code === 'server'
    ? '[aish] not run: the contract allows only tools of servers that read and that a rule approves'
    : `[aish] not run: the contract does not let you read ${path}`;

const MOST_NAMED = 12;

export const formatWithin = (paths: readonly string[]) =>
  paths.length === 0 ? '[aish] it changed no file of the project' : `[aish] changed: ${nameSome(paths, MOST_NAMED)}`;
export const formatDiscarded = (paths: readonly string[]) =>
  `[aish] not kept, because no undo could restore it: ${nameSome(paths, MOST_NAMED)}`;

const CHECK_ROOM = 3000;

/** The failed checks, for the model. */
function formatFailures(records: readonly CommandRecord[]): string {
  const failed = records.filter(({ exit }) => exit !== 0);
  return failed
    .map(({ line, exit, output }) => `$ ${line}\nexit ${exit ?? 'unknown'}\n${truncateMiddle(output.trim(), CHECK_ROOM)}`)
    .join('\n\n');
}

/** The message that begins the work of a run. */
export const beginOfWork = ({ goal, until, only }: Contract, records: readonly CommandRecord[]) =>
  `${goal}

[aish] You work alone, and nobody answers questions.
The goal is reached when these commands exit with 0: ${until.join('; ')}
You may change only ${only.includes('.') ? 'files of this project' : only.join(', ')}, but no test and no setting of the checks.
Commands run on a copy of the project without network, and aish applies their changes.
A call that breaks these terms ends the work. Keep your plan with aish.plan. The checks fail now:

${formatFailures(records)}`;

/** The message after a turn whose checks fail. */
export const goOnWithWork = (records: readonly CommandRecord[]) => `[aish] The checks still fail. Go on.

${formatFailures(records)}`;

/** The message with which the model goes on in a run that had ended. */
export const resumeWork = (contract: Contract, records: readonly CommandRecord[], fence: Fence | null) =>
  `${beginOfWork(contract, records)}

[aish] You have worked on this before, and the run was stopped. Look at the files before you repeat a call.${
    fence === null ? '' : `\n[aish] Do not try this again: ${fence.call}`
  }`;

export const formatGoal = (goal: string) => `Goal: ${goal}`;
export const formatUntil = (line: string) => `Until: ${line} exits with 0`;
export const formatOnly = (paths: readonly string[]) =>
  `Changes: only ${paths.includes('.') ? 'files of this project' : paths.join(', ')}, but no test and no setting of the checks`;
export const formatLimits = ({ steps, minutes, tokens, usd }: ContractLimits) => {
  const cost = usd === undefined ? '' : `, ${usd.toFixed(2)} usd`;
  return `Limits: ${formatCount(steps, 'step')}, ${minutes} min, ${tokens} tokens${cost}`;
};
export const NO_NETWORK = 'Network: off';

export const IN_BACKGROUND = 'Place: a copy of the project, in the background; you apply or discard its changes afterwards';

export const formatPinned = (count: number) =>
  count === 1 ? '1 file is pinned: the checks depend on it.' : `${count} files are pinned: the checks depend on them.`;
export const formatCheck = (line: string, exit: number | null, handle: number | undefined) =>
  `${exit === 0 ? 'passes' : `fails (${formatStatus(exit)})`}: ${line}${handle === undefined ? '' : `  %${handle}`}`;

const formatStatus = (exit: number | null): string => (exit === null ? 'status unknown' : `exit ${exit}`);

export const RUNNING = 'The run is going on.';
export const PAUSED = 'The run is paused: nothing begins, and no time counts. :resume-run lets it continue.';
export const CONTINUED = 'The run continues.';
export const PLAN = 'Plan';
export const formatPlanHead = (by: 'user' | 'model') => (by === 'user' ? 'Plan, changed by you:' : 'Plan:');
export const PLAN_KEPT = '[aish] plan kept';
export const PLAN_TAKEN_OVER = '[aish] not kept, because the user has changed the plan meanwhile. Read it, then send it again.';
export const PLAN_INVALID = '[aish] not kept: items needs up to 40 objects with text and state (open, doing, done or dropped)';
export const RECEIPT = 'Receipt of an autonomous run';
export const CUT_SHORT = 'The run has not ended, or was cut short when aish ended.';
export const formatResumed = (number: number) => `Run ${number} goes on.`;
export const formatMissing = (lines: readonly string[]) => `still fails: ${lines.join('; ')}`;
export const formatOpenItems = (items: readonly string[]) => `open in the plan: ${items.join('; ')}`;
/** The commands that a user needs after a run: at the prompt of its session, or in scripts with the id of the session. */
export const formatNext = (canResume: boolean, hasChanges: boolean) =>
  [
    ':norris receipt shows each call and change',
    ...(hasChanges ? [':norris undo undoes them'] : []),
    ...(canResume ? [':norris resume goes on'] : []),
  ].join(', ');
export const formatNextInScript = (id: string, canResume: boolean, steps: number) =>
  [
    ...(steps === 0 ? [] : [`aish undo ${steps} undoes the run`]),
    ...(canResume ? [`aish run --resume ${id} goes on`] : []),
    `aish --resume ${id} opens its session`,
  ].join(', ');
export const formatPinnedChanged = (paths: readonly string[]) => `Changed since the start: ${nameSome(paths, MOST_NAMED)}.`;
export const formatUsed = ({ steps, tokens, seconds }: { readonly steps: number; readonly tokens: number; readonly seconds?: number }) =>
  `used: ${formatCount(steps, 'step')}, ${tokens} tokens${seconds === undefined ? '' : `, ${seconds} s`}`;
export const formatAgain = (contract: string) => `again: :norris ${contract}`;
export const formatCalls = (count: number) => `Calls of the model: ${count}`;
export const formatChanges = (count: number) => `Changed files: ${count}`;
export const NOT_RUN = 'not run';
export const FAILED = 'failed';
export const formatAllowedBy = (rule: string) => `allowed by ${rule}`;
export const formatUndoneBy = (checkpoint: string) => `:undo ${checkpoint} undoes it`;

export const formatCostLimit = (usd: number) => `the contract allows costs of ${usd.toFixed(2)} usd`;
export const UNPRICED = 'the price of this model is unknown, so aish cannot hold the limit of costs';
export const UNCOUNTED = 'the server of this model counts no tokens, so aish cannot hold the limit of costs';
export const UNPRICED_HINT = 'set price_input and price_output in [models.NAME], or use a limit of tokens';

/** How much of its limits a run has used. */
export const formatProgress = (
  used: { readonly steps: number; readonly tokens: number; readonly seconds: number },
  { steps, tokens, minutes }: ContractLimits,
) => `step ${used.steps} of ${steps}, ${used.tokens} of ${tokens} tokens, ${Math.round(used.seconds)} s of ${minutes} min`;
