import type { RuleKind } from '../../core/gate/rule-examples.ts';
import type { Config } from '../../protocol/config.ts';
import type { KeyPath } from './key-path.ts';

/** A rule for commands that cannot hold, or whose example says otherwise than the rule does. */
export interface RuleProblem {
  readonly path: KeyPath;
  readonly at: 'key' | 'value';
  readonly text: string;
}

/** The lists of rules for commands. */
export type CommandRuleLists = Pick<Config['safety'], RuleKind>;

const KINDS: readonly RuleKind[] = ['approve', 'ask', 'deny'];

/** Checks the rules for commands and the examples beside them. The gate is loaded only where there are any. */
export async function checkCommandRules(safety: CommandRuleLists): Promise<readonly RuleProblem[]> {
  if (KINDS.every((kind) => safety[kind].length === 0)) return [];
  const { faultOfPrefix, ruleTakes } = await import('../../core/gate/rule-examples.ts');
  return KINDS.flatMap((kind) =>
    safety[kind].flatMap((rule, at) => {
      const path = ['safety', kind, String(at)];
      const { prefix, match = [], no_match = [] } = typeof rule === 'string' ? { prefix: rule } : rule;
      const problem = (text: string): RuleProblem => ({ path, at: 'value', text: `safety.${kind}: ${text}` });
      const fault = faultOfPrefix(kind, prefix);
      if (fault !== null) return [problem(`${JSON.stringify(prefix)} ${fault}`)];
      const takes = (line: string) => ruleTakes(kind, prefix, line);
      return [
        ...match
          .filter((line) => !takes(line))
          .map((line) => problem(`${JSON.stringify(prefix)} does not cover its example ${JSON.stringify(line)}`)),
        ...no_match
          .filter(takes)
          .map((line) => problem(`${JSON.stringify(prefix)} covers ${JSON.stringify(line)}, which it is said not to`)),
      ];
    }),
  );
}
