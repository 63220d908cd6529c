import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DaemonAddress, sendRequest, toRefusal } from '../../../adapters/daemon/daemon-request.ts';
import { AishError } from '../../../protocol/error.ts';
import { isJsonObject } from '../../../protocol/json.ts';
import { runtimeFolder, type Setup } from '../setup.ts';

/** A session that is open, and where it answers. */
export interface OpenSession {
  readonly id: string;
  readonly address: DaemonAddress;
  /** Whether somebody has it open at a terminal; else it is a daemon's. */
  readonly isAtTerminal: boolean;
}

const SOCKET = /^([0-9a-z]{12})\.sock$/;

/** The open session that is meant by the beginning of its id, by the URL of a daemon, or by nothing, where only one is open. */
export async function findOpenSession(
  wanted: string | undefined,
  more: string | undefined,
  setup: Setup,
): Promise<OpenSession> {
  const open = wanted?.includes('://') ? await openAt(toAddress(wanted, setup)) : await openHere(setup);
  const prefix = wanted?.includes('://') ? more : wanted;
  const found = open.filter(({ id }) => prefix === undefined || id.startsWith(prefix));
  const [first, ...others] = found;
  if (first === undefined) throw notOpen(prefix, open);
  if (others.length === 0) return first;
  throw new AishError('session.ambiguous', `${found.length} open sessions can be meant: ${idsOf(found)}`, {
    hint: 'say which: aish attach ID',
  });
}

/** The sessions that are open at terminals of this login, and those of its daemon. One that was left by a crash does not answer. */
async function openHere(setup: Setup): Promise<readonly OpenSession[]> {
  const folder = runtimeFolder(setup);
  const own = readdirSync(folder).flatMap((name) => SOCKET.exec(name)?.[1] ?? []);
  const asked = await Promise.all(own.map((id) => openAtTerminal(join(folder, `${id}.sock`), id)));
  const daemon = await openAt({ type: 'socket', path: join(folder, 'aish.sock') }).catch(() => []);
  return [...asked.flatMap((one) => one ?? []), ...daemon];
}

/** The session that somebody has open at a terminal, if they do. */
export async function openAtTerminal(path: string, id: string): Promise<OpenSession | null> {
  const address = { type: 'socket', path } as const;
  try {
    const response = await sendRequest(address, { path: `/sessions/${id}` });
    await response.arrayBuffer();
    return response.ok ? { id, address, isAtTerminal: true } : null;
  } catch {
    return null;
  }
}

async function openAt(address: DaemonAddress): Promise<readonly OpenSession[]> {
  const response = await sendRequest(address, { path: '/sessions' });
  if (!response.ok) throw await toRefusal(response);
  const answer: unknown = await response.json();
  const sessions = isJsonObject(answer) && Array.isArray(answer.sessions) ? answer.sessions : [];
  return sessions.flatMap((session: unknown) => {
    if (!isJsonObject(session) || session.live !== true || typeof session.id !== 'string') return [];
    return [{ id: session.id, address, isAtTerminal: false }];
  });
}

function toAddress(url: string, { env, paths }: Setup): DaemonAddress {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.protocol !== 'http:')
    throw new AishError('usage', `"${url}" is no address of a daemon`, { hint: 'such as http://127.0.0.1:3000' });
  return {
    type: 'url',
    url: parsed.origin,
    token: env.AISH_TOKEN || readToken(join(paths.state, `daemon-${parsed.port}.token`)),
  };
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new AishError('daemon.no-token', `there is no token for that daemon in ${path}`, {
      hint: 'set AISH_TOKEN to the one that it was started with',
      cause,
    });
  }
}

function notOpen(prefix: string | undefined, open: readonly OpenSession[]): AishError {
  const message = prefix === undefined ? 'no session is open' : `no open session begins with "${prefix}"`;
  const others = open.length === 0 ? '' : `; open are ${idsOf(open)}`;
  return new AishError('session.not-open', message + others, {
    hint: 'aish sessions lists the stored ones; aish --resume ID opens one',
  });
}

function idsOf(sessions: readonly OpenSession[]): string {
  return sessions.map(({ id }) => id).join(', ');
}
