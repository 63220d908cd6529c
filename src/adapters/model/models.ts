import { toShownVariable } from '../../core/secrets/shapes.ts';
import { isLoopbackHost, isNearHost } from '../../core/text/address.ts';
import { nearestNames } from '../../core/text/nearest.ts';
import type { ModelConfig } from '../../protocol/config.ts';
import type { EndpointProfile } from '../../protocol/endpoint-profile.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { Provider, ReasoningEffort } from '../../protocol/model.ts';
import type { AwsKey, GoogleLogin } from './cloud-authorization.ts';
import { badAddress, keyDamaged, keyNotSet, noModelConfigured, unknownModel } from './messages-providers.ts';

/** Longest silence that aish accepts from a server, in milliseconds. */
interface ModelTimeouts {
  /** From the request to the first byte of the response: queueing and reading the prompt happen here. */
  readonly firstByteMs: number;
  /** Between two bytes of the response. */
  readonly idleMs: number;
  /** Between two pieces of the response, if the server keeps the connection alive with other data. */
  readonly barrenMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Credentials for a provider that takes no key, or whose key is not set. */
interface CloudCredentials {
  readonly aws?: AwsKey;
  readonly google?: GoogleLogin;
}

/** The address of a model, with its key and limits. */
export interface ModelEndpoint extends CloudCredentials {
  /** The name in `[models]`, or what was found. */
  readonly name: string;
  /** The wire that it speaks; chat completions if absent. */
  readonly provider?: Provider;
  /** With its version path, without a slash at the end. */
  readonly baseUrl: string;
  /** The server's name for the model; null takes the first one it lists. */
  readonly model: string | null;
  readonly key: string | null;
  /** The environment variable the key came from. */
  readonly keyEnv?: string;
  /** Tokens of context, where known. */
  readonly context?: number;
  /** It accepts images in a message. */
  readonly images?: boolean;
  /** How much it thinks; the server's default if absent. */
  readonly reasoningEffort?: ReasoningEffort;
  /** It is known to be a llama.cpp server. */
  readonly isLlama?: boolean;
  /** How its server differs from others, as far as that is known. */
  readonly profile?: EndpointProfile;
  readonly timeouts: ModelTimeouts;
}

/** The keys of `[models.NAME]` that are read here. */
type EndpointConfig = Pick<ModelConfig, 'base_url'> &
  Partial<Pick<ModelConfig, 'model' | 'key_env' | 'timeout_ms' | 'images' | 'provider' | 'reasoning_effort'>> & {
    readonly context?: number | undefined;
  };

const MINUTE = 60_000;

/** Finds the endpoint of a configured model; without a name the first one. */
export function resolveModel(
  models: Readonly<Record<string, EndpointConfig>>,
  name: string | null,
  env: Environment,
): ModelEndpoint {
  const names = Object.keys(models);
  const wanted = name ?? names[0];
  if (wanted === undefined) throw noModelConfigured();
  const config = Object.hasOwn(models, wanted) ? models[wanted] : undefined;
  if (config === undefined) throw unknownModel(wanted, nearestModels(wanted, names), names);
  return {
    ...toEndpoint(wanted, config, readKey(wanted, config.key_env, env)),
    ...(config.key_env === undefined ? readCredentials(config.provider, env) : {}),
  };
}

/** An endpoint from its configuration and the key that was found for it. */
export function toEndpoint(name: string, config: EndpointConfig, key: string | null): ModelEndpoint {
  const provider = config.provider ?? providerAt(config.base_url);
  const baseUrl = toBaseUrl(config.base_url, provider);
  return {
    name,
    ...(provider === 'openai-chat' ? {} : { provider }),
    baseUrl,
    model: config.model ?? null,
    key,
    ...omitUndefined({ keyEnv: config.key_env, context: config.context, reasoningEffort: config.reasoning_effort }),
    ...(config.images === true ? { images: true } : {}),
    timeouts: toTimeouts(baseUrl, config.timeout_ms),
  };
}

/** Hosts with a wire of their own. Google also answers chat completions, under a path of its own. */
const PROVIDER_HOSTS: Readonly<Record<string, Provider>> = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'generativelanguage.googleapis.com': 'google',
};

/** The wire at an address: the provider's own at its own host, else chat completions. */
function providerAt(address: string): Provider {
  const { hostname, pathname } = parseUrl(address);
  const isChat = /\/(openai|chat\/completions)\/*$/.test(pathname);
  return (isChat ? undefined : PROVIDER_HOSTS[hostname]) ?? 'openai-chat';
}

/** The address requests are made under: a bare host gets the version's path, a longer path is left as written. */
export function toBaseUrl(address: string, provider: Provider = 'openai-chat'): string {
  const url = parseUrl(address);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/chat\/completions$/, '');
  url.pathname = path === '' ? versionPath(provider) : path;
  url.hash = '';
  return url.href.replace(/\/$/, '');
}

/** A package that the user added knows its paths itself. */
function versionPath(provider: Provider): string {
  if (provider === 'google') return '/v1beta';
  return ['openai-chat', 'anthropic', 'openai'].includes(provider) ? '/v1' : '/';
}

/** The address of one resource of an endpoint. A query, as some gateways want one, stays behind it. */
export function toResourceUrl(baseUrl: string, resource: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${resource}`;
  return url.href;
}

/** True for this machine. */
export function isLoopback(baseUrl: string): boolean {
  return isLoopbackHost(new URL(baseUrl).hostname);
}

/** The names that a mistyped one may stand for, at most three, best first; empty when none is close. */
export function nearestModels(wanted: string, names: readonly string[]): string[] {
  const near = nearestNames(wanted, names, Math.max(2, Math.floor(wanted.length / 3)));
  const longer = names.filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
  return [...new Set([...near, ...longer])].slice(0, 3);
}

/** A model on the local network may queue and read a long prompt for minutes without a byte; a silent cloud model is gone. */
function toTimeouts(baseUrl: string, timeoutMs: number | undefined): ModelTimeouts {
  const barrenMs = Math.max(10 * MINUTE, timeoutMs ?? 0);
  if (timeoutMs !== undefined) return { firstByteMs: timeoutMs, idleMs: timeoutMs, barrenMs };
  return { firstByteMs: isNear(baseUrl) ? 10 * MINUTE : 2 * MINUTE, idleMs: 2 * MINUTE, barrenMs };
}

/** True for this machine and its local network. */
export function isNear(baseUrl: string): boolean {
  return isNearHost(new URL(baseUrl).hostname);
}

function readKey(name: string, variable: string | undefined, env: Environment): string | null {
  if (variable === undefined) return null;
  const key = env[variable]?.trim();
  if (key === undefined || key === '') throw keyNotSet(name, toShownVariable(variable));
  return key;
}

/** The credentials in the environment, by the names of all programs of AWS and Google; empty without any. */
export function readCredentials(provider: string | undefined, env: Environment): CloudCredentials {
  const aws = provider === 'bedrock' ? readAwsKey(env) : null;
  const file = provider === 'vertex' ? env.GOOGLE_APPLICATION_CREDENTIALS?.trim() : undefined;
  return aws !== null ? { aws } : file ? { google: { file } } : {};
}

function readAwsKey(env: Environment): AwsKey | null {
  const [id = '', secret = '', region = '', token] = [
    env.AWS_ACCESS_KEY_ID,
    env.AWS_SECRET_ACCESS_KEY,
    env.AWS_REGION ?? env.AWS_DEFAULT_REGION,
    env.AWS_SESSION_TOKEN,
  ].map((value) => value?.trim());
  return id === '' || secret === '' ? null : { id, secret, region, ...(token ? { token } : {}) };
}

function parseUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw badAddress(address);
}

/**
 * Sends one request. A redirect is returned and not followed, because following it would send key and conversation elsewhere;
 * this machine is reached directly whatever proxy is set.
 */
export async function openRequest(
  endpoint: ModelEndpoint,
  url: string,
  options: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = {
    ...(endpoint.provider === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}),
    ...options.headers,
    accept: 'application/json, text/event-stream',
    'user-agent': 'aish',
    ...(endpoint.key === null ? {} : toKeyHeader(endpoint.provider, checkKey(endpoint.key, endpoint))),
  };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  const method = options.body === undefined ? 'GET' : 'POST';
  const { aws, google } = endpoint;
  if (aws !== undefined) {
    const { signAws } = await import('./cloud-authorization.ts');
    Object.assign(headers, signAws(aws, { method, url, body: options.body ?? '', at: new Date() }));
  }
  if (google !== undefined) {
    const { fetchGoogleToken } = await import('./cloud-authorization.ts');
    headers.authorization = `Bearer ${await fetchGoogleToken(google, signal)}`;
  }
  return fetch(url, {
    method,
    headers,
    ...omitUndefined({ body: options.body }),
    signal,
    redirect: 'manual',
    ...(isLoopback(endpoint.baseUrl) ? { proxy: false as const } : {}),
  });
}

function toKeyHeader(provider: Provider | undefined, key: string): Record<string, string> {
  switch (provider) {
    case 'anthropic':
      return { 'x-api-key': key };
    case 'google':
    case 'vertex':
      return { 'x-goog-api-key': key };
    case 'azure':
      return { 'api-key': key };
    default:
      return { authorization: `Bearer ${key}` };
  }
}

function checkKey(key: string, endpoint: ModelEndpoint): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw keyDamaged(endpoint.name, endpoint.keyEnv);
}
