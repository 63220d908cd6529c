import type { SessionEvent } from '../../protocol/event.ts';
import type { HaltedBy, HaltedWork } from '../../protocol/halt.ts';
import type { Settings } from '../../protocol/settings.ts';
import { interruptCompaction } from './compaction.ts';
import { endTurn } from './end-turn.ts';
import { isRestoreAsked } from './restore.ts';
import { type OpenCall, type SessionState, waitsForPicture } from './state.ts';
import { endUnbegun } from './unbegun-command.ts';

/*
 * A halt stops whatever the model has begun: a fact that ends the turn, so that `next` wants nothing of it any more and every effect of it
 * is called off before it can do or record another thing.
 *
 * Three things go on, because stopping them would do harm. The picture after the last step is still taken: an undo needs it. A restore
 * finishes the file it is at and reports. A command of the person that runs already is theirs to stop.
 */

/** The facts of a halt. */
export function haltFacts(state: SessionState, by: HaltedBy): SessionEvent[] {
  const { turn } = state;
  const facts: SessionEvent[] = [{ type: 'session.halted', by, running: runningWork(state) }];
  if (turn !== null) facts.push(endTurn(state, 'halted'));
  facts.push(...(interruptCompaction(state) ?? []));
  const unbegun = waitsForPicture(state) ? endUnbegun(state) : null;
  if (unbegun !== null) facts.push(unbegun);
  return facts;
}

/** What goes on in a session, in the order it would be told. */
export function runningWork(state: SessionState): readonly HaltedWork[] {
  const { turn, command, restore, rehearsal, isPrivate } = state;
  const work: HaltedWork[] = [];
  const [open] = turn?.open ?? [];
  if (open !== undefined && turn !== null) work.push(workOf(open, turn.checkpointed));
  else if (turn !== null && !turn.answered) work.push({ what: 'request' });
  const isOwn = rehearsal?.stage === 'applying' && rehearsal.callId === null;
  if (rehearsal?.stage === 'running' || (rehearsal && isOwn)) work.push({ what: 'rehearsal', name: rehearsal.line });
  if (isRestoreAsked(state)) work.push({ what: 'question', name: `the ${restore?.direction ?? 'undo'}` });
  else if (restore !== null) work.push({ what: 'restore' });
  if (command !== null) work.push({ what: 'command', name: isPrivate ? 'a private one' : command });
  return work;
}

function workOf({ call, stage }: OpenCall, checkpointed: boolean): HaltedWork {
  switch (stage) {
    case 'asked':
      return { what: 'question', name: call.name };
    case 'approved':
      return { what: checkpointed ? 'call' : 'checkpoint', name: call.name };
    case 'new':
    case 'running':
      return { what: 'call', name: call.name };
  }
}

/** The settings after a halt: the person is asked about all that no rule of theirs names. */
export function haltedSettings(settings: Settings): Settings {
  return { ...settings, approve: 'ask', ...(settings.unasked === undefined ? {} : { unasked: 'none' }) };
}

/** What a word about what is approved brings back after a halt, be it that tools are asked: what else ran unasked before. */
export function liftedBy(
  { halted, unaskedBefore }: Pick<SessionState, 'halted' | 'unaskedBefore'>,
  { approve }: Partial<Settings>,
): Pick<Settings, 'unasked'> {
  return halted === true && approve !== undefined && unaskedBefore !== undefined ? { unasked: unaskedBefore } : {};
}

/** Whether settings leave the mode that a halt fell back to. */
export function liftsHalt({ approve, unasked = 'none' }: Settings): boolean {
  return approve !== 'ask' || unasked !== 'none';
}
