import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DpopKeyPair, DpopSession, OAuthClientProvider } from '@modelcontextprotocol/client';
import { attempt } from '../../core/text/attempt.ts';
import { isJsonObject, type Json, type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import { takeLock, writeAtomically } from '../system/own-file.ts';
import { pause } from '../system/patience.ts';
import { type SystemCalls, systemCalls } from '../system/system-calls.ts';
import type { Sdk } from './http-transport.ts';
import { loginLocked } from './messages.ts';

/** Tokens as the SDK stores them. */
export type StoredTokens = NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>;
/** A registration as the SDK stores it. */
export type StoredClient = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>;

/** The credentials of one server at one authorization server. */
interface IssuerEntry {
  readonly client?: StoredClient;
  /** The address on this machine that the registration names. */
  readonly redirectUrl?: string;
  readonly tokens?: StoredTokens;
  /** When the tokens came, in milliseconds since the epoch. */
  readonly at?: number;
}

/** The logins to one server. Credentials of one authorization server never go to another one. */
interface StoredLogins {
  /** The authorization server of the newest tokens; null without any. */
  readonly issuer: string | null;
  readonly entries: Readonly<Record<string, IssuerEntry>>;
  /** The private key that the tokens are bound to, if they are. */
  readonly key?: JsonObject;
}

const FORMAT = 1;
const NOTHING: StoredLogins = { issuer: null, entries: {} };
const LOCK_MS = 30_000;
const LOOK_MS = 25;

/** The tokens of one server on disk, for the user only, shared by all processes of aish. */
export class OAuthStore {
  readonly #folder: string;
  readonly #path: string;
  readonly #calls: SystemCalls | null;

  constructor(stateDir: string, serverUrl: string, calls = systemCalls()) {
    this.#calls = calls;
    this.#folder = join(stateDir, 'oauth');
    const name = new Bun.CryptoHasher('sha256').update(serverUrl).digest('hex').slice(0, 40);
    this.#path = join(this.#folder, `${name}.json`);
  }

  /** The logins as they are on disk now: another process may have changed them. */
  read(): StoredLogins {
    return attempt(() => parse(readFileSync(this.#path, 'utf8')), NOTHING);
  }

  write(logins: StoredLogins): void {
    writeAtomically(this.#path, JSON.stringify({ format: FORMAT, ...logins }));
  }

  /** Changes the credentials at one authorization server. */
  change(issuer: string, change: (entry: IssuerEntry) => IssuerEntry): void {
    const logins = this.read();
    this.write({ ...logins, entries: { ...logins.entries, [issuer]: change(logins.entries[issuer] ?? {}) } });
  }

  /** Runs an action while no other process renews tokens: a refresh token that is used twice may be revoked. */
  async withLock<T>(action: () => Promise<T>): Promise<T> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const lock = `${this.#path}.lock`;
    const fd = openSync(lock, 'a', 0o600);
    try {
      const release = await this.#take(fd, lock);
      try {
        return await action();
      } finally {
        release();
      }
    } finally {
      closeSync(fd);
    }
  }

  async #take(fd: number, lock: string): Promise<() => void> {
    const never = new AbortController().signal;
    for (const until = performance.now() + LOCK_MS; performance.now() < until; await pause(LOOK_MS, never)) {
      const release = takeLock(fd, lock, this.#calls);
      if (release !== null) return release;
    }
    throw loginLocked();
  }
}

function parse(text: string): StoredLogins {
  const value = parseJsonObject(text);
  if (value === null || value.format !== FORMAT || !isJsonObject(value.entries)) return NOTHING;
  const entries = Object.entries(value.entries).map(([issuer, entry]) => [issuer, toEntry(entry)] as const);
  return {
    issuer: typeof value.issuer === 'string' ? value.issuer : null,
    entries: Object.fromEntries(entries),
    ...(isJsonObject(value.key) ? { key: value.key } : {}),
  };
}

function toEntry(value: Json): IssuerEntry {
  if (!isJsonObject(value)) return {};
  const { client, redirectUrl, tokens, at } = value;
  return {
    ...(isClient(client) ? { client } : {}),
    ...(typeof redirectUrl === 'string' ? { redirectUrl } : {}),
    ...(isTokens(tokens) ? { tokens } : {}),
    ...(typeof at === 'number' ? { at } : {}),
  };
}

function isClient(value: Json | undefined): value is JsonObject & StoredClient {
  return isJsonObject(value) && typeof value.client_id === 'string';
}

function isTokens(value: Json | undefined): value is JsonObject & StoredTokens {
  return isJsonObject(value) && typeof value.access_token === 'string' && typeof value.token_type === 'string';
}

/*
 * Tokens that are bound to a key (DPoP, RFC 9449) are of no use to a thief without it. The key is as old as the login and stands beside its
 * tokens, because all processes of aish prove with it.
 */

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };

/** The proofs for the tokens of a login, with the key of earlier runs or a new one. */
export async function openProofs(sdk: Sdk, store: OAuthStore): Promise<DpopSession> {
  const known = store.read().key;
  const keyPair = (known === undefined ? null : await readKey(known)) ?? (await createKey(sdk, store));
  return sdk.DpopSession.create({ keyPair });
}

async function createKey(sdk: Sdk, store: OAuthStore): Promise<DpopKeyPair> {
  const pair = await sdk.generateDpopKeyPair({ alg: 'ES256', extractable: true });
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  const key = { kty, crv, x, y, d, thumbprint: pair.thumbprint };
  store.write({ ...store.read(), key: JSON.parse(JSON.stringify(key)) as JsonObject });
  return pair;
}

/** Null for a key that cannot be used any more. */
async function readKey(key: JsonObject): Promise<DpopKeyPair | null> {
  const { thumbprint, d, ...rest } = key;
  if (typeof thumbprint !== 'string' || typeof d !== 'string') return null;
  const publicJwk = Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value === 'string'));
  try {
    const privateKey = await crypto.subtle.importKey('jwk', { ...publicJwk, d }, CURVE, true, ['sign']);
    const publicKey = await crypto.subtle.importKey('jwk', publicJwk, CURVE, true, ['verify']);
    return { privateKey, publicKey, publicJwk, thumbprint, alg: 'ES256' };
  } catch {
    return null;
  }
}
