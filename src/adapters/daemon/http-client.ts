import type { SessionClient, TerminalSize } from '../../protocol/client.ts';
import { AishError } from '../../protocol/error.ts';
import type { Recorded } from '../../protocol/event.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { LookRequest } from '../../protocol/look.ts';
import type { Op } from '../../protocol/op.ts';
import type { SessionBody } from '../../protocol/op-schema.ts';
import { type DaemonAddress, sendRequest, toRefusal } from './daemon-request.ts';
import { EventFollower } from './event-follower.ts';
import { RemoteTerminal, type RemoteTerminalListener } from './remote-terminal.ts';
import { readShellNames, type ShellNames } from './shell-names.ts';

/** A session of a daemon, used as one in this process is. */
export class HttpSessionClient implements SessionClient {
  readonly sessionId: string;
  readonly #address: DaemonAddress;
  readonly #followers = new Set<EventFollower>();
  /** What this seat is called, where there are several. */
  seat: string | null;

  private constructor(address: DaemonAddress, sessionId: string, seat: string | null = null) {
    this.#address = address;
    this.sessionId = sessionId;
    this.seat = seat;
  }

  /** Has the daemon open a session: a new one, or a stored one with `resume`. */
  static async open(address: DaemonAddress, body: SessionBody = {}): Promise<HttpSessionClient> {
    const response = await sendRequest(address, { method: 'POST', path: '/sessions', body });
    if (!response.ok) throw await toRefusal(response);
    const answer: unknown = await response.json();
    if (isJsonObject(answer) && typeof answer.id === 'string') return new HttpSessionClient(address, answer.id);
    throw new AishError('daemon.protocol', 'the daemon did not say which session it opened', {
      hint: 'both ends must be aish of one release',
    });
  }

  /** Joins a session the daemon has open, as a seat of this name where it has several. */
  static attach(address: DaemonAddress, sessionId: string, seat: string | null = null): HttpSessionClient {
    return new HttpSessionClient(address, sessionId, seat);
  }

  /** A refusal by the session comes as the event `op.rejected`; what the daemon itself refuses is thrown. */
  async submit(op: Op): Promise<void> {
    // Readers made before this call see what it causes, as they do in one process.
    await Promise.all([...this.#followers].map((follower) => follower.opened()));
    const response = await this.#post('/ops', op);
    if (response.status === 202 || response.status === 409) return void (await response.arrayBuffer());
    throw await toRefusal(response);
  }

  /** Hands in a line that waits, with those of all seats, until what runs has ended; true where it has to. What becomes of it is told by events. */
  async submitInTurn(op: Op): Promise<boolean> {
    await Promise.all([...this.#followers].map((follower) => follower.opened()));
    const response = await this.#post('/ops?queue=1', op);
    if (response.status !== 202 && response.status !== 409) throw await toRefusal(response);
    const answer: unknown = await response.json();
    return isJsonObject(answer) && answer.waits === true;
  }

  /** Which of these words the session's shell would run; null where it has none. */
  async knownWords(words: readonly string[]): Promise<ReadonlySet<string> | null> {
    const asked = words.map((word) => `of=${encodeURIComponent(word)}`).join('&');
    const answer = await this.#get(`/words?${asked}`);
    if (!isJsonObject(answer) || !Array.isArray(answer.known)) return null;
    return new Set(answer.known.filter((word) => typeof word === 'string'));
  }

  /** What the session's shell has names for; null where it has none. */
  async names(): Promise<ShellNames | null> {
    const answer = await this.#get('/names');
    return isJsonObject(answer) ? readShellNames(answer.names) : null;
  }

  /** What a meta-command says that only looks. */
  async look(request: LookRequest): Promise<string> {
    const response = await this.#post('/look', request);
    if (!response.ok) throw await toRefusal(response);
    const answer: unknown = await response.json();
    return isJsonObject(answer) && typeof answer.text === 'string' ? answer.text : '';
  }

  /** The directory of the session's shell. */
  async cwd(): Promise<string | null> {
    const answer = await this.#get('');
    return isJsonObject(answer) && typeof answer.cwd === 'string' ? answer.cwd : null;
  }

  /** What commands show, and the keyboard where the owner lends it. */
  terminal(size: TerminalSize, listener: RemoteTerminalListener): RemoteTerminal {
    const path = `${this.#path()}/terminal?columns=${size.columns}&rows=${size.rows}`;
    return new RemoteTerminal(this.#address, path, {
      ...listener,
      named: (name) => {
        this.seat = name;
        listener.named?.(name);
      },
      seat: this.seat,
    });
  }

  async #get(path: string): Promise<unknown> {
    const response = await sendRequest(this.#address, { path: this.#path() + path });
    if (!response.ok) throw await toRefusal(response);
    return await response.json();
  }

  #post(path: string, body: unknown): Promise<Response> {
    const headers: Record<string, string> = this.seat === null ? {} : { 'x-aish-seat': this.seat };
    return sendRequest(this.#address, { method: 'POST', path: this.#path() + path, body, headers });
  }

  events(seq: number): AsyncIterableIterator<Recorded> {
    const follower = new EventFollower(this.#address, this.sessionId, seq, () => this.#followers.delete(follower));
    this.#followers.add(follower);
    return follower;
  }

  /** Ends the session at the daemon. Its log stays. */
  async close(): Promise<void> {
    const response = await sendRequest(this.#address, { method: 'DELETE', path: this.#path() });
    if (response.status !== 204 && response.status !== 404) throw await toRefusal(response);
  }

  /** Leaves the session as it is: only the streams of this client end. */
  async detach(): Promise<void> {
    await Promise.all([...this.#followers].map((follower) => follower.return()));
  }

  #path(): string {
    return `/sessions/${encodeURIComponent(this.sessionId)}`;
  }
}
