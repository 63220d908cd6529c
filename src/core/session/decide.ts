import type { ErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Decision, Op, OpOf } from '../../protocol/op.ts';
import { isCommand, nameProposal } from '../policy/policy.ts';
import { busyCompacting, compact, interruptCompaction } from './compaction.ts';
import { applyDryRun, busyWithDryRun, discardDryRun, dryRun, interruptDryRun } from './dry-run.ts';
import { endUnbegun, haltFacts, liftedBy } from './halt.ts';
import { abandonRestore, beginRestore, busyRestoring, isRestoreAsked, resolveRestore } from './restore.ts';
import { rename } from './session-name.ts';
import { askedCall, type OpenCall, reject, type SessionState, waitsForSnapshot } from './state.ts';

/** May this be done now? The facts it makes true, or one `op.rejected` that says why not. */
export function decide(state: SessionState, op: Op): SessionEvent[] {
  switch (op.type) {
    case 'send':
      return send(state, op);
    case 'run':
      return run(state, op);
    case 'decide':
      return decideCall(state, op);
    case 'interrupt':
      return interrupt(state, op);
    case 'halt':
      return haltFacts(state, op.by ?? 'user');
    case 'restore':
      return beginRestore(op, busyWith(state));
    case 'resolve':
      return resolveRestore(state, op);
    case 'dry-run':
      return dryRun(state, op, busyWith(state));
    case 'apply':
      return applyDryRun(state, op);
    case 'discard':
      return isRestoreAsked(state) ? abandonRestore(state) : discardDryRun(state);
    case 'trust':
      return trust(state);
    case 'compact':
      return compact(state, op, busyWith(state));
    case 'rename':
      return rename(op);
    case 'fork':
      return [{ type: 'session.forked', to: op.to }];
    case 'configure':
      return [{ type: 'settings.changed', settings: { ...state.settings, ...liftedBy(state, op.settings), ...op.settings } }];
  }
}

/** What keeps the session from starting something new. */
function busyWith(state: SessionState): ErrorFact | null {
  if (state.turn !== null)
    return { code: 'session.busy', message: 'the model is still working on the last request', hint: 'wait for the answer or interrupt it' };
  if (state.command !== null)
    return {
      code: 'session.busy',
      message: `a command is still running: ${state.isPrivate ? 'a private one' : state.command}`,
      hint: 'wait for its end or interrupt it',
    };
  return busyCompacting(state) ?? busyWithDryRun(state) ?? busyRestoring(state);
}

function send(state: SessionState, op: OpOf<'send'>): SessionEvent[] {
  const busy = busyWith(state);
  if (busy !== null) return reject('send', busy);
  if (op.text.trim() === '' && (op.attachment ?? '').trim() === '') {
    return reject('send', { code: 'op.empty', message: 'the message is empty', hint: 'type a question or a request' });
  }
  const turn = state.turns + 1;
  const attachment = op.attachment === undefined ? {} : { attachment: op.attachment };
  const files = op.files === undefined ? {} : { files: op.files };
  return [{ type: 'turn.started', turn, text: op.text, ...attachment, ...files }];
}

function trust({ taint }: SessionState): SessionEvent[] {
  if (taint.sources.length > 0 || taint.paths.length > 0) return [{ type: 'taint.cleared' }];
  return reject('trust', {
    code: 'taint.none',
    message: 'the model has read no untrusted content in this session',
    hint: 'there is nothing to trust: the rules hold as they are',
  });
}

function run(state: SessionState, op: OpOf<'run'>): SessionEvent[] {
  const busy = busyWith(state);
  if (busy !== null) return reject('run', busy);
  if (op.private === true) return [{ type: 'command.started', line: '', driver: 'user', private: true }];
  return [{ type: 'command.started', line: op.line, driver: 'user' }];
}

function decideCall(state: SessionState, op: OpOf<'decide'>): SessionEvent[] {
  const asked = askedCall(state);
  if (asked === null || asked.call.id !== op.callId) {
    return reject('decide', {
      code: 'call.not-asked',
      message: `no question is open for the call ${op.callId}`,
      hint: 'it may have been answered elsewhere',
    });
  }
  if (op.prompt !== undefined && op.prompt !== asked.questions) {
    return reject('decide', {
      code: 'call.asked-again',
      message: `the question about the call ${op.callId} is another one by now`,
      hint: 'look at it again, then answer',
    });
  }
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
    { type: 'tool-call.completed', callId, text: formatDenial(by, given), isError: true },
  ];
}

/** A rule is made as it was proposed, or not at all. */
function allowAlways({ callId, by }: OpOf<'decide'>, { call, preview }: OpenCall, rule: string): SessionEvent[] {
  if (isCommand(call)) {
    const proposal = preview?.decided?.proposal ?? [];
    if (proposal.length === 0 || rule !== nameProposal(proposal)) return refuseRule(call.name);
    const commands = proposal.map(({ prefix }) => prefix);
    return [{ type: 'approval.decided', callId, decision: 'allow', by, commands }];
  }
  if (rule !== call.name) return refuseRule(call.name);
  return [{ type: 'approval.decided', callId, decision: 'allow', by, rule }];
}

function refuseRule(name: string): SessionEvent[] {
  return reject('decide', {
    code: 'rule.refused',
    message: `no lasting rule can be made for ${name} here`,
    hint: 'answer y for this once',
  });
}

/** Only the user writes a command in the model's place. */
function editCall({ callId, by }: OpOf<'decide'>, { call }: OpenCall, command: string): SessionEvent[] {
  if (by === 'user' && isCommand(call) && command.trim() !== '')
    return [{ type: 'approval.decided', callId, decision: 'edit', by, command }];
  return reject('decide', {
    code: 'call.not-editable',
    message: `the call ${callId} cannot be changed so`,
    hint: 'a command can be changed into another one; anything else is allowed or denied',
  });
}

/** What the model reads when a call was not allowed. */
function formatDenial(by: 'user' | 'headless', reason: string | undefined): string {
  if (by === 'headless') return `[aish] tool call denied: ${reason ? `${reason}, and ` : ''}nobody is there to approve it`;
  return reason ? `[aish] tool call declined by user: ${reason}` : '[aish] tool call declined by user';
}

/** Gives up the snapshot after a step. */
function stopFinalize({ openCheckpoint }: SessionState): SessionEvent[] {
  if (openCheckpoint === null) return [];
  const error = { code: 'checkpoint.stopped', message: 'stopped; :undo puts back only the files you name' };
  return [{ type: 'checkpoint.finalized', id: openCheckpoint.id, error }];
}

/** An approved change waits for the snapshot after the step before it. */
function waitsForFinalize({ turn, openCheckpoint }: SessionState): boolean {
  return openCheckpoint !== null && turn?.checkpointed === false && turn.open[0]?.stage === 'approved';
}

/** The answer is there, and its turn only waits for the snapshot after its last step. */
function isOver({ turn, openCheckpoint }: SessionState): boolean {
  return turn?.answered === true && turn.open.length === 0 && openCheckpoint !== null;
}

/** Ctrl-C while nothing but that snapshot is taken gives it up, and the command that waits for it. */
function interruptFinalize(state: SessionState): SessionEvent[] {
  const unbegun = endUnbegun(state);
  return unbegun === null ? stopFinalize(state) : [unbegun, ...stopFinalize(state)];
}

function interrupt(state: SessionState, op: OpOf<'interrupt'>): SessionEvent[] {
  const dryRunResult = interruptDryRun(state);
  if (dryRunResult !== null) return dryRunResult;
  if (isRestoreAsked(state)) return abandonRestore(state);
  const compacting = interruptCompaction(state);
  if (compacting !== null) return compacting;
  const isFinalizing = state.openCheckpoint !== null && (state.command === null || waitsForSnapshot(state));
  if (state.turn === null && isFinalizing) return interruptFinalize(state);
  if (state.turn === null) return reject('interrupt', { code: 'session.idle', message: 'nothing is running', hint: 'nothing to do' });
  if (isOver(state)) return stopFinalize(state);
  // A call that runs is let end: half of it would be worse than all. An answer that streams can be cut off anywhere.
  if (op.after === 'step' && state.turn.open.some(({ stage }) => stage === 'running'))
    return state.turn.lastStep === null ? [{ type: 'turn.stop-requested' }] : [];
  const ended: SessionEvent = { type: 'turn.ended', reason: 'interrupted' };
  const finalized = waitsForFinalize(state) ? stopFinalize(state) : [];
  return [state.turn.streamed === '' ? ended : { ...ended, text: state.turn.streamed }, ...finalized];
}

/** Notes in what a request came to at which attached client it was made; the attached client of the session's owner is not noted. */
export function fromClient(event: SessionEvent, client: string | undefined): SessionEvent {
  if (client === undefined) return event;
  switch (event.type) {
    case 'turn.started':
    case 'command.started':
    case 'approval.decided':
    case 'session.halted':
    case 'op.rejected':
    case 'settings.changed':
    case 'session.named':
    case 'taint.cleared':
    case 'compaction.started':
    case 'dry-run.started':
    case 'dry-run.applying':
    case 'dry-run.discarded':
    case 'restore.started':
    case 'restore.resolved':
    case 'restore.abandoned':
    case 'turn.stop-requested':
    case 'turn.ended':
      return { ...event, client };
    default:
      return event;
  }
}
