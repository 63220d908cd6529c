import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { errorCode } from '../../protocol/error.ts';
import { NOT_REGULAR, TOO_LARGE, unreadableConfig } from './messages.ts';

/** The text of a configuration file, and whether others can read it. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  /** True if the group or everybody can read it. */
  readonly shared: boolean;
}

/** No file that a user writes is larger; a hostile one may be. */
const LARGEST = 1024 * 1024;

/** Reads a configuration file; null without one. A pipe or a device in its place never blocks the start. */
export function readConfigFile(path: string): FileText | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unreadableConfig(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw unreadableConfig(path, NOT_REGULAR);
    if (stat.size > LARGEST) throw unreadableConfig(path, TOO_LARGE);
    return { path, text: readFileSync(fd, 'utf8'), shared: (stat.mode & 0o044) !== 0 };
  } finally {
    closeSync(fd);
  }
}
