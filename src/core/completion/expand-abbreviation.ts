import { findCursorContext } from './cursor-context.ts';

interface TypedLine {
  readonly text: string;
  readonly cursor: number;
}

/** The line with the abbreviation before the cursor replaced; null if none stands there in the place of a command. */
export function expandAbbreviation({ text, cursor }: TypedLine, meaningOf: (word: string) => string | undefined): TypedLine | null {
  const word = /[^\s;&|()`!]+$/.exec(text.slice(0, cursor))?.[0];
  const meaning = word === undefined ? undefined : meaningOf(word);
  if (word === undefined || meaning === undefined || /^\s*[:?]/.test(text) || !/^(?:$|[\s;&|)])/.test(text.slice(cursor))) return null;
  const mark = /^\s*!/.exec(text)?.[0].length ?? 0;
  const context = findCursorContext(text.slice(mark), cursor - mark);
  if (context?.place !== 'command' || context.word.raw !== word) return null;
  const before = text.slice(0, cursor - word.length) + meaning;
  return { text: before + text.slice(cursor), cursor: before.length };
}
