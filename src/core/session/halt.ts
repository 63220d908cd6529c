import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { HaltedBy, HaltedWork, HaltReport } from '../../protocol/op.ts';
import type { Settings } from '../../protocol/settings.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { interruptCompaction } from './compaction.ts';
import { isRestoreAsked } from './restore.ts';
import { endTurn, type OpenCall, type SessionState, waitsForSnapshot } from './state.ts';

/*
 * A halt stops whatever the model has begun: a fact that ends the turn, so that `next` wants nothing of it any more and every effect of it
 * is called off before it can do or record another thing.
 *
 * Three things go on, because stopping them would do harm. The snapshot after the last step is still taken: an undo needs it. A restore
 * finishes the file it is at and reports. A command of the user that runs already is theirs to stop.
 */

/** The facts of a halt. */
export function haltFacts(state: SessionState, by: HaltedBy): SessionEvent[] {
  const { turn } = state;
  const facts: SessionEvent[] = [{ type: 'session.halted', by, running: runningWork(state) }];
  if (turn !== null) facts.push(endTurn(state, 'halted'));
  facts.push(...(interruptCompaction(state) ?? []));
  const unbegun = waitsForSnapshot(state) ? endUnbegun(state) : null;
  if (unbegun !== null) facts.push(unbegun);
  return facts;
}

/** What goes on in a session, in the order it would be told. */
function runningWork(state: SessionState): readonly HaltedWork[] {
  const { turn, command, restore, dryRun, isPrivate } = state;
  const work: HaltedWork[] = [];
  const [open] = turn?.open ?? [];
  if (open !== undefined && turn !== null) work.push(workOf(open, turn.checkpointed));
  else if (turn !== null && !turn.answered) work.push({ what: 'request' });
  const isOwn = dryRun?.stage === 'applying' && dryRun.callId === null;
  if (dryRun?.stage === 'running' || (dryRun && isOwn)) work.push({ what: 'dry-run', name: dryRun.line });
  if (isRestoreAsked(state)) work.push({ what: 'approval', name: `the ${restore?.direction ?? 'undo'}` });
  else if (restore !== null) work.push({ what: 'restore' });
  if (command !== null) work.push({ what: 'command', name: isPrivate ? 'a private one' : command });
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

/** The settings after a halt: the user is asked about all that no rule of theirs names. */
export function haltedSettings(settings: Settings): Settings {
  return { ...settings, approve: 'ask', ...(settings.autoRun === undefined ? {} : { autoRun: 'none' }) };
}

/** What a word about what is approved brings back after a halt, be it that tools are asked: what else ran without asking before. */
export function liftedBy(
  { halted, autoRunBefore }: Pick<SessionState, 'halted' | 'autoRunBefore'>,
  { approve }: Partial<Settings>,
): Pick<Settings, 'autoRun'> {
  return halted === true && approve !== undefined && autoRunBefore !== undefined ? { autoRun: autoRunBefore } : {};
}

/** Whether settings leave the mode that a halt fell back to. */
export function liftsHalt({ approve, autoRun = 'none' }: Settings): boolean {
  return approve !== 'ask' || autoRun !== 'none';
}

/**
 * The end of a command of the user that waits and will not begin, as the shell
 * would tell it of one that Ctrl-C ended; null where none is asked for.
 */
export function endUnbegun({ command, isPrivate, cwd }: SessionState): SessionEvent | null {
  if (command === null) return null;
  const ended = { driver: 'user', exit: 130, cwd, output: '', bytes: 0, durationMs: 0 } as const;
  const record = { line: command, ...ended };
  return { type: 'command.completed', record: isPrivate ? { ...record, private: true } : record };
}

const CAUSES: Readonly<Record<HaltedBy, string>> = {
  user: 'halted',
  terminal: 'halted, for the terminal is gone',
  signal: 'halted by a signal',
};

/** What users are told of a halt at once: what was stopped, and that they are asked about everything from here on. */
export function formatHalt({ by, running, client }: EventOf<'session.halted'>): string {
  const stopped = running.filter(({ what }) => what !== 'command' && what !== 'restore').map(formatWork);
  const own = running.flatMap(formatOwn);
  const found = stopped.length === 0 ? 'nothing of the model was running' : `stopped: ${stopped.join(', ')}`;
  const place = client === undefined ? '' : ` at ${sanitizeLine(client)}`;
  return [`[aish] ${CAUSES[by]}${place}; ${found}`, ...own, 'you are asked about everything now (:approve ask ends that)'].join('; ');
}

/** What is told when all has ended, and what has not; null where there was nothing to end. */
export function formatHaltReport({ report }: EventOf<'halt.completed'>): string | null {
  const lines = [formatEnded(report), ...(report.left.length === 0 ? [] : [formatLeft(report)])].filter((line) => line !== '');
  return lines.length === 0 ? null : `[aish] ${lines.join('; ')}`;
}

function formatEnded({ ended, servers = [], shellEnded }: HaltReport): string {
  const parts = [
    ...(ended === 0 ? [] : [`${ended} ${ended === 1 ? 'process' : 'processes'} ended`]),
    ...(servers.length === 0 ? [] : [`${servers.join(', ')} did not answer and ${servers.length === 1 ? 'was' : 'were'} ended`]),
    ...(shellEnded === true ? ['the shell did not come back and was ended too'] : []),
  ];
  return parts.join(', ');
}

function formatLeft({ left }: HaltReport): string {
  const names = left.map(({ pid, name }) => `${name} (${pid})`).join(', ');
  return (
    `could not be stopped: ${names}; end ${left.length === 1 ? 'it' : 'them'} with the rights that ` +
    `started ${left.length === 1 ? 'it' : 'them'}`
  );
}

function formatWork({ what, name = '' }: HaltedWork): string {
  switch (what) {
    case 'request':
      return 'the answer of the model';
    case 'approval':
      return `the question about ${name}`;
    case 'checkpoint':
      return `the checkpoint before ${name}`;
    case 'dry-run':
      return `the dry run of ${name}`;
    case 'call':
    case 'command':
    case 'restore':
      return name === '' ? what : name;
  }
}

/** What goes on because it is the user's. */
function formatOwn({ what, name = '' }: HaltedWork): readonly string[] {
  if (what === 'restore') return ['the undo ends with the file it is at'];
  return what === 'command' ? [`your own command goes on: ${name}`] : [];
}
