import type { RuleKind } from '../../core/policy/rules.ts';
import type { Config } from '../../protocol/config.ts';
import { formatKey, type KeyPath } from './key-path.ts';
import { formatMatched, formatOwnersKeys, formatUnmatched } from './messages.ts';

type Secrets = Config['secrets'];

/** Checks the receivers of secrets. Loads the policy only if there are any. */
export async function checkSecretRules({ allow }: Secrets): Promise<readonly RuleProblem[]> {
  if (Object.keys(allow).length === 0) return [];
  const { faultOfSecretRule } = await import('../../core/secrets/secret-rules.ts');
  return Object.entries(allow).flatMap(([name, rules]) =>
    rules.flatMap((rule, at) => {
      const fault = faultOfSecretRule(rule);
      const text = `secrets.allow.${name}: ${JSON.stringify(rule)} ${fault}`;
      return fault === null ? [] : [{ path: ['secrets', 'allow', name, String(at)], at: 'value', text } as const];
    }),
  );
}

/** True for keys that count only in the user's configuration: receivers of secrets, and values that are not secret. */
export function isOwnersAffair([table, key]: KeyPath): boolean {
  return table === 'secrets' && (key === 'allow' || key === 'public');
}

/** Adds more secrets. */
export function withSecrets(config: Config, added: Pick<Secrets, 'names'> & Partial<Pick<Secrets, 'files'>>): Config {
  const { secrets } = config;
  const names = [...secrets.names, ...added.names];
  return { ...config, secrets: { ...secrets, names, files: [...secrets.files, ...(added.files ?? [])] } };
}

/** A warning about keys of a trusted project's file that only the user's own file may set. */
export function warnOfOwnersAffairs(path: string, set: readonly KeyPath[]): readonly string[] {
  const left = [...new Set(set.filter(isOwnersAffair).map((key) => formatKey(key.slice(0, 2))))];
  if (left.length === 0) return [];
  return [formatOwnersKeys(path, left.join(', '))];
}

/** An invalid rule for commands, or one that contradicts its example. */
interface RuleProblem {
  readonly path: KeyPath;
  readonly at: 'key' | 'value';
  readonly text: string;
}

/** The lists of rules for commands. */
export type CommandRuleLists = Pick<Config['safety'], RuleKind>;

const KINDS: readonly RuleKind[] = ['approve', 'ask', 'deny'];

/** Checks the rules for commands and their examples. Loads the policy only if there are any. */
export async function checkCommandRules(safety: CommandRuleLists): Promise<readonly RuleProblem[]> {
  if (KINDS.every((kind) => safety[kind].length === 0)) return [];
  const { faultOfPrefix, ruleTakes } = await import('../../core/policy/rules.ts');
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
          .map((line) => problem(formatUnmatched(JSON.stringify(prefix), JSON.stringify(line)))),
        ...no_match.filter(takes).map((line) => problem(formatMatched(JSON.stringify(prefix), JSON.stringify(line)))),
      ];
    }),
  );
}
