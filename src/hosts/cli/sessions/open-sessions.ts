import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type DaemonAddress, sendRequest, toRefusal } from '../../../adapters/daemon/daemon-request.ts';
import { strangersAt } from '../../../adapters/system/port-users.ts';
import { isInside } from '../../../adapters/system/processes.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { clipText } from '../../../core/terminal/wrap.ts';
import { isLoopbackHost } from '../../../core/text/address.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { formatAge } from '../../../core/text/duration.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import { isJsonObject, omitUndefined } from '../../../protocol/json.ts';
import { runtimeFolder, type Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';
import { titleOf } from './sessions-report.ts';

/** A session that is open, and where it answers. */
export interface OpenSession {
  readonly id: string;
  readonly address: DaemonAddress;
  /** Whether somebody has it open at a terminal; else it is a daemon's. */
  readonly isAtTerminal: boolean;
  /** The facts that lists show of it. */
  readonly told: ToldSession;
}

/** The facts that the owner of a session reports of it; null for unknown ones. */
interface ToldSession {
  /** Directory of its shell. */
  readonly cwd: string | null;
  /** Since when it is open, in milliseconds since the epoch. */
  readonly openedAt: number | null;
  /** The process that runs it. */
  readonly pid: number | null;
  readonly name: string | null;
  readonly firstText: string | null;
  readonly firstCommand: string | null;
}

interface AddressContext extends Pick<Setup, 'env'> {
  readonly paths: Pick<Setup['paths'], 'state'>;
}

/** Lets the user choose one of several; null for none. */
export type ChooseOpen = (sessions: readonly OpenSession[]) => Promise<OpenSession | null>;

const LONGEST_TITLE = 60;
/** How long a list of sessions waits for one that does not answer. */
const PATIENCE_MS = 3000;
const SOCKET = /^([0-9a-z]{12})\.sock$/;

/**
 * The open session for the beginning of its id, or for the URL of a daemon. Without either it is the only open session, or the only one in
 * this directory. If there are several, the user chooses, if possible; null for none of them. With `choose`, even if it is null, the session
 * that this process runs in is none of them.
 */
export async function findOpenSession(
  wanted: string | undefined,
  more: string | undefined,
  { setup, choose }: { readonly setup: Setup; readonly choose?: ChooseOpen | null },
): Promise<OpenSession | null> {
  const isUrl = wanted?.includes('://') === true;
  const prefix = isUrl ? more : wanted;
  const open = isUrl ? await openAt(toAddress(wanted, setup)) : await openHere(setup, prefix);
  const matching = open.filter(({ id }) => prefix === undefined || id.startsWith(prefix));
  // A terminal that joined its own session would take no key any more.
  const found = newestHereFirst(choose === undefined ? matching : matching.filter(isElsewhere), setup.cwd);
  const [first, second] = found;
  if (first === undefined && matching.length > 0)
    throw new AishError('session.own', messages.OWN_SESSION, { hint: messages.OWN_SESSION_HINT });
  if (first === undefined) throw notOpen(prefix, open);
  if (second === undefined) return first;
  if (prefix === undefined && isAt(first, setup.cwd) && !isAt(second, setup.cwd)) return first;
  if (choose !== undefined && choose !== null) return choose(found);
  throw new AishError('session.ambiguous', messages.formatAmbiguous(found.length, formatOpen(found)), {
    hint: messages.NAME_SESSION,
  });
}

/** The open session of this id. */
export async function findOpenById(id: string, setup: Setup): Promise<OpenSession> {
  const found = await findOpenSession(id, undefined, { setup });
  if (found !== null) return found;
  throw notOpen(id, []);
}

function newestHereFirst(sessions: readonly OpenSession[], cwd: string): readonly OpenSession[] {
  const newest = sessions.toSorted((one, other) => (other.told.openedAt ?? 0) - (one.told.openedAt ?? 0));
  return [...newest.filter((one) => isAt(one, cwd)), ...newest.filter((one) => !isAt(one, cwd))];
}

/** Whether the session is not the one that this process runs in. */
function isElsewhere({ told }: OpenSession): boolean {
  return !isInside(told.pid);
}

function isAt({ told }: OpenSession, cwd: string): boolean {
  return told.cwd !== null && toReal(told.cwd) === toReal(cwd);
}

/** The same directory may have been reached by a link. */
function toReal(path: string): string {
  return attempt(() => realpathSync(path), path);
}

/**
 * The sessions that are open at terminals of this login, and those of its daemon; only one of them if it has the wanted id. One that was
 * left by a crash does not answer, and the others do not wait long for one that hangs.
 */
async function openHere(setup: Setup, wanted: string | undefined): Promise<readonly OpenSession[]> {
  const folder = runtimeFolder(setup);
  const own = readdirSync(folder).flatMap((name) => SOCKET.exec(name)?.[1] ?? []);
  const named = own.find((id) => id === wanted);
  const only = named === undefined ? null : await openAtTerminal(join(folder, `${named}.sock`), named);
  if (only !== null) return [only];
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const [daemon, ...asked] = await Promise.all([
    openAt({ type: 'socket', path: join(folder, 'aish.sock') }, signal).catch(() => []),
    ...own.map((id) => openAtTerminal(join(folder, `${id}.sock`), id, signal)),
  ]);
  return [...asked.flatMap((one) => one ?? []), ...daemon];
}

/** The session that somebody has open at a terminal, if they do. */
async function openAtTerminal(path: string, id: string, signal?: AbortSignal): Promise<OpenSession | null> {
  const address = { type: 'socket', path } as const;
  try {
    const response = await sendRequest(address, { path: '/sessions', ...omitUndefined({ signal }) });
    const [told] = response.ok ? readOpen(await response.json()) : [];
    return told?.id === id ? { ...told, address, isAtTerminal: true } : null;
  } catch {
    return null;
  }
}

async function openAt(address: DaemonAddress, signal?: AbortSignal): Promise<readonly OpenSession[]> {
  const response = await sendRequest(address, { path: '/sessions', ...omitUndefined({ signal }) });
  if (!response.ok) throw await toRefusal(response);
  return readOpen(await response.json()).map((told) => ({ ...told, address, isAtTerminal: false }));
}

function readOpen(answer: unknown): readonly Pick<OpenSession, 'id' | 'told'>[] {
  const sessions = isJsonObject(answer) && Array.isArray(answer.sessions) ? answer.sessions : [];
  return sessions.flatMap((session: unknown) => {
    if (!isJsonObject(session) || session.live !== true || typeof session.id !== 'string') return [];
    const { id } = session;
    const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
    const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    const told = {
      cwd: text(session.cwd),
      openedAt: number(session.openedAt),
      pid: number(session.pid),
      name: text(session.name),
      firstText: text(session.firstText),
      firstCommand: text(session.firstCommand),
    };
    return [{ id, told }];
  });
}

/** The address of a daemon with its token, which goes to nobody else: a daemon listens on loopback, as its user or as root. */
export function toAddress(url: string, { env, paths }: AddressContext): DaemonAddress {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.protocol !== 'http:' || !isLoopbackHost(parsed.hostname))
    throw new AishError('usage', messages.formatNoAddress(url), { hint: messages.ADDRESS_HINT });
  if (strangersAt(parsed.origin).length > 0)
    throw new AishError('daemon.stranger', messages.formatStranger(parsed.origin), { hint: messages.STRANGER_HINT });
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
    throw new AishError('daemon.no-token', messages.formatNoToken(path), { hint: messages.TOKEN_HINT, cause });
  }
}

function notOpen(prefix: string | undefined, open: readonly OpenSession[]): AishError {
  const rows = open.length === 0 ? null : formatOpen(open);
  return new AishError('session.not-open', messages.formatNotOpen(prefix, rows), { hint: messages.NOT_OPEN_HINT });
}

/** Open sessions, one a row: id, since when, directory and name. */
function formatOpen(sessions: readonly OpenSession[]): string {
  const now = Date.now();
  const rows = sessions.map(({ id, told: { openedAt, cwd, ...titled } }) => [
    `  ${id}`,
    openedAt === null ? '' : messages.formatOpened(formatAge(openedAt, now)),
    sanitizeLine(cwd ?? '?'),
    clipText(sanitizeLine(titleOf(titled)), LONGEST_TITLE),
  ]);
  return formatTable(rows);
}

/** Copies a session, and has both say so. The answer is the id of the copy. */
export async function forkNamed(id: string, { setup }: { readonly setup: Setup }): Promise<string> {
  const [{ EventLog, logPath }, { forkSession, isOpenSomewhere }] = await Promise.all([
    import('../../../adapters/store/event-log.ts'),
    import('../../../adapters/store/sessions.ts'),
  ]);
  const { state } = setup.paths;
  const copy = forkSession(state, id, Date.now());
  const fact = { type: 'session.forked', to: copy } as const;
  if (!isOpenSomewhere(state, id)) {
    using opened = EventLog.open(logPath(state, id)).log;
    opened.append([fact], Date.now());
    return copy;
  }
  try {
    const { address } = await findOpenById(id, setup);
    const op = { type: 'fork', to: copy };
    await sendRequest(address, { method: 'POST', path: `/sessions/${id}/ops`, body: op });
  } catch (thrown) {
    // The copy is whole, and says where it comes from; that the other does not is no reason to fail.
    if (!(thrown instanceof AishError)) throw thrown;
  }
  return copy;
}
