import { chmodSync, closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import type { EntryState } from '../../core/impact/change-set.ts';
import { errorCode } from '../../protocol/error.ts';
import { type FileCalls, openFileCalls } from '../system/file-calls.ts';

/** A folder whose paths are raw: one character per byte, so that a name in any encoding comes back as it was. */
export class Tree {
  readonly root: string;
  readonly #root: Buffer;
  readonly #isOurs: boolean;

  /** In one of `ours` a folder that its command closed is opened to look into it. */
  constructor(root: string, { ours = false } = {}) {
    this.root = root;
    this.#isOurs = ours;
    this.#root = Buffer.from(root);
  }

  /** The bytes of a raw path, for system calls. */
  at(path: string): Buffer {
    return path === '' ? this.#root : Buffer.concat([this.#root, Buffer.from(`/${path}`, 'latin1')]);
  }

  /** The state of the entry at a path; null for nothing. */
  state(path: string): EntryState | null {
    try {
      return toState(this.at(path));
    } catch (thrown) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(thrown))) return null;
      throw thrown;
    }
  }

  /** Names in a folder, sorted. */
  names(path: string): readonly string[] {
    if (this.#isOurs && ((this.state(path)?.mode ?? 0) & 0o700) !== 0o700) chmodSync(this.at(path), 0o700);
    return readdirSync(this.at(path), { encoding: 'buffer' })
      .map((name) => Buffer.from(name).toString('latin1'))
      .sort();
  }

  link(path: string): Buffer {
    return Buffer.from(readlinkSync(this.at(path), { encoding: 'buffer' }));
  }
}

/** Raw paths side by side. */
export function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function toState(path: Buffer): EntryState {
  const found = lstatSync(path, { bigint: true });
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other';
  return {
    kind,
    mode: Number(found.mode & 0o7777n),
    size: kind === 'folder' ? 0 : Number(found.size),
    modifiedNs: found.mtimeNs,
    changedNs: found.ctimeNs,
    inode: found.ino,
    device: found.dev,
    names: Number(found.nlink),
    user: Number(found.uid),
    group: Number(found.gid),
    special: found.isCharacterDevice() ? found.rdev : -1n,
  };
}

const PIECE = 256 * 1024;

/** Whether two entries of the same kind hold the same: bytes, or where a link leads. */
export function isSameContent(
  one: { readonly tree: Tree; readonly path: string; readonly state: EntryState },
  other: { readonly tree: Tree; readonly path: string; readonly state: EntryState },
): boolean {
  if (one.state.kind !== other.state.kind) return false;
  if (one.state.kind === 'link') return one.tree.link(one.path).equals(other.tree.link(other.path));
  if (one.state.kind === 'other') return one.state.special === other.state.special;
  if (one.state.kind === 'folder') return true;
  return one.state.size === other.state.size && isSameBytes(one.tree.at(one.path), other.tree.at(other.path));
}

function isSameBytes(one: Buffer, other: Buffer): boolean {
  const files = [openSync(one, 'r'), -1];
  try {
    files[1] = openSync(other, 'r');
    const [first = -1, second = -1] = files;
    const [here, there] = [Buffer.allocUnsafe(PIECE), Buffer.allocUnsafe(PIECE)];
    for (;;) {
      const length = readSync(first, here, 0, PIECE, null);
      const same = readSync(second, there, 0, PIECE, null);
      if (length !== same || !here.subarray(0, length).equals(there.subarray(0, same))) return false;
      if (length === 0) return true;
    }
  } finally {
    for (const file of files) if (file >= 0) closeSync(file);
  }
}

/** The calls for extended attributes and times, opened once for each dry-run. */
export interface Attributes {
  readonly calls: FileCalls | null;
  /** Extended attributes but those of the overlay, as one text to compare. */
  readonly read: (path: Buffer) => string;
}

/** The attributes in which overlays keep their own notes. */
export const OVERLAY_NOTES = /^(?:user|trusted)\.overlay\./;

/** Opens them. */
export function openAttributes(): Attributes {
  const calls = openFileCalls();
  const read = (path: Buffer): string => {
    const found = calls === null ? [] : [...calls.attributes(path)].filter(([name]) => !OVERLAY_NOTES.test(name));
    return JSON.stringify(found.sort());
  };
  return { calls, read };
}
