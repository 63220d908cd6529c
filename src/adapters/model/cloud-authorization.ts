/* The proofs by which a request gets into a cloud: a token of Google, or a signature for AWS. */

import { readFileSync } from 'node:fs';
import { isLoopbackHost } from '../../core/text/address.ts';
import { attempt } from '../../core/text/attempt.ts';
import { memoize } from '../../core/text/memoize.ts';
import { sanitizeLine } from '../../core/text/sanitize.ts';
import { sha256 } from '../../core/text/sha256.ts';
import { type JsonObject, omitUndefined, parseJsonObject } from '../../protocol/json.ts';
import { accountDamaged, accountRefused } from './messages-providers.ts';

/** A service account of Google, or a login of gcloud. */
export interface GoogleLogin {
  /** The JSON file that holds it. */
  readonly file: string;
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** A signed claim is valid for an hour, the longest that Google takes. */
const CLAIM_SECONDS = 3600;

/** A token is replaced so long before its end, because a request may wait on its way. */
const EARLY_SECONDS = 120;

const MOST_SAID = 300;

/** The last token of a login by the credentials in its file. */
const tokensOf = memoize((_: GoogleLogin) => new Map<string, { readonly token: string; readonly until: number }>());

/** A token for the credentials in a file: a service account (RFC 7523), or a user who logged in with gcloud. */
export async function fetchGoogleToken(
  login: GoogleLogin,
  signal: AbortSignal,
  now: () => number = Date.now,
): Promise<string> {
  const { file } = login;
  const tokens = tokensOf(login);
  const content = attempt(() => readFileSync(file, 'utf8'), '');
  const known = tokens.get(content);
  if (known !== undefined && known.until > now()) return known.token;
  const account = parseJsonObject(content) ?? {};
  const url = textOf(account.token_uri) || TOKEN_URL;
  const isSafe = URL.canParse(url) && (url.startsWith('https:') || isNear(url));
  const grant = isSafe ? await toGrant(account, url, now() / 1000).catch(() => null) : null;
  if (grant === null) throw accountDamaged(file);
  const { status, answer } = await exchange(url, grant, signal);
  const token = textOf(answer.access_token);
  if (token === '') throw accountRefused(url, status, toSaid(answer));
  tokens.clear();
  tokens.set(content, { token, until: now() + (Number(answer.expires_in ?? 0) - EARLY_SECONDS) * 1000 });
  return token;
}

async function exchange(
  url: string,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly status: number | null; readonly answer: JsonObject }> {
  const body = new URLSearchParams(grant);
  const proxy = isNear(url) ? { proxy: false as const } : {};
  try {
    const response = await fetch(url, { method: 'POST', body, signal, redirect: 'manual', ...proxy });
    return { status: response.status, answer: parseJsonObject(await response.text()) ?? {} };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return { status: null, answer: {} };
  }
}

/** The form that gets a token; null for credentials of another kind. */
async function toGrant(account: JsonObject, aud: string, seconds: number): Promise<Record<string, string> | null> {
  const { type, client_email: iss, private_key: key, private_key_id: kid, ...user } = account;
  if (type === 'service_account' && typeof iss === 'string' && typeof key === 'string') {
    const iat = Math.floor(seconds);
    const claims = { iss, scope: SCOPE, aud, iat, exp: iat + CLAIM_SECONDS };
    return {
      grant_type: JWT_BEARER,
      assertion: await sign({ alg: 'RS256', typ: 'JWT', kid: kid ?? null }, claims, key),
    };
  }
  if (type !== 'authorized_user') return null;
  const [id, secret, refresh] = [user.client_id, user.client_secret, user.refresh_token].map(textOf);
  if (!id || !secret || !refresh) return null;
  return { grant_type: 'refresh_token', client_id: id, client_secret: secret, refresh_token: refresh };
}

async function sign(header: JsonObject, claims: JsonObject, pem: string): Promise<string> {
  const der = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const key = await crypto.subtle.importKey('pkcs8', der, RS256, false, ['sign']).finally(forgetFault);
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = await crypto.subtle.sign(RS256.name, key, new TextEncoder().encode(text));
  return `${text}.${Buffer.from(signature).toString('base64url')}`;
}

/** Bun 1.4.5 reports a damaged key a second time, at the next keyed hash of the process, so one is made here. */
function forgetFault(): void {
  attempt(() => new Bun.CryptoHasher('sha256', '-').update('').digest(), null);
}

function isNear(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

/** One line of the server's words. */
function toSaid({ error, error_description: words }: JsonObject): string {
  return sanitizeLine(textOf(words) || textOf(error)).slice(0, MOST_SAID);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An access key of AWS, which signs each request and is never sent. */
export interface AwsKey {
  readonly id: string;
  readonly secret: string;
  /** Temporary keys have one. */
  readonly token?: string;
  readonly region: string;
}

interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly at: Date;
}

/** The headers that sign a request by Signature Version 4. */
export function signAws(
  { id, secret, token, region }: AwsKey,
  { method, url, body, at }: SignedRequest,
  service = 'bedrock',
): Readonly<Record<string, string>> {
  const { host, pathname, searchParams } = new URL(url);
  const time = at.toISOString().replace(/[:-]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const own = { 'x-amz-date': time, ...omitUndefined({ 'x-amz-security-token': token }) };
  const headers = Object.entries({ host, ...own });
  const names = headers.map(([name]) => name).join(';');
  const query = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const canonical = [
    method,
    // The path of the address is encoded already, and AWS wants it encoded again.
    pathname.split('/').map(encode).join('/'),
    query.join('&'),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const key = scope.split('/').reduce<string | Uint8Array>((made, part) => hmac(made, part), `AWS4${secret}`);
  const signature = Buffer.from(hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`)).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...own, authorization };
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
  return new Bun.CryptoHasher('sha256', key).update(text).digest();
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
