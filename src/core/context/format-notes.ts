import { sanitizeText } from '../text/sanitize.ts';
import { toUtf8 } from '../text/sha256.ts';
import { cutHead, formatByteSize } from '../text/truncate.ts';

/** Notes that hold, as they are sent. */
export interface Notes {
  readonly path: string;
  readonly text: string;
  /** Of the file. */
  readonly bytes: number;
  /** How many of them the text holds. */
  readonly read: number;
}

/** Characters of all notes together when nothing is known of the window. */
const ROOM = 12_000;
const LEAST_ROOM = 600;
/** Less than this of a file tells nothing. */
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
  /** How much of the file that is, in words. */
  readonly share: string;
  readonly isWhole: boolean;
}

/**
 * What of the notes is sent: those nearest to the directory get their room first, and one that does not fit is cut at the end of a line.
 */
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
  const parts = sent.map(({ path, text, share, isWhole }) =>
    isWhole ? `[${path}]\n${text}\n[end of ${path}]` : `[${path}: ${share}]\n${text}\n[${path} goes on here: read the file for the rest]`,
  );
  return ['The user wants you to follow these notes; what they say now goes before them.', ...parts].join('\n\n');
}

/** What users are told of notes: which were read, and how much of them. */
export function formatNotesRead(shares: readonly NotesShare[], shorten: (path: string) => string): string {
  const told = shares.map(({ path, share, isWhole }) => `${shorten(path)} (${share}${isWhole ? '' : ', no more is sent'})`);
  return `${told.join(', ')} read`;
}

/** So much of a file, in words. */
export function describeShare(read: number, bytes: number): string {
  if (read >= bytes) return formatByteSize(bytes);
  return read === 0 ? `nothing of ${formatByteSize(bytes)}` : `the first ${formatByteSize(read)} of ${formatByteSize(bytes)}`;
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
