import { readFileSync } from 'node:fs';
import type { DpopSession, OAuthClientProvider } from '@modelcontextprotocol/client';
import { omitUndefined } from '../../protocol/json.ts';
import type { ServerConfig } from './credentials.ts';
import type { Sdk } from './http-transport.ts';
import { tokenNotSet } from './messages.ts';
import type { OAuthStore, StoredClient, StoredTokens } from './oauth-store.ts';

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
