import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { TurnFacts } from '../../protocol/model.ts';
import type { Decision, Op, OpOf } from '../../protocol/op.ts';
import { isCommand, nameProposal } from '../policy/policy.ts';
import { abandonRestore, beginRestore, busyRestoring, isRestoreAsked, resolveRestore } from './checkpoints.ts';
import { beginContract, busyWithContract, endContract, pauseContract, planContract, resumeContract, steerContract } from './contract.ts';
import { applyDryRun, busyWithDryRun, discardDryRun, dryRun, interruptDryRun } from './dry-run.ts';
import { busyCompacting, compact, endUnbegun, haltFacts, interruptCompaction, liftedBy } from './halt.ts';
import * as messages from './messages.ts';
import { next } from './next.ts';
import { rename } from './session-name.ts';
import { AUTO, chooseModel, parseAddressed } from './settings.ts';
import { askedCall, type OpenCall, reject, type SessionState, waitsForSnapshot } from './state.ts';

/** The decision about each op. */
const DECISIONS: { readonly [T in Op['type']]: (state: SessionState, op: Op & { readonly type: T }) => SessionEvent[] } = {
  send,
  run,
  decide: decideCall,
  'answer-form': answerForm,
  interrupt,
  halt: (state, { by = 'user' }) => haltFacts(state, by),
  restore: (state, op) => beginRestore(op, busyWith(state)),
  resolve: resolveRestore,
  'dry-run': (state, op) => dryRun(state, op, busyWith(state)),
  apply: applyDryRun,
  discard: (state) => (isRestoreAsked(state) ? abandonRestore(state) : discardDryRun(state)),
  'begin-contract': (state, op) => beginContract(state, op, busyWith(state)),
  'resume-contract': (state, op) => resumeContract(state, op, busyWith(state)),
  'pause-contract': pause,
  'continue-contract': pause,
  'edit-plan': planContract,
  trust,
  compact: (state, op) => compact(state, op, busyWith(state)),
  rename: (_, op) => rename(op),
  fork: (_, { to }) => [{ type: 'session.forked', to }],
  configure: (state, { settings }) => [
    { type: 'settings.changed', settings: { ...state.settings, ...liftedBy(state, settings), ...settings } },
  ],
};

/** Decides an op: the events it causes, or one `op.rejected` with the reason. */
export function decide<T extends Op['type']>(state: SessionState, op: Op & { readonly type: T }): SessionEvent[] {
  return DECISIONS[op.type](state, op);
}

function pause(state: SessionState, { type }: OpOf<'pause-contract' | 'continue-contract'>): SessionEvent[] {
  const running = next(state).map(({ key }) => key);
  return pauseContract(state, type, running);
}

/** The reason why the session cannot start anything new; null if it can. */
function busyWith(state: SessionState): ErrorFact | null {
  const running = busyWithContract(state);
  if (running !== null) return running;
  if (state.turn !== null) return messages.MODEL_WORKING;
  if (state.command !== null) return messages.commandRunning(state.isPrivate ? null : state.command);
  return busyCompacting(state) ?? busyWithDryRun(state) ?? busyRestoring(state);
}

function send(state: SessionState, op: OpOf<'send'>): SessionEvent[] {
  const { contractRun: run } = state;
  const busy = run && run.end === null ? null : busyWith(state);
  if (busy !== null) return reject('send', busy);
  if (op.text.trim() === '' && (op.attachment ?? '').trim() === '') return reject('send', messages.EMPTY_MESSAGE);
  if (run) return steerContract(state, run, op);
  const { attachment, files, command } = op;
  return [{ type: 'turn.started', turn: state.turns + 1, ...chooseForTurn(state, op), ...omitUndefined({ attachment, files, command }) }];
}

/** The text of a message, and the model of its turn if that is not the model of the session. */
function chooseForTurn(state: SessionState, op: OpOf<'send'>): Pick<EventOf<'turn.started'>, 'text' | 'model' | 'choice'> {
  const { settings } = state;
  const names = (settings.models ?? []).map(({ name }) => name);
  const addressed = parseAddressed(op.text, names);
  if (addressed !== null) return addressed;
  if (settings.model !== AUTO || names.includes(AUTO)) return { text: op.text };
  const { model, choice } = chooseModel(factsOf(state, op), settings);
  return { text: op.text, choice, ...(model === null ? {} : { model }) };
}

function factsOf({ entries }: SessionState, { text, files = [], attachment }: OpOf<'send'>): TurnFacts {
  const since = entries.slice(entries.findLastIndex((entry) => entry.type === 'user') + 1);
  const failed = since.filter((entry) => entry.type === 'unanswered' || (entry.type === 'command' && (entry.record.exit ?? 0) !== 0));
  return {
    characters: text.length,
    files: files.length + (attachment === undefined ? 0 : 1),
    calls: since.reduce((sum, entry) => sum + (entry.type === 'assistant' ? entry.calls.length : 0), 0),
    failures: failed.length,
  };
}

function trust({ taint }: SessionState): SessionEvent[] {
  if (taint.sources.length > 0 || taint.paths.length > 0) return [{ type: 'taint.cleared' }];
  return reject('trust', messages.NOTHING_TO_TRUST);
}

function run(state: SessionState, op: OpOf<'run'>): SessionEvent[] {
  const busy = busyWith(state);
  if (busy !== null) return reject('run', busy);
  if (op.private === true) return [{ type: 'command.started', line: '', driver: 'user', private: true }];
  return [{ type: 'command.started', line: op.line, driver: 'user' }];
}

function decideCall(state: SessionState, op: OpOf<'decide'>): SessionEvent[] {
  const asked = askedCall(state);
  if (asked === null || asked.call.id !== op.callId) return reject('decide', messages.NO_APPROVAL_OPEN);
  if (op.prompt !== undefined && op.prompt !== asked.questions) return reject('decide', messages.APPROVAL_OUTDATED);
  const { decision, by, callId } = op;
  switch (decision.type) {
    case 'allow':
      return [{ type: 'approval.decided', callId, decision: 'allow', by }];
    case 'allow-always':
      return allowAlways(op, asked, decision.rule);
    case 'edit':
      return editCall(op, asked, decision.command);
    case 'deny':
      return denyCall(op, decision);
  }
}

function denyCall({ callId, by }: OpOf<'decide'>, { reason: given, code }: Extract<Decision, { type: 'deny' }>): SessionEvent[] {
  const reason = { ...(given ? { reason: given } : {}), ...(code === undefined ? {} : { code }) };
  return [
    { type: 'approval.decided', callId, decision: 'deny', by, ...reason },
    { type: 'tool-call.completed', callId, text: messages.formatDenial(by, given), isError: true },
  ];
}

/** Accepts only the rule that was proposed. */
function allowAlways({ callId, by }: OpOf<'decide'>, { call, preview }: OpenCall, rule: string): SessionEvent[] {
  if (isCommand(call)) {
    const proposal = preview?.decided?.proposal ?? [];
    if (proposal.length === 0 || rule !== nameProposal(proposal)) return reject('decide', messages.ruleRefused(call.name));
    const commands = proposal.map(({ prefix }) => prefix);
    return [{ type: 'approval.decided', callId, decision: 'allow', by, commands }];
  }
  if (rule !== call.name) return reject('decide', messages.ruleRefused(call.name));
  return [{ type: 'approval.decided', callId, decision: 'allow', by, rule }];
}

/** Only the user may replace the command of a call. */
function editCall({ callId, by }: OpOf<'decide'>, { call }: OpenCall, command: string): SessionEvent[] {
  if (by === 'user' && isCommand(call) && command.trim() !== '')
    return [{ type: 'approval.decided', callId, decision: 'edit', by, command }];
  return reject('decide', messages.NOT_EDITABLE);
}

/** The call that asks has checked the values, which no event has. */
function answerForm(state: SessionState, { form, answer, by }: OpOf<'answer-form'>): SessionEvent[] {
  const open = state.turn?.open.find((call) => call.form?.id === form);
  if (open?.form === undefined) return reject('answer-form', messages.NO_FORM_OPEN);
  return [{ type: 'form.answered', form, callId: open.call.id, action: answer.action, by }];
}

function stopFinalize({ openCheckpoint }: SessionState): SessionEvent[] {
  return openCheckpoint === null ? [] : [{ type: 'checkpoint.finalized', id: openCheckpoint.id, error: messages.CHECKPOINT_STOPPED }];
}

/** True for an approved change that waits for the after snapshot of the step before it. */
function waitsForFinalize({ turn, openCheckpoint }: SessionState): boolean {
  return openCheckpoint !== null && turn?.checkpointed === false && turn.open[0]?.stage === 'approved';
}

/** True for a complete answer whose turn waits only for the after snapshot of its last step. */
function isOver({ turn, openCheckpoint }: SessionState): boolean {
  return turn?.answered === true && turn.open.length === 0 && openCheckpoint !== null;
}

/** Stops the after snapshot and the command that waits for it, on Ctrl-C while nothing else runs. */
function interruptFinalize(state: SessionState): SessionEvent[] {
  const unbegun = endUnbegun(state);
  return unbegun === null ? stopFinalize(state) : [unbegun, ...stopFinalize(state)];
}

function interrupt(state: SessionState, op: OpOf<'interrupt'>): SessionEvent[] {
  const dryRunResult = interruptDryRun(state);
  if (dryRunResult !== null) return dryRunResult;
  if (isRestoreAsked(state)) return abandonRestore(state);
  const compacting = interruptCompaction(state);
  const stopped = op.after === 'step' ? [] : endContract({ ...state, turn: null }, 'stopped');
  if (compacting !== null) return [...compacting, ...stopped];
  const isFinalizing = state.openCheckpoint !== null && (state.command === null || waitsForSnapshot(state));
  if (state.turn === null && state.contractRun) return endContract(state, 'stopped');
  if (state.turn === null && isFinalizing) return interruptFinalize(state);
  if (state.turn === null) return reject('interrupt', messages.NOTHING_RUNS);
  if (isOver(state)) return [...stopFinalize(state), ...stopped];
  // A running call finishes: half of it would be worse than all. An answer that streams can be cut off anywhere.
  if (op.after === 'step' && state.turn.open.some(({ stage }) => stage === 'running'))
    return state.turn.lastStep === null ? [{ type: 'turn.stop-requested' }] : [];
  const ended: SessionEvent = { type: 'turn.ended', reason: 'interrupted' };
  const finalized = waitsForFinalize(state) ? stopFinalize(state) : [];
  return [state.turn.streamed === '' ? ended : { ...ended, text: state.turn.streamed }, ...finalized, ...stopped];
}

/** Events of an op that say nothing of who caused it: they follow from others. */
const FOLLOWING: ReadonlySet<SessionEvent['type']> = new Set([
  'tool-call.completed',
  'checkpoint.finalized',
  'command.completed',
  'compaction.failed',
  'session.forked',
]);

/** Whether an event of an op says who caused it. */
function isOfClient(event: SessionEvent): event is Extract<SessionEvent, { readonly client?: string }> {
  return !FOLLOWING.has(event.type);
}

/** Adds to an event of an op the attached client whose request caused it; the owner's terminal is left out. */
export function fromClient(event: SessionEvent, client: string | undefined): SessionEvent {
  return client !== undefined && isOfClient(event) ? { ...event, client } : event;
}
