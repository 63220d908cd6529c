import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Options, OutputFormat } from '../../../core/command-line/invocation.ts';
import { countOf, misuse, readOptions, wrongValue } from '../../../core/command-line/subcommand-args.ts';
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
import type { Contract, ContractEnd } from '../../../protocol/contract.ts';
import { formatError } from '../../../protocol/error.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import { omitUndefined, toSafeJson } from '../../../protocol/json.ts';
import { inProject, readReceipt } from '../commands/contract-command.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { endOnFault } from './end-on-fault.ts';
import { AMOUNT, NEEDS_GOAL } from './messages.ts';
import { withSession } from './print.ts';

/** `aish run`: an autonomous run for scripts. The answer is the exit status. */
export async function runContract(args: readonly string[], options: Options): Promise<number> {
  endOnFault();
  const { options: given, values } = readOptions('run', args);
  const format = toFormat(given.get('--output'));
  const receiptPath = given.get('--receipt');
  return withSession(options, async ({ client, live, setup, from, ended }) => {
    const contract = inProject(toContract(given, values), setup.cwd, setup.env.HOME ?? '');
    const events = client.events(from);
    const outcome = await client.submit({ type: 'begin-contract', contract });
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
    const json = `${toSafeJson({ ...receipt, changes, session_id: client.sessionId })}\n`;
    if (receiptPath !== undefined)
      writeFileSync(resolve(setup.cwd, receiptPath), receiptPath.endsWith('.json') ? json : toText(receipt, changes));
    if (format === 'json') PROCESS_OUTPUT.out(json);
    if (format === 'text') PROCESS_OUTPUT.out(toText(receipt, changes));
    return ended() ?? toStatus(receipt.reason);
  });
}

function toText(receipt: Receipt, changes: readonly ReceiptChange[]): string {
  return sanitizeText(formatReceipt(receipt, changes));
}

/** The progress goes to standard error, so that standard output has only the receipt. */
function show(event: SessionEvent): void {
  const { error } = PROCESS_OUTPUT;
  switch (event.type) {
    case 'contract.started':
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

function toContract(given: ReadonlyMap<string, string>, values: ReadonlyMap<string, readonly string[]>): Contract {
  const goal = given.get('--goal')?.trim() ?? '';
  const until = values.get('--until') ?? [];
  if (goal === '' || until.length === 0) throw misuse('run', NEEDS_GOAL);
  const count = (option: string): number | undefined => countOf('run', option, given.get(option));
  const limits = {
    steps: count('--max-steps') ?? DEFAULT_LIMITS.steps,
    minutes: count('--max-minutes') ?? DEFAULT_LIMITS.minutes,
    tokens: count('--max-tokens') ?? DEFAULT_LIMITS.tokens,
    ...omitUndefined({ usd: amountOf(given.get('--max-usd')) }),
  };
  return { goal, until, only: (values.get('--only') ?? ['.']).map(normalizePath), limits };
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
    case 'failed':
    case null:
      return 1;
  }
}
