import { hostname } from 'node:os';

/**
 * What terminals understand of shells: OSC 133 for where a command's output begins and ends, OSC 7 for the directory. Terminals use them to
 * jump between commands, to select an output, and to open the next window in the same place.
 */
export const OUTPUT_BEGINS = new TextEncoder().encode('\x1b]133;C\x07');

/** After a command: its status, the directory, and the beginning of the next prompt. */
export function formatCommandEnd(exit: number | null, cwd: string): Uint8Array {
  const status = exit === null ? '' : `;${exit}`;
  return new TextEncoder().encode(`\x1b]133;D${status}\x07\x1b]7;${toFileUrl(cwd)}\x07\x1b]133;A\x07\x1b]133;B\x07`);
}

function toFileUrl(path: string): string {
  return `file://${hostname()}${path.split('/').map(encodeURIComponent).join('/')}`;
}
