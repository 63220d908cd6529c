import { dlopen, type FFIFunction, ptr } from 'bun:ffi';
import { readdirSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';
import { once } from '../../core/text/memoize.ts';

/**
 * The few system calls Bun has no API for. All of them go through here, loaded once on first use (under a millisecond). If no libc can be
 * opened `systemCalls()` is null and each caller has a stated, poorer way.
 */
export interface SystemCalls {
  /** Takes an exclusive lock on an open file without waiting; false when another process holds it. Freed when the process ends. */
  lock(fd: number): boolean;
  /** Puts a terminal into raw mode, output processing off. Returns the modes before, or null when `fd` is no terminal. */
  setRaw(fd: number): Uint8Array | null;
  /** The terminal's present modes as an opaque value, or null when `fd` is no terminal. */
  getModes(fd: number): Uint8Array | null;
  setModes(fd: number, modes: Uint8Array): void;
  /** Stops (false) or lets go on (true) what programs write to the terminal whose slave is `fd`. */
  setOutputFlow(fd: number, flowing: boolean): void;
  /** Another descriptor of the same open file, closed in children; null where that is not possible. Linux only. */
  duplicate(fd: number): number | null;
  /** Makes a named pipe that only its owner may open; false when it could not. */
  makeFifo(path: string): boolean;
  /** Replaces this process by another program; returns only when that failed. Signals we ignore are given back first. */
  execute(program: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>): void;
  /** Columns and rows of a terminal; null when `fd` is none or its size was never set. */
  windowSize(fd: number): { readonly columns: number; readonly rows: number } | null;
  /** Waits until `fd` can be read or written; false when `timeoutMs` passed first. */
  waitFor(fd: number, what: 'read' | 'write', timeoutMs: number): boolean;
  /** Waits until `fd` takes more; false when it has something to read before that, or `timeoutMs` passed. */
  waitToWrite(fd: number, timeoutMs: number): boolean;
  /** Lets go of pages that are mapped from a file and unchanged; they are read again when they are used. Linux only. */
  dropPages(start: number, size: number): void;
}

/** Larger than any platform's `struct termios`; the bytes are never looked into. */
const TERMIOS_SIZE = 128;
const LOCK_EX_NB = 2 | 4;
const TCSANOW = 0;
const TCSADRAIN = 1;
const F_DUPFD_CLOEXEC = 1030;
const SIGPIPE = 13;
const SIG_DFL = 0;
const TIOCGWINSZ = process.platform === 'darwin' ? 0x40087468 : 0x5413;
const POLLIN = 1;
const POLLOUT = 4;
const MADV_DONTNEED = 4;

const SYMBOLS = {
  flock: { args: ['i32', 'i32'], returns: 'i32' },
  tcgetattr: { args: ['i32', 'ptr'], returns: 'i32' },
  tcsetattr: { args: ['i32', 'i32', 'ptr'], returns: 'i32' },
  cfmakeraw: { args: ['ptr'], returns: 'void' },
  tcflow: { args: ['i32', 'i32'], returns: 'i32' },
  fcntl: { args: ['i32', 'i32', 'u64'], returns: 'i32' },
  mkfifo: { args: ['ptr', 'u32'], returns: 'i32' },
  execve: { args: ['ptr', 'ptr', 'ptr'], returns: 'i32' },
  signal: { args: ['i32', 'i64'], returns: 'u64' },
  ioctl: { args: ['i32', 'u64', 'ptr'], returns: 'i32' },
  poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
  madvise: { args: ['u64', 'u64', 'i32'], returns: 'i32' },
} as const satisfies Record<string, FFIFunction>;

/** The loaded calls, or null on a platform whose libc is not found. Loading happens once. */
export const systemCalls: () => SystemCalls | null = once(load);

/** Whether a descriptor is that of a terminal. `isatty` of Bun would load all its streams, as long as the rest of a start takes. */
export function isTerminal(fd: number): boolean {
  const calls = systemCalls();
  return calls === null ? process.getBuiltinModule('node:tty').isatty(fd) : calls.getModes(fd) !== null;
}

function load(): SystemCalls | null {
  const libc = openLibC(SYMBOLS);
  return libc === null ? null : wrap(libc);
}

/** Functions of the C library, for what is needed so seldom that it is not loaded with the rest; null where none is found. */
export function openLibC<Symbols extends Record<string, FFIFunction>>(symbols: Symbols) {
  for (const name of libcNames()) {
    try {
      return dlopen(name, symbols).symbols;
    } catch {
      // Not this libc: the next name may be it.
    }
  }
  return null;
}

/** One after the other: most systems have the first, and need not be searched for the rest. */
function* libcNames(): Generator<string> {
  yield process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6';
  if (process.platform !== 'darwin') yield* muslNames();
}

function muslNames(): string[] {
  return attempt(() => readdirSync('/lib').filter((name) => name.startsWith('libc.musl-')), []);
}

type LibC = NonNullable<ReturnType<typeof openLibC<typeof SYMBOLS>>>;

function wrap(libc: LibC): SystemCalls {
  const [off, on] = process.platform === 'darwin' ? [1, 2] : [0, 1];
  const getModes = (fd: number): Uint8Array | null => {
    const modes = new Uint8Array(TERMIOS_SIZE);
    return libc.tcgetattr(fd, ptr(modes)) === 0 ? modes : null;
  };
  return {
    lock: (fd) => libc.flock(fd, LOCK_EX_NB) === 0,
    getModes,
    setModes: (fd, modes) => void libc.tcsetattr(fd, TCSADRAIN, ptr(modes)),
    setRaw: (fd) => {
      const before = getModes(fd);
      if (before === null) return null;
      const raw = before.slice();
      libc.cfmakeraw(ptr(raw));
      libc.tcsetattr(fd, TCSANOW, ptr(raw));
      return before;
    },
    setOutputFlow: (fd, flowing) => void libc.tcflow(fd, flowing ? on : off),
    duplicate: (fd) => {
      const copy = process.platform === 'linux' ? libc.fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
      return copy < 0 ? null : copy;
    },
    makeFifo: (path) => libc.mkfifo(ptr(toCString(path)), 0o600) === 0,
    execute: (program, args, env) => {
      libc.signal(SIGPIPE, SIG_DFL);
      const variables = Object.entries(env).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${value}`],
      );
      const [file, list, environment] = [toCString(program), toStringArray(args), toStringArray(variables)];
      libc.execve(ptr(file), ptr(list.pointers), ptr(environment.pointers));
    },
    windowSize: (fd) => {
      const [rows, columns] = windowSize(libc, fd);
      return rows && columns ? { rows, columns } : null;
    },
    waitFor: (fd, what, timeoutMs) => poll(libc, fd, { events: what === 'read' ? POLLIN : POLLOUT, timeoutMs }) !== 0,
    waitToWrite: (fd, timeoutMs) => (poll(libc, fd, { events: POLLIN | POLLOUT, timeoutMs }) & POLLOUT) !== 0,
    dropPages: (start, size) => void libc.madvise(start, size, MADV_DONTNEED),
  };
}

/** The events of a descriptor: 0 for nothing in time. */
function poll(libc: LibC, fd: number, wait: { readonly events: number; readonly timeoutMs: number }): number {
  const request = new DataView(new ArrayBuffer(8));
  request.setInt32(0, fd, true);
  request.setInt16(4, wait.events, true);
  return libc.poll(ptr(new Uint8Array(request.buffer)), 1, wait.timeoutMs) > 0 ? request.getInt16(6, true) : 0;
}

function toCString(text: string): Uint8Array {
  return Buffer.from(`${text}\0`);
}

/** A null-terminated array of C strings; the strings are kept beside it so that they stay alive as long. */
function toStringArray(texts: readonly string[]): { pointers: BigUint64Array; strings: readonly Uint8Array[] } {
  const strings = texts.map(toCString);
  const pointers = new BigUint64Array(strings.length + 1);
  strings.forEach((string, at) => {
    pointers[at] = BigInt(ptr(string));
  });
  return { pointers, strings };
}

/** Rows, columns and the size in pixels, as the terminal keeps them; zeros if the query fails. */
function windowSize(libc: LibC, fd: number): Uint16Array {
  const size = new Uint16Array(4);
  libc.ioctl(fd, TIOCGWINSZ, ptr(size));
  return size;
}
