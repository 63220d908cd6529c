import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { takeLock } from '../../adapters/system/file-lock.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import { AishError } from '../../protocol/error.ts';

/** The right to bind a socket path, held until it is released. */
export interface SocketClaim {
  readonly path: string;
  /** Removes the socket and lets others have the path. */
  release(): void;
}

/** What fits into the address of a unix socket, its closing zero left out. */
const LONGEST = process.platform === 'darwin' ? 103 : 107;

/**
 * Makes a socket path free to bind. A socket file outlives a killed daemon and binding says nothing of whether somebody
 * listens, so ownership is a lock on a file beside it, which the kernel frees with the process; only its holder removes
 * what lies at the path.
 */
export function claimSocket(path: string): SocketClaim {
  refuseLong(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  refuseOther(path);
  const lockPath = `${path}.lock`;
  const fd = openSync(lockPath, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  const releaseLock = takeLock(fd, lockPath, systemCalls());
  if (releaseLock === null) {
    closeSync(fd);
    throw new AishError('daemon.running', `another aish serve listens on ${path}`, {
      hint: 'use that one, end it first, or name another place with --socket',
    });
  }
  rmSync(path, { force: true });
  return {
    path,
    release: () => {
      rmSync(path, { force: true });
      releaseLock();
      closeSync(fd);
    },
  };
}

function refuseLong(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= LONGEST) return;
  throw new AishError('usage', `the socket path has ${bytes} bytes, and the system takes at most ${LONGEST}: ${path}`, {
    hint: 'name a shorter one with --socket',
  });
}

function refuseOther(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isSocket()) return;
  throw new AishError('usage', `${path} is there and is no socket, so it is left alone`, {
    hint: 'name another place with --socket',
  });
}
