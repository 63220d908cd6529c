import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { findSession, listSessions } from '../../adapters/store/sessions.ts';
import { isRestoreAsked } from '../../core/session/checkpoints.ts';
import { limitSettings, type SettingsWish } from '../../core/session/limit-settings.ts';
import { askedCall, isIdle } from '../../core/session/state.ts';
import type { Engine, LiveSession } from '../../engine/session/engine.ts';
import { LocalSessionClient } from '../../engine/session/local-session-client.ts';
import type { AnswerShow } from '../../engine/session/session-server.ts';
import { TerminalShare } from '../../engine/session/terminal-share.ts';
import { AishError, type ErrorFact } from '../../protocol/error.ts';
import type { EventOf, PastMessage } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { SessionBody } from '../../protocol/op-schema.ts';
import type { Settings } from '../../protocol/settings.ts';
import { badDirectory, sessionNotOpen, tooManySessions } from './messages.ts';

export interface LiveSessionsOptions {
  readonly engine: Engine;
  /** The owner's start settings of the daemon; no client gets more. */
  readonly settings: Settings;
  /** Names in `[models]`. */
  readonly models: readonly string[];
  readonly stateDir: string;
  readonly cwd: string;
  /** Sessions open at once at most. */
  readonly most: number;
  /** Live events that may wait for one reader. */
  readonly mostWaiting?: number;
  /** Answers clients that ask what a meta-command prints; absent where nothing can. */
  readonly show?: AnswerShow;
}

/** The holder of the sessions that the routes serve: the daemon has all of its own, the owner of one session just that. */
export type SessionHost = Pick<
  LiveSessions,
  'size' | 'open' | 'get' | 'client' | 'close' | 'release' | 'haltAll' | 'list'
>;

interface OpenSession {
  readonly live: LiveSession;
  /** When it was opened, in milliseconds since the epoch. */
  readonly openedAt: number;
  /** Its terminal, once a client has joined it. */
  share?: TerminalShare;
}

/** The sessions this daemon has open, by id. */
export class LiveSessions {
  readonly #options: LiveSessionsOptions;
  readonly #live = new Map<string, OpenSession>();
  readonly #opening = new Map<string, Promise<LiveSession>>();
  #reserved = 0;

  constructor(options: LiveSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#live.size;
  }

  /** Opens a new session, goes on with a stored one, or finds it open already. */
  async open(body: SessionBody, past: readonly PastMessage[] = []): Promise<{ live: LiveSession; fresh: boolean }> {
    const settings = { ...this.#options.settings, ...this.#limit(body.settings ?? {}) };
    if (body.resume !== undefined) return this.#resume(body.resume, body.cwd, settings);
    const cwd = checkDirectory(body.cwd ?? this.#options.cwd);
    return { live: await this.#add({ cwd, settings, past }), fresh: true };
  }

  /** A stored session goes on where it was begun, unless the client names another place. */
  async #resume(wanted: string, place: string | undefined, settings: Settings) {
    const known = this.#live.get(wanted);
    if (known !== undefined) return { live: known.live, fresh: false };
    const { id, cwd: begun } = findSession(this.#options.stateDir, wanted);
    // No waiting between looking and opening: the log has one owner, and a second request would find it taken.
    const open = this.#live.get(id)?.live ?? this.#opening.get(id);
    if (open !== undefined) return { live: await open, fresh: false };
    const cwd = checkDirectory(place ?? begun ?? this.#options.cwd);
    const opening = this.#add({ cwd, settings, resume: id }).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return { live: await opening, fresh: true };
  }

  /** The open session of this id. */
  get(id: string): LiveSession {
    return this.#get(id).live;
  }

  #get(id: string): OpenSession {
    const open = this.#live.get(id);
    if (open !== undefined) return open;
    throw sessionNotOpen(id);
  }

  /** The open session of this id as one more client of it has it, under a name of its own. */
  client(id: string, name?: string): LocalSessionClient {
    const open = this.#get(id);
    const { live } = open;
    const { show, mostWaiting } = this.#options;
    return new LocalSessionClient({
      live,
      name,
      // Nobody sits at its terminal, which clients watch.
      share: () => {
        open.share ??= new TerminalShare({ ...live, owner: null });
        return open.share;
      },
      show,
      ...(mostWaiting === undefined ? {} : { mostWaiting }),
      refuse: (op) => this.#refuse(op),
      onClose: () => this.close(id),
    });
  }

  #refuse(op: Op): ErrorFact | null {
    if (op.type !== 'configure') return null;
    const limited = limitSettings(this.#options.settings, op.settings, this.#options.models);
    return limited.ok ? null : limited.error;
  }

  /** Ends a session; its log stays. */
  async close(id: string): Promise<void> {
    await this.release(this.get(id));
  }

  /** The same for who opened it; one that is closed already is fine. */
  async release({ session }: LiveSession): Promise<void> {
    this.#live.get(session.sessionId)?.share?.close();
    this.#live.delete(session.sessionId);
    await session.close();
  }

  /** Stops all that models do here; how many sessions had something going on. Settles when what was stopped has ended. */
  async haltAll(): Promise<number> {
    const all = [...this.#live.values()].map(({ live }) => live.session);
    const busy = all.filter(({ state }) => state.turn !== null || state.restore !== null);
    for (const session of all) session.take({ type: 'halt' });
    await Promise.all(all.map((session) => session.halted()));
    return busy.length;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#live.values()].map(({ live }) => this.release(live)));
  }

  /** Open sessions and stored ones, the last used first. */
  async list(): Promise<readonly object[]> {
    const { engine, stateDir } = this.#options;
    const stored = listSessions(stateDir);
    const known = new Set(stored.map(({ id }) => id));
    const unwritten = [...this.#live.values()].filter(({ live }) => !known.has(live.session.sessionId));
    return [
      ...unwritten.map(({ live, openedAt }) => describeOpen(live, openedAt)),
      ...(await Promise.all(
        stored.map(async ({ id, cwd, createdAt, changedAt, name: given, firstText, turns }) => {
          // An older log may hold what is known to be secret by now.
          const text = firstText === null ? null : await engine.redact(firstText);
          const name = given === null ? null : await engine.redact(given);
          const own = this.#live.get(id);
          const open = own === undefined ? { live: false } : describeOpen(own.live, own.openedAt);
          return { id, cwd, createdAt, changedAt, name, firstText: text, turns, ...open };
        }),
      )),
    ];
  }

  async #add(options: Parameters<Engine['open']>[0]): Promise<LiveSession> {
    if (this.#live.size + this.#reserved >= this.#options.most) throw tooManySessions(this.#options.most);
    this.#reserved += 1;
    try {
      const live = await this.#options.engine.open(options);
      this.#live.set(live.session.sessionId, { live, openedAt: Date.now() });
      return live;
    } finally {
      this.#reserved -= 1;
    }
  }

  #limit(wish: SettingsWish): Partial<Settings> {
    const limited = limitSettings(this.#options.settings, wish, this.#options.models);
    if (limited.ok) return limited.settings;
    const { code, message, hint } = limited.error;
    throw new AishError(code, message, hint === undefined ? {} : { hint });
  }
}

/** An open session in a list: its name, the directory of its shell, and the time when it was opened. */
export function describeOpen({ session, sharedShell, secrets }: LiveSession, openedAt: number): object {
  const { state, recorded, sessionId } = session;
  const said = recorded.find(({ event }) => event.type === 'turn.started')?.event;
  const typed = recorded.find(({ event }) => event.type === 'command.started' && isOpenLine(event))?.event;
  const redact = (text: string | null): string | null => (text === null ? null : secrets.redact(text));
  return {
    id: sessionId,
    cwd: sharedShell.cwd,
    name: redact(state.named?.name ?? null),
    firstText: redact(said?.type === 'turn.started' ? said.text : null),
    firstCommand: redact(typed?.type === 'command.started' ? typed.line : null),
    turns: state.turns,
    openedAt,
    pid: process.pid,
    live: true,
  };
}

/** A line of a user that all may see. */
function isOpenLine({ driver, private: hidden }: EventOf<'command.started'>): boolean {
  return driver === 'user' && hidden !== true;
}

/** The current work of a session, for clients that do not follow its events. */
export function summarize({ session, sharedShell }: LiveSession): object {
  const { state } = session;
  const asked = askedCall(state);
  return {
    id: session.sessionId,
    cwd: sharedShell.cwd,
    settings: state.settings,
    seq: session.seq,
    followers: session.followers,
    turns: state.turns,
    busy: !isIdle(state),
    turn: state.turn === null ? null : { number: state.turn.number, steps: state.turn.steps },
    command: state.command,
    approval:
      asked === null
        ? null
        : {
            callId: asked.call.id,
            name: asked.call.name,
            arguments: asked.call.arguments,
            effect: asked.call.effect,
            preview: asked.preview ?? null,
            prompt: asked.questions ?? 1,
          },
    undo: isRestoreAsked(state) ? (state.restore?.question ?? null) : null,
  };
}

function checkDirectory(cwd: string): string {
  if (isAbsolute(cwd) && statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return cwd;
  throw badDirectory(cwd);
}
