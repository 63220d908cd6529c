import type { SessionClient, TerminalStream } from '../../core/session/session-client.ts';
import { sanitizeLine } from '../../core/text/sanitize.ts';
import type { EventQueue } from '../../engine/session/event-queue.ts';
import { isDurable } from '../../protocol/durable-event.ts';
import type { Recorded } from '../../protocol/event.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { TerminalSize } from '../../protocol/query.ts';
import { badEventId, badSize, OUTPUT_SKIPPED } from './messages.ts';

/*
 * One reader of a session's events over server-sent events. Events are pulled, so a slow reader is fed as fast as it reads
 * and nothing piles up but in the session's queue; that one is bounded, and a reader who lets it run full is given up with
 * `event: overflow`. It comes back with the id of the last durable event it saw and misses no fact.
 */

const encoder = new TextEncoder();
const OPENED = ': aish\n\n';
const BEAT = ':\n\n';

/** The position at which a reader begins; `nth` only for one that comes back. */
interface Beginning {
  readonly seq: number;
  readonly nth?: number;
}

/** The requested position of a reader: `Last-Event-ID` if it comes back, else `?after=`, else the first event. */
export function parseAfter(lastEventId: string | undefined, after: string | undefined): Beginning {
  const value = lastEventId ?? after ?? '0';
  const { seq, nth = '0' } = /^(?<seq>\d{1,15})(?:\.(?<nth>\d{1,15}))?$/.exec(value)?.groups ?? {};
  if (seq !== undefined)
    return lastEventId === undefined ? { seq: Number(seq) } : { seq: Number(seq), nth: Number(nth) };
  throw badEventId(value);
}

/** One event in the form of the stream. Events that a returning reader receives again have an id: deltas have none. */
export function formatEvent(recorded: Recorded): string {
  const { seq, nth } = recorded;
  const id = isDurable(recorded.event) ? `id: ${seq}\n` : nth === undefined ? '' : `id: ${seq}.${nth}\n`;
  return `${id}event: ${recorded.event.type}\ndata: ${JSON.stringify(recorded)}\n\n`;
}

/** The answer that streams a queue until the client leaves or the session closes. */
export function streamEvents(queue: EventQueue, heartbeat: Heartbeat): Response {
  let endBeats = (): void => {};
  let left = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(OPENED));
      endBeats = heartbeat.add(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(BEAT));
      });
    },
    async pull(controller) {
      const { done, value } = await queue.next();
      if (left) return;
      if (!done) return controller.enqueue(encoder.encode(formatEvent(value)));
      endBeats();
      controller.enqueue(encoder.encode(`event: ${queue.overflowed ? 'overflow' : 'closed'}\ndata: {}\n\n`));
      controller.close();
    },
    async cancel() {
      left = true;
      endBeats();
      await queue.return();
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}

/** Beats for all quiet streams with one timer, which runs only while there is a stream. */
export class Heartbeat {
  readonly #everyMs: number;
  readonly #beats = new Set<() => void>();
  #timer: Timer | null = null;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Calls `beat` from now on; the answer ends that. */
  add(beat: () => void): () => void {
    this.#beats.add(beat);
    this.#timer ??= setInterval(() => this.#beat(), this.#everyMs);
    return () => this.#remove(beat);
  }

  #beat(): void {
    for (const beat of [...this.#beats]) beat();
  }

  #remove(beat: () => void): void {
    this.#beats.delete(beat);
    if (this.#beats.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

/*
 * A terminal over a WebSocket. Binary messages are bytes: what commands print one way, keys the other. Text messages are JSON:
 *
 *   to the client   {"type":"joined","seq":N,"running":N or null}            the last fact, and that with which the running command began
 *                   {"type":"began","seq":N}   {"type":"ended","seq":N}      what a command prints comes between these
 *                   {"type":"keyboard","holder":NAME or null,"you":NAME}     whose keys count, and what this client is called
 *                   {"type":"refused"}                                       the owner did not lend the keyboard
 *                   {"type":"notice","text":TEXT}                            who came, and who left
 *   from the client {"type":"size","columns":N,"rows":N}
 *                   {"type":"ask"}   {"type":"give-back"}
 *
 * A slow client delays nobody: aish skips output that has no room, and the terminal shows that.
 */

/** A connection of a client, for as long as it lasts. */
export interface SocketClient {
  open(socket: ClientSocket): void;
  take(message: string | Buffer): void;
  /** There is room again. */
  drained(): void;
  close(): void;
}

interface ClientSocket {
  send(data: string | Uint8Array): number;
  getBufferedAmount(): number;
}

/** Most bytes that wait for a slow client. */
const MOST_WAITING = 1024 * 1024;
const LONGEST_NAME = 40;

/** The name that a client gives itself; undefined for none. */
export function readClientName(header: string | undefined): string | undefined {
  const name = sanitizeLine(header ?? '').trim();
  if (name === '') return undefined;
  return name.slice(0, LONGEST_NAME);
}

interface WindowQuery {
  readonly columns?: string;
  readonly rows?: string;
}

/** Joins the terminal of a session when the connection is open. */
export function joinTerminal(client: SessionClient, { columns, rows }: WindowQuery): SocketClient {
  const size = readSize(Number(columns ?? 80), Number(rows ?? 24));
  if (size === null) throw badSize();
  let stream: TerminalStream | null = null;
  let socket: ClientSocket | null = null;
  let isBehind = false;
  return {
    open: (opened) => {
      socket = opened;
      const send = (value: object): void => void opened.send(JSON.stringify(value));
      let you = '';
      stream = client.terminal(size, {
        joined: (at) => send({ type: 'joined', ...at }),
        began: (seq) => send({ type: 'began', seq }),
        ended: (seq) => send({ type: 'ended', seq }),
        output: (bytes) => {
          if (opened.getBufferedAmount() > MOST_WAITING) isBehind = true;
          else if (!isBehind) opened.send(bytes);
        },
        named: (name) => {
          you = name;
        },
        keyboard: (holder) => send({ type: 'keyboard', holder, you }),
        refused: () => send({ type: 'refused' }),
        notice: (text) => send({ type: 'notice', text }),
        // The server ends the connection, when all that was sent before has arrived.
        closed: () => {},
      });
    },
    take: (message) => {
      if (stream === null) return;
      if (typeof message !== 'string') stream.write(message);
      else takeWord(message, stream);
    },
    drained: () => {
      if (!isBehind) return;
      isBehind = false;
      socket?.send(new TextEncoder().encode(OUTPUT_SKIPPED));
    },
    close: () => stream?.close(),
  };
}

function takeWord(message: string, stream: TerminalStream): void {
  const word = parseJsonObject(message);
  if (word?.type === 'ask') stream.ask();
  else if (word?.type === 'give-back') stream.giveBack();
  else if (word?.type === 'size') {
    const size = readSize(Number(word.columns), Number(word.rows));
    if (size !== null) stream.resize(size);
  }
}

function readSize(columns: number, rows: number): TerminalSize | null {
  const isSize = [columns, rows].every((count) => Number.isInteger(count) && count >= 1 && count <= 10_000);
  return isSize ? { columns, rows } : null;
}
