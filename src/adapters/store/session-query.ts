import { spaced } from './session-index-text.ts';

/** What is looked for: words, or words in a row where they stand in quotes. */
export interface SessionQuery {
  /** Each as the index takes it. */
  readonly terms: readonly string[];
  /** Finds the first of them, and with it each, in a text that `fold` has made comparable. */
  readonly pattern: RegExp;
}

/** A piece of a text around what was found, and where in it the words stand. */
export interface Snippet {
  readonly text: string;
  readonly marks: readonly (readonly [from: number, to: number])[];
}

const BEFORE = 40;
const LENGTH = 160;
/** A mark of FTS5 would make something else of a query. */
const WORD = /[\p{L}\p{N}]+/gu;

/** Understands what was typed; null where there is nothing in it that could be looked for. */
export function parseSessionQuery(typed: string): SessionQuery | null {
  const parts = [...typed.matchAll(/"([^"]*)"?|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const phrases = parts.map((part) => spaced(part).match(WORD) ?? []).filter((words) => words.length > 0);
  if (phrases.length === 0) return null;
  const isOpen = !typed.trimEnd().endsWith('"');
  // Nobody has to type a last word to its end.
  const terms = phrases.map((words, at) => `"${words.join(' ')}"${isOpen && at === phrases.length - 1 ? '*' : ''}`);
  const patterns = phrases.map((words) => words.map(fold).join('[^\\p{L}\\p{N}]*'));
  return { terms, pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})`, 'gu') };
}

/** Small letters without marks, each where its capital stood. */
export function fold(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) {
    const plain = (character.normalize('NFD')[0] ?? character).toLowerCase();
    folded += plain.length === character.length ? plain : character;
  }
  return folded;
}

/** A piece of the text in one line, around the first place that was found; null where the text has none. */
export function cutSnippet(text: string, { pattern }: SessionQuery): Snippet | null {
  const flat = text.replace(/\s/g, ' ');
  const found = [...fold(flat).matchAll(pattern)].map(({ index, 0: { length } }) => [index, index + length] as const);
  const [first] = found;
  if (first === undefined) return null;
  const from = beginOf(flat, first[0]);
  const to = Math.min(flat.length, from + LENGTH);
  const [head, tail] = [from > 0 ? '…' : '', to < flat.length ? '…' : ''];
  const shift = head.length - from;
  const marks = found.filter(([, end]) => end <= to).map(([begin, end]) => [begin + shift, end + shift] as const);
  return { text: `${head}${flat.slice(from, to)}${tail}`, marks };
}

/** A little before the place, at the beginning of a word. */
function beginOf(text: string, place: number): number {
  if (place <= BEFORE) return 0;
  const blank = text.indexOf(' ', place - BEFORE);
  return blank === -1 || blank >= place ? place : blank + 1;
}
