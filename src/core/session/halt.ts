import type { ErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { HaltedBy, HaltedWork, OpOf } from '../../protocol/op.ts';
import type { Settings } from '../../protocol/settings.ts';
import { isRestoreAsked } from './checkpoints.ts';
import { endContract } from './contract.ts';
import { COMPACTING, COMPACTION_STOPPED, NOTHING_TO_COMPACT, nameCommand } from './messages.ts';
import { endTurn, type OpenCall, reject, type SessionState, waitsForSnapshot } from './state.ts';

/*
 * A halt stops all work of the model: an event that ends the turn, so that `next` derives no further effect of it, and every running
 * effect is cancelled before it can do or record another thing.
 *
 * Three things continue, because stopping them would do harm. aish still takes the after snapshot of the last step: an undo needs it. A
 * restore finishes its current file and reports. A running command of the user is theirs to stop.
 */

/** Whether the model or a restore works, or an autonomous run waits for its checks. */
export function isHaltable({ turn, restore, contractRun = null }: SessionState): boolean {
  return turn !== null || restore !== null || contractRun !== null;
}

/** The events of a halt. */
export function haltFacts(state: SessionState, by: HaltedBy): SessionEvent[] {
  const { turn } = state;
  const facts: SessionEvent[] = [{ type: 'session.halted', by, running: runningWork(state) }];
  if (turn !== null) facts.push(endTurn(state, 'halted'));
  // The end of the turn is the halt's, and the run ends with it.
  facts.push(...endContract({ ...state, turn: null }, 'stopped'));
  facts.push(...(interruptCompaction(state) ?? []));
  const unbegun = waitsForSnapshot(state) ? endUnbegun(state) : null;
  if (unbegun !== null) facts.push(unbegun);
  return facts;
}

function runningWork(state: SessionState): readonly HaltedWork[] {
  const { turn, command, restore, dryRun, isPrivate } = state;
  const work: HaltedWork[] = [];
  const open = turn?.open ?? [];
  // Reading calls run side by side, and one of them may be asked about while those before it wait.
  const begun = open.filter(({ stage }) => stage === 'running' || stage === 'asked');
  for (const one of begun.length > 0 ? begun : open.slice(0, 1)) work.push(workOf(one, turn?.checkpointed === true));
  if (turn !== null && open.length === 0 && !turn.answered) work.push({ what: 'request' });
  const isOwn = dryRun?.stage === 'applying' && dryRun.callId === null;
  if (dryRun?.stage === 'running' || (dryRun && isOwn)) work.push({ what: 'dry-run', name: dryRun.line });
  if (isRestoreAsked(state)) work.push({ what: 'approval', name: `the ${restore?.direction ?? 'undo'}` });
  else if (restore !== null) work.push({ what: 'restore' });
  if (command !== null) work.push({ what: 'command', name: nameCommand(isPrivate ? null : command) });
  return work;
}

function workOf({ call, stage }: OpenCall, checkpointed: boolean): HaltedWork {
  switch (stage) {
    case 'asked':
      return { what: 'approval', name: call.name };
    case 'approved':
      return { what: checkpointed ? 'call' : 'checkpoint', name: call.name };
    case 'new':
    case 'running':
      return { what: 'call', name: call.name };
  }
}

/** The settings after a halt: every action needs approval unless a rule allows it. */
export function haltedSettings(settings: Settings): Settings {
  return { ...settings, approve: 'ask', ...(settings.autoRun === undefined ? {} : { autoRun: 'none' }) };
}

/** Settings that any approval mode restores after a halt: the commands that ran without asking before. */
export function liftedBy(
  { halted, autoRunBefore }: Pick<SessionState, 'halted' | 'autoRunBefore'>,
  { approve }: Partial<Settings>,
): Pick<Settings, 'autoRun'> {
  return halted === true && approve !== undefined && autoRunBefore !== undefined ? { autoRun: autoRunBefore } : {};
}

/** True for settings that end the mode after a halt. */
export function liftsHalt({ approve, autoRun = 'none' }: Settings): boolean {
  return approve !== 'ask' || autoRun !== 'none';
}

/** The end of a user command that waits and will not begin, with the status of a command that Ctrl-C ended; null if no command waits. */
export function endUnbegun({ command, isPrivate, cwd }: SessionState): SessionEvent | null {
  if (command === null) return null;
  const ended = { driver: 'user', exit: 130, cwd, output: '', bytes: 0, durationMs: 0 } as const;
  const record = { line: command, ...ended };
  return { type: 'command.completed', record: isPrivate ? { ...record, private: true } : record };
}

/** Begins a compaction that the user requested, unless the session is `busy`. */
export function compact({ entries, context }: SessionState, { focus = '' }: OpOf<'compact'>, busy: ErrorFact | null): SessionEvent[] {
  if (busy !== null) return reject('compact', busy);
  if (entries.length === 0 || entries.length === context.compacted?.upTo) return reject('compact', NOTHING_TO_COMPACT);
  const named = focus.trim() === '' ? {} : { focus: focus.trim() };
  return [{ type: 'compaction.started', reason: 'user', ...named, entries: entries.length, tokens: 0 }];
}

/** The reason why a compaction blocks new work; null if none is running. */
export function busyCompacting({ context }: SessionState): ErrorFact | null {
  return context.pending === null ? null : COMPACTING;
}

/** The events of an interrupt while only a compaction is running; null otherwise. */
export function interruptCompaction({ turn, context }: SessionState): SessionEvent[] | null {
  if (turn !== null || context.pending === null) return null;
  return [{ type: 'compaction.failed', error: COMPACTION_STOPPED }];
}
