import type { ContractEnd, ContractEndDetails } from '../../protocol/contract.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { OpOf } from '../../protocol/op.ts';
import {
  afterChecks,
  type ContractRun,
  changedItems,
  editPlan,
  formatItems,
  hasNoStepLeft,
  hasNoTokenLeft,
  isResumable,
  resumeRun,
  startRun,
  tokensOf,
} from '../contract/contract-run.ts';
import { pauseStep } from './checkpoints.ts';
import { applyHandler, type Handlers } from './handlers.ts';
import {
  CONTRACT_CHECKPOINTS,
  CONTRACT_NONE,
  CONTRACT_OVER,
  CONTRACT_PAUSED,
  CONTRACT_RUNNING,
  CONTRACT_UNPAUSED,
  CONTRACT_USED_UP,
  formatPlanEdited,
  PLAN_UNCHANGED,
} from './messages.ts';
import { type Entry, endTurn, reject, type SessionState, type Turn } from './state.ts';

/*
 * An autonomous run is a loop around turns: the checks run, and while they fail, a turn works on. Its contract decides about calls in place
 * of the user. The run ends by one event, and everything else follows from that: `next` derives no further effect of it.
 */

/** Begins an autonomous run, unless the session is `busy`. */
export function beginContract(state: SessionState, { contract }: OpOf<'begin-contract'>, busy: ErrorFact | null): SessionEvent[] {
  if (busy !== null) return reject('begin-contract', busy);
  if (state.settings.checkpointMode === 'off') return reject('begin-contract', CONTRACT_CHECKPOINTS);
  return [{ type: 'contract.started', number: (state.contractRuns ?? 0) + 1, contract }];
}

/** Lets the last run go on, unless the session is `busy`, the goal is reached or a limit leaves nothing to do. */
export function resumeContract(state: SessionState, { limits }: OpOf<'resume-contract'>, busy: ErrorFact | null): SessionEvent[] {
  const { endedRun: run } = state;
  if (busy !== null) return reject('resume-contract', busy);
  if (run === undefined || !isResumable(run.end?.reason)) return reject('resume-contract', CONTRACT_OVER);
  if (state.settings.checkpointMode === 'off') return reject('resume-contract', CONTRACT_CHECKPOINTS);
  const contract = { ...run.contract, limits: { ...run.contract.limits, ...limits } };
  const next = resumeRun(run, contract);
  if (hasNoStepLeft(next) || hasNoTokenLeft(next)) return reject('resume-contract', CONTRACT_USED_UP);
  return [{ type: 'contract.resumed', number: run.number, contract }];
}

/** Pauses the run or lets it continue. The effects with the keys in `running` may finish. */
export function pauseContract({ contractRun: run }: SessionState, type: PauseOp['type'], running: readonly string[]): SessionEvent[] {
  if (!run) return reject(type, CONTRACT_NONE);
  const { number, paused } = run;
  if (type === 'pause-contract') return paused ? reject(type, CONTRACT_PAUSED) : [{ type: 'contract.paused', number, running }];
  return paused ? [{ type: 'contract.continued', number }] : reject(type, CONTRACT_UNPAUSED);
}

type PauseOp = OpOf<'pause-contract' | 'continue-contract'>;

/** Changes the plan for the user. */
export function planContract({ contractRun: run }: SessionState, op: OpOf<'edit-plan'>): SessionEvent[] {
  if (!run) return reject(op.type, CONTRACT_NONE);
  const items = editPlan(run.plan, op);
  const changed = changedItems(run.plan, items ?? run.plan);
  if (items === null || changed.length === 0) return reject(op.type, PLAN_UNCHANGED);
  return [{ type: 'contract.planned', number: run.number, by: 'user', items, changed }];
}

/** The message of the user steers the run: a call that runs finishes, and an answer that streams ends. */
export function steerContract({ turn }: SessionState, { number }: ContractRun, { text, attachment, files }: OpOf<'send'>): SessionEvent[] {
  const message = { text, ...omitUndefined({ attachment, files }) };
  const steered: SessionEvent = { type: 'contract.steered', number, message };
  if (turn === null) return [steered];
  if (turn.open.some(({ stage }) => stage === 'running')) return [steered, { type: 'turn.stop-requested' }];
  return [steered, endTurn({ turn }, 'interrupted')];
}

/** The reason why an autonomous run blocks new work; null without one. */
export function busyWithContract({ contractRun = null }: SessionState): ErrorFact | null {
  return contractRun === null ? null : CONTRACT_RUNNING;
}

/** The events that end the run, and its turn, for a reason of its own; none without a run. */
export function endContract(state: SessionState, reason: ContractEnd, details: ContractEndDetails = {}): SessionEvent[] {
  const { contractRun = null, turn } = state;
  if (contractRun === null) return [];
  const { number, steps, tokens, last, plan } = contractRun;
  const failing = (last?.records ?? []).flatMap(({ line, exit }) => (exit === 0 ? [] : [line]));
  const open = plan.flatMap(({ text, state: at }) => (at === 'open' || at === 'doing' ? [text] : []));
  const summary = { steps, tokens, failing, ...(open.length === 0 ? {} : { open }) };
  const ended: SessionEvent = { type: 'contract.ended', number, reason, summary, ...details };
  return turn === null ? [ended] : [endTurn(state, 'contract'), ended];
}

/** Why the run ends now; null while it goes on. */
export function findContractEnd({ contractRun = null, turn }: SessionState): ContractRun['end'] {
  if (contractRun === null) return null;
  if (contractRun.end !== null) return contractRun.end;
  return turn?.answered === false && hasNoTokenLeft(contractRun) ? { reason: 'token-limit' } : null;
}

/** Whether a turn must send no further request, because its run has no step left. */
export function isOutOfSteps({ contractRun = null }: SessionState, turn: Turn): boolean {
  return contractRun !== null && !turn.answered && hasNoStepLeft(contractRun);
}

/** Applies an event to the state of the run. Changes of the user during a pause belong to no step. */
export function evolveContract(state: SessionState, event: SessionEvent): SessionState {
  const around = applyHandler(HANDLERS, state, event);
  const after = around.contractRun ? { ...around, contractRun: applyHandler(RUN_HANDLERS, around.contractRun, event) } : around;
  const { paused } = after.contractRun ?? {};
  if (paused === undefined || after.turn?.checkpointed !== true) return after;
  const isRunning = after.turn.open.some(({ call, stage }) => stage === 'running' || paused.includes(`run-${call.id}`));
  return isRunning ? after : pauseStep(after);
}

/** The handlers of the state around a run. */
const HANDLERS: Handlers<SessionState> = {
  'contract.started': (state, { number, contract }) => ({ ...state, contractRuns: number, contractRun: startRun(number, contract) }),
  'contract.resumed': (state, { contract }) =>
    state.endedRun === undefined ? state : { ...state, contractRun: resumeRun(state.endedRun, contract) },
  'contract.checked': (state, { records }) =>
    state.contractRun ? { ...state, outputs: [...state.outputs, ...records.filter(({ handle }) => handle !== undefined)] } : state,
  'contract.continued': (state) => {
    const { turn, contractRun } = state;
    const isBetween = turn?.open.length === 0 && contractRun?.paused?.includes(`request-${turn.number}-${turn.steps}`) !== true;
    return isBetween ? tellPlan(state) : state;
  },
  'contract.ended': (state, { reason, fence, error }) => closeRun(state, { reason, ...omitUndefined({ fence, error }) }),
  'session.resumed': (state) => closeRun(state, null),
  'turn.started': tellPlan,
  'tool-call.completed': (state) => (state.turn?.open.length === 0 ? tellPlan(state) : state),
};

/** The handlers of the run itself, while there is one. */
const RUN_HANDLERS: Handlers<ContractRun> = {
  'contract.checked': (run, { records, tree, changed, pinned }) => afterChecks(run, { records, tree, changed }, pinned),
  'contract.fenced': (run, { fence }) => ({ ...run, end: { reason: 'fence', fence } }),
  'contract.paused': (run, { running }) => ({ ...run, paused: running }),
  'contract.continued': ({ paused: _, ...run }) => run,
  'contract.steered': (run, { message }) => ({ ...run, steering: [...run.steering, message] }),
  'contract.planned': ({ isPlanEdited: _, ...run }, { items, by }) => ({
    ...run,
    plan: items,
    ...(by === 'user' ? { isPlanEdited: true } : {}),
  }),
  'turn.started': ({ isResumed: _, isRepeating: __, ...run }) => ({ ...run, steering: [] }),
  'turn.ended': afterTurn,
  'step.completed': countStep,
  'tool-call.sampled': countTokens,
  'request.counted': countTokens,
  'explorer.event': (run, { event }) => (event.type === 'step.completed' ? countStep(run, event) : run),
};

function closeRun(state: SessionState, end: ContractRun['end']): SessionState {
  return state.contractRun ? { ...state, contractRun: null, endedRun: { ...state.contractRun, end } } : state;
}

/**
 * The model learns the plan that the user changed with its next request: no request is on its way when this is called. Strict servers
 * refuse a message of the user behind a result, so the plan becomes a part of the result.
 */
function tellPlan(state: SessionState): SessionState {
  if (state.contractRun?.isPlanEdited !== true) return state;
  const { isPlanEdited: _, ...run } = state.contractRun;
  const text = formatPlanEdited(formatItems(run.plan));
  const last = state.entries.at(-1);
  const entries: readonly Entry[] =
    last?.type === 'result'
      ? state.entries.with(-1, { ...last, text: `${last.text}\n\n${text}` })
      : [...state.entries, { type: 'nudge', text }];
  return { ...state, entries, contractRun: run };
}

function countTokens(run: ContractRun, answer: Parameters<typeof tokensOf>[0]): ContractRun {
  return { ...run, tokens: run.tokens + tokensOf(answer) };
}

function countStep(run: ContractRun, step: Parameters<typeof tokensOf>[0]): ContractRun {
  return countTokens({ ...run, steps: run.steps + 1 }, step);
}

function afterTurn(run: ContractRun, { reason, error }: EventOf<'turn.ended'>): ContractRun {
  switch (reason) {
    case 'failed':
    case 'budget':
      return { ...run, end: { reason: 'failed', ...(error === undefined ? {} : { error }) } };
    case 'interrupted':
      return run.steering.length > 0 ? { ...run, stage: 'working' } : { ...run, end: { reason: 'stopped' } };
    case 'halted':
      return { ...run, end: { reason: 'stopped' } };
    case 'repeated-failure':
    case 'repeated-call':
      return { ...run, stage: 'checking', isRepeating: true };
    case 'completed':
    case 'depth-limit':
    case 'step-limit':
    case 'denied':
    case 'contract':
      return { ...run, stage: 'checking' };
  }
}
