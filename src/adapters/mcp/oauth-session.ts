import type { AuthProvider, DpopSession, FetchLike } from '@modelcontextprotocol/client';
import { isLoopbackHost } from '../../core/text/address.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { orAborted } from '../system/patience.ts';
import type { ServerConfig } from './credentials.ts';
import { toWords } from './failure.ts';
import type { Sdk } from './http-transport.ts';
import * as messages from './messages.ts';
import { createOAuthFetch, OAuthProvider, openLoopback } from './oauth-provider.ts';
import { OAuthStore, openProofs, type StoredTokens } from './oauth-store.ts';

/** How a user takes part in a login. */
export interface LoginDeps {
  readonly signal: AbortSignal;
  /** Shows the address of the page and opens it in a browser. */
  present(url: string): void;
  /** The address that the browser went to in the end, pasted by a user whose browser runs elsewhere. */
  readonly pasted?: Promise<string>;
}

interface SessionOptions {
  readonly alias: string;
  readonly config: ServerConfig & { readonly url: string };
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The latest demand of the server. */
interface Challenge {
  readonly scope?: string;
  readonly resourceMetadataUrl?: URL;
}

/** Most logins for further scopes without a success in between. */
const MOST_STEP_UPS = 3;
/** Tokens are renewed this long before they end. */
const EARLY_MS = 10_000;

/** The login to one server: its tokens, their renewal, and the flow by which a user gets them. */
export class OAuthSession {
  readonly #options: SessionOptions;
  readonly #store: OAuthStore;
  readonly #fetch: FetchLike;
  #challenge: Challenge = {};
  /** Why a document could not be read. The SDK goes on without some documents, and then fails for a reason that follows from this one. */
  #unread: unknown = null;
  #sent: string | null = null;
  #stepUps = 0;
  #proofs: Promise<DpopSession> | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#store = new OAuthStore(options.stateDir, options.config.url);
    const fetchFrom = createOAuthFetch(new URL(options.config.url));
    this.#fetch = async (url, init) => {
      try {
        return await fetchFrom(url, init);
      } catch (thrown) {
        this.#unread ??= thrown;
        throw thrown;
      }
    };
  }

  /** Values that no text may hold. */
  get secrets(): readonly string[] {
    const { config, env } = this.#options;
    const entries = Object.values(this.#store.read().entries);
    const secrets = entries.flatMap(({ client, tokens }) => [
      tokens?.access_token,
      tokens?.refresh_token,
      client?.client_secret,
    ]);
    const configured = config.oauth_client_secret_env;
    return [...secrets, configured === undefined ? undefined : env[configured]].filter((value) => value !== undefined);
  }

  /** True if there are tokens. */
  get isLoggedIn(): boolean {
    return this.#current !== undefined;
  }

  /** The tokens for the requests of a transport. It renews them by itself, and never begins a login. */
  toAuthProvider(sdk: Sdk): AuthProvider {
    return {
      token: async () => {
        if (this.#isEnding()) await this.#renew(sdk);
        this.#sent = this.#current?.access_token ?? null;
        return this.#sent ?? undefined;
      },
      onUnauthorized: async ({ response }) => {
        this.#challenge = omitUndefined(sdk.extractWWWAuthenticateParams(response));
        if (!(await this.#renew(sdk))) throw messages.loginNeeded(this.#options.alias);
      },
    };
  }

  /** A fetch whose requests prove that the tokens are ours, if the configuration binds them to a key. */
  toFetch(sdk: Sdk, plain: FetchLike): FetchLike {
    if (this.#options.config.oauth_dpop !== true) return plain;
    const bound = (): string | undefined => {
      const tokens = this.#current;
      return tokens?.token_type.toLowerCase() === 'dpop' ? tokens.access_token : undefined;
    };
    return sdk.withDpop(async () => (await this.#openProofs(sdk)) ?? undefined, bound)(plain);
  }

  /** The error for a request that needs more scopes: a login cures it, unless the last one has granted them already. */
  toScopeError(sdk: Sdk, { requiredScope, resourceMetadataUrl }: StepUp): AishError {
    const { alias } = this.#options;
    const granted = this.#current?.scope;
    const scope = sdk.computeScopeUnion(this.#challenge.scope, granted, requiredScope);
    if (this.#stepUps >= MOST_STEP_UPS || !sdk.isStrictScopeSuperset(scope, granted))
      return messages.scopeRefused(alias, requiredScope ?? '');
    this.#stepUps += 1;
    this.#challenge = { ...this.#challenge, ...omitUndefined({ scope, resourceMetadataUrl }) };
    return messages.scopeNeeded(alias, requiredScope ?? '');
  }

  /** A call has come through: the granted scopes suffice. */
  noteSuccess(): void {
    this.#stepUps = 0;
  }

  /** Runs the whole flow with the user. */
  async login(sdk: Sdk, deps: LoginDeps): Promise<void> {
    const { config, alias } = this.#options;
    if (isAlone(config)) {
      if (!(await this.#renew(sdk))) throw messages.loginFailed(alias, messages.NOT_GRANTED);
      return;
    }
    const state = crypto.randomUUID();
    const port = config.oauth_port ?? null;
    this.#unread = null;
    const loopback = openLoopback(state, { url: this.#lastRedirect(), port });
    try {
      const provider = await this.#provider(sdk, loopback.url, state);
      await this.#store.withLock(() => this.#authorize(sdk, provider, { forceReauthorization: true }));
      const { authorizationUrl } = provider;
      this.#unread = null;
      if (authorizationUrl === null) return;
      if (!isSafePage(authorizationUrl))
        throw messages.unsafeEndpoint(`${authorizationUrl.protocol}//${authorizationUrl.host}`);
      deps.present(authorizationUrl.href);
      const parameters = await orAborted(this.#return(loopback.returned, state, deps), deps.signal);
      await this.#finish(sdk, provider, parameters);
    } catch (thrown) {
      throw this.#explain(sdk, this.#unread ?? thrown, deps.signal);
    } finally {
      loopback.close();
    }
  }

  /** Forgets all tokens; false if there were none. */
  async logout(): Promise<boolean> {
    return this.#store.withLock(async () => {
      const had = this.isLoggedIn;
      this.#store.write({ issuer: null, entries: {} });
      this.#proofs = null;
      return had;
    });
  }

  get #current(): StoredTokens | undefined {
    const { issuer, entries } = this.#store.read();
    return issuer === null ? undefined : entries[issuer]?.tokens;
  }

  #isEnding(): boolean {
    const { issuer, entries } = this.#store.read();
    const { tokens, at } = entries[issuer ?? ''] ?? {};
    if (tokens?.expires_in === undefined || tokens.refresh_token === undefined || at === undefined) return false;
    return Date.now() > at + tokens.expires_in * 1000 - EARLY_MS;
  }

  #lastRedirect(): string | null {
    const { issuer, entries } = this.#store.read();
    const known = issuer === null ? Object.values(entries)[0] : entries[issuer];
    return known?.redirectUrl ?? null;
  }

  async #provider(sdk: Sdk, redirectUrl: string | null, state = ''): Promise<OAuthProvider> {
    const { alias, config, env } = this.#options;
    const proofs = await this.#openProofs(sdk);
    return new OAuthProvider({ sdk, alias, store: this.#store, config, env, redirectUrl, state, proofs });
  }

  async #openProofs(sdk: Sdk): Promise<DpopSession | null> {
    if (this.#options.config.oauth_dpop !== true) return null;
    this.#proofs ??= openProofs(sdk, this.#store);
    return this.#proofs;
  }

  /** New tokens without the user, or those that another process has got meanwhile; false if only a login helps. */
  async #renew(sdk: Sdk): Promise<boolean> {
    return this.#store.withLock(async () => {
      const now = this.#current;
      if (now !== undefined && now.access_token !== this.#sent) return true;
      const alone = isAlone(this.#options.config);
      if (!alone && now?.refresh_token === undefined) return false;
      const provider = await this.#provider(sdk, alone ? null : (this.#lastRedirect() ?? 'http://127.0.0.1/callback'));
      try {
        return (await this.#authorize(sdk, provider, {})) === 'AUTHORIZED';
      } catch (thrown) {
        // A refusal is an answer: only a login helps. Anything else may pass.
        if (!alone && isRefusal(sdk, thrown)) return false;
        throw this.#explain(sdk, thrown, new AbortController().signal);
      }
    });
  }

  #authorize(
    sdk: Sdk,
    provider: OAuthProvider,
    more: { readonly forceReauthorization?: boolean; readonly authorizationCode?: string; readonly iss?: string },
  ): Promise<'AUTHORIZED' | 'REDIRECT'> {
    const { url, oauth_scope } = this.#options.config;
    const { scope = oauth_scope, resourceMetadataUrl } = this.#challenge;
    const fetchFn = this.#fetch;
    return sdk.auth(provider, { serverUrl: url, fetchFn, ...omitUndefined({ scope, resourceMetadataUrl }), ...more });
  }

  /** The first return of the browser, to this machine or as a pasted address. */
  #return(returned: Promise<URLSearchParams>, state: string, { pasted }: LoginDeps): Promise<URLSearchParams> {
    if (pasted === undefined) return returned;
    const { alias } = this.#options;
    const parsed = pasted.then((text) => {
      const url = text.trim();
      const parameters = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
      if (parameters.get('state') !== state) throw messages.loginFailed(alias, messages.WRONG_PASTE);
      return parameters;
    });
    return Promise.race([returned, parsed]);
  }

  async #finish(sdk: Sdk, provider: OAuthProvider, parameters: URLSearchParams): Promise<void> {
    const metadata = provider.discoveryState()?.authorizationServerMetadata;
    const iss = parameters.get('iss') ?? undefined;
    // Before anything else is read of an answer, it must be of the right authorization server.
    sdk.validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
    });
    const authorizationCode = parameters.get('code');
    if (authorizationCode === null) {
      const fault = parameters.get('error') ?? '';
      throw messages.loginFailed(this.#options.alias, /^[a-z_]{1,40}$/.test(fault) ? fault : messages.NOT_GRANTED);
    }
    await this.#store.withLock(() => this.#authorize(sdk, provider, { authorizationCode, ...omitUndefined({ iss }) }));
  }

  #explain(sdk: Sdk, thrown: unknown, signal: AbortSignal): AishError {
    const { alias } = this.#options;
    if (signal.aborted) return messages.loginStopped(alias);
    if (thrown instanceof AishError) return thrown;
    const code = thrown instanceof sdk.OAuthError ? `${thrown.code}: ` : '';
    const said = toWords(thrown instanceof Error ? thrown.message : String(thrown));
    return messages.loginFailed(alias, sanitizeText(`${code}${messages.withoutAdvice(said)}`));
  }
}

/** The challenge of a server that wants more scopes. */
interface StepUp {
  readonly requiredScope?: string;
  readonly resourceMetadataUrl?: URL;
}

/** True for a page that may get a password, and that says where it is: no name of another host stands before its own. */
function isSafePage({ protocol, hostname, username, password }: URL): boolean {
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
  return isSafe && username === '' && password === '';
}

/** True for a server whose tokens need no user. */
function isAlone({ oauth_grant = 'authorization_code' }: ServerConfig): boolean {
  return oauth_grant !== 'authorization_code';
}

function isRefusal(sdk: Sdk, thrown: unknown): boolean {
  return thrown instanceof sdk.OAuthError || thrown instanceof sdk.OAuthClientFlowError;
}
