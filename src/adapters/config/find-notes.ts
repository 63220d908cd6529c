import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolders } from './paths.ts';

/** What projects call the file that tells assistants how to work there. */
const NOTES_NAME = 'AGENTS.md';

/** Most bytes of one such file that are read. */
export const LARGEST_NOTES = 16 * 1024;

const LINE_END = 0x0a;

/** A file of notes as it stands on the disk. */
export interface NotesFile {
  readonly path: string;
  readonly origin: 'user' | 'project';
  readonly text: string;
  /** Bytes of the file. */
  readonly bytes: number;
  /** How many of them `text` holds: fewer where it was cut, at the end of a line. */
  readonly read: number;
}

interface FindNotesContext {
  readonly cwd: string;
  /** aish's folder for what the user configures. */
  readonly config: string;
}

/**
 * The notes that hold in a directory: the user's own first, then those of the project from its root down to here, so that what is said
 * nearer comes last. Outside of a work tree only those of the directory itself.
 */
export function findNotes({ cwd, config }: FindNotesContext): readonly NotesFile[] {
  return [...readNotes(join(config, NOTES_NAME), 'user'), ...findProjectNotes(cwd)];
}

/** Those of the project around a directory. */
export function findProjectNotes(cwd: string): readonly NotesFile[] {
  return (projectFolders(cwd) ?? [cwd]).flatMap((folder) => readNotes(join(folder, NOTES_NAME), 'project'));
}

/** Nothing for what is no plain file: a pipe would be waited for. */
function readNotes(path: string, origin: NotesFile['origin']): readonly NotesFile[] {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return [];
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size === 0) return [];
    const buffer = Buffer.alloc(Math.min(stat.size, LARGEST_NOTES));
    const whole = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0));
    const read = whole.length < stat.size ? whole.lastIndexOf(LINE_END) + 1 || whole.length : whole.length;
    // Where a line has no end, a character that the cut went through is left out.
    const text = new TextDecoder().decode(whole.subarray(0, read), { stream: true });
    return text.includes('\0') || text.trim() === '' ? [] : [{ path, origin, text, bytes: stat.size, read }];
  } catch {
    return [];
  } finally {
    closeSync(file);
  }
}
