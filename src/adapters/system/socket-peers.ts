import { ptr } from 'bun:ffi';
import { readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openLibC } from './system-calls.ts';

/*
 * Bun does not tell the connection of a request. But while a request is passed on, its connection is open. So the connections to aish's
 * socket are among its open files, and for each of them the kernel reports the user.
 */

const SYMBOLS = {
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  shutdown: { args: ['i32', 'i32'], returns: 'i32' },
} as const;

const OPEN_FILES = '/proc/self/fd';
const AF_UNIX = 1;
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const SO_ACCEPTCONN = 30;
const SHUT_RDWR = 2;
/** Rights of group and others. */
const OTHERS = 0o077n;
/** Family and path, `struct sockaddr_un`. */
const ADDRESS_SIZE = 110;
/** Process, user and group, `struct ucred`: the longest of the answers. */
const ANSWER_SIZE = 12;

type LibC = NonNullable<ReturnType<typeof openLibC<typeof SYMBOLS>>>;

/** The users connected to a socket of aish. Linux only: elsewhere the list is empty. */
export class SocketPeers {
  readonly #name: Buffer;
  /** The socket and its folder: each keeps others out by its rights. */
  readonly #sessionServers: readonly string[];
  /** When the rights of each were changed, when it was looked last. */
  #changes: readonly (bigint | undefined)[] = [];
  readonly #allowed: ReadonlySet<number>;
  readonly #address = Buffer.alloc(ADDRESS_SIZE);
  readonly #answer = Buffer.alloc(ANSWER_SIZE);
  readonly #size = new Uint32Array(1);
  #libc: LibC | null | undefined;

  /** `path` is that under which the socket was bound, whatever it is called since. */
  constructor(path: string, allowed: readonly number[] = [0, process.geteuid?.() ?? 0]) {
    this.#name = Buffer.from(`${path}\0`);
    this.#sessionServers = [path, dirname(path)];
    this.#allowed = new Set(allowed);
  }

  /**
   * Cuts each connection of a user who is not allowed; how many there were. To be called as a request is passed on, before anything is
   * waited for: later its connection may be gone.
   */
  cutStrangers(): number {
    if (process.platform !== 'linux' || this.#isShut()) return 0;
    this.#libc ??= openLibC(SYMBOLS);
    const libc = this.#libc;
    if (libc === null) return 0;
    const strangers = openFiles().filter((fd) => this.#isStranger(libc, fd));
    for (const fd of strangers) libc.shutdown(fd, SHUT_RDWR);
    return strangers.length;
  }

  /** Whether nobody else has been able to connect since it was looked last: to look at many connections takes its time. */
  #isShut(): boolean {
    const looks = this.#sessionServers.map((sessionServer) =>
      statSync(sessionServer, { bigint: true, throwIfNoEntry: false }),
    );
    const before = this.#changes;
    this.#changes = looks.map((look) => look?.ctimeNs);
    return looks.some(
      (look, at) =>
        look !== undefined &&
        look.ctimeNs === before[at] &&
        (look.mode & OTHERS) === 0n &&
        this.#allowed.has(Number(look.uid)),
    );
  }

  #isStranger(libc: LibC, fd: number): boolean {
    this.#size[0] = ADDRESS_SIZE;
    // A path that fills the address has no zero at its end.
    this.#address.fill(0);
    if (libc.getsockname(fd, ptr(this.#address), ptr(this.#size)) !== 0) return false;
    if (this.#address.readUInt16LE(0) !== AF_UNIX || !this.#isOurs()) return false;
    // The socket itself, at which nobody is connected.
    if (this.#ask(libc, fd, SO_ACCEPTCONN) && this.#answer.readUInt32LE(0) !== 0) return false;
    return !(this.#ask(libc, fd, SO_PEERCRED) && this.#allowed.has(this.#answer.readUInt32LE(4)));
  }

  #ask(libc: LibC, fd: number, option: number): boolean {
    this.#size[0] = ANSWER_SIZE;
    return libc.getsockopt(fd, SOL_SOCKET, option, ptr(this.#answer), ptr(this.#size)) === 0;
  }

  #isOurs(): boolean {
    const { length } = this.#name;
    return this.#address.subarray(2, 2 + length).equals(this.#name);
  }
}

function openFiles(): readonly number[] {
  return readdirSync(OPEN_FILES).map(Number);
}
