import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMcpHost,
  failureOf,
  send,
  startScriptedMcpServer,
  type TestMcpHost,
} from '../../../test/support/mcp-server.ts';
import { type OAuthTestServer, startOAuthServer, visitAsUser } from '../../../test/support/oauth-server.ts';
import type { ServerConfig } from './credentials.ts';
import { createOAuthFetch } from './oauth-provider.ts';
import { OAuthStore } from './oauth-store.ts';

/* A real flow against an authorization server on loopback: discovery, registration, PKCE, refresh, step-up. */

const signal = new AbortController().signal;
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of open.splice(0)) await part.close();
});

async function serve(options: Parameters<typeof startOAuthServer>[0] = {}): Promise<OAuthTestServer> {
  const server = await startOAuthServer(options);
  open.push(server);
  return server;
}

function host(server: OAuthTestServer, stateDir?: string): TestMcpHost {
  const made = createMcpHost({ lab: { url: server.url } }, stateDir === undefined ? {} : { stateDir });
  open.unshift(made.servers);
  return made;
}

function login({ servers }: TestMcpHost): Promise<void> {
  return servers.server('lab').login({ signal, present: (page) => void visitAsUser(page) });
}

async function echo({ servers }: TestMcpHost): Promise<string> {
  return (await servers.call('lab.echo', {}, signal)).text;
}

test('a server that needs a login says so, and works after it, also in the next run', async () => {
  const server = await serve();
  const first = host(server);
  const error = await failureOf(first.servers.server('lab').refresh(signal));
  expect([error.code, first.servers.statuses()[0]?.state]).toEqual(['mcp.login', 'auth-needed']);
  expect(server.seen).toEqual([]);
  await login(first);
  expect([await echo(first), first.servers.statuses()[0]?.state]).toEqual(['granted read', 'connected']);
  const second = host(server, first.stateDir);
  expect(await echo(second)).toBe('granted read');
  expect(server.seen).toEqual(['register', 'authorize', 'token authorization_code']);
});

test('tokens stand in one private file and in no text', async () => {
  const server = await serve();
  const made = host(server);
  await login(made);
  const folder = join(made.stateDir, 'oauth');
  const files = readdirSync(folder).map((name) => join(folder, name));
  expect(files.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const texts = JSON.stringify([made.lines, made.servers.statuses()]);
  expect(server.tokens.some((token) => texts.includes(token))).toBe(false);
  const elsewhere = readdirSync(made.stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath !== folder)
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  expect(elsewhere.some((text) => text.includes('-secret-'))).toBe(false);
});

test('two processes that need a new token at once use the refresh token once', async () => {
  const server = await serve();
  const first = host(server);
  await login(first);
  const second = host(server, first.stateDir);
  await echo(second);
  server.expire();
  expect(await Promise.all([echo(first), echo(second)])).toEqual(['granted read', 'granted read']);
  expect(server.seen.filter((one) => one === 'token refresh_token').length).toBe(1);
});

test('without a libc, too, one process at a time renews tokens', async () => {
  const state = mkdtempSync(join(tmpdir(), 'oauth-lock-'));
  const entered: string[] = [];
  const held = Promise.withResolvers<void>();
  const enter = (name: string, until?: Promise<void>) =>
    new OAuthStore(state, 'http://127.0.0.1:1', null).withLock(async () => {
      entered.push(name);
      await until;
    });
  const first = enter('first', held.promise);
  const second = enter('second');
  // A lock that is free is taken without waiting.
  await new Promise(setImmediate);
  const before = [...entered];
  held.resolve();
  await Promise.all([first, second]);
  expect([before, entered]).toEqual([['first'], ['first', 'second']]);
  rmSync(state, { recursive: true });
});

test('a refresh token that is refused leads to a login, and a logout forgets all tokens', async () => {
  const server = await serve();
  const made = host(server);
  await login(made);
  expect([await made.servers.server('lab').logout(), await made.servers.server('lab').logout()]).toEqual([true, false]);
  expect((await failureOf(made.servers.call('lab.echo', {}, signal))).code).toBe('mcp.login');
  await login(made);
  expect(await echo(made)).toBe('granted read');
});

test('a call that needs more rights asks for another login with all of them', async () => {
  const server = await serve();
  const made = host(server);
  await login(made);
  server.demand('write');
  const error = await failureOf(made.servers.call('lab.echo', {}, signal));
  expect([error.code, error.message]).toEqual(['mcp.login', 'server "lab" needs a login with more rights: write']);
  await login(made);
  expect(await echo(made)).toBe('granted read write');
});

test('a server that keeps asking for rights is not logged in to without end', async () => {
  const server = await serve();
  const made = host(server);
  await login(made);
  for (let round = 0; round < 3; round += 1) {
    server.demand(`more-${round}`);
    expect((await failureOf(made.servers.call('lab.echo', {}, signal))).code).toBe('mcp.login');
    await login(made);
  }
  server.demand('more-9');
  expect((await failureOf(made.servers.call('lab.echo', {}, signal))).code).toBe('mcp.auth');
});

test('a user who says no gets the reason', async () => {
  const made = host(await serve({ denies: true }));
  const error = await failureOf(login(made));
  expect([error.code, error.message]).toEqual(['mcp.auth', 'the login to server "lab" failed: access_denied']);
});

test('an address that is pasted ends a login, and one of another login does not', async () => {
  const server = await serve();
  const made = host(server);
  const paste = (change: (back: URL) => void) => async (page: string) => {
    const { headers } = await fetch(page, { redirect: 'manual' });
    const back = new URL(headers.get('location') ?? '');
    change(back);
    made.servers.server('lab').paste(` ${back.href}\n`);
  };
  const wrong = made.servers.server('lab').login({
    signal,
    present: (page) => void paste((back) => back.searchParams.set('state', 'x'))(page),
  });
  expect((await failureOf(wrong)).message).toContain('the pasted address does not belong to this login');
  await made.servers.server('lab').login({ signal, present: (page) => void paste(() => {})(page) });
  expect(await echo(made)).toBe('granted read');
});

test('a return with another state is no return, and a login can be stopped', async () => {
  const made = host(await serve());
  const stop = new AbortController();
  const statuses: number[] = [];
  const present = async (page: string): Promise<void> => {
    const back = new URL(new URL(page).searchParams.get('redirect_uri') ?? '');
    for (const search of ['?code=1&state=forged', '?code=1']) statuses.push((await fetch(`${back}${search}`)).status);
    statuses.push((await fetch(new URL('/callback', back))).status);
    stop.abort();
  };
  const ended = made.servers.server('lab').login({ signal: stop.signal, present: (page) => void present(page) });
  expect((await failureOf(ended)).code).toBe('mcp.cancelled');
  expect(statuses).toEqual([404, 404, 404]);
});

test('a server cannot send aish to an unsafe address for its login', async () => {
  const fetchFrom = createOAuthFetch(new URL('https://1.1.1.1/mcp'));
  const addresses = [
    'http://1.1.1.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[::1]/',
    'http://127.0.0.1/',
    'https://192.168.1.1/',
    'file:///etc/passwd',
  ];
  const codes = await Promise.all(addresses.map(async (address) => (await failureOf(fetchFrom(address))).code));
  expect(codes).toEqual(addresses.map(() => 'mcp.auth'));
});

/** A server that demands a login and sends these documents about it. */
async function demand(
  answer: (path: string, response: ServerResponse) => void,
  config: Partial<ServerConfig> = {},
): Promise<TestMcpHost> {
  const server = await startScriptedMcpServer((response, { path, method }) => {
    if (method === 'POST') response.writeHead(401).end();
    else answer(path, response);
  });
  open.push(server);
  const made = createMcpHost({ lab: { url: server.url, ...config } });
  open.unshift(made.servers);
  return made;
}

test('a document about a login that has no end is read up to a limit, and is the reason of the failure', async () => {
  const made = await demand((path, response) => {
    if (!path.includes('oauth-protected-resource')) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write('x'.repeat(1_000_000)), 1);
    response.on('close', () => clearInterval(timer));
  });
  expect((await failureOf(login(made))).code).toBe('mcp.too-large');
});

test('a faulty document about a login is named in one line', async () => {
  const made = await demand((path, response) => {
    if (!path.includes('oauth-authorization-server')) return void response.writeHead(404).end();
    send(response, 200, {
      issuer: 'http://127.0.0.1/',
      authorization_endpoint: 'javascript:alert(1)',
      token_endpoint: 'http://127.0.0.1/token',
      response_types_supported: ['code'],
    });
  });
  const { message } = await failureOf(login(made));
  expect(message).toBe(
    'the login to server "lab" failed: authorization_endpoint: URL cannot use javascript:, data:, or vbscript: scheme',
  );
});

test.each(['http://login.example/', 'https://github.com@login.example/'])(
  'nobody is sent to log in at %s, which shows a password to others or is not the host that it seems to be',
  async (page) => {
    const made = await demand(
      (path, response) => {
        if (!path.includes('oauth-authorization-server')) return void response.writeHead(404).end();
        const issuer = `http://${response.req.headers.host}`;
        send(response, 200, {
          issuer,
          authorization_endpoint: page,
          token_endpoint: `${issuer}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        });
      },
      { oauth_client_id: 'known' },
    );
    const { code, message } = await failureOf(login(made));
    expect([code, message]).toEqual(['mcp.auth', expect.stringContaining('login.example: the address is not safe')]);
  },
);
