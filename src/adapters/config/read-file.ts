import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { AishError, errorCode } from '../../protocol/error.ts';

/** The text of a configuration file and who may read it. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  /** True when the group or everybody can read it. */
  readonly shared: boolean;
}

/** No file that a user writes is larger; a folder may hold a trap. */
const LARGEST = 1024 * 1024;

/** Reads a configuration file; null when there is none. A pipe or a device in its place never blocks the start. */
export function readConfigFile(path: string): FileText | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unreadable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw unreadable(path, 'it is not a regular file');
    if (stat.size > LARGEST) throw unreadable(path, 'it is larger than 1 MiB');
    return { path, text: readFileSync(fd, 'utf8'), shared: (stat.mode & 0o044) !== 0 };
  } finally {
    closeSync(fd);
  }
}

function unreadable(path: string, why: string, cause?: unknown): AishError {
  return new AishError('config.unreadable', `cannot read the configuration ${path}: ${why}`, {
    hint: 'make it a file you can read, or name another one with --config',
    cause,
  });
}
