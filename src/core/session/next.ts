import type { Checkpoint } from '../../protocol/checkpoint.ts';
import type { TurnEnd } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import type { ContractRun } from '../contract/contract-run.ts';
import { isCommand } from '../policy/policy.ts';
import { isRestoreAsked } from './checkpoints.ts';
import type { PendingCompaction } from './context-state.ts';
import { findContractEnd, isOutOfSteps } from './contract.ts';
import { DEPTH_LIMIT_REACHED } from './messages.ts';
import { endOfRepetition } from './repeated-call.ts';
import { type DryRun, MOST_REFUSALS, type OpenCall, type Restore, type SessionState, type Turn, waitsForSnapshot } from './state.ts';

/*
 * Theory of operation.
 *
 * Events do not start effects directly. After every event the engine calls `next` with the state, starts new effects and aborts those that
 * are no longer in the list. So an interrupt is an event that ends the turn, and a resume is an event that closes open work; neither needs
 * code of its own here. Each effect has a key that stays the same while the same work is pending.
 *
 * Within a step, calls run one at a time, because a write must finish before the read after it. A call is prepared (shown, or allowed by
 * a rule), decided, checkpointed once per step before the first change, and run. Reading calls run side by side. When the last call of a
 * step is closed, the after snapshot is taken while the next model request runs; the next change waits for it.
 */

/** One thing that the session waits for. `next` derives it from the state, and its key stays the same while the same work is pending. */
export type Effect =
  | { readonly type: 'request-model'; readonly key: string }
  /** Compacts the conversation; ends with a summary, or with the event that there is none. */
  | { readonly type: 'compact'; readonly key: string; readonly pending: PendingCompaction }
  /** Finds the effects of a call and whether a rule allows it; ends with an approval prompt or a decision. */
  | { readonly type: 'prepare-call'; readonly key: string; readonly call: ToolCall }
  /** Estimates the changes of a call while its approval prompt is open; the prompt does not wait for it. */
  | { readonly type: 'measure-call'; readonly key: string; readonly call: ToolCall; readonly question: number }
  | { readonly type: 'create-checkpoint'; readonly key: string; readonly call: ToolCall }
  | { readonly type: 'finalize-checkpoint'; readonly key: string; readonly checkpoint: Checkpoint }
  | { readonly type: 'run-tool'; readonly key: string; readonly call: ToolCall }
  /** Closes a call that must not run, with the reason as its result. */
  | { readonly type: 'refuse-call'; readonly key: string; readonly call: ToolCall; readonly text: string }
  | { readonly type: 'end-turn'; readonly key: string; readonly reason: TurnEnd }
  | { readonly type: 'run-command'; readonly key: string; readonly line: string; readonly isPrivate: boolean }
  | { readonly type: 'restore-checkpoint'; readonly key: string; readonly restore: Restore }
  /** Runs a command on a copy of the project, and keeps the copy until it is no longer needed. */
  | { readonly type: 'dry-run'; readonly key: string; readonly dryRun: DryRun }
  /** Applies the dry run of a line of the user; that of a call is applied when the call would run. */
  | { readonly type: 'apply-dry-run'; readonly key: string; readonly dryRun: DryRun }
  /** Ends an autonomous run at its limit of time. */
  | { readonly type: 'time-contract'; readonly key: string; readonly minutes: number }
  /** Runs the checks of a contract. */
  | { readonly type: 'check-contract'; readonly key: string; readonly run: ContractRun }
  /** Has the model go on after checks that failed. */
  | { readonly type: 'continue-contract'; readonly key: string; readonly run: ContractRun }
  | { readonly type: 'end-contract'; readonly key: string; readonly end: NonNullable<ContractRun['end']> };

/** The effects that the session needs now, derived from its state alone; none while it waits for the user. */
export function next(state: SessionState): Effect[] {
  const work = [...nextFinalize(state), ...nextOfTurn(state), ...nextCommand(state), ...nextRestore(state), ...nextDryRun(state)];
  return state.contractRun ? nextOfContract(state, state.contractRun, work) : work;
}

/** Between turns the checks run, once the changes of the last turn are complete. Nothing of a run that ends begins or goes on. */
function nextOfContract(state: SessionState, run: ContractRun, work: readonly Effect[]): Effect[] {
  const { number, contract } = run;
  const end = findContractEnd(state);
  if (end !== null) return [...nextFinalize(state), { type: 'end-contract', key: `end-contract-${number}`, end }];
  if (run.paused !== undefined) return nextOfPaused(run.paused, [...work, ...nextOfRun(state, run, work)]);
  const timer: Effect = { type: 'time-contract', key: `time-contract-${number}`, minutes: contract.limits.minutes };
  return [timer, ...work, ...nextOfRun(state, run, work)];
}

function nextOfRun(state: SessionState, run: ContractRun, work: readonly Effect[]): Effect[] {
  if (state.turn !== null || work.length > 0 || state.context.pending !== null) return [];
  const type = run.stage === 'checking' ? 'check-contract' : 'continue-contract';
  return [{ type, key: `${type}-${run.number}-${run.checks}`, run }];
}

/** Only what was running finishes; it ends the turn and its checkpoint, too. */
function nextOfPaused(running: readonly string[], effects: readonly Effect[]): Effect[] {
  return effects.filter(({ type, key }) => type === 'end-turn' || type === 'finalize-checkpoint' || running.includes(key));
}

/** A turn ends when the snapshot after its last step exists: later changes by the user must not count as the model's. */
function nextOfTurn(state: SessionState): Effect[] {
  const effects = nextInTurn(state);
  return nextFinalize(state).length === 0 ? effects : effects.filter(({ type }) => type !== 'end-turn');
}

function nextInTurn(state: SessionState): Effect[] {
  const { turn, context } = state;
  const compact: Effect[] =
    context.pending === null ? [] : [{ type: 'compact', key: `compact-${context.begun}`, pending: context.pending }];
  if (turn === null) return compact;
  const reason = endOf(state, turn);
  if (reason !== null) return [{ type: 'end-turn', key: `end-${turn.number}`, reason }];
  if (turn.open.length > 0) return nextOfCalls(state, turn);
  return compact.length > 0 ? compact : [{ type: 'request-model', key: `request-${turn.number}-${turn.steps}` }];
}

/** A complete answer stays one, whatever came before. */
function endOf(state: SessionState, turn: Turn): TurnEnd | null {
  const isOpen = turn.open.length > 0;
  if (isOpen || !turn.answered) {
    if (isStopped(turn)) return 'interrupted';
    if (turn.refusals >= MOST_REFUSALS) return 'denied';
    const repetition = endOfRepetition(turn.repeated);
    if (isOpen || repetition !== null) return repetition;
  }
  if (turn.answered) return 'completed';
  if (isOutOfSteps(state, turn)) return 'contract';
  if (turn.rounds > state.settings.maxToolDepth) return 'depth-limit';
  return state.settings.maxSteps !== null && turn.steps >= state.settings.maxSteps ? 'step-limit' : null;
}

/** A stop was requested, and no call runs. */
function isStopped({ lastStep, steps, open }: Turn): boolean {
  return lastStep !== null && steps >= lastStep && open.every(({ stage }) => stage !== 'running');
}

/** Most calls of a server that run at once. */
const MOST_AT_ONCE = 4;

/** The first call, or the reading calls before any other: decided in turn, then run side by side. */
function nextOfCalls(state: SessionState, turn: Turn): Effect[] {
  const isReading = ({ call }: OpenCall) => call.effect === 'read' && refusalOf(state, turn, call) === null;
  const first = turn.open.filter((_, at) => at === 0 || turn.open.slice(0, at + 1).every(isReading));
  const undecided = first.find(({ stage }) => stage === 'new' || stage === 'asked');
  const ready = undecided === undefined ? first.filter(({ stage }) => stage === 'approved') : [undecided];
  const calls = [...first.filter(({ stage }) => stage === 'running'), ...ready];
  const isWithin = (open: OpenCall, at: number) =>
    calls.slice(0, at).filter((other) => serverOf(other) === serverOf(open)).length < MOST_AT_ONCE;
  return calls.filter(isWithin).flatMap((open) => nextOfCall(state, turn, open));
}

function serverOf({ call }: OpenCall): string {
  return call.name.split('.', 1)[0] ?? '';
}

function nextOfCall(state: SessionState, turn: Turn, open: OpenCall): Effect[] {
  const { call, stage } = open;
  const refusal = refusalOf(state, turn, call);
  if (refusal !== null && stage === 'new') return [{ type: 'refuse-call', key: `refuse-${call.id}`, call, text: refusal }];
  switch (stage) {
    case 'new':
      return [{ type: 'prepare-call', key: `prepare-${call.id}`, call }];
    case 'asked':
      return nextOfAsked(open);
    case 'approved':
    case 'running':
      return nextOfApproved(state, turn, open);
  }
}

/** The user decides; meanwhile aish can estimate the effects of an approval. Read-only calls have none. */
function nextOfAsked({ call, questions = 1, impact }: OpenCall): Effect[] {
  if ((impact !== undefined && impact.counting !== true) || call.effect === 'read') return [];
  return [{ type: 'measure-call', key: `measure-${call.id}-${questions}`, call, question: questions }];
}

function refusalOf(state: SessionState, turn: Turn, call: ToolCall): string | null {
  if (call.invalid !== undefined) return call.invalid;
  return call.origin === 'model' && turn.rounds > state.settings.maxToolDepth ? DEPTH_LIMIT_REACHED : null;
}

/** A command known to be read-only needs no snapshot, like a reading tool. */
function nextOfApproved(state: SessionState, turn: Turn, { call, preview }: OpenCall): Effect[] {
  const changes = call.effect !== 'read' && !(isCommand(call) && preview?.decided?.class === 'read-only');
  if (changes && !turn.checkpointed) {
    if (state.openCheckpoint !== null) return [];
    return [{ type: 'create-checkpoint', key: `checkpoint-${call.id}`, call }];
  }
  return [{ type: 'run-tool', key: `run-${call.id}`, call }];
}

/** The after snapshot is taken when no call of the checkpoint's step is left; within a turn, when no open call has a checkpoint. */
function nextFinalize(state: SessionState): Effect[] {
  if (state.openCheckpoint === null) return [];
  if (state.command !== null && state.isOwnSnapshot === true) return [];
  // Applied changes belong to the snapshot after them.
  if (state.dryRun?.callId === null && state.dryRun.checkpointed === true) return [];
  const inStep = state.turn?.checkpointed && state.turn.open.length > 0;
  return inStep ? [] : [{ type: 'finalize-checkpoint', key: `seal-${state.openCheckpoint.id}`, checkpoint: state.openCheckpoint }];
}

/** A command waits for the after snapshot, so that its changes do not count as those of the step. */
function nextCommand(state: SessionState): Effect[] {
  return state.command === null || waitsForSnapshot(state)
    ? []
    : [{ type: 'run-command', key: 'command', line: state.command, isPrivate: state.isPrivate }];
}

function nextRestore(state: SessionState): Effect[] {
  const { restore, openCheckpoint } = state;
  if (restore === null || openCheckpoint !== null || isRestoreAsked(state)) return [];
  const answered = restore.question === undefined ? '' : '-answered';
  return [{ type: 'restore-checkpoint', key: `restore-${restore.number ?? 1}${answered}`, restore }];
}

function nextDryRun({ dryRun = null, openCheckpoint }: SessionState): Effect[] {
  if (dryRun === null) return [];
  const kept: Effect = { type: 'dry-run', key: `dry-run-${dryRun.number}`, dryRun };
  const isApplied = dryRun.callId === null && dryRun.stage === 'applying';
  if (!isApplied || (openCheckpoint !== null && dryRun.checkpointed !== true)) return [kept];
  return [kept, { type: 'apply-dry-run', key: `apply-${dryRun.number}`, dryRun }];
}
