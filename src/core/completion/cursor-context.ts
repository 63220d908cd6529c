import { findPrefix, takesWord } from '../shell-syntax/command-prefix.ts';
import { type CursorWord, scanLine, type TypedWord } from './scan-line.ts';

/** What kind of word the cursor stands in. */
export type Place = 'command' | 'argument' | 'target';

/** The simple command around the cursor, with what only runs it, such as `sudo` or `env A=b`, left away. */
export interface CursorContext {
  readonly place: Place;
  /** The words before the cursor's; the first names the command, unless the cursor stands there. */
  readonly words: readonly TypedWord[];
  readonly word: CursorWord;
  /** Where the simple command begins in the line. */
  readonly start: number;
}

/** A variable's name that ends at the cursor. */
export interface VariableAtCursor {
  /** Where the name begins, behind `$` or `${`. */
  readonly start: number;
  readonly name: string;
  readonly isBraced: boolean;
}

const RESERVED = /^(?:if|then|else|elif|while|until|do|!|\{|coproc)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Finds the simple command the cursor stands in, and which of its words; null inside a comment. */
export function findCursorContext(text: string, cursor: number): CursorContext | null {
  const scanned = scanLine(text, cursor);
  if (scanned === null) return null;
  const { word } = scanned;
  if (scanned.isList) return { place: 'argument', words: [], word, start: word.start };
  const words = skipPrefixes(scanned.words, word);
  const start = words[0]?.start ?? word.start;
  if (scanned.isTarget) return { place: 'target', words, word, start };
  return { place: words.length === 0 && !ASSIGNMENT.test(word.raw) ? 'command' : 'argument', words, word, start };
}

/** The part of an assignment or of `--option=` that stands before the value at the cursor; empty where there is none. */
export function findValueHead(context: CursorContext): string {
  const { raw } = context.word;
  return ASSIGNMENT.exec(raw)?.[0] ?? /^--?[\w-]+=/.exec(raw)?.[0] ?? '';
}

/** The variable whose name ends at the cursor, if it stands where the shell would expand it. */
export function findVariable({ word }: CursorContext): VariableAtCursor | null {
  if (word.quote === 'single' || word.quote === 'ansi') return null;
  const found = /(\\*)\$(\{[#!]?)?([A-Za-z_]\w*)?$/.exec(word.raw);
  if (found === null || (found[1] ?? '').length % 2 === 1) return null;
  const name = found[3] ?? '';
  return { start: word.start + word.raw.length - name.length, name, isBraced: found[2] !== undefined };
}

function skipPrefixes(words: readonly TypedWord[], cursorWord: CursorWord): readonly TypedWord[] {
  let at = 0;
  for (;;) {
    const word = words[at];
    if (word === undefined) return [];
    if (RESERVED.test(word.raw) || ASSIGNMENT.test(word.raw)) at++;
    else {
      const after = skipPrefix(words, at, cursorWord);
      if (after === null) return words.slice(at);
      at = after;
    }
  }
}

/** Where the command begins that a prefix runs; null where the word is none, or the cursor still stands in its options. */
function skipPrefix(words: readonly TypedWord[], at: number, cursorWord: CursorWord): number | null {
  const name = words[at]?.value ?? '';
  const prefix = findPrefix(name);
  if (prefix === null) return null;
  let next = at + 1;
  let { operands } = prefix;
  for (; next < words.length; next++) {
    const { value } = words[next] ?? { value: '' };
    if (value.startsWith('-')) {
      if (!takesWord(value, prefix.letters)) continue;
      if (next === words.length - 1) return null;
      next++;
    } else if (name === 'env' && ASSIGNMENT.test(value)) continue;
    else if (operands > 0) operands--;
    else return next;
  }
  const isOption = cursorWord.raw.startsWith('-') || (name === 'env' && ASSIGNMENT.test(cursorWord.raw));
  return isOption || operands > 0 ? null : next;
}
