import type { LiveStream } from '../../core/secrets/live-stream.ts';
import type { TerminalListener, TerminalStream } from '../../core/session/session-client.ts';
import type { Recorded } from '../../protocol/event.ts';
import type { TerminalSize } from '../../protocol/query.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { SharedShell } from '../shell/shared-shell.ts';
import type { Session } from './session.ts';

/*
 * The terminal of a session, seen from other clients.
 *
 * The output of commands goes to every client as bytes, and never as events. aish redacts secrets in it, even for a client of the same user
 * on the same machine: a second window is shown to others, recorded and left open more often than the main one, and nobody decided to trust
 * it. A private command is not shown at all.
 *
 * One client at most has the keyboard: the owner's, which is no member here, or a member to whom the owner has lent it. Only its keys reach
 * the program in the foreground; they are recorded nowhere. The program's window is as large as fits both the owner and the holder of the
 * keyboard; a client that only watches makes no window smaller.
 */

interface SharedTerminal extends TerminalStream {
  /** The name of the client, which is unique. */
  readonly name: string;
}

/** The owner of the terminal, who decides. */
export interface TerminalOwner {
  /** The size of the window that the shell's terminal is in. */
  size(): TerminalSize;
  /** A client would like to have the keyboard. */
  asked(client: string): void;
  /** They gave up asking, or are gone. */
  requestEnded(): void;
  /** The new holder of the keyboard; null for the owner. */
  keyboard(holder: string | null): void;
  /** Reports a client that came or left, and the like, in one line. */
  told(text: string): void;
}

interface TerminalShareDeps {
  readonly session: Pick<Session, 'events' | 'state' | 'seq' | 'isBroken'>;
  readonly sharedShell: Pick<SharedShell, 'shell' | 'watch'>;
  readonly secrets: Pick<SecretStore, 'stream'>;
  /** Null if no user is at the terminal: the keyboard goes to the first client that requests it. */
  readonly owner: TerminalOwner | null;
}

/** The bytes of the running command's output that are kept for clients that come late. */
const KEPT = 64 * 1024;
/** A possible beginning of a secret is shown after a pause of this length. */
const PAUSE_MS = 40;
/** Stands for the user's command among the ids of calls. */
const COMMAND = '';

interface Member {
  readonly name: string;
  size: TerminalSize;
  readonly listener: TerminalListener;
}

/** One session's terminal, shared with other clients. */
export class TerminalShare {
  readonly #deps: TerminalShareDeps;
  readonly #members = new Set<Member>();
  #holder: Member | null = null;
  #asking: Member | null = null;
  readonly #kept = new Recent(KEPT);
  #masked: Masked | null = null;
  /** Commands that have the screen, and the numbers of the facts with which they began. */
  readonly #running = new Map<string, number>();
  readonly #events: { return(): unknown };

  constructor(deps: TerminalShareDeps) {
    this.#deps = deps;
    deps.sharedShell.watch((bytes) => this.#take(bytes));
    const events = deps.session.events(deps.session.seq);
    this.#events = events;
    void this.#follow(events);
  }

  /** Whether anybody watches. */
  get isWatched(): boolean {
    return this.#members.size > 0;
  }

  /** The client that has the keyboard; null for the owner's. */
  get holder(): string | null {
    return this.#holder?.name ?? null;
  }

  /** Lets a client watch, and shows it what the running command has shown so far. */
  join(wanted: { readonly name: string; readonly size: TerminalSize }, listener: TerminalListener): SharedTerminal {
    const member: Member = { name: this.#freeName(wanted.name), size: wanted.size, listener };
    // The held text goes out to the other clients first; all go on from there.
    this.#masked?.pause();
    this.#tell(`${member.name} has joined this session`);
    this.#members.add(member);
    listener.joined?.({ seq: this.#deps.session.seq, running: [...this.#running.values()].at(-1) ?? null });
    const recent = this.#kept.bytes();
    if (recent.length > 0 && !this.#deps.session.state.isPrivate) {
      const text = this.#deps.secrets.stream();
      const shown = text.push(new TextDecoder().decode(recent)) + text.pause();
      listener.output(new TextEncoder().encode(shown));
    }
    listener.named?.(member.name);
    listener.keyboard(this.holder, false);
    return {
      name: member.name,
      opened: async () => {},
      write: (bytes) => this.#write(member, bytes),
      resize: (size) => this.#resize(member, size),
      ask: () => this.#ask(member),
      giveBack: () => this.#giveBack(member),
      close: () => this.#leave(member),
    };
  }

  /** A client is gone; where it had the keyboard, that is the owner's again. */
  #leave(member: Member): void {
    if (!this.#members.delete(member)) return;
    this.#giveBack(member);
    this.#tell(`${member.name} has left this session`);
  }

  /** Keys of a client, which reach the program where it has the keyboard. */
  #write(member: Member, bytes: Uint8Array): void {
    if (this.#holder === member) this.#deps.sharedShell.shell?.write(bytes);
  }

  /** A client's window has another size. */
  #resize(member: Member, size: TerminalSize): void {
    member.size = size;
    if (member === this.#holder) this.#fit();
  }

  /** A client would like to have the keyboard, and the owner decides. */
  #ask(member: Member): void {
    if (!this.#members.has(member) || member === this.#holder) return;
    const { owner } = this.#deps;
    if (owner === null) {
      if (this.#holder === null) this.#lend(member);
      else member.listener.refused();
      return;
    }
    if (this.#asking !== null && this.#asking !== member) {
      member.listener.refused();
      return;
    }
    this.#asking = member;
    owner.asked(member.name);
  }

  /** A client gives the keyboard back, or asks for it no more. */
  #giveBack(member: Member): void {
    if (this.#asking === member) this.#unask();
    if (this.#holder === member) this.#lend(null);
  }

  /** The owner gives the keyboard to the client that requested it. */
  grant(): void {
    const member = this.#asking;
    this.#asking = null;
    if (member !== null) this.#lend(member);
  }

  /** The owner says no. */
  refuse(): void {
    const member = this.#asking;
    this.#asking = null;
    member?.listener.refused();
  }

  /** The owner takes the keyboard, whichever client has it. */
  takeBack(): void {
    if (this.#holder !== null) this.#lend(null);
  }

  /** The owner's window has another size. */
  resized(): void {
    this.#fit();
  }

  close(): void {
    this.#deps.sharedShell.watch(null);
    this.#masked?.close();
    void this.#events.return();
    for (const { listener } of this.#members) listener.closed();
    this.#members.clear();
    this.#holder = null;
  }

  #freeName(wanted: string): string {
    const taken = new Set([...this.#members].map(({ name }) => name));
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? wanted : `${wanted} (${number})`;
      if (!taken.has(name)) return name;
    }
  }

  #unask(): void {
    this.#asking = null;
    this.#deps.owner?.requestEnded();
  }

  #lend(member: Member | null): void {
    this.#holder = member;
    this.#fit();
    this.#deps.owner?.keyboard(this.holder);
    for (const one of this.#members) one.listener.keyboard(this.holder, one === member);
  }

  #fit(): void {
    const own = this.#deps.owner?.size() ?? null;
    const theirs = this.#holder?.size ?? null;
    const size = own === null ? theirs : theirs === null ? own : smaller(own, theirs);
    if (size !== null) this.#deps.sharedShell.shell?.resize(size);
  }

  #tell(text: string): void {
    this.#deps.owner?.told(text);
    for (const { listener } of this.#members) listener.notice?.(text);
  }

  #take(bytes: Uint8Array): void {
    // A session that cannot be written knows no more which command is a private one.
    if (this.#deps.session.state.isPrivate || this.#deps.session.isBroken) return;
    this.#kept.push(bytes);
    if (this.#members.size === 0) return;
    this.#masked ??= new Masked(this.#deps.secrets.stream(), (shown) => {
      for (const { listener } of this.#members) listener.output(shown);
    });
    this.#masked.push(bytes);
  }

  async #follow(events: AsyncIterable<Recorded>): Promise<void> {
    for await (const { seq, event } of events) {
      if (event.type === 'command.started') this.#begin(COMMAND, seq);
      else if (event.type === 'tool-call.started' && event.sandboxed !== true) this.#begin(event.callId, seq);
      else if (event.type === 'command.completed') this.#end(COMMAND);
      else if (event.type === 'tool-call.completed') this.#end(event.callId);
      // A cancelled call has no end event of its own.
      else if (event.type === 'turn.ended') for (const key of [...this.#running.keys()]) this.#end(key);
    }
  }

  #begin(key: string, seq: number): void {
    this.#kept.clear();
    this.#running.set(key, seq);
    for (const { listener } of this.#members) listener.began?.(seq);
  }

  /** The whole output of a command goes out before its end, and none of it counts as output of the next command. */
  #end(key: string): void {
    const seq = this.#running.get(key);
    if (seq === undefined) return;
    this.#running.delete(key);
    this.#masked?.close();
    this.#masked = null;
    this.#kept.clear();
    for (const { listener } of this.#members) listener.ended?.(seq);
  }
}

/** Bytes with the secrets taken out, told as they come. */
class Masked {
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #stream: LiveStream;
  readonly #show: (bytes: Uint8Array) => void;
  #timer: Timer | null = null;

  constructor(stream: LiveStream, show: (bytes: Uint8Array) => void) {
    this.#stream = stream;
    this.#show = show;
  }

  push(bytes: Uint8Array): void {
    this.#tell(this.#stream.push(this.#decoder.decode(bytes, { stream: true })));
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#stream.waits ? setTimeout(() => this.#tell(this.#stream.pause()), PAUSE_MS) : null;
  }

  pause(): void {
    this.#tell(this.#stream.pause());
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#tell(this.#stream.push(this.#decoder.decode()) + this.#stream.end());
  }

  #tell(text: string): void {
    if (text !== '') this.#show(this.#encoder.encode(text));
  }
}

/** The last bytes of a stream. */
class Recent {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  push(bytes: Uint8Array): void {
    const piece = bytes.slice(Math.max(0, bytes.length - this.#most));
    this.#pieces.push(piece);
    this.#size += piece.length;
    while (this.#size - (this.#pieces[0]?.length ?? 0) >= this.#most) this.#size -= this.#pieces.shift()?.length ?? 0;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  clear(): void {
    this.#pieces = [];
    this.#size = 0;
  }
}

function smaller(one: TerminalSize, other: TerminalSize): TerminalSize {
  return { columns: Math.min(one.columns, other.columns), rows: Math.min(one.rows, other.rows) };
}
