/* The texts of a session that load late: a call that nobody was there to approve, a client's settings, and a halt. */
import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { HaltedBy, HaltedWork, HaltReport } from '../../protocol/op.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/** Why a call is denied because nobody is there to approve it. */
export const DENIALS = {
  cannotUndo: (why: string | undefined): string => `this call cannot be undone: ${why ?? 'no checkpoint covers the change'}`,
  noSecretRule: (secrets: readonly { readonly name: string; readonly to: string }[]): string =>
    `no rule grants ${secrets.map(({ name, to }) => `${name} to ${to}`).join(', ')}`,
  definitionChanged: "the tool's definition has changed since a rule approved it",
  readsOutside: (path: string | undefined): string => `this call reads outside the project: ${path ?? 'a file elsewhere'}`,
  ruleAsks: (rule: string): string => `the rule "${rule}" requires approval`,
  noCommandRule: 'no [safety] rule allows this command, and --approve does not apply to commands',
  halted: 'the session was halted, so every call needs approval',
} as const;

export const DENIED_AFTER_HALT = `${DENIALS.halted}; pass --approve with ask, read-only or all to continue`;

export const formatNotApproved = (mode: 'read-only' | 'all'): string =>
  `no rule allows this call, and nobody is there to approve it; --approve ${mode} allows it`;

export const approveRefused = (approve: string): ErrorFact => ({
  code: 'settings.refused',
  message: `this daemon does not allow approve "${approve}"`,
  hint: `start the daemon with: aish serve --approve ${approve}`,
});

export const maxStepsRefused = (most: number): ErrorFact => ({
  code: 'settings.refused',
  message: `this daemon allows a maxSteps of at most ${most}`,
  hint: 'use a smaller number, or start the daemon with a larger --max-steps',
});

export const maxToolDepthRefused = (most: number): ErrorFact => ({
  code: 'settings.refused',
  message: `this daemon allows a maxToolDepth of at most ${most}`,
  hint: 'use a smaller number, or raise mcp.max_tool_depth in the configuration',
});

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
