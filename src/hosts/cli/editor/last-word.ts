const WORDS = /(?:[^\s"'\\]|\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"?|'[^']*'?)+/g;

/** The last word of a line as a shell takes words: quotes and backslashes keep blanks inside. */
export function lastWord(line: string): string {
  return line.match(WORDS)?.at(-1) ?? '';
}
