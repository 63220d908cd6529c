import { projectAround } from '../../../adapters/config/paths.ts';
import { logPath, readLog } from '../../../adapters/store/event-log.ts';
import { isAtWork } from '../../../adapters/store/run-store.ts';
import { formatContractEnd } from '../../../core/contract/messages.ts';
import { describeProgress, type Receipt, toReceipt } from '../../../core/contract/receipt.ts';
import type { NorrisAction } from '../../../core/meta/meta-entry.ts';
import { fold } from '../../../core/session/evolve.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import type { Contract } from '../../../protocol/contract.ts';
import type { RunRecord } from '../../../protocol/run-record.ts';
import { formatDiff } from '../screen/diff.ts';
import type { Theme } from '../screen/theme.ts';
import type { Setup } from '../setup/setup.ts';
import type { BackgroundRuns } from './background-runs.ts';
import { openResume, showReceipt } from './contract-command.ts';
import * as messages from './messages-runs.ts';
import type { OpenReview } from './review-command.ts';
import { applyRun, beginCopy, describeChanges, placeOf, removeCopy } from './working-copies.ts';

interface RunContext {
  readonly setup: Setup;
  readonly client: SessionClient;
  readonly owner: { readonly live: LiveSession; readonly runs: () => Promise<BackgroundRuns> };
  readonly cwd: string;
  readonly columns: number;
  readonly theme: Theme;
  readonly signal: AbortSignal;
}

/** Begins a run in the background: copies the project as it is now, and starts the process. Returns the text to print. */
export async function beginRun(contract: Contract, { setup, client, cwd, owner, signal }: RunContext): Promise<string> {
  const { model, cloud = false } = client.state.settings;
  const record = await beginCopy({ setup, cwd, signal, contract, owner: client.sessionId, model, cloud });
  (await owner.runs()).start(record);
  return messages.formatBegun(record.id);
}

/** `:norris` about a run in the background. Returns the text to print. */
export async function carryOutRun(
  action: Exclude<NorrisAction, 'undo'>,
  id: string | undefined,
  context: RunContext,
): Promise<string> {
  const runs = await context.owner.runs();
  const run = chooseRun(action, id, runs, context);
  switch (action) {
    case 'receipt':
      return showReceipt(eventsOf(run, context), run.tree);
    case 'diff': {
      const { diffWorkingCopy } = await import('../../../adapters/git/working-copy/apply-copy.ts');
      const diff = context.owner.live.secrets.redact(await diffWorkingCopy(placeOf(run)));
      return diff === '' ? messages.NO_CHANGES : formatDiff(diff, context.columns, context.theme).join('\n');
    }
    case 'apply': {
      const { setup, client } = context;
      return (await applyRun(runs.store, run, { setup, sessionId: client.sessionId })).text;
    }
    case 'discard':
      if (isAtWork(run)) throw messages.stillAtWork(run.id);
      await removeCopy(runs.store, run);
      return messages.formatDiscarded(run.id);
    case 'stop':
      return (await runs.stop(run.id)) ? messages.formatStopped(run.id) : messages.formatNotRunning(run.id);
  }
}

/** `:norris resume r1 [within …]`: the contract of a run in the background, which goes on in its working copy if the user answers yes. */
export async function openRunResume(id: string, words: string, context: RunContext): Promise<OpenReview> {
  const runs = await context.owner.runs();
  const run = chooseRun('receipt', id, runs, context);
  if (isAtWork(run)) throw messages.stillAtWork(run.id);
  placeOf(run);
  const events = eventsOf(run, context).map(({ event }) => event);
  return openResume(words, {
    state: fold([...events, { type: 'session.resumed', settings: context.client.state.settings }]),
    submit: async (op) => {
      const raised = op.type === 'resume-contract' ? op.limits : {};
      runs.store.update(id, { raised, endedAt: null, reason: null, pid: null });
      runs.start(run);
      return { type: 'recorded' };
    },
  });
}

/** The named run, or the newest one here that the action can be about. */
function chooseRun(action: NorrisAction, id: string | undefined, runs: BackgroundRuns, context: RunContext): RunRecord {
  const here = runsHere(runs, context);
  const able = action === 'stop' ? here.filter(isAtWork) : here;
  const run = id === undefined ? able.at(-1) : (runs.store.find(id) ?? undefined);
  if (run === undefined) throw messages.noRun(id);
  return run;
}

/** Those of this session and of this project. */
function runsHere(runs: BackgroundRuns, { setup, client, cwd }: RunContext): readonly RunRecord[] {
  const project = projectAround(cwd, setup.env.HOME ?? '');
  return runs.store.list().filter((run) => run.owner === client.sessionId || run.project === project);
}

function eventsOf({ session }: RunRecord, { setup }: RunContext) {
  return session === null ? [] : attempt(() => readLog(logPath(setup.paths.state, session)), []);
}

/** `:norris`: the state of the runs in the background, of this session and of this project; null without one. */
export async function describeRuns(context: RunContext): Promise<string | null> {
  const lines: string[] = [];
  for (const run of runsHere(await context.owner.runs(), context)) {
    const state = isAtWork(run) ? 'working' : run.endedAt === null ? 'cut' : 'ended';
    lines.push(...describeRun(run.id, state, run.contract, toReceipt(eventsOf(run, context))));
    if (state !== 'working') lines.push(messages.formatIndented(await describeChanges(run)));
  }
  return lines.length === 0 ? null : lines.join('\n');
}

function describeRun(
  name: string,
  state: keyof typeof messages.STATES,
  contract: Contract,
  receipt: Receipt | null,
): readonly string[] {
  const goal = escapeForDisplay(contract.goal);
  const end = receipt?.reason == null || state === 'working' ? [] : [formatContractEnd(receipt.reason)];
  const progress = receipt === null ? [] : describeProgress(receipt);
  const head = messages.formatHead(name, messages.STATES[state], goal);
  return [head, ...[...end, ...progress].map(messages.formatIndented)];
}
