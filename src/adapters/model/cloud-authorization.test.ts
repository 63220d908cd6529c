import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { AishError } from '../../protocol/error.ts';
import { fetchGoogleToken, signAws } from './cloud-authorization.ts';
import { openRequest, readCredentials, toEndpoint } from './models.ts';
import { resolvePreset } from './presets.ts';

const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const EMAIL = 'aish@project.iam.gserviceaccount.com';
const { signal } = new AbortController();
const forms: Record<string, string>[] = [];
const bearers: (string | null)[] = [];
let server: Bun.Server<undefined>;
let pair: CryptoKeyPair;
let pem = '';

/** Plays the token endpoint: it takes only a claim that the account signed, for this address and an hour at most. */
async function exchange(form: Record<string, string>): Promise<Response> {
  forms.push(form);
  const token = { access_token: `token-${forms.length}`, expires_in: 3600 };
  if (form.grant_type === 'refresh_token') {
    const isUser = form.client_id === 'id' && form.client_secret === 's' && form.refresh_token === 'r';
    return isUser ? Response.json(token) : Response.json({ error: 'invalid_grant' }, { status: 400 });
  }
  const [header = '', claims = '', signature = ''] = form.assertion?.split('.') ?? [];
  const text = new TextEncoder().encode(`${header}.${claims}`);
  const isSigned = await crypto.subtle.verify(RS256.name, pair.publicKey, Buffer.from(signature, 'base64url'), text);
  const { iss, scope, aud, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const isFitting =
    iss === EMAIL && aud === `${server.url}token` && exp - iat === 3600 && scope.endsWith('/cloud-platform');
  if (isSigned && isFitting && JSON.parse(Buffer.from(header, 'base64url').toString()).kid === 'k1')
    return Response.json(token);
  return Response.json({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }, { status: 400 });
}

beforeAll(async () => {
  pair = await crypto.subtle.generateKey(
    { ...RS256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ['sign', 'verify'],
  );
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64');
  pem = `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      if (new URL(request.url).pathname === '/token')
        return exchange(Object.fromEntries(new URLSearchParams(await request.text())));
      bearers.push(request.headers.get('authorization'));
      return new Response('');
    },
  });
});
afterAll(() => server.stop(true));

/** A file with these credentials. */
function fileOf(credentials: object): string {
  const file = join(useFolder('google'), 'account.json');
  writeFileSync(file, JSON.stringify({ token_uri: `${server.url}token`, ...credentials }));
  return file;
}

const account = () => ({ type: 'service_account', client_email: EMAIL, private_key: pem, private_key_id: 'k1' });

async function failure(file: string): Promise<string> {
  const thrown = await fetchGoogleToken({ file }, signal).catch((error: unknown) => error);
  return thrown instanceof AishError ? `${thrown.code}: ${thrown.message}` : 'no failure';
}

test('a service account signs for a token, which serves until shortly before its end', async () => {
  const login = { file: fileOf(account()) };
  let at = Date.now();
  const fetchAt = () => fetchGoogleToken(login, signal, () => at);
  const first = await fetchAt();
  at += 57 * 60_000;
  expect(await fetchAt()).toBe(first);
  at += 2 * 60_000;
  expect(await fetchAt()).not.toBe(first);
  const endpoint = {
    ...toEndpoint('v', { base_url: server.url.href, provider: 'vertex', model: 'm' }, null),
    google: login,
  };
  await openRequest(endpoint, `${server.url}x`, { body: '{}' }, signal);
  expect(bearers.at(-1)).toMatch(/^Bearer token-\d+$/);
});

test('a login of gcloud gets a token, too', async () => {
  const user = { type: 'authorized_user', client_id: 'id', client_secret: 's', refresh_token: 'r' };
  expect(await fetchGoogleToken({ file: fileOf(user) }, signal)).toMatch(/^token-/);
  expect(await failure(fileOf({ ...user, refresh_token: 'old' }))).toBe(
    `model.unauthorized: ${server.url}token gives no token (400): invalid_grant`,
  );
});

test('credentials that are refused, damaged or not there are errors, and are sent nowhere in the clear', async () => {
  const refused = await failure(fileOf({ ...account(), client_email: 'other' }));
  expect(refused).toBe(`model.unauthorized: ${server.url}token gives no token (400): Invalid JWT Signature.`);
  const before = forms.length;
  for (const one of [{}, { ...account(), private_key: 'x' }, { ...account(), token_uri: 'http://example.com/token' }])
    expect(await failure(fileOf(one))).toMatch(/^model\.bad-key: .*account\.json holds no service account/);
  // The damaged key harmed nothing else.
  expect(new Bun.CryptoHasher('sha256', 'k').update('').digest()).toHaveLength(32);
  expect(await failure('/nowhere/account.json')).toStartWith('model.bad-key: ');
  expect(await failure(fileOf({ ...account(), token_uri: 'http://127.0.0.1:1/token' }))).toMatch(
    /^model\.unreachable: .* does not answer/,
  );
  expect(forms).toHaveLength(before);
});

test('Vertex with credentials has the address of the project, and a key comes first', () => {
  const env = {
    GOOGLE_APPLICATION_CREDENTIALS: '/a.json',
    GOOGLE_VERTEX_PROJECT: 'p',
    GOOGLE_VERTEX_LOCATION: 'europe-west1',
  };
  const { baseUrl, key, google } = resolvePreset('vertex:gemini-flash', env);
  expect([baseUrl, key, google]).toEqual([
    'https://europe-west1-aiplatform.googleapis.com/v1beta1/projects/p/locations/europe-west1/publishers/google',
    null,
    { file: '/a.json' },
  ]);
  expect(resolvePreset('vertex:m', { ...env, GOOGLE_VERTEX_LOCATION: 'global' }).baseUrl).toStartWith(
    'https://aiplatform.googleapis.com/',
  );
  expect(resolvePreset('vertex:m', { ...env, GOOGLE_VERTEX_API_KEY: 'k' })).toMatchObject({
    key: 'k',
    baseUrl: 'https://aiplatform.googleapis.com/v1/publishers/google',
  });
  expect(() => resolvePreset('vertex:m', { GOOGLE_APPLICATION_CREDENTIALS: '/a.json' })).toThrow(
    'GOOGLE_VERTEX_LOCATION',
  );
});

const KEY = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', region: 'us-east-1' };
const at = new Date('2015-08-30T12:36:00Z');
const sign = (method: string, path: string, token?: string) =>
  signAws(
    { ...KEY, ...(token === undefined ? {} : { token }) },
    { method, url: `https://example.amazonaws.com${path}`, body: '', at },
    'service',
  );

test.each([
  ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
])('the test case %s of AWS is signed as AWS signs it', (_, method, path, signature) => {
  expect(sign(method, path)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  });
});

test('the token of a temporary key is signed, and goes along', () => {
  const signed = sign('POST', '/', 'TOKEN');
  expect(signed['x-amz-security-token']).toBe('TOKEN');
  expect(signed.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
});

test('an access key is read from the environment, if it is whole', () => {
  const env = { AWS_ACCESS_KEY_ID: ' a ', AWS_SECRET_ACCESS_KEY: 'b', AWS_DEFAULT_REGION: 'eu-west-1' };
  const read = (more: object = {}) => readCredentials('bedrock', { ...env, ...more });
  expect(read()).toEqual({ aws: { id: 'a', secret: 'b', region: 'eu-west-1' } });
  expect(read({ AWS_SESSION_TOKEN: 't', AWS_REGION: 'x' }).aws).toMatchObject({ token: 't', region: 'x' });
  expect(read({ AWS_SECRET_ACCESS_KEY: '' })).toEqual({});
  expect(readCredentials('openai', env)).toEqual({});
});
