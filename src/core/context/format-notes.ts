import { sanitizeText } from '../text/sanitize.ts';
import { toUtf8 } from '../text/sha256.ts';
import { cutHead, formatByteSize } from '../text/truncate.ts';
import { formatNote, NOTES_HEAD } from './messages.ts';

/** Notes of the user or of a trusted project. */
export interface Notes {
  readonly path: string;
  readonly text: string;
  /** The size of the file. */
  readonly bytes: number;
  /** The number of bytes that the text holds. */
  readonly read: number;
}

/** Most characters of all notes together if the context window is unknown. */
const ROOM = 12_000;
const LEAST_ROOM = 600;
/** Fewer characters of a file are not worth sending. */
const LEAST_SHARE = 100;

/** Characters of all notes together: an eighth of the window, at about four to a token. */
export function notesRoom(windowTokens: number | null): number {
  return windowTokens === null ? ROOM : Math.max(LEAST_ROOM, Math.min(2 * ROOM, Math.floor(windowTokens / 2)));
}

/** Notes with what of them is sent. */
export interface NotesShare {
  readonly path: string;
  /** Empty where there is no room for any of it. */
  readonly text: string;
  /** The share of the file, in words. */
  readonly share: string;
  readonly isWhole: boolean;
}

/** Shares the room out: the notes nearest to the directory come first, and notes that do not fit are cut at the end of a line. */
export function shareNotes(notes: readonly Notes[], room: number): readonly NotesShare[] {
  const shares: NotesShare[] = [];
  let left = room;
  for (const one of notes.toReversed()) {
    const share = fitNotes(one, left);
    left -= share.text.length;
    shares.unshift(share);
  }
  return shares;
}

/** The notes as they stand in the system message; null for none. */
export function formatNotes(notes: readonly Notes[], room: number): string | null {
  const sent = shareNotes(notes, room).filter(({ text }) => text !== '');
  if (sent.length === 0) return null;
  const parts = sent.map(({ path, text, share, isWhole }) => formatNote(path, text, isWhole ? null : share));
  return [NOTES_HEAD, ...parts].join('\n\n');
}

/** The notice about notes: which files aish read, and how much of each is sent. */
export function formatNotesRead(shares: readonly NotesShare[], shorten: (path: string) => string): string {
  const files = shares.map(({ path, share, isWhole }) => `${shorten(path)} (${share}${isWhole ? '' : '; the rest is not sent'})`);
  return `read ${files.join(', ')}`;
}

/** Formats how much of a file is sent. */
export function describeShare(read: number, bytes: number): string {
  if (read >= bytes) return formatByteSize(bytes);
  return read === 0 ? `none of ${formatByteSize(bytes)}` : `the first ${formatByteSize(read)} of ${formatByteSize(bytes)}`;
}

function fitNotes({ path, text, bytes, read }: Notes, room: number): NotesShare {
  const clean = sanitizeText(text).trim();
  if (clean.length <= room) return { path, text: clean, share: describeShare(read, bytes), isWhole: read >= bytes };
  const fitting = room < LEAST_SHARE ? '' : cutAtLine(clean, room);
  return { path, text: fitting, share: describeShare(toUtf8(fitting).length, bytes), isWhole: false };
}

function cutAtLine(text: string, size: number): string {
  const end = text.lastIndexOf('\n', size);
  return end > 0 ? text.slice(0, end) : cutHead(text, size);
}
