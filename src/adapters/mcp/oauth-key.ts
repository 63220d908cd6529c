import type { DpopKeyPair, DpopSession } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../protocol/json.ts';
import type { Sdk } from './http-transport.ts';
import type { OAuthStore } from './oauth-store.ts';

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
