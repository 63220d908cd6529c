import type { Config } from '../../protocol/config.ts';
import { type Secret, SHORTEST_SECRET } from './secret.ts';

/** The keys and tokens that a configuration names; `variables` are names of further ones that may hold a key. */
export function listConfiguredSecrets(
  { models, mcp }: Pick<Config, 'models' | 'mcp'>,
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[] = [],
): Secret[] {
  const servers = Object.entries(mcp.servers);
  const named = [
    ...Object.values(models).map((model) => model.key_env),
    ...servers.map(([, server]) => server.auth_env),
    ...variables,
  ].flatMap((name) => (name === undefined ? [] : [{ name, value: env[name]?.trim() ?? '', from: 'environment' }]));
  const written = servers.map(([alias, server]) => ({
    name: `${alias}.auth_token`,
    value: server.auth_token ?? '',
    from: 'config',
  }));
  return [...named, ...written].filter(({ value }) => value.length >= SHORTEST_SECRET);
}
