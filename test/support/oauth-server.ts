import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { send, TEST_TOOLS, toInitializeResult } from './mcp-server.ts';

/** An MCP server on loopback that takes only tokens of its own authorization server, which gives every refresh token once. */
export interface OAuthTestServer {
  readonly url: string;
  /** Requests to the authorization server: `register`, `authorize`, `token authorization_code` and so on. */
  readonly seen: readonly string[];
  /** Every token that it has given out. */
  readonly tokens: readonly string[];
  /** Ends the access tokens that are in use. */
  expire(): void;
  /** The scope that calls of tools need from now on. */
  demand(scope: string): void;
  close(): Promise<void>;
}

interface Grant {
  readonly scope: string;
  readonly challenge: string;
}

/** Starts both; `grants` is what the page of the login answers. */
export async function startOAuthServer(
  options: { readonly denies?: boolean; readonly forgetsScope?: boolean } = {},
): Promise<OAuthTestServer> {
  const seen: string[] = [];
  const tokens: string[] = [];
  const codes = new Map<string, Grant>();
  const live = new Map<string, string>();
  const refresh = new Map<string, string>();
  let demanded = '';

  const give = (scope: string): JsonObject => {
    const number = tokens.length;
    const [access_token, refresh_token] = [`access-secret-${number}`, `refresh-secret-${number}`];
    tokens.push(access_token, refresh_token);
    live.set(access_token, scope);
    refresh.set(refresh_token, scope);
    return { access_token, refresh_token, token_type: 'Bearer', ...(options.forgetsScope === true ? {} : { scope }) };
  };

  const authorize = (url: URL, response: ServerResponse) => {
    seen.push('authorize');
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    back.searchParams.set('iss', url.origin);
    if (options.denies === true) back.searchParams.set('error', 'access_denied');
    else {
      const code = `code-${codes.size}`;
      const challenge = url.searchParams.get('code_challenge') ?? '';
      codes.set(code, { scope: url.searchParams.get('scope') ?? '', challenge });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  };

  const token = (form: URLSearchParams, response: ServerResponse) => {
    const type = form.get('grant_type') ?? '';
    seen.push(`token ${type}`);
    if (type === 'refresh_token') {
      const given = form.get('refresh_token') ?? '';
      const scope = refresh.get(given);
      refresh.delete(given);
      return scope === undefined ? send(response, 400, { error: 'invalid_grant' }) : send(response, 200, give(scope));
    }
    const grant = codes.get(form.get('code') ?? '');
    const hash = new Bun.CryptoHasher('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
    if (grant === undefined || grant.challenge !== hash) return send(response, 400, { error: 'invalid_grant' });
    codes.delete(form.get('code') ?? '');
    send(response, 200, give(grant.scope));
  };

  const serveMcp = (message: JsonObject, origin: string, authorization: string, response: ServerResponse) => {
    const scope = live.get(authorization.replace(/^Bearer /, ''));
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const refuse = (status: number, more: string) =>
      send(response, status, {}, { 'www-authenticate': `Bearer ${more}${metadata}` });
    if (scope === undefined) return refuse(401, '');
    const isCall = message.method === 'tools/call';
    if (isCall && demanded !== '' && !scope.split(' ').includes(demanded))
      return refuse(403, `error="insufficient_scope", scope="${demanded}", `);
    if (message.id === undefined) return void response.writeHead(202).end();
    const results: Readonly<Record<string, JsonObject>> = {
      initialize: toInitializeResult('2025-11-25'),
      'tools/list': { tools: TEST_TOOLS },
      'tools/call': { content: [{ type: 'text', text: `granted ${scope}` }] },
    };
    const result = results[String(message.method)];
    const error = { code: -32601, message: 'Method not found' };
    send(response, 200, { jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) });
  };

  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const origin = `http://${request.headers.host}`;
      const url = new URL(request.url ?? '/', origin);
      switch (url.pathname) {
        case '/.well-known/oauth-protected-resource/mcp':
          return send(response, 200, {
            resource: `${origin}/mcp`,
            authorization_servers: [origin],
            scopes_supported: ['read'],
          });
        case '/.well-known/oauth-authorization-server':
          return send(response, 200, toMetadata(origin));
        case '/register':
          seen.push('register');
          return send(response, 201, { ...(JSON.parse(body) as JsonObject), client_id: 'client-1' });
        case '/authorize':
          return authorize(url, response);
        case '/token':
          return token(new URLSearchParams(body), response);
        case '/mcp': {
          const message: unknown = body === '' ? null : JSON.parse(body);
          if (!isJsonObject(message)) return void response.writeHead(405).end();
          return serveMcp(message, origin, request.headers.authorization ?? '', response);
        }
        default:
          return void response.writeHead(404).end();
      }
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', () => listening.resolve());
  await listening.promise;
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp`,
    seen,
    tokens,
    expire: () => live.clear(),
    demand: (scope) => {
      demanded = scope;
    },
    close: async () => {
      server.closeAllConnections();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

/** Goes where the browser of a user goes who agrees to everything; gives the last address. */
export async function visitAsUser(page: string): Promise<string> {
  const { headers } = await fetch(page, { redirect: 'manual' });
  const back = headers.get('location') ?? '';
  await fetch(back);
  return back;
}

function toMetadata(origin: string): JsonObject {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
