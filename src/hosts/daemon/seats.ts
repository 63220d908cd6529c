import { sanitizeLine } from '../../core/sanitize.ts';
import type { LiveSession } from '../../engine/engine.ts';
import type { Seat, TerminalShare } from '../../engine/terminal-share.ts';
import type { TerminalSize } from '../../protocol/client.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { HttpError } from './http-error.ts';

/*
 * A terminal over a WebSocket. Binary messages are bytes: what commands show one way, keys the other. Text messages are JSON:
 *
 *   to the seat     {"type":"joined","seq":N,"running":N or null}            the last fact, and that with which the running command began
 *                   {"type":"began","seq":N}   {"type":"ended","seq":N}      what a command shows comes between these
 *                   {"type":"keyboard","holder":NAME or null,"you":NAME}     whose keys count, and what this seat is called
 *                   {"type":"refused"}                                       the owner did not lend the keyboard
 *                   {"type":"told","text":TEXT}                              who came, and who left
 *   from the seat   {"type":"size","columns":N,"rows":N}
 *                   {"type":"ask"}   {"type":"give-back"}
 *
 * A seat that reads slowly holds nobody up: what it has no room for is left out, and it is told so.
 */

/** A connection of a seat, for as long as it lasts. */
export interface SocketSeat {
  open(socket: SeatSocket): void;
  take(message: string | Buffer): void;
  /** There is room again. */
  drained(): void;
  close(): void;
}

/** What a seat needs of its connection. */
export interface SeatSocket {
  send(data: string | Uint8Array): number;
  getBufferedAmount(): number;
}

/** So much may wait for a slow seat. */
const MOST_WAITING = 1024 * 1024;
const LEFT_OUT = '\r\n[output was left out here: this terminal was too slow for it]\r\n';
const LONGEST_NAME = 40;
const MOST_WORDS = 200;

/** The name that a client gives its seat; undefined for none. */
export function readSeat(header: string | undefined): string | undefined {
  const name = sanitizeLine(header ?? '').trim();
  if (name === '') return undefined;
  return name.slice(0, LONGEST_NAME);
}

/** Which of these words the session's shell would run as a command; null while there is no shell. */
export async function knownWords(
  { sharedShell }: LiveSession,
  words: readonly string[],
): Promise<{ readonly known: readonly string[] | null }> {
  const { shell } = sharedShell;
  if (shell === null) return { known: null };
  const asked = words.slice(0, MOST_WORDS);
  for (const word of asked) shell.lookup(word);
  // What the last command changed is read behind the prompt, and may be under way.
  await shell.lookups.settled();
  return { known: asked.filter((word) => shell.lookup(word) !== null) };
}

/** What the session's shell has names for, to complete words with; null while there is no shell. What aliases stand for may hold secrets. */
export async function shellNames({ sharedShell, secrets }: LiveSession): Promise<{ readonly names: object | null }> {
  const { shell } = sharedShell;
  if (shell === null) return { names: null };
  await shell.lookups.settled();
  const commands = await shell.lookups.list(() => true, shell.cwd);
  const { aliases, variables } = shell.lookups;
  const meanings = [...aliases].map(([name, meaning]) => [name, secrets.conceal(meaning)]);
  return { names: { commands: [...commands], aliases: meanings, variables } };
}

/** What a client says of its seat when it connects. */
export interface SeatWish {
  readonly name: string | undefined;
  readonly columns?: string;
  readonly rows?: string;
}

/** A seat at the terminal of a session. */
export function joinTerminal({ session }: LiveSession, share: TerminalShare, wish: SeatWish): SocketSeat {
  const size = readSize(Number(wish.columns ?? 80), Number(wish.rows ?? 24));
  if (size === null) throw new HttpError(400, { code: 'http.bad-request', message: 'columns and rows are no size' });
  let seat: Seat | null = null;
  let socket: SeatSocket | null = null;
  let isBehind = false;
  return {
    open: (opened) => {
      socket = opened;
      const tell = (value: object): void => void opened.send(JSON.stringify(value));
      let you = wish.name ?? 'a seat';
      seat = share.join(
        { name: you, size },
        {
          joined: (at) => tell({ type: 'joined', ...at }),
          began: (seq) => tell({ type: 'began', seq }),
          ended: (seq) => tell({ type: 'ended', seq }),
          output: (bytes) => {
            if (opened.getBufferedAmount() > MOST_WAITING) isBehind = true;
            else if (!isBehind) opened.send(bytes);
          },
          keyboard: (holder) => tell({ type: 'keyboard', holder, you: seat?.name ?? you }),
          refused: () => tell({ type: 'refused' }),
          told: (text) => tell({ type: 'told', text }),
        },
      );
      you = seat.name;
      tell({ type: 'keyboard', holder: share.holder, you });
    },
    take: (message) => {
      if (seat === null) return;
      if (typeof message !== 'string') share.write(seat, message);
      else takeWord(message, seat, share);
    },
    drained: () => {
      if (!isBehind) return;
      isBehind = false;
      socket?.send(new TextEncoder().encode(LEFT_OUT));
    },
    close: () => {
      if (seat === null) return;
      share.leave(seat);
      // Nobody is there any more to see what becomes of a line that waits.
      session.queue.drop({ seat: seat.name });
    },
  };
}

function takeWord(message: string, seat: Seat, share: TerminalShare): void {
  const word = parseWord(message);
  if (word?.type === 'ask') share.ask(seat);
  else if (word?.type === 'give-back') share.giveBack(seat);
  else if (word?.type === 'size') {
    const size = readSize(Number(word.columns), Number(word.rows));
    if (size !== null) share.resize(seat, size);
  }
}

function parseWord(message: string) {
  try {
    const word: unknown = JSON.parse(message);
    return isJsonObject(word) ? word : null;
  } catch {
    return null;
  }
}

function readSize(columns: number, rows: number): TerminalSize | null {
  const isSize = [columns, rows].every((count) => Number.isInteger(count) && count >= 1 && count <= 10_000);
  return isSize ? { columns, rows } : null;
}
