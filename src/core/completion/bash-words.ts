/** A command line as bash hands it to completion functions. */
export interface BashWords {
  /** `COMP_WORDS` up to the cursor; the last is the word to be completed. */
  readonly words: readonly string[];
  /** That word without its opening quote, and where it begins in the line. */
  readonly current: string;
  readonly start: number;
}

/**
 * Cuts a command up to the cursor as bash does for `COMP_WORDS`: at blanks, and at the characters of `COMP_WORDBREAKS`, of which those that
 * stand together make a word of their own. What is quoted stays in one piece, quotes and all.
 */
export function splitBashWords(line: string, breaks: string): BashWords {
  const isBreak = (character: string): boolean => breaks.includes(character) && !/[\s"']/.test(character);
  const words: string[] = [];
  let at = 0;
  let start = line.length;
  while (at < line.length) {
    if (/\s/.test(line.charAt(at))) {
      at++;
      continue;
    }
    start = at;
    if (isBreak(line.charAt(at))) while (at < line.length && isBreak(line.charAt(at))) at++;
    else while (at < line.length && !/\s/.test(line.charAt(at)) && !isBreak(line.charAt(at))) at = skipPiece(line, at);
    words.push(line.slice(start, at));
  }
  // A word has ended where the last one ends before the line does.
  const last = words.at(-1);
  if (last === undefined || start + last.length < line.length)
    return { words: [...words, ''], current: '', start: line.length };
  return toCurrent(words, start, isBreak);
}

/** Behind a break, such as the `=` of an option, the text to complete is empty, and yet the break is the last word. */
function toCurrent(words: readonly string[], start: number, isBreak: (character: string) => boolean): BashWords {
  const last = words.at(-1) ?? '';
  if (isBreak(last.charAt(0))) return { words, current: '', start: start + last.length };
  const quote = /^(?:\$?'|")/.exec(last)?.[0].length ?? 0;
  return { words, current: last.slice(quote), start };
}

/** Behind one character, one protected by a backslash, or one pair of quotes; an open quote takes the rest. */
function skipPiece(line: string, at: number): number {
  const character = line.charAt(at);
  if (character === '\\') return Math.min(at + 2, line.length);
  if (character !== "'" && character !== '"') return at + 1;
  for (let end = at + 1; end < line.length; end++) {
    if (character === '"' && line.charAt(end) === '\\') end++;
    else if (line.charAt(end) === character) return end + 1;
  }
  return line.length;
}

/** The rest of the simple command behind the cursor, from the blank on that ends its word; empty where the cursor stands within a word. */
export function restOfCommand(text: string, cursor: number): string {
  if (!/\s/.test(text.charAt(cursor))) return '';
  let at = cursor;
  while (at < text.length && !/[\n;|&<>()#]/.test(text.charAt(at))) at = skipPiece(text, at);
  return text.slice(cursor, at).trimEnd();
}
