import { formatByteSize } from '../byte-size.ts';
import { sanitizeText } from '../sanitize.ts';
import { truncateMiddle } from '../truncate.ts';

/** Notes that hold, as they are sent. */
export interface Notes {
  readonly path: string;
  readonly text: string;
  /** Of the file. */
  readonly bytes: number;
}

/** Characters of all notes together when nothing is known of the window. */
const ROOM = 12_000;
const LEAST_ROOM = 600;

/** Characters of all notes together: an eighth of the window, at about four to a token. */
export function notesRoom(windowTokens: number | null): number {
  return windowTokens === null ? ROOM : Math.max(LEAST_ROOM, Math.min(2 * ROOM, Math.floor(windowTokens / 2)));
}

/** The notes as they stand in the system message; null for none. Those nearest to the directory get their room first. */
export function formatNotes(notes: readonly Notes[], room: number): string | null {
  const parts: string[] = [];
  let left = room;
  for (const { path, text } of notes.toReversed()) {
    if (left < 100) break;
    const fitting = truncateMiddle(sanitizeText(text).trim(), left);
    left -= fitting.length;
    parts.unshift(`[${path}]\n${fitting}\n[end of ${path}]`);
  }
  if (parts.length === 0) return null;
  return ['The person wants you to follow these notes; what they say now goes before them.', ...parts].join('\n\n');
}

/** What people are told of notes: which were read, and how long they are. */
export function formatNotesRead(notes: readonly Notes[], shorten: (path: string) => string): string {
  return `${notes.map(({ path, bytes }) => `${shorten(path)} (${formatByteSize(bytes)})`).join(', ')} read`;
}
