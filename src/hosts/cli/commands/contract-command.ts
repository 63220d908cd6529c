import { relative, resolve } from 'node:path';
import { projectAround } from '../../../adapters/config/paths.ts';
import { CONTRACT_EXAMPLE, formatOutsideProject, formatUsed, IN_BACKGROUND } from '../../../core/contract/messages.ts';
import { parseContract, parseResume, type TypedContract } from '../../../core/contract/parse-contract.ts';
import {
  describeContract,
  formatReceipt,
  type Receipt,
  type ReceiptChange,
  toReceipt,
} from '../../../core/contract/receipt.ts';
import { resumeContract } from '../../../core/session/contract.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import type { Contract } from '../../../protocol/contract.ts';
import { AishError, formatError } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { Op } from '../../../protocol/op.ts';
import * as messages from './messages.ts';
import type { OpenReview } from './review-command.ts';

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
    show: () => [...describeContract(contract), ...(inBackground ? [IN_BACKGROUND] : [])].join('\n'),
    question: messages.CONTRACT_QUESTION,
    answer: (text) => ifYes(text, inBackground ? () => beginApart(contract) : submit),
  };
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
    show: () => [...(contract === null ? [] : describeContract(contract)), formatUsed({ steps, tokens })].join('\n'),
    question: messages.RESUME_QUESTION,
    answer: (text) => ifYes(text, () => submitOp(op, client)),
  };
}

function ifYes(text: string, begin: () => Promise<string>): string | Promise<string> {
  return text.trim().toLowerCase() === 'yes' ? begin() : messages.CONTRACT_DECLINED;
}

async function submitOp(op: Op, client: Pick<SessionClient, 'submit'>): Promise<string> {
  const outcome = await client.submit(op);
  return outcome.type === 'refused' ? formatError(outcome.error) : '';
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
