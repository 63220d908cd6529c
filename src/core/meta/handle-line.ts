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
