import type { SessionEvent } from '../protocol/event.ts';
import type { HaltedBy, HaltedWork, HaltReport } from '../protocol/halt.ts';
import { sanitizeLine } from './sanitize.ts';

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

const CAUSES: Readonly<Record<HaltedBy, string>> = {
  person: 'halted',
  terminal: 'halted, for the terminal is gone',
  signal: 'halted by a signal',
};

/** What people are told of a halt at once: what was stopped, and that they are asked about everything from here on. */
export function formatHalt({ by, running, seat }: EventOf<'session.halted'>): string {
  const stopped = running.filter(({ what }) => what !== 'command' && what !== 'restore').map(formatWork);
  const own = running.flatMap(formatOwn);
  const found = stopped.length === 0 ? 'nothing of the model was running' : `stopped: ${stopped.join(', ')}`;
  const place = seat === undefined ? '' : ` at ${sanitizeLine(seat)}`;
  return [
    `[aish] ${CAUSES[by]}${place}; ${found}`,
    ...own,
    'you are asked about everything now (:approve ask ends that)',
  ].join('; ');
}

/** What is told when all has ended, and what has not; null where there was nothing to end. */
export function formatHaltReport({ report }: EventOf<'halt.completed'>): string | null {
  const lines = [formatEnded(report), ...(report.left.length === 0 ? [] : [formatLeft(report)])].filter(
    (line) => line !== '',
  );
  return lines.length === 0 ? null : `[aish] ${lines.join('; ')}`;
}

function formatEnded({ ended, servers = [], shellEnded }: HaltReport): string {
  const parts = [
    ...(ended === 0 ? [] : [`${ended} ${ended === 1 ? 'process' : 'processes'} ended`]),
    ...(servers.length === 0
      ? []
      : [`${servers.join(', ')} did not answer and ${servers.length === 1 ? 'was' : 'were'} ended`]),
    ...(shellEnded === true ? ['the shell did not come back and was ended too'] : []),
  ];
  return parts.join(', ');
}

function formatLeft({ left }: HaltReport): string {
  const names = left.map(({ pid, name }) => `${name} (${pid})`).join(', ');
  return `could not be stopped: ${names}; end ${left.length === 1 ? 'it' : 'them'} with the rights that started ${left.length === 1 ? 'it' : 'them'}`;
}

function formatWork({ what, name = '' }: HaltedWork): string {
  switch (what) {
    case 'request':
      return 'the answer of the model';
    case 'question':
      return `the question about ${name}`;
    case 'checkpoint':
      return `the checkpoint before ${name}`;
    case 'rehearsal':
      return `the rehearsal of ${name}`;
    case 'call':
    case 'command':
    case 'restore':
      return name === '' ? what : name;
  }
}

/** What goes on because it is the person's. */
function formatOwn({ what, name = '' }: HaltedWork): readonly string[] {
  if (what === 'restore') return ['the undo ends with the file it is at'];
  return what === 'command' ? [`your own command goes on: ${name}`] : [];
}
