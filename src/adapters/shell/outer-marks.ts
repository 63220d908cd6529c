import { hostname } from 'node:os';

/**
 * What terminals understand of shells: OSC 133 for where a command's output begins and ends, OSC 7 for the directory. Terminals use them to
 * jump between commands, to select an output, and to open the next window in the same place.
 */
export const OUTPUT_BEGINS = new TextEncoder().encode('\x1b]133;C\x07');

/** What a full-screen program undoes itself unless it is killed: its screen, its keys, mouse and focus reports, its paste marks, its look. */
const LEAVE_FULL_SCREEN =
  '\x1b[?1049l\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[0m';
const SHOW_CURSOR = '\x1b[?25h';

/** After a command: the terminal as a line of text wants it, the status, the directory, and the beginning of the next prompt. */
export function formatCommandEnd(
  exit: number | null,
  cwd: string,
  { isAlternate }: { readonly isAlternate: boolean },
): Uint8Array {
  const status = exit === null ? '' : `;${exit}`;
  const leave = isAlternate ? LEAVE_FULL_SCREEN : '';
  const marks = `\x1b]133;D${status}\x07\x1b]7;${toFileUrl(cwd)}\x07\x1b]133;A\x07\x1b]133;B\x07`;
  return new TextEncoder().encode(`${leave}${marks}${SHOW_CURSOR}`);
}

function toFileUrl(path: string): string {
  return `file://${hostname()}${path.split('/').map(encodeURIComponent).join('/')}`;
}
