import { type FFIFunction, ptr } from 'bun:ffi';
import { openLibC } from './system-calls.ts';

/** System calls on files that Bun has no API for, on Linux. */
export interface FileCalls {
  /** Extended attributes by their names, values as latin1; none where the file system has none. */
  attributes(path: Buffer): ReadonlyMap<string, string>;
  removeAttribute(path: Buffer, name: string): void;
  /** Sets when a path was last modified, to the nanosecond; a link itself, not what it leads to. */
  setModified(path: Buffer, ns: bigint): boolean;
}

const FILE_SYMBOLS = {
  llistxattr: { args: ['ptr', 'ptr', 'u64'], returns: 'i64' },
  lgetxattr: { args: ['ptr', 'ptr', 'ptr', 'u64'], returns: 'i64' },
  lremovexattr: { args: ['ptr', 'ptr'], returns: 'i32' },
  utimensat: { args: ['i32', 'ptr', 'ptr', 'i32'], returns: 'i32' },
} as const satisfies Record<string, FFIFunction>;

type FileLibC = NonNullable<ReturnType<typeof openLibC<typeof FILE_SYMBOLS>>>;

const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const UTIME_OMIT = 0x3ffffffen;
/** The most that the kernel keeps of either. */
const LARGEST = 65_536;

/** Opens them; null where no libc can be opened. */
export function openFileCalls(): FileCalls | null {
  const libc = openLibC(FILE_SYMBOLS);
  return libc === null ? null : wrapFileCalls(libc);
}

function wrapFileCalls(libc: FileLibC): FileCalls {
  const room = new Uint8Array(LARGEST);
  const value = (path: Uint8Array, name: string): string => {
    const length = Number(libc.lgetxattr(ptr(path), ptr(terminated(name)), ptr(room), LARGEST));
    return Buffer.from(room.subarray(0, Math.max(0, length))).toString('latin1');
  };
  return {
    attributes: (path) => {
      const at = terminated(path);
      const length = Number(libc.llistxattr(ptr(at), ptr(room), LARGEST));
      const names = Buffer.from(room.subarray(0, Math.max(0, length)))
        .toString('latin1')
        .split('\0');
      return new Map(names.filter((name) => name !== '').map((name) => [name, value(at, name)]));
    },
    removeAttribute: (path, name) => void libc.lremovexattr(ptr(terminated(path)), ptr(terminated(name))),
    setModified: (path, ns) => {
      const times = new BigInt64Array([0n, UTIME_OMIT, ns / 1_000_000_000n, ns % 1_000_000_000n]);
      return libc.utimensat(AT_FDCWD, ptr(terminated(path)), ptr(times), AT_SYMLINK_NOFOLLOW) === 0;
    },
  };
}

function terminated(text: string | Buffer): Uint8Array {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return Buffer.concat([bytes, Buffer.of(0)]);
}
