import type { Classification, HardDeny } from '../../core/commands/verdict.ts';
import type { Ruling } from '../../core/policy/rules.ts';
import type { CommandDecision } from '../../protocol/tool.ts';
import { lazy } from './lazy.ts';
import { BUILT_IN_RULES } from './messages.ts';
import { realName } from './self-protection.ts';

/** The decision of a ruling about a line in a directory. */
export async function toDecision(
  { decision, rule, hardDenials, classification }: Ruling,
  cwd: string,
): Promise<CommandDecision> {
  const { effectsOf } = await lazy.effectPolicy();
  return {
    class: classification?.class ?? 'unparseable',
    decision,
    effects: effectsOf(classification?.parts ?? []),
    reasons: [],
    hardDenials,
    cwd,
    ...(rule === null ? {} : { rule }),
  };
}

/** The decision about a call that is never allowed. */
export function toRefused(
  why: Partial<Pick<CommandDecision, 'effects' | 'reasons'>>,
  hardDeny: HardDeny,
  cwd: string,
): CommandDecision {
  return {
    class: 'destructive',
    decision: 'deny',
    reasons: [],
    ...why,
    hardDenials: [hardDeny],
    cwd,
    rule: BUILT_IN_RULES.denies,
  };
}

/** The directories in which the commands of a line run and the paths they name, without links; null if a word or a directory is unknown. */
export function placesOf({ class: kind, parts, named }: Classification): string | null {
  if (parts.some(({ cwd, words }) => cwd === null || words.includes(null))) return null;
  const folders = parts.map(({ cwd }) => cwd ?? '');
  const paths = [...folders, ...named.map(({ path }) => path)];
  return JSON.stringify([kind, ...paths.map((path) => (path.startsWith('/') ? realName(path) : path))]);
}

/** The answer if aish can offer no rule. */
export async function proposeNothing(): Promise<Pick<CommandDecision, 'proposal'>> {
  return {};
}
