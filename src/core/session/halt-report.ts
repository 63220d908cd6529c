import type { EventOf } from '../../protocol/event.ts';
import type { HaltedBy, HaltedWork, HaltReport } from '../../protocol/op.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/** How the halt came about. */
export const HALT_CAUSES: Readonly<Record<HaltedBy, string>> = {
  user: 'halted',
  terminal: 'halted because the terminal closed',
  signal: 'halted by a signal',
};

/** The report of a halt: the work that it stopped, and the approvals that follow. */
export function formatHalt({ by, running, client }: EventOf<'session.halted'>): string {
  const stopped = running.filter(({ what }) => what !== 'command' && what !== 'restore').map(formatWork);
  const place = client === undefined ? '' : ` at ${sanitizeLine(client)}`;
  return [
    `[aish] ${HALT_CAUSES[by]}${place}`,
    stopped.length === 0 ? 'the model was not running anything' : `stopped ${stopped.join(', ')}`,
    ...running.flatMap(formatContinuing),
    'aish now asks before every action that no rule allows (:approve ask restores the default)',
  ].join('; ');
}

/** The report of the processes that a halt ended or could not end; null for none. */
export function formatHaltReport({ report }: EventOf<'halt.completed'>): string | null {
  const lines = [...formatEnded(report), ...(report.left.length === 0 ? [] : [formatLeft(report)])];
  return lines.length === 0 ? null : `[aish] ${lines.join('; ')}`;
}

function formatEnded({ ended, servers = [], shellEnded }: HaltReport): string[] {
  return [
    ...(ended === 0 ? [] : [`ended ${ended} ${ended === 1 ? 'process' : 'processes'}`]),
    ...(servers.length === 0 ? [] : [`ended ${servers.join(', ')}, which did not respond`]),
    ...(shellEnded === true ? ['ended the shell, which did not respond'] : []),
  ];
}

function formatLeft({ left }: HaltReport): string {
  const names = left.map(({ pid, name }) => `${name} (${pid})`).join(', ');
  return `could not end ${names}: end ${left.length === 1 ? 'it' : 'them'} as the user who started ${left.length === 1 ? 'it' : 'them'}`;
}

function formatWork({ what, name = '' }: HaltedWork): string {
  switch (what) {
    case 'request':
      return "the model's answer";
    case 'approval':
      return `the prompt for ${name}`;
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

/** Work that a halt lets finish because it is the user's. */
function formatContinuing({ what, name = '' }: HaltedWork): readonly string[] {
  if (what === 'restore') return ['the undo stops after its current file'];
  return what === 'command' ? [`your command continues: ${name}`] : [];
}
