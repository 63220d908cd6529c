import type { Config, McpServerConfig } from '../../protocol/config.ts';
import { readUrlPasswords } from './assignments.ts';
import { secretsOfVariable } from './environment.ts';
import { isSecretName } from './names.ts';
import { isTooShort, type Secret } from './secret.ts';

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
  const theirs = servers.flatMap(([alias, server]) => secretsOfServer(alias, server));
  return [...named, ...written, ...theirs].filter(({ value }) => !isTooShort(value));
}

/** What a server is given: variables whose name says what they are, headers, and what stands in its address. */
function secretsOfServer(alias: string, { env = {}, headers = {}, url = '' }: McpServerConfig): Secret[] {
  const from = 'config';
  const rules = { names: new Set(Object.keys(env).filter(isSecretName)), ordinary: new Set<string>() };
  const variables = Object.entries(env).flatMap(([name, value]) => secretsOfVariable(name, value, rules));
  const credentials = Object.entries(headers).filter(([name]) => isSecretHeader(name));
  return [
    ...variables.map((variable) => ({ ...variable, from })),
    ...credentials.map(([name, value]) => ({ name: `${alias}.${name}`, value: value.replace(/^\w+ +/, ''), from })),
    ...readUrlPasswords(url).map(({ value }) => ({ name: `${alias}.url`, value, from })),
  ];
}

/** `Authorization`, `X-Api-Key`, `Private-Token` and their like. */
function isSecretHeader(name: string): boolean {
  return isSecretName(name.replace(/^x-/i, '')) || /^(?:proxy-)?authorization$|^cookie$|key$|token$/i.test(name);
}
