import type { Config } from '../../protocol/config.ts';
import type { RuleProblem } from './command-rules.ts';
import { formatKey, type KeyPath } from './key-path.ts';

type Secrets = Config['secrets'];

/** Checks who is handed secrets. The gate is loaded only where somebody is. */
export async function checkSecretRules({ allow }: Secrets): Promise<readonly RuleProblem[]> {
  if (Object.keys(allow).length === 0) return [];
  const { faultOfSecretRule } = await import('../../core/secrets/rule-fault.ts');
  return Object.entries(allow).flatMap(([name, rules]) =>
    rules.flatMap((rule, at) => {
      const fault = faultOfSecretRule(rule);
      const text = `secrets.allow.${name}: ${JSON.stringify(rule)} ${fault}`;
      return fault === null ? [] : [{ path: ['secrets', 'allow', name, String(at)], at: 'value', text } as const];
    }),
  );
}

/** True for what only the person's own file may say: who is handed a secret, and what is none. */
export function isOwnersAffair([table, key]: KeyPath): boolean {
  return table === 'secrets' && (key === 'allow' || key === 'public');
}

/** More that is secret. */
export function withSecrets(config: Config, added: Pick<Secrets, 'names'> & Partial<Pick<Secrets, 'files'>>): Config {
  const { secrets } = config;
  const names = [...secrets.names, ...added.names];
  return { ...config, secrets: { ...secrets, names, files: [...secrets.files, ...(added.files ?? [])] } };
}

/** One line for what a trusted project's file has no say in; none where it says nothing of it. */
export function warnOfOwnersAffairs(path: string, set: readonly KeyPath[]): readonly string[] {
  const left = [...new Set(set.filter(isOwnersAffair).map((key) => formatKey(key.slice(0, 2))))];
  if (left.length === 0) return [];
  return [`${path}: only your own file may say who is handed a secret and what is none; left out ${left.join(', ')}`];
}
