import { join, relative, resolve } from 'node:path';
import { projectAround } from '../../../adapters/config/paths.ts';
import { readRegular } from '../../../adapters/system/file-status.ts';
import {
  CHECK_FILES,
  isSentence,
  parseContract,
  parseResume,
  suggestContract,
  type TypedContract,
} from '../../../core/contract/contract-line.ts';
import { formatItems } from '../../../core/contract/contract-run.ts';
import {
  CONTRACT_EXAMPLE,
  formatOutsideProject,
  formatUsed,
  IN_BACKGROUND,
  PROPOSED,
  PROPOSED_WITHOUT_CHECK,
} from '../../../core/contract/messages.ts';
import {
  describeContract,
  describeRun,
  formatReceipt,
  type Receipt,
  type ReceiptChange,
  toReceipt,
} from '../../../core/contract/receipt.ts';
import { resumeContract } from '../../../core/session/contract.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import type { SessionState } from '../../../core/session/state.ts';
import { wrapProse } from '../../../core/terminal/wrap.ts';
import { attempt } from '../../../core/text/attempt.ts';
import type { Contract } from '../../../protocol/contract.ts';
import { AishError, formatError } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { Op } from '../../../protocol/op.ts';
import type { OpenReview } from './mcp-command.ts';
import * as messages from './messages.ts';

/** Most characters of a file that aish reads for a test command. */
const MOST_READ = 1_000_000;

interface ContractContext {
  readonly client: Pick<SessionClient, 'submit'>;
  readonly cwd: string;
  readonly home: string;
}

/** `:norris CONTRACT`: shows the whole contract. The run begins if the user answers yes; `beginApart` begins one in the background. */
export function openContract(
  line: string,
  { client, cwd, home }: ContractContext,
  beginApart: (contract: Contract) => Promise<string>,
): OpenReview {
  const { contract, inBackground } = readContract(line, cwd, home);
  const submit = () => submitOp({ type: 'begin-contract', contract }, client);
  return {
    alias: 'norris',
    show: (columns) => foldRows([...describeContract(contract), ...(inBackground ? [IN_BACKGROUND] : [])], columns),
    question: messages.CONTRACT_QUESTION,
    answer: (text) => ifYes(text, inBackground ? () => beginApart(contract) : submit),
  };
}

/** A contract for a plain sentence, as a line to change and enter; null for a contract, whatever is wrong with it. */
export function proposeContract(
  text: string,
  { cwd, home }: Pick<ContractContext, 'cwd' | 'home'>,
): { readonly line: string; readonly hint: string } | null {
  if (!isSentence(text)) return null;
  const project = projectAround(cwd, home);
  const files = CHECK_FILES.flatMap((name) => {
    const content = attempt(() => readRegular(join(project, name)).toString().slice(0, MOST_READ), null);
    return content === null ? [] : [[name, content] as const];
  });
  const { line, hasCheck } = suggestContract(text, new Map(files));
  return { line, hint: hasCheck ? PROPOSED : PROPOSED_WITHOUT_CHECK };
}

/** `:norris resume [within …]`: shows the contract with its limits. The run goes on if the user answers yes. */
export function openResume(words: string, client: Pick<SessionClient, 'submit' | 'state'>): OpenReview {
  const limits = parseResume(words);
  if (typeof limits === 'string') throw new AishError('contract.invalid', limits, { hint: messages.RESUME_EXAMPLE });
  const op = { type: 'resume-contract', limits } as const;
  const [event] = resumeContract(client.state, op, null);
  if (event?.type === 'op.rejected') throw new AishError(event.error.code, event.error.message, event.error);
  const contract = event?.type === 'contract.resumed' ? event.contract : null;
  const { steps = 0, tokens = 0 } = client.state.endedRun ?? {};
  return {
    alias: 'norris',
    show: (columns) =>
      foldRows([...(contract === null ? [] : describeContract(contract)), formatUsed({ steps, tokens })], columns),
    question: messages.RESUME_QUESTION,
    answer: (text) => ifYes(text, () => submitOp(op, client)),
  };
}

function foldRows(rows: readonly string[], columns: number): string {
  return rows.flatMap((row) => wrapProse(row, columns, '')).join('\n');
}

function ifYes(text: string, begin: () => Promise<string>): string | Promise<string> {
  return text.trim().toLowerCase() === 'yes' ? begin() : messages.CONTRACT_DECLINED;
}

async function submitOp(op: Op, client: Pick<SessionClient, 'submit'>): Promise<string> {
  const outcome = await client.submit(op);
  return outcome.type === 'refused' ? formatError(outcome.error) : '';
}

type RunState = Pick<SessionState, 'contractRun' | 'endedRun'>;

/** `:norris` alone: the run that goes on, or the last one; null without one. */
export function showRun({ contractRun, endedRun }: RunState): string | null {
  const run = contractRun ?? endedRun;
  return run === undefined ? null : describeRun(run, run === contractRun).join('\n');
}

/** `:norris plan`. */
export function showPlan({ contractRun, endedRun }: RunState): string {
  const { plan = [] } = contractRun ?? endedRun ?? {};
  return plan.length === 0 ? messages.NO_PLAN : formatItems(plan).join('\n');
}

/** Reads a contract that was typed in a directory of a project. Throws `AishError` with code `contract.invalid`. */
export function readContract(line: string, cwd: string, home: string): TypedContract {
  const parsed = parseContract(line);
  if ('problem' in parsed) throw invalid(parsed.problem);
  return { ...parsed, contract: inProject(parsed.contract, cwd, home) };
}

/** The contract with its paths relative to the project instead of the directory in it. */
export function inProject(contract: Contract, cwd: string, home: string): Contract {
  const project = projectAround(cwd, home);
  const only = contract.only.map((path) => {
    if (path === '.' && contract.only.length === 1) return '.';
    const inside = relative(project, resolve(cwd, path));
    if (inside === '..' || inside.startsWith('../')) throw invalid(formatOutsideProject(path));
    return inside === '' ? '.' : inside;
  });
  return { ...contract, only };
}

function invalid(problem: string): AishError {
  return new AishError('contract.invalid', problem, { hint: CONTRACT_EXAMPLE });
}

/** The last autonomous run of a session, and the files that differ from its start. Throws `AishError` without one. */
export async function readReceipt(
  recorded: readonly Recorded[],
  cwd: string,
): Promise<{ readonly receipt: Receipt; readonly changes: readonly ReceiptChange[] }> {
  const receipt = toReceipt(recorded);
  if (receipt === null) throw new AishError('contract.none', messages.NO_CONTRACT, { hint: CONTRACT_EXAMPLE });
  const { readNetChanges } = await import('../../../adapters/git/snapshot/contract-files.ts');
  return { receipt, changes: await readNetChanges(cwd, receipt.checkpoints) };
}

/** `:norris receipt`. */
export async function showReceipt(recorded: readonly Recorded[], cwd: string): Promise<string> {
  const { receipt, changes } = await readReceipt(recorded, cwd);
  return formatReceipt(receipt, changes);
}

/** `:norris undo`: undoes all steps of the last autonomous run, if no later step is in the way. */
export async function undoRun(
  recorded: readonly Recorded[],
  { client, cwd }: Omit<ContractContext, 'home'>,
): Promise<string | null> {
  const { receipt } = await readReceipt(recorded, cwd);
  const { checkpoints } = receipt;
  if (checkpoints.length === 0) return messages.NOTHING_TO_UNDO_OF_RUN;
  const { timeline } = await import('../../../adapters/git/snapshot/timeline.ts');
  const done = (await timeline(cwd)).filter(({ of, state }) => of === null && state === 'done');
  const newest = done.slice(0, checkpoints.length).map(({ id }) => id);
  const open = checkpoints.filter((id) => done.some((step) => step.id === id));
  if (open.length === 0) return messages.NOTHING_TO_UNDO_OF_RUN;
  const later = newest.slice(0, open.length).find((id) => !open.includes(id));
  if (later !== undefined)
    throw new AishError('contract.later-steps', messages.formatLaterStep(later), {
      hint: messages.formatUndoEach(open.toReversed()),
    });
  await client.submit({ type: 'restore', checkpoint: null, steps: open.length });
  return null;
}
