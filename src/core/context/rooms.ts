import type { ContextWindow } from '../../protocol/context.ts';

/*
 * How many characters of one text a window has room for, at about four characters a token. Each is a share of the window, so that a call, its
 * result and what was said before fit into a small one together; a large window is no reason to send all of a log.
 */

/** Most characters of one tool result when nothing is known of the window. */
const RESULT_ROOM = 16_000;
const MOST_RESULT_ROOM = 64_000;
/** Most characters of the output of one command when nothing is known. */
const OUTPUT_ROOM = 4000;
const MOST_OUTPUT_ROOM = 16_000;
const LEAST_ROOM = 400;

/** For one tool result: a quarter of the window. */
export function resultRoom(window: ContextWindow | null): number {
  return window === null ? RESULT_ROOM : between(window.tokens, LEAST_ROOM, MOST_RESULT_ROOM);
}

/** For the output of one command of the person: a sixteenth. */
export function outputRoom(window: ContextWindow | null): number {
  return window === null ? OUTPUT_ROOM : between(Math.ceil(window.tokens / 4), LEAST_ROOM, MOST_OUTPUT_ROOM);
}

/** For one attachment: half of the window; as it is where nothing is known. */
export function attachmentRoom(window: ContextWindow | null): number | null {
  return window === null ? null : Math.max(LEAST_ROOM, window.tokens * 2);
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
