import { toShownVariable } from '../../core/secrets/shapes.ts';
import { isLoopbackHost } from '../../core/text/address.ts';
import { decodeUri } from '../../core/text/attempt.ts';
import type { McpServerConfig } from '../../protocol/config.ts';
import { tokenNotSet } from './messages.ts';

/** A server's section of the configuration; what has a default may be missing for one named at the prompt. */
export type ServerConfig = Partial<McpServerConfig>;

type Environment = Readonly<Record<string, string | undefined>>;

/** The bearer token of a server: the literal one, else the variable's, else none. A variable that is named must be there. */
export function toToken(alias: string, config: ServerConfig, environment: Environment): string | null {
  if (config.auth_token !== undefined) return config.auth_token;
  if (config.auth_env === undefined) return null;
  const token = environment[config.auth_env]?.trim();
  if (token) return token;
  const shown = toShownVariable(config.auth_env);
  throw tokenNotSet(alias, shown);
}

/** True where a token may travel in clear text without comment: to this machine, or encrypted to any. */
export function isSafeForToken(url: URL): boolean {
  return url.protocol === 'https:' || isLoopbackHost(url.hostname);
}

/** Every value that must never be seen in a text: tokens, header values, and variables whose name says so. */
export function toSecrets(config: ServerConfig, token: string | null): readonly string[] {
  const named = Object.entries(config.env ?? {}).filter(([name]) => /key|token|secret|passw|credential/i.test(name));
  const secrets = [token ?? '', ...Object.values(config.headers ?? {}), ...named.map(([, value]) => value)];
  if (config.url !== undefined && URL.canParse(config.url)) {
    const url = new URL(config.url);
    secrets.push(url.password, decodeUri(url.password), url.search.slice(1), ...url.searchParams.values());
  }
  // Short values (`1`, `true`) are no secrets, and taking them out would garble every text.
  return secrets.flatMap((value) => [value, value.replace(/^\S+ /, '')]).filter((value) => value.length >= 6);
}

/** The text with every secret replaced, for errors and status lines. */
export function redact(text: string, secrets: readonly string[]): string {
  const longestFirst = [...secrets].sort((left, right) => right.length - left.length);
  return longestFirst.reduce((clean, secret) => clean.replaceAll(secret, '[hidden]'), text);
}
