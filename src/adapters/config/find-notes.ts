import { join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { readBeginning } from '../system/file-status.ts';
import { projectFolders } from './paths.ts';

/** The names of a project's notes for assistants. */
const NOTES_NAME = 'AGENTS.md';

/** Most bytes of one file. */
export const LARGEST_NOTES = 16 * 1024;

const LINE_END = 0x0a;

/** A file of notes. */
export interface NotesFile {
  readonly path: string;
  readonly origin: 'user' | 'project';
  readonly text: string;
  /** Bytes of the file. */
  readonly bytes: number;
  /** Bytes in `text`: fewer if aish cut it at the end of a line. */
  readonly read: number;
}

interface FindNotesContext {
  readonly cwd: string;
  /** The user's configuration folder. */
  readonly config: string;
}

/**
 * The notes that hold in a directory: the user's own first, then those of the project from its root down to here, so that nearer notes come
 * last. Outside of a work tree only those of the directory itself.
 */
export function findNotes({ cwd, config }: FindNotesContext): readonly NotesFile[] {
  return [...readNotes(join(config, NOTES_NAME), 'user'), ...findProjectNotes(cwd)];
}

/** The notes of the project around a directory. */
export function findProjectNotes(cwd: string): readonly NotesFile[] {
  return (projectFolders(cwd) ?? [cwd]).flatMap((folder) => readNotes(join(folder, NOTES_NAME), 'project'));
}

/** Null for anything but a regular file: aish would wait for a pipe. */
function readNotes(path: string, origin: NotesFile['origin']): readonly NotesFile[] {
  const found = attempt(() => readBeginning(path, LARGEST_NOTES), null);
  if (found === null) return [];
  const { bytes: whole, stat } = found;
  const read = whole.length < stat.size ? whole.lastIndexOf(LINE_END) + 1 || whole.length : whole.length;
  // If a line has no end, a character that the cut went through is left out.
  const text = new TextDecoder().decode(whole.subarray(0, read), { stream: true });
  return text.includes('\0') || text.trim() === '' ? [] : [{ path, origin, text, bytes: stat.size, read }];
}
