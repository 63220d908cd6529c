import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import type { DpopSession, FetchLike, OAuthClientProvider } from '@modelcontextprotocol/client';
import { isLoopbackHost } from '../../core/text/address.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { ServerConfig } from './credentials.ts';
import type { Sdk } from './http-transport.ts';
import { documentTooLarge, LOGIN_DONE, LOGIN_NOT_OURS, tokenNotSet, unsafeEndpoint } from './messages.ts';
import type { OAuthStore, StoredClient, StoredTokens } from './oauth-store.ts';

const LIMIT_MS = 20_000;
const MAX_BYTES = 1024 * 1024;

/**
 * A fetch for documents and tokens of authorization servers, whose addresses come from the server: only https or this machine, no redirect,
 * and from a public server no way into a private network.
 */
export function createOAuthFetch(serverUrl: URL): FetchLike {
  const isPublic = isPrivateAddress(serverUrl.hostname).then((isPrivate) => !isPrivate);
  return async (address, init) => {
    const url = new URL(address);
    const isLocal = isLoopbackHost(url.hostname);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) throw unsafeEndpoint(url.origin);
    if ((await isPublic) && (await isPrivateAddress(url.hostname))) throw unsafeEndpoint(url.origin);
    const timeout = AbortSignal.timeout(LIMIT_MS);
    const signal = init?.signal == null ? timeout : AbortSignal.any([init.signal, timeout]);
    const response = await fetch(url, { ...init, signal, redirect: 'manual' });
    if (response.status >= 300 && response.status < 400) throw unsafeEndpoint(url.origin);
    const { status, statusText, headers } = response;
    const body = await readBody(response);
    if (body === null) throw documentTooLarge(url.origin);
    // A response with such a status has no body.
    return new Response(status === 204 ? null : body, { status, statusText, headers });
  };
}

/** The body of a response; null if it is too large, whose rest aish does not read. */
async function readBody({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Ranges that a public server has no business with (RFC 1918, 4193, 6598, 3927). */
const PRIVATE =
  /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0\.|::1$|::$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|::ffff:)/i;

async function isPrivateAddress(hostname: string): Promise<boolean> {
  if (isLoopbackHost(hostname)) return true;
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return PRIVATE.test(host) || addresses.some(({ address }) => PRIVATE.test(address));
}

/** A listener on this machine to which the browser returns after a login. */
interface Loopback {
  readonly url: string;
  /** The parameters of the first return with our state. */
  readonly returned: Promise<URLSearchParams>;
  close(): void;
}

/** Opens a listener; `preferred` is the address of an earlier registration, taken again if it is free. */
export function openLoopback(
  state: string,
  preferred: { readonly url: string | null; readonly port: number | null },
): Loopback {
  const before = preferred.url === null ? null : new URL(preferred.url);
  const path = before?.pathname ?? `/callback/${crypto.randomUUID()}`;
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const serve = (port: number) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port,
      // An error page of Bun would show code.
      development: false,
      fetch: (request) => {
        const { pathname, searchParams } = new URL(request.url);
        if (pathname !== path || searchParams.get('state') !== state) return page(LOGIN_NOT_OURS, 404);
        resolve(searchParams);
        return page(LOGIN_DONE, 200);
      },
    });
  const server = listen(serve, preferred.port ?? (before === null ? 0 : Number(before.port)), preferred.port !== null);
  return { url: `http://127.0.0.1:${server.port}${path}`, returned: promise, close: () => void server.stop() };
}

/** A port that the user names is the only one; another one may be in use by now. */
function listen<T>(serve: (port: number) => T, port: number, isFixed: boolean): T {
  try {
    return serve(port);
  } catch (thrown) {
    if (isFixed || port === 0) throw thrown;
    return serve(0);
  }
}

function page(text: string, status: number): Response {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  };
  return new Response(`${text}\n`, { status, headers });
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

interface ProviderOptions {
  readonly sdk: Sdk;
  readonly alias: string;
  readonly store: OAuthStore;
  readonly config: ServerConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The address to which the browser returns; null for a flow without a user. */
  readonly redirectUrl: string | null;
  readonly state: string;
  /** The proofs of tokens that are bound to a key; null for plain ones. */
  readonly proofs: DpopSession | null;
}

type Metadata = OAuthClientProvider['clientMetadata'];
type Discovery = NonNullable<Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>>;
interface Issued {
  readonly issuer: string;
}

/** One run through the authorization flow of the SDK. Its code verifier and its discovery stay in memory. */
export class OAuthProvider implements OAuthClientProvider {
  readonly #options: ProviderOptions;
  #verifier = '';
  #discovery: Discovery | undefined;
  #authorizationUrl: URL | null = null;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** The page where the user logs in; null if the flow has needed none. */
  get authorizationUrl(): URL | null {
    return this.#authorizationUrl;
  }

  get redirectUrl(): string | undefined {
    return this.#options.redirectUrl ?? undefined;
  }

  get clientMetadataUrl(): string | undefined {
    return this.#options.config.oauth_client_metadata_url;
  }

  get clientMetadata(): Metadata {
    const { redirectUrl, config } = this.#options;
    return {
      client_name: 'aish',
      redirect_uris: redirectUrl === null ? [] : [redirectUrl],
      grant_types:
        redirectUrl === null
          ? [config.oauth_grant === 'jwt_bearer' ? JWT_BEARER : 'client_credentials']
          : ['authorization_code', 'refresh_token'],
      response_types: redirectUrl === null ? [] : ['code'],
      ...omitUndefined({ scope: config.oauth_scope }),
    };
  }

  dpop(): DpopSession | undefined {
    return this.#options.proofs ?? undefined;
  }

  state(): string {
    return this.#options.state;
  }

  clientInformation(context?: Issued): StoredClient | undefined {
    const { store, redirectUrl } = this.#options;
    const known = context === undefined ? undefined : store.read().entries[context.issuer];
    const configured = this.#configuredClient();
    if (configured !== undefined) return configured;
    // A registration holds for the address that it names.
    return redirectUrl === null || known?.redirectUrl === redirectUrl ? known?.client : undefined;
  }

  saveClientInformation(client: StoredClient, context?: Issued): void {
    const { store, redirectUrl } = this.#options;
    const issuer = context?.issuer ?? client.issuer;
    if (issuer === undefined) return;
    store.change(issuer, (entry) => ({ ...entry, client, ...(redirectUrl === null ? {} : { redirectUrl }) }));
  }

  tokens(context?: Issued): StoredTokens | undefined {
    const { issuer, entries } = this.#options.store.read();
    return entries[context?.issuer ?? issuer ?? '']?.tokens;
  }

  saveTokens(tokens: StoredTokens, context?: Issued): void {
    const { store } = this.#options;
    const issuer = context?.issuer ?? tokens.issuer;
    if (issuer === undefined) return;
    const before = store.read().entries[issuer]?.tokens;
    // An answer without a scope grants what was requested, and one without a refresh token leaves the old one in force.
    const scope = tokens.scope ?? this.#authorizationUrl?.searchParams.get('scope') ?? before?.scope;
    const refresh_token = tokens.refresh_token ?? (this.#authorizationUrl === null ? before?.refresh_token : undefined);
    const whole: StoredTokens = { ...tokens, ...omitUndefined({ scope, refresh_token }) };
    store.change(issuer, (entry) => ({ ...entry, tokens: whole, at: Date.now() }));
    store.write({ ...store.read(), issuer });
  }

  redirectToAuthorization(url: URL): void {
    this.#authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: Discovery): void {
    this.#discovery = state;
  }

  discoveryState(): Discovery | undefined {
    return this.#discovery;
  }

  /** Forgets credentials that the authorization server has refused. */
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'verifier') this.#verifier = '';
    if (scope === 'discovery') this.#discovery = undefined;
    if (scope === 'verifier' || scope === 'discovery') return;
    const { store } = this.#options;
    const issuer = this.#discovery?.authorizationServerMetadata?.issuer ?? store.read().issuer;
    if (issuer === null) return;
    store.change(issuer, ({ client, redirectUrl, tokens, at }) =>
      omitUndefined({
        client: scope === 'tokens' ? client : undefined,
        redirectUrl: scope === 'tokens' ? redirectUrl : undefined,
        tokens: scope === 'client' ? tokens : undefined,
        at,
      }),
    );
  }

  /** The request of a flow without a user. */
  prepareTokenRequest(scope?: string): URLSearchParams | undefined {
    const { redirectUrl, config } = this.#options;
    if (redirectUrl !== null) return undefined;
    const { oauth_grant = 'client_credentials', oauth_assertion_file } = config;
    const more: Record<string, string> = scope === undefined ? {} : { scope };
    if (oauth_grant !== 'jwt_bearer') return new URLSearchParams({ grant_type: oauth_grant, ...more });
    // The platform renews such a file, so it is read each time.
    const assertion = oauth_assertion_file === undefined ? '' : readFileSync(oauth_assertion_file, 'utf8').trim();
    return new URLSearchParams({ grant_type: JWT_BEARER, assertion, ...more });
  }

  /** Proves a client by its key, if one is configured. */
  get addClientAuthentication(): OAuthClientProvider['addClientAuthentication'] {
    const { sdk, config } = this.#options;
    const { oauth_client_id, oauth_key_file, oauth_key_algorithm = 'ES256' } = config;
    if (oauth_client_id === undefined || oauth_key_file === undefined) return undefined;
    return sdk.createPrivateKeyJwtAuth({
      issuer: oauth_client_id,
      subject: oauth_client_id,
      privateKey: readFileSync(oauth_key_file, 'utf8'),
      alg: oauth_key_algorithm,
    });
  }

  /** The registration of the configuration. It belongs to the authorization server that it was first used with. */
  #configuredClient(): StoredClient | undefined {
    const { alias, config, env, store } = this.#options;
    const { oauth_client_id, oauth_client_secret_env } = config;
    if (oauth_client_id === undefined) return undefined;
    const client_secret = oauth_client_secret_env === undefined ? undefined : env[oauth_client_secret_env];
    if (oauth_client_secret_env !== undefined && client_secret === undefined)
      throw tokenNotSet(alias, oauth_client_secret_env);
    const bound = Object.values(store.read().entries).find(({ client }) => client?.client_id === oauth_client_id);
    return { client_id: oauth_client_id, ...omitUndefined({ client_secret, issuer: bound?.client?.issuer }) };
  }
}
