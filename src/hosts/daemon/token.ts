import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../adapters/config/paths.ts';
import { AishError } from '../../protocol/error.ts';

/** The secret a client over TCP shows, and where it came from. */
export interface Token {
  readonly value: string;
  readonly source: 'environment' | 'made';
}

const SHORTEST = 16;

/** The token of `AISH_TOKEN`, else a fresh one. */
export function chooseToken(env: Environment): Token {
  const given = env.AISH_TOKEN;
  if (given === undefined || given === '') return { value: randomText(), source: 'made' };
  if (given.length >= SHORTEST && /^[\x21-\x7e]+$/.test(given)) return { value: given, source: 'environment' };
  throw new AishError('usage', `AISH_TOKEN must have ${SHORTEST} or more visible ASCII characters`, {
    hint: 'make one with: openssl rand -hex 32; or leave it unset and a token is made',
  });
}

function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

/** Keeps a token for the clients of this login; the path tells the port, so that two daemons do not mix theirs. */
export function writeToken(stateDir: string, port: number, value: string): string {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const path = join(stateDir, `daemon-${port}.token`);
  const fresh = `${path}.${process.pid}`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${value}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, path);
  return path;
}
