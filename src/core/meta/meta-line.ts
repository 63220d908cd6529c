/** True for a line that is meant for aish itself: whatever begins with a colon. The shell's own `:` is written `!:`. */
export function isMetaLine(line: string): boolean {
  return line.trimStart().startsWith(':');
}

/** The meta-commands that work without their colon. */
const PLAIN = /^\s*(z|cdh|aish)(?:[ \t][^\n]*)?$/;

/** The meta line for one that lacks only its colon; null if the shell has a command of the name. */
export function withColon(line: string, knows: (word: string) => boolean): string | null {
  const name = PLAIN.exec(line)?.[1];
  return name === undefined || knows(name) ? null : `:${line.trimStart()}`;
}

/** A line that begins with the handle of an output. */
interface HandleLine {
  readonly handle: number;
  /** The destination of the output: `| grep warn`, `> file`; empty for the handle alone. */
  readonly rest: string;
}

/** Understands `%12` and `%12 | …`; null for any other line, the shell's own `%1 &` among them. */
export function parseHandleLine(line: string): HandleLine | null {
  const found = /^\s*%(\d{1,9})\s*(|\|(?!\|)[\s\S]*|>[\s\S]*)$/.exec(line);
  return found === null ? null : { handle: Number(found[1]), rest: (found[2] ?? '').trim() };
}

/** Reads `%12` or `12`; null for anything else. */
export function parseHandle(word: string): number | null {
  const found = /^%?(\d{1,9})$/.exec(word.trim());
  return found === null ? null : Number(found[1]);
}
