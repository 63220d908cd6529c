import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Options, OutputFormat } from '../../../core/command-line/invocation.ts';
import { countOf, misuse, readOptions, wrongValue } from '../../../core/command-line/subcommand-args.ts';
import { isResumable } from '../../../core/contract/contract-run.ts';
import { formatNextInScript } from '../../../core/contract/messages.ts';
import { DEFAULT_LIMITS, normalizePath } from '../../../core/contract/parse-contract.ts';
import {
  describeContractEvent,
  formatReceipt,
  type Receipt,
  type ReceiptChange,
} from '../../../core/contract/receipt.ts';
import { untilState } from '../../../core/session/session-client.ts';
import { isIdle } from '../../../core/session/state.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import type { Contract, ContractEnd, ContractLimits } from '../../../protocol/contract.ts';
import { formatError } from '../../../protocol/error.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import { omitUndefined, toSafeJson } from '../../../protocol/json.ts';
import type { OpOf } from '../../../protocol/op.ts';
import { inProject, readReceipt } from '../commands/contract-command.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import type { Setup } from '../setup/setup.ts';
import { endOnFault } from './end-on-fault.ts';
import { AMOUNT, formatTermAtResume, NEEDS_GOAL } from './messages.ts';
import { withSession } from './print.ts';

/** `aish run`: an autonomous run for scripts. The answer is the exit status. */
export async function runContract(args: readonly string[], options: Options): Promise<number> {
  endOnFault();
  const { options: given, values } = readOptions('run', args);
  const format = toFormat(given.get('--output'));
  const receiptPath = given.get('--receipt');
  const term = ['--goal', '--until', '--only'].find((option) => given.has(option));
  if (given.has('--resume') && term !== undefined) throw misuse('run', formatTermAtResume(term));
  return withSession(
    { ...options, ...omitUndefined({ resume: given.get('--resume') }) },
    async ({ client, live, setup, from, ended }) => {
      const op = toOp(given, values, setup);
      const events = client.events(from);
      const outcome = await client.submit(op);
      if (outcome.type === 'refused') {
        PROCESS_OUTPUT.error(`aish: ${formatError(outcome.error)}\n`);
        return 1;
      }
      for await (const recorded of events) {
        if (format === 'stream-json') PROCESS_OUTPUT.out(`${toSafeJson(recorded)}\n`);
        else show(recorded.event);
        if (recorded.event.type === 'contract.ended') break;
      }
      await untilState(client, isIdle);
      const { receipt, changes } = await readReceipt(live.session.recorded, setup.cwd);
      PROCESS_OUTPUT.error(
        `aish: ${formatNextInScript(client.sessionId, isResumable(receipt.reason), changes.length === 0 ? 0 : receipt.checkpoints.length)}\n`,
      );
      const json = `${toSafeJson({ ...receipt, changes, session_id: client.sessionId })}\n`;
      if (receiptPath !== undefined)
        writeFileSync(resolve(setup.cwd, receiptPath), receiptPath.endsWith('.json') ? json : toText(receipt, changes));
      if (format === 'json') PROCESS_OUTPUT.out(json);
      if (format === 'text') PROCESS_OUTPUT.out(toText(receipt, changes));
      return ended() ?? toStatus(receipt.reason);
    },
  );
}

function toText(receipt: Receipt, changes: readonly ReceiptChange[]): string {
  return sanitizeText(formatReceipt(receipt, changes));
}

/** The progress goes to standard error, so that standard output has only the receipt. */
function show(event: SessionEvent): void {
  const { error } = PROCESS_OUTPUT;
  switch (event.type) {
    case 'contract.started':
    case 'contract.resumed':
    case 'contract.checked':
    case 'contract.fenced':
    case 'contract.ended':
      for (const line of describeContractEvent(event)) error(`aish: ${line}\n`);
      return;
    case 'tool-call.completed':
      if (event.record !== undefined)
        error(sanitizeText(`aish: $ ${event.record.line} (exit ${event.record.exit ?? '?'})\n`));
      return;
    case 'notice':
      if (event.level !== 'info') error(sanitizeText(`aish: ${event.text}\n`));
      return;
    default:
      return;
  }
}

type Given = ReadonlyMap<string, string>;
type Values = ReadonlyMap<string, readonly string[]>;

/** The op that begins the run of the command line, or lets the last one go on. */
function toOp(given: Given, values: Values, { cwd, env }: Setup): OpOf<'begin-contract' | 'resume-contract'> {
  if (given.has('--resume')) return { type: 'resume-contract', limits: toLimits(given) };
  return { type: 'begin-contract', contract: inProject(toContract(given, values), cwd, env.HOME ?? '') };
}

function toContract(given: Given, values: Values): Contract {
  const goal = given.get('--goal')?.trim() ?? '';
  const until = values.get('--until') ?? [];
  if (goal === '' || until.length === 0) throw misuse('run', NEEDS_GOAL);
  const limits = { ...DEFAULT_LIMITS, ...toLimits(given) };
  return { goal, until, only: (values.get('--only') ?? ['.']).map(normalizePath), limits };
}

function toLimits(given: Given): Partial<ContractLimits> {
  const count = (option: string): number | undefined => countOf('run', option, given.get(option));
  const usd = amountOf(given.get('--max-usd'));
  const [steps, minutes, tokens] = [count('--max-steps'), count('--max-minutes'), count('--max-tokens')];
  return omitUndefined({ steps, minutes, tokens, usd });
}

function amountOf(value: string | undefined): number | undefined {
  const amount = Number(value);
  if (value !== undefined && !(amount > 0)) throw wrongValue('run', '--max-usd', AMOUNT, value);
  return value === undefined ? undefined : amount;
}

function toFormat(value: string | undefined): OutputFormat {
  return value === 'json' || value === 'stream-json' ? value : 'text';
}

function toStatus(reason: ContractEnd | null): number {
  switch (reason) {
    case 'achieved':
    case 'already-achieved':
      return 0;
    case 'fence':
      return 3;
    case 'step-limit':
    case 'time-limit':
    case 'token-limit':
    case 'cost-limit':
      return 4;
    case 'stopped':
      return 130;
    case 'pinned-changed':
    case 'no-progress':
    case 'repeated-failure':
    case 'failed':
    case null:
      return 1;
  }
}
