import { judgeLine, type LineGround } from './judge-line.ts';
import { isApprovable, matchesAnywhere, readPrefix } from './prefix.ts';
import { rule } from './rules.ts';

/** What a rule for commands does. */
export type RuleKind = 'approve' | 'ask' | 'deny';

/** A place that examples are judged for: any project of anybody. */
const SOMEWHERE: LineGround = { cwd: '/home/you/project', home: '/home/you', project: '/home/you/project' };

/** Why a prefix makes no rule of a kind; null where it makes one. */
export function faultOfPrefix(kind: RuleKind, prefix: string): string | null {
  const words = readPrefix(prefix);
  if (words.length === 0)
    return 'is not the beginning of one simple command: whole words, without patterns or variables';
  if (kind !== 'approve' || isApprovable(words)) return null;
  const program = words[0] ?? '';
  return program.includes('/')
    ? 'names a program by its path, and a rule that approves names it as the shell would find it'
    : `would approve whatever ${program} is given to run`;
}

/** True when a rule covers a line: approves the whole of it, or finds its command anywhere in it. */
export function ruleTakes(kind: RuleKind, prefix: string, line: string, ground: LineGround = SOMEWHERE): boolean {
  if (kind === 'approve')
    return rule('ask', { shell: { approve: [prefix] } }, { kind: 'cmd', cmd: line }, ground).decision === 'allow';
  const words = readPrefix(prefix);
  return judgeLine(line, ground).parts.some((part) => matchesAnywhere(words, part.words));
}
