/** True for a line that is meant for aish itself: whatever begins with a colon. The shell's own `:` is written `!:`. */
export function isMetaLine(line: string): boolean {
  return line.trimStart().startsWith(':');
}

/** The meta-commands that work without their colon. */
const PLAIN = /^\s*(z|cdh)(?:[ \t][^\n]*)?$/;

/** The meta line for one that lacks only its colon; null if the shell has a command of the name. */
export function withColon(line: string, knows: (word: string) => boolean): string | null {
  const name = PLAIN.exec(line)?.[1];
  return name === undefined || knows(name) ? null : `:${line.trimStart()}`;
}
