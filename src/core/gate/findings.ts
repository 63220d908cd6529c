import type { CommandClass, Decision, Finding, Floor } from './verdict.ts';

/** Names of what programs, options and operands do; the tables are written in them. */
export type Effect =
  | 'reads'
  | 'adds'
  | 'task'
  | 'changes'
  | 'runs'
  | 'network'
  | 'privileged'
  | 'destroys'
  | 'wrecks'
  | 'remote code'
  | 'hides'
  | 'starts'
  | 'plants'
  | 'self'
  | 'leaks'
  | 'secrets'
  | 'unclear';

interface Kind {
  readonly class: CommandClass;
  readonly decision: Decision;
  readonly reason: string;
  readonly floor?: Floor;
  readonly mayBeAsked?: true;
}

const KINDS: Readonly<Record<Effect, Kind>> = {
  reads: { class: 'read-only', decision: 'allow', reason: 'only reads and prints' },
  adds: { class: 'mutating', decision: 'allow', reason: 'adds or edits inside the project' },
  task: { class: 'mutating', decision: 'allow', reason: 'a task that the project declares' },
  changes: { class: 'mutating', decision: 'ask', reason: 'may replace content or change settings' },
  runs: { class: 'mutating', decision: 'ask', reason: 'runs code that the line does not show' },
  network: { class: 'network', decision: 'ask', reason: 'opens a connection' },
  privileged: { class: 'privileged', decision: 'ask', reason: 'needs rights beyond yours' },
  destroys: { class: 'destructive', decision: 'ask', reason: 'deletes or overwrites' },
  wrecks: {
    class: 'destructive',
    decision: 'deny',
    reason: 'destroys something outside of the project, or the whole of something',
    floor: 'D1',
  },
  'remote code': {
    class: 'destructive',
    decision: 'deny',
    reason: 'runs code from the network that nobody has seen',
    floor: 'D2',
  },
  hides: { class: 'destructive', decision: 'deny', reason: 'hides what runs', floor: 'D2' },
  starts: {
    class: 'destructive',
    decision: 'deny',
    reason: 'starts another program by an option or a variable',
    floor: 'D2',
    mayBeAsked: true,
  },
  plants: { class: 'destructive', decision: 'deny', reason: 'leaves something behind that acts later', floor: 'D3' },
  self: { class: 'destructive', decision: 'deny', reason: 'touches aish itself', floor: 'D3' },
  leaks: { class: 'network', decision: 'deny', reason: 'sends secrets or output to another machine', floor: 'D4' },
  secrets: { class: 'read-only', decision: 'ask', reason: 'prints credentials' },
  unclear: { class: 'unparseable', decision: 'ask', reason: 'what runs cannot be told from the text' },
};

/** A finding of a kind, with words of its own where there are better ones. */
export function find(effect: Effect, detail?: string): Finding {
  const kind = KINDS[effect];
  return detail === undefined ? kind : { ...kind, reason: `${kind.reason}: ${detail}` };
}
