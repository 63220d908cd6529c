import type { SessionClient, TerminalStream } from '../../core/session/session-client.ts';
import { sanitizeLine } from '../../core/text/sanitize.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { TerminalSize } from '../../protocol/query.ts';
import { badSize, OUTPUT_SKIPPED } from './messages.ts';

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
