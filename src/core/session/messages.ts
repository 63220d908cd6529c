import type { RestoreDirection } from '../../protocol/checkpoint.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import { escapeForDisplay } from '../text/sanitize.ts';
import { nameSome } from '../text/truncate.ts';

/*
 * The texts of a session. Constants and functions up to `unknownModel` are refusals of a request: a code, the reason and what to do. The
 * texts that load later stand in `messages-later.ts`. Errors follow a prefix such as `aish:`, so they begin in lower case.
 */

const refusal = (code: string, message: string, hint: string): ErrorFact => ({ code, message, hint });

export const MODEL_WORKING = refusal(
  'session.busy',
  'the model is still working on the previous message',
  'wait for the answer, or interrupt the model',
);

export const commandRunning = (line: string | null): ErrorFact =>
  refusal('session.busy', `a command is still running: ${nameCommand(line)}`, 'wait for the command, or interrupt it');

export const COMPACTING = refusal('session.busy', 'aish is still compacting the conversation', 'wait for the compaction, or interrupt it');

export const restoreRunning = (direction: 'undo' | 'redo'): ErrorFact =>
  refusal('session.busy', `the ${direction} is still running`, 'wait until it is finished');

export const restoreOpen = (direction: 'undo' | 'redo'): ErrorFact =>
  refusal('restore.open', `the ${direction} needs your choice for files that have changed since`, 'make the choice, or cancel');

export const EMPTY_MESSAGE = refusal('op.empty', 'the message is empty', 'type a question or a request');

export const EMPTY_NAME = refusal('op.empty', 'the name is empty', 'name the session with :name WORDS');

export const NOTHING_TO_TRUST = refusal(
  'taint.none',
  'this session contains no untrusted content',
  'there is nothing to trust; your rules already apply',
);

export const CONTRACT_RUNNING = refusal(
  'contract.running',
  'an autonomous run is still going on',
  'wait until it ends, or stop it with Ctrl-C',
);

export const CONTRACT_NONE = refusal('contract.none', 'no autonomous run is going on', 'to begin one, see :help norris');
export const CONTRACT_PAUSED = refusal('contract.paused', 'the run is paused already', ':resume-run lets it continue');
export const CONTRACT_UNPAUSED = refusal('contract.not-paused', 'the run is not paused', ':pause pauses it');
export const PLAN_UNCHANGED = refusal('plan.unchanged', 'the plan has no such item, or no room', ':norris plan shows its items');
export const formatPlanEdited = (items: readonly string[]) => `[aish] The user changed your plan. It is now:\n${items.join('\n')}`;

export const CONTRACT_OVER = refusal('contract.over', 'no autonomous run of this session can go on', 'to begin one, see :help norris');

export const CONTRACT_USED_UP = refusal(
  'contract.used-up',
  'the run has used all of its steps or tokens',
  'give it more, such as: :norris resume within 40 steps, 400k tokens',
);

export const CONTRACT_CHECKPOINTS = refusal(
  'contract.no-checkpoints',
  'an autonomous run needs checkpoints, and they are off',
  'set mode = "ref" under [checkpoint] in the configuration',
);

export const NO_APPROVAL_OPEN = refusal(
  'call.not-asked',
  'this tool call needs no approval now',
  'another client may have answered the prompt',
);

export const NO_FORM_OPEN = refusal(
  'form.not-asked',
  'this form needs no answer now',
  'another client may have answered it, or its server withdrew it',
);

export const formInvalid = (problem: string): ErrorFact => ({ code: 'form.invalid', message: `not answered: ${problem}` });

export const APPROVAL_OUTDATED = refusal(
  'call.asked-again',
  'this approval prompt is out of date',
  'review the new prompt, then answer it',
);

export const ruleRefused = (tool: string): ErrorFact =>
  refusal('rule.refused', `aish cannot make a rule from this call of ${tool}`, 'answer y to allow the call once');

export const NOT_EDITABLE = refusal(
  'call.not-editable',
  'you can edit only commands, and only into another command',
  'allow or deny this call',
);

export const NOTHING_RUNS = refusal('session.idle', 'nothing is running', 'there is nothing to interrupt');

export const NO_COMMAND_ASKED = refusal(
  'dry-run.not-asked',
  'no command is waiting for approval under this call id',
  'start a dry run while a command is waiting for approval',
);

export const DRY_RUN_RUNNING = refusal('dry-run.running', 'a dry run is still running', 'wait until it is finished, or discard it');

export const DRY_RUN_OPEN = refusal('dry-run.open', 'a dry run is waiting for your decision', 'apply or discard it');

export const NO_DRY_RUN = refusal('dry-run.none', 'there is no dry run to apply or discard', 'start one with :dry-run COMMAND');

export const unknownChange = (count: number): ErrorFact =>
  refusal('dry-run.unknown-item', `the dry run has changes 1 to ${count}`, 'choose some of these numbers, or none to apply all changes');

export const tooManySteps = (most: number): ErrorFact =>
  refusal('restore.steps', `you can undo at most ${most} steps at once`, 'give a smaller number');

export const STEPS_WITH_ID = refusal(
  'restore.steps',
  'a number of steps does not go with the id of a step',
  'give either a number or an id',
);

export const NO_CHOICE_OPEN = refusal(
  'restore.not-asked',
  'no undo or redo is waiting for a choice',
  'another client may have answered the prompt',
);

export const unknownChoice = (choice: string, path: string): ErrorFact =>
  refusal('restore.unknown-choice', `"${choice}" is not a choice for ${path}`, 'use one of the choices in the prompt for this path');

export const NOTHING_TO_COMPACT = refusal(
  'context.nothing-to-free',
  'there is nothing to compact: the summary already covers the conversation',
  ':context shows what fills the context',
);

export const COMPACTION_STOPPED: ErrorFact = { code: 'context.stopped', message: 'stopped; the conversation is unchanged' };

export const CHECKPOINT_STOPPED: ErrorFact = {
  code: 'checkpoint.stopped',
  message: 'stopped; :undo can restore only files that you name',
};

export function unknownModel(name: string, known: readonly string[], { isAddable }: { readonly isAddable: boolean }): ErrorFact {
  const message = `there is no model "${name}"; configured: ${known.join(', ') || 'none'}`;
  if (!isAddable) return { code: 'model.unknown', message, hint: 'use a configured model, or omit the model' };
  const hint =
    known.length === 0
      ? 'name it as PROVIDER:MODEL, or add a section [models.NAME] with base_url to the configuration'
      : name === 'auto'
        ? 'auto chooses between models: add a second one to the configuration'
        : `use a configured model or PROVIDER:MODEL, or add a section [models.${name}]`;
  return { code: 'model.unknown', message, hint };
}

export const UNKNOWN_OUTCOME = 'interrupted; the outcome is unknown';

/** The code of the error that ends a turn if a hook refuses its message. */
export const HOOK_DENIED = 'hook.denied';
/** In the head of a text that goes along with a message. */
export const ABOUT_HOOK = 'from a hook of the user';
export const NOT_BEGUN = 'interrupted before it began';

export function formatDenial(by: 'user' | 'headless', reason: string | undefined): string {
  if (by === 'headless') return `[aish] tool call denied: ${reason ? `${reason}, and ` : ''}nobody is there to approve it`;
  return reason ? `[aish] tool call declined by user: ${reason}` : '[aish] tool call declined by user';
}

export const DEPTH_LIMIT_REACHED =
  '[aish] stopped: this message has used all its rounds of tool calls; say "go on", or raise mcp.max_tool_depth';

export const formatRefusalLimit = (count: number): string => `[aish] stopped: ${count} calls in a row were refused`;

export const formatFailureLimit = (count: number): string =>
  `[aish] stopped: the same call failed ${count} times in a row; say what to do differently`;

export const formatRepetitionLimit = (count: number): string =>
  `[aish] stopped: the model made the same call ${count} times and got the same result; say what to do differently`;

/** A command in a message; `line` is null for a private one. */
export const nameCommand = (line: string | null): string => line ?? 'a private command';

/** Maximum number of paths in one note to the model. */
const MOST_NAMED = 20;

/** An undo or redo, as reported to the model. */
export interface RestoreNote {
  readonly direction: RestoreDirection;
  readonly checkpoint: string | null;
  /** The label of the step. */
  readonly label: string;
  readonly paths: readonly string[];
  /** The progress is unknown. */
  readonly isCutShort?: true;
}

/** Note to the model about an undo or redo of the user, in one line. */
export function formatRestored(entry: RestoreNote): string {
  const { direction, checkpoint, label, paths, isCutShort } = entry;
  const step = [checkpoint ?? 'a step', label === '' ? '' : `(${label})`].filter((part) => part !== '').join(' ');
  if (isCutShort === true) return `[the user's ${direction} of ${step} was interrupted: read the files before you rely on them]`;
  // A file name cannot add a line to the conversation.
  const named = nameSome(
    paths.map((path) => escapeForDisplay(path)),
    MOST_NAMED,
  );
  const [verb, when] = direction === 'undo' ? ['undid', 'before'] : ['redid', 'after'];
  return `[the user ${verb} ${step}: ${named} ${paths.length === 1 ? 'is' : 'are'} back to ${when} that step]`;
}

export const COMPACTION_REASONS = {
  threshold: 'the context is nearly full',
  overflow: 'it is too long for the model',
  user: 'you requested it',
} as const;

export function formatCompacted(before: string, after: string, how: { readonly model?: string; readonly keepsTexts: boolean }): string {
  const without = how.keepsTexts ? 'the model still gets the messages, but not the outputs' : 'aish shortened long texts';
  const method = how.model === undefined ? without : `summarised by ${how.model}`;
  return `compacted from about ${before} to ${after} tokens (${method}); the session log still has everything`;
}

export const SOURCE_NAMES = {
  command: (line: string): string => `the command \`${line}\``,
  descriptions: (alias: string): string =>
    `the tool descriptions of server ${alias} (to trust them: :mcp review ${alias}, or aish mcp approve ${alias})`,
  more: (count: number): string => `${count} more`,
} as const;

/** Why a call needs approval after the model read untrusted content. */
export function formatUntrusted(sources: string, reach: string | null, rule: string | undefined): string {
  const read = `the model has read untrusted content from ${sources}${reach === null ? '' : `, and this ${reach}`}`;
  return rule === undefined ? read : `${read}; aish asks although the rule "${rule}" allows it`;
}
