import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isAtWork, RunStore } from '../../../adapters/store/run-store.ts';
import type { Options, OutputFormat } from '../../../core/command-line/invocation.ts';
import { type GivenOptions, misuse, readArgs } from '../../../core/command-line/subcommand-args.ts';
import { DEFAULT_LIMITS, normalizePath } from '../../../core/contract/contract-line.ts';
import { isResumable } from '../../../core/contract/contract-run.ts';
import { formatNextInScript } from '../../../core/contract/messages.ts';
import {
  describeContractEvent,
  formatReceipt,
  type Receipt,
  type ReceiptChange,
} from '../../../core/contract/receipt.ts';
import { untilState } from '../../../core/session/session-client.ts';
import { isIdle } from '../../../core/session/state.ts';
import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import type { OpenSessionServer, SessionServer } from '../../../engine/session/session-server.ts';
import type { Contract, ContractEnd, ContractLimits, RunRecord } from '../../../protocol/contract.ts';
import { type ErrorFact, formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { omitUndefined, toSafeJson } from '../../../protocol/json.ts';
import type { OpOf } from '../../../protocol/op.ts';
import { inProject, readReceipt } from '../commands/contract-command.ts';
import { formatChanged, formatOfferAtPrompt, formatPlace, noRun, stillAtWork } from '../commands/messages-extend.ts';
import { IN_COPY } from '../commands/run-command.ts';
import { applyRun, beginCopy, copyRest, countChanges, cwdIn, removeCopy } from '../commands/working-copies.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { prepare, runtimeFolder, type Setup } from '../setup/setup.ts';
import { endOnFault } from './end-on-fault.ts';
import { formatTermAtResume, NEEDS_GOAL, NEEDS_WORKTREE } from './messages.ts';
import { type ScriptSession, withSession } from './print.ts';

/** `aish run`: an autonomous run for scripts. The answer is the exit status. */
export async function runContract(
  args: readonly string[],
  options: Options,
  openServer: OpenSessionServer,
): Promise<number> {
  endOnFault();
  if (args[0] === IN_COPY) return runWorker(args[1] ?? '', options, openServer);
  const { options: given } = readArgs('run', args);
  if (given.has('--apply') && !given.has('--worktree')) throw misuse('run', NEEDS_WORKTREE);
  const format = toFormat(given.get('--output'));
  const term = ['--goal', '--until', '--only', '--worktree'].find((option) => given.has(option));
  if (given.has('--resume') && term !== undefined) throw misuse('run', formatTermAtResume(term));
  const onEvent = (recorded: Recorded): void => show(recorded, format);
  if (given.has('--worktree')) return runInCopy(toContract(given), { given, options, onEvent });
  return withSession({ ...options, ...omitUndefined({ resume: given.get('--resume') }) }, async (session) => {
    const op = toOp(given, session.setup);
    const copy = op.type === 'resume-contract' ? findCopy(session, op.limits ?? {}) : null;
    if (copy !== null) return playInCopy(copy, session, { given, onEvent });
    return report(session, await playContract(session, op, onEvent), given);
  });
}

/** `aish run --worktree`: copies the project, and runs there. */
async function runInCopy(contract: Contract, { given, options, onEvent }: Run): Promise<number> {
  const setup = await prepare(options);
  const { cwd, env, settings, paths } = setup;
  const record = await beginCopy({
    setup,
    cwd,
    contract: inProject(contract, cwd, env.HOME ?? ''),
    owner: null,
    model: settings.model,
    cloud: settings.cloud === true,
  });
  const store = new RunStore(paths.state);
  store.update(record.id, { pid: process.pid });
  const left = await copyRest(record);
  if (left !== null) PROCESS_OUTPUT.error(`aish: ${left}\n`);
  const play = (session: ScriptSession): Promise<number> => playInCopy({ store, record }, session, { given, onEvent });
  return withSession(options, play, { ...setup, cwd: cwdIn(record) });
}

/** The copy in which the run of a session worked before, to go on with these limits; null without one. */
function findCopy({ client, setup }: ScriptSession, raised: Partial<ContractLimits>): StoredRun | null {
  const store = new RunStore(setup.paths.state);
  const found = store.list().find((run) => run.session === client.sessionId);
  if (found === undefined) return null;
  if (isAtWork(found)) throw stillAtWork(found.id);
  const record = { ...found, raised, pid: process.pid, endedAt: null, reason: null };
  store.write(record);
  return { store, record };
}

async function playInCopy(copy: StoredRun, session: ScriptSession, { given, onEvent }: Omit<Run, 'options'>) {
  const error = await playRun(session, copy, onEvent);
  return endCopy(copy, session, given, await report(session, error, given, copy.record.id));
}

/** Applies the changes, or says where they are. A copy without changes goes. Returns the exit status. */
async function endCopy(
  { store, record }: StoredRun,
  { client, setup }: ScriptSession,
  given: GivenOptions,
  status: number,
): Promise<number> {
  const { id, tree } = record;
  const isText = toFormat(given.get('--output')) === 'text';
  const tell = (text: string): void => (isText ? PROCESS_OUTPUT.out : PROCESS_OUTPUT.error)(`${text}\n`);
  const count = await countChanges(record);
  if (count === 0) {
    await removeCopy(store, record);
    return status;
  }
  if (status === 0 && given.has('--apply')) {
    const { text, isWhole } = await applyRun(store, store.find(id) ?? record, { setup, sessionId: client.sessionId });
    tell(text);
    return isWhole ? 0 : 1;
  }
  tell(formatChanged(count ?? 0));
  tell(formatPlace(escapeForDisplay(tree)));
  tell(formatOfferAtPrompt(id));
  return status;
}

/** Prints the receipt, or why the run could not begin. Returns the exit status. */
async function report(
  { client, live, ended }: ScriptSession,
  error: ErrorFact | null,
  given: GivenOptions,
  run?: string,
): Promise<number> {
  if (error !== null) {
    PROCESS_OUTPUT.error(`aish: ${formatError(error)}\n`);
    return 1;
  }
  const format = toFormat(given.get('--output'));
  const path = given.get('--receipt');
  const { receipt, changes } = await readReceipt(live.session.recorded, live.sharedShell.cwd);
  const steps = changes.length === 0 ? 0 : receipt.checkpoints.length;
  if (run === undefined)
    PROCESS_OUTPUT.error(`aish: ${formatNextInScript(client.sessionId, isResumable(receipt.reason), steps)}\n`);
  const json = `${toSafeJson({ ...receipt, changes, session_id: client.sessionId, ...omitUndefined({ run }) })}\n`;
  if (path !== undefined) writeFileSync(resolve(path), path.endsWith('.json') ? json : toText(receipt, changes));
  if (format === 'json') PROCESS_OUTPUT.out(json);
  if (format === 'text') PROCESS_OUTPUT.out(toText(receipt, changes));
  return ended() ?? STATUSES[receipt.reason ?? 'failed'];
}

function toText(receipt: Receipt, changes: readonly ReceiptChange[]): string {
  return sanitizeText(formatReceipt(receipt, changes));
}

/** The progress goes to standard error, so that standard output has only the receipt. */
function show(recorded: Recorded, format: OutputFormat): void {
  const { error, out } = PROCESS_OUTPUT;
  const { event } = recorded;
  if (format === 'stream-json') {
    out(`${toSafeJson(recorded)}\n`);
    return;
  }
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

interface Run {
  readonly given: GivenOptions;
  readonly options: Options;
  readonly onEvent: (recorded: Recorded) => void;
}

/** The op that begins the run of the command line, or lets the last one go on. */
function toOp(given: GivenOptions, { cwd, env }: Setup): OpOf<'begin-contract' | 'resume-contract'> {
  if (given.has('--resume')) return { type: 'resume-contract', limits: toLimits(given) };
  return { type: 'begin-contract', contract: inProject(toContract(given), cwd, env.HOME ?? '') };
}

function toContract(given: GivenOptions): Contract {
  const goal = given.get('--goal')?.trim() ?? '';
  const until = given.all('--until');
  if (goal === '' || until.length === 0) throw misuse('run', NEEDS_GOAL);
  const only = given.has('--only') ? given.all('--only') : ['.'];
  return { goal, until, only: only.map(normalizePath), limits: { ...DEFAULT_LIMITS, ...toLimits(given) } };
}

function toLimits(given: GivenOptions): Partial<ContractLimits> {
  const limit = (unit: string): number | undefined => given.number(`--max-${unit}`);
  const [steps, minutes, tokens, usd] = ['steps', 'minutes', 'tokens', 'usd'].map(limit);
  return omitUndefined({ steps, minutes, tokens, usd });
}

function toFormat(value: string | undefined): OutputFormat {
  return value === 'json' || value === 'stream-json' ? value : 'text';
}

const STATUSES: Readonly<Record<ContractEnd, number>> = {
  achieved: 0,
  'already-achieved': 0,
  fence: 3,
  'step-limit': 4,
  'time-limit': 4,
  'token-limit': 4,
  'cost-limit': 4,
  stopped: 130,
  'pinned-changed': 1,
  'no-progress': 1,
  'repeated-failure': 1,
  failed: 1,
};

/**
 * The process of a run in the background: `aish run` in a working copy that a prompt has made. Its standard input is a pipe from that
 * prompt. When the pipe closes, the prompt wants the run to end, or is gone, by whatever signal.
 */
async function runWorker(id: string, options: Options, openServer: OpenSessionServer): Promise<number> {
  const closed = new AbortController();
  const { signal } = closed;
  void untilClosed().then(() => closed.abort());
  const setup = await prepare(options);
  const store = new RunStore(setup.paths.state);
  const record = store.find(id);
  if (record === null) throw noRun(id);
  store.update(id, { pid: process.pid });
  const left = record.session === null ? await copyRest(record, signal) : null;
  if (left !== null) PROCESS_OUTPUT.out(`${left}\n`);
  if (signal.aborted) {
    store.update(id, { endedAt: Date.now(), reason: 'stopped' });
    return 0;
  }
  const work = async (session: ScriptSession): Promise<number> => {
    const { engine, client, live } = session;
    const { model, cloud } = record;
    await client.submit({ type: 'configure', settings: { ...(model === null ? {} : { model }), cloud } });
    const server = await share(session, openServer);
    const halt = (): void => void engine.halt('terminal');
    signal.addEventListener('abort', halt, { once: true });
    const error = await playRun(session, { store, record }, ({ event }) => {
      if (event.type === 'contract.ended' && event.error !== undefined) PROCESS_OUTPUT.out(`${event.error.message}\n`);
      // The pipe may close in the moment before the run begins.
      if (signal.aborted) halt();
    });
    if (error !== null) PROCESS_OUTPUT.error(`${formatError(error)}\n`);
    server?.withdraw();
    await live.session.close();
    await server?.close();
    return error === null ? 0 : 1;
  };
  const { session: resume } = record;
  return withSession(resume === null ? options : { ...options, resume }, work, { ...setup, cwd: cwdIn(record) });
}

async function untilClosed(): Promise<void> {
  for await (const _ of Bun.stdin.stream());
}

/** Lets other terminals attach to the session of the run. It works without them, too. */
async function share({ live, setup }: ScriptSession, open: OpenSessionServer): Promise<SessionServer | null> {
  const path = join(runtimeFolder(setup), `${live.session.sessionId}.sock`);
  const onFault = (thrown: unknown): void => PROCESS_OUTPUT.error(`${formatError(toErrorFact(thrown))}\n`);
  try {
    return await open({ live, path, owner: null, models: Object.keys(setup.loaded.config.models), onFault });
  } catch (thrown) {
    onFault(thrown);
    return null;
  }
}

/** A run in a working copy, and where it is stored. */
interface StoredRun {
  readonly store: RunStore;
  readonly record: RunRecord;
}

/** Plays a run to its end; the answer is the error of one that could not begin. */
async function playContract(
  { client, from }: Pick<ScriptSession, 'client' | 'from'>,
  op: OpOf<'begin-contract' | 'resume-contract'>,
  onEvent: (recorded: Recorded) => void,
): Promise<ErrorFact | null> {
  const events = client.events(from);
  const outcome = await client.submit(op);
  if (outcome.type === 'refused') return outcome.error;
  for await (const recorded of events) {
    onEvent(recorded);
    if (recorded.event.type === 'contract.ended') break;
  }
  await untilState(client, isIdle);
  return null;
}

/** Plays the contract of a run, or goes on with it in its session, and notes session and end down. */
async function playRun(
  session: ScriptSession,
  { store, record }: StoredRun,
  onEvent: (recorded: Recorded) => void,
): Promise<ErrorFact | null> {
  const { id, contract, raised = {} } = record;
  const isNew = record.session === null;
  store.update(id, { session: session.client.sessionId });
  const op = isNew
    ? ({ type: 'begin-contract', contract } as const)
    : ({ type: 'resume-contract', limits: raised } as const);
  const error = await playContract(session, op, (recorded) => {
    if (recorded.event.type === 'contract.ended') store.update(id, { reason: recorded.event.reason });
    onEvent(recorded);
  });
  store.update(id, { endedAt: Date.now(), ...(error === null ? {} : { reason: 'failed' }) });
  return error;
}
