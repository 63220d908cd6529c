import { findInner } from '../commands/programs/find-program.ts';
import { type CursorWord, scanLine, type TypedWord } from './scan-line.ts';

/** The kind of word that the cursor is in. */
export type Place = 'command' | 'argument' | 'target';

/** The simple command around the cursor, with what only runs it, such as `sudo` or `env A=b`, left away. */
export interface CursorContext {
  readonly place: Place;
  /** The words before the cursor's; the first names the command, unless the cursor stands there. */
  readonly words: readonly TypedWord[];
  readonly word: CursorWord;
  /** The offset of the simple command in the line. */
  readonly start: number;
}

interface VariableAtCursor {
  /** The offset of the name, behind `$` or `${`. */
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
  const found = /(?<!\\)(\\*)\$(\{[#!]?)?([A-Za-z_]\w*)?$/.exec(word.raw);
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

/** The index at which the command begins that another one runs. Null if it runs no command, or if the cursor is before that command. */
function skipPrefix(words: readonly TypedWord[], at: number, cursorWord: CursorWord): number | null {
  const isOption = cursorWord.raw.startsWith('-') || ASSIGNMENT.test(cursorWord.raw);
  const inner = findInner([...words.slice(at).map(({ value }) => value), isOption ? cursorWord.raw : 'x']);
  return inner === null || inner.elsewhere ? null : at + inner.at;
}

interface ExpandedLine {
  readonly text: string;
  readonly cursor: number;
  readonly context: CursorContext;
  /** The distance by which everything behind the alias moves to the right. */
  readonly shift: number;
}

/** An alias that does more than run one command cannot be completed as a command. */
const COMPOUND = /[;|&<>()$'"`\\\n]/;
const MOST_ROUNDS = 10;

/** Reads the command at the cursor as the shell would: where an alias names it, by what that stands for, again and again. */
export function expandAlias(text: string, context: CursorContext, aliases: ReadonlyMap<string, string>): ExpandedLine | null {
  const { word } = context;
  let line: ExpandedLine = { text, cursor: word.start + word.raw.length, context, shift: 0 };
  const done = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const [first] = line.context.words;
    const body = first === undefined || done.has(first.raw) ? undefined : aliases.get(first.raw);
    if (first === undefined || body === undefined || COMPOUND.test(body) || body.trim() === '') break;
    done.add(first.raw);
    const shift = body.length - first.raw.length;
    const whole = line.text.slice(0, first.start) + body + line.text.slice(first.start + first.raw.length);
    const expanded = findCursorContext(whole, line.cursor + shift);
    if (expanded === null) break;
    line = { text: whole, cursor: line.cursor + shift, context: expanded, shift: line.shift + shift };
  }
  return done.size === 0 ? null : line;
}

interface BashWords {
  /** `COMP_WORDS` up to the cursor; the last is the word to be completed. */
  readonly words: readonly string[];
  /** The same word without its opening quote, and its offset in the line. */
  readonly current: string;
  readonly start: number;
}

/**
 * Cuts a command up to the cursor as bash does for `COMP_WORDS`: at blanks, and at the characters of `COMP_WORDBREAKS`. A run of these
 * characters is a word of its own. Quoted text stays in one piece, with its quotes.
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
  if (last === undefined || start + last.length < line.length) return { words: [...words, ''], current: '', start: line.length };
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

/** Words behind a command that may name its subcommand. */
const MOST_WORDS = 3;

/** The names of manual pages for the command at the cursor, the closest first: `git-commit` before `git`. */
export function manualPages(line: string, cursor: number, aliases: ReadonlyMap<string, string>): readonly string[] {
  const shift = /^\s*[!?]/.exec(line)?.[0].length ?? 0;
  const text = line.slice(shift);
  const from = Math.max(0, cursor - shift);
  const end = from + (/^[^\s;&|()<>`]*/.exec(text.slice(from))?.[0].length ?? 0);
  const typed = findCursorContext(text, end);
  if (typed === null) return [];
  const context = expandAlias(text.slice(0, end), typed, aliases)?.context ?? typed;
  const [command = '', ...rest] = wordsOf(context);
  const name = command.slice(command.lastIndexOf('/') + 1);
  if (!PAGE.test(name)) return [];
  const subcommands = rest.slice(0, MOST_WORDS).filter((word) => PAGE.test(word));
  return [...subcommands.map((word) => `${name}-${word}`), name];
}

/** No option, and nothing that the shell or the file system would read otherwise. */
const PAGE = /^[A-Za-z0-9_[][\w.+:[-]*$/;

function wordsOf({ words, word, place }: CursorContext): readonly string[] {
  const before = words.map(({ value }) => value);
  return place === 'target' || word.value === '' ? before : [...before, word.value];
}
