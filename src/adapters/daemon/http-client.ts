import { evolve } from '../../core/session/evolve.ts';
import type {
  Outcome,
  SessionClient,
  SubmitOptions,
  TerminalListener,
  TerminalStream,
} from '../../core/session/session-client.ts';
import { EMPTY_STATE, type SessionState } from '../../core/session/state.ts';
import { isDurable } from '../../protocol/durable-event.ts';
import type { Recorded } from '../../protocol/event.ts';
import { isJsonObject, type Json, type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { Op } from '../../protocol/op.ts';
import type { SessionBody } from '../../protocol/op-schema.ts';
import type {
  Answers,
  Query,
  QueryAnswers,
  QueryOf,
  QueryType,
  ShellPlace,
  TerminalSize,
} from '../../protocol/query.ts';
import {
  type DaemonAddress,
  EventFollower,
  readErrorFact,
  readText,
  sendRequest,
  toRefusal,
} from './daemon-request.ts';
import { noDirectory, noSessionId } from './messages.ts';
import { readShellNames } from './remote-names.ts';

/** A session that another process owns, over a unix socket or TCP. */
export class HttpSessionClient implements SessionClient {
  readonly sessionId: string;
  readonly #address: DaemonAddress;
  readonly #followers = new Set<EventFollower>();
  readonly #terminals = new Set<RemoteTerminal>();
  #name: string | null;
  #state: SessionState = EMPTY_STATE;
  #seq = 0;
  /** The reader whose events make the state; null while nobody reads what follows it. */
  #folding: EventFollower | null = null;

  private constructor(address: DaemonAddress, sessionId: string, name: string | null = null) {
    this.#address = address;
    this.sessionId = sessionId;
    this.#name = name;
  }

  /** Has the daemon open a session: a new one, or a stored one with `resume`. */
  static async open(address: DaemonAddress, body: SessionBody = {}): Promise<HttpSessionClient> {
    const response = await sendRequest(address, { method: 'POST', path: '/sessions', body });
    if (!response.ok) throw await toRefusal(response);
    const answer: unknown = await response.json();
    if (isJsonObject(answer) && typeof answer.id === 'string') return new HttpSessionClient(address, answer.id);
    throw noSessionId();
  }

  /** Joins a session that is open there, as a client of this name where it has several. */
  static attach(address: DaemonAddress, sessionId: string, name: string | null = null): HttpSessionClient {
    return new HttpSessionClient(address, sessionId, name);
  }

  get name(): string | null {
    return this.#name;
  }

  get state(): SessionState {
    return this.#state;
  }

  get seq(): number {
    return this.#seq;
  }

  /** As the contract says; what the daemon refuses before it reaches the session, such as a session that is not open, is thrown. */
  async submit(op: Op, { inTurn = false }: SubmitOptions = {}): Promise<Outcome> {
    // Readers made before this call see what it causes, as they do in one process.
    await Promise.all([...this.#followers].map((follower) => follower.opened()));
    const response = await this.#post(inTurn ? '/ops?queue=1' : '/ops', op);
    const text = await readText(this.#address, response);
    const answer = parseJsonObject(text);
    if (response.ok) return answer?.waits === true ? { type: 'waits' } : { type: 'recorded' };
    const error = readErrorFact(text);
    if (answer?.accepted === false && error !== null) return { type: 'refused', error };
    throw await toRefusal(new Response(text, response));
  }

  query<T extends QueryType>(query: QueryOf<T>): Promise<Answers[T]> {
    return this.#answers[query.type](query);
  }

  /** The output of commands, and the keyboard if the owner lends it. */
  terminal(size: TerminalSize, listener: TerminalListener): RemoteTerminal {
    const path = `${this.#path()}/terminal?columns=${size.columns}&rows=${size.rows}`;
    const terminal = new RemoteTerminal(this.#address, path, {
      ...listener,
      named: (name) => {
        this.#name = name;
        listener.named?.(name);
      },
      name: this.#name,
    });
    this.#terminals.add(terminal);
    return terminal;
  }

  events(seq: number): AsyncIterableIterator<Recorded> {
    const follower: EventFollower = new EventFollower(this.#address, this.sessionId, seq, {
      take: (recorded) => this.#take(recorded, follower),
      ended: () => this.#ended(follower),
    });
    this.#followers.add(follower);
    // Its first events may be old ones; what is missing between makes no state.
    if (this.#folding === null && seq <= this.#seq) this.#folding = follower;
    return follower;
  }

  /** Ends the session at the daemon. Its log stays. */
  async close(): Promise<void> {
    const response = await sendRequest(this.#address, { method: 'DELETE', path: this.#path() });
    if (response.status !== 204 && response.status !== 404) throw await toRefusal(response);
  }

  async detach(): Promise<void> {
    for (const terminal of this.#terminals) terminal.close();
    await Promise.all([...this.#followers].map((follower) => follower.return()));
  }

  /** Called before an event is handed to its reader. */
  #take({ seq, event }: Recorded, follower: EventFollower): void {
    if (follower !== this.#folding || (isDurable(event) && seq <= this.#seq)) return;
    this.#state = evolve(this.#state, event);
    if (isDurable(event)) this.#seq = seq;
  }

  #ended(follower: EventFollower): void {
    this.#followers.delete(follower);
    if (this.#folding === follower) this.#folding = null;
  }

  readonly #answers: QueryAnswers = {
    show: async (query) => {
      const answer = await this.#ask(query);
      return typeof answer === 'string' ? answer : '';
    },
    names: async (query) => readShellNames(await this.#ask(query)),
    words: async (query) => {
      const answer = await this.#ask(query);
      return Array.isArray(answer) ? new Set(answer.filter((word) => typeof word === 'string')) : null;
    },
    place: async (query) => readPlace(await this.#ask(query)),
  };

  async #ask(query: Query): Promise<Json> {
    const response = await this.#post('/query', query);
    if (!response.ok) throw await toRefusal(response);
    const answer = parseJsonObject(await readText(this.#address, response));
    return answer?.answer ?? null;
  }

  #post(path: string, body: unknown): Promise<Response> {
    const headers: Record<string, string> = this.#name === null ? {} : { 'x-aish-client': this.#name };
    return sendRequest(this.#address, { method: 'POST', path: this.#path() + path, body, headers });
  }

  #path(): string {
    return `/sessions/${encodeURIComponent(this.sessionId)}`;
  }
}

function readPlace(answer: Json): ShellPlace {
  if (!isJsonObject(answer) || typeof answer.cwd !== 'string') throw noDirectory();
  const jobs = Array.isArray(answer.jobs) ? answer.jobs : [];
  return {
    cwd: answer.cwd,
    jobs: jobs.flatMap((job) => {
      if (!isJsonObject(job) || typeof job.number !== 'number' || typeof job.line !== 'string') return [];
      return [{ number: job.number, state: job.state === 'stopped' ? 'stopped' : 'running', line: job.line }];
    }),
  };
}

/** The terminal of a session that another process owns, over a WebSocket. The messages are described where they are answered. */
export class RemoteTerminal implements TerminalStream {
  readonly #socket: WebSocket;
  readonly #listener: TerminalListener;
  readonly #opened = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(address: DaemonAddress, path: string, listener: TerminalListener & { readonly name: string | null }) {
    this.#listener = listener;
    const client = listener.name === null ? {} : { 'x-aish-client': listener.name };
    const token = address.type === 'url' ? { authorization: `Bearer ${address.token}` } : {};
    const url = address.type === 'socket' ? `ws+unix://${address.path}:${path}` : `${toWebSocket(address.url)}${path}`;
    this.#socket = new WebSocket(url, { headers: { ...client, ...token } });
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }) => this.#take(data));
    this.#socket.addEventListener('close', () => this.#end());
    this.#socket.addEventListener('error', () => this.#end());
  }

  opened(): Promise<void> {
    return this.#opened.promise;
  }

  write(bytes: Uint8Array): void {
    if (this.#isOpen) this.#socket.send(bytes);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#tell({ type: 'size', columns, rows });
  }

  ask(): void {
    this.#tell({ type: 'ask' });
  }

  giveBack(): void {
    this.#tell({ type: 'give-back' });
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #tell(word: object): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(word));
  }

  #take(data: unknown): void {
    // Data that was on its way has no receiver any more.
    if (this.#isClosed) return;
    if (data instanceof ArrayBuffer) this.#listener.output(new Uint8Array(data));
    else if (typeof data === 'string') this.#takeWord(JSON.parse(data));
  }

  #takeWord(word: unknown): void {
    if (!isJsonObject(word)) return;
    if (word.type === 'refused') this.#listener.refused();
    if (typeof word.seq === 'number') this.#takePlace(word.seq, word);
    if (word.type === 'notice' && typeof word.text === 'string') this.#listener.notice?.(word.text);
    if (word.type !== 'keyboard' || typeof word.you !== 'string') return;
    this.#listener.named?.(word.you);
    this.#opened.resolve();
    const holder = typeof word.holder === 'string' ? word.holder : null;
    this.#listener.keyboard(holder, holder !== null && holder === word.you);
  }

  #takePlace(seq: number, { type, running }: JsonObject): void {
    if (type === 'began') this.#listener.began?.(seq);
    else if (type === 'ended') this.#listener.ended?.(seq);
    else if (type === 'joined') this.#listener.joined?.({ seq, running: typeof running === 'number' ? running : null });
  }

  #end(): void {
    this.#opened.resolve();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener.closed();
  }
}

function toWebSocket(url: string): string {
  return url.replace(/^http/, 'ws').replace(/\/$/, '');
}
