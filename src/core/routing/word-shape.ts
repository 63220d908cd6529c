import { CONTRACTION, DOUBTFUL_FUNCTION_WORDS, FUNCTION_WORDS, isEnglish, readWordLists, SEARCH_WORDS, STATE_WORDS } from './english.ts';
import type { Token, WordToken } from './lexer.ts';
import text from './other-languages.txt' with { type: 'text' };

/** The look of an operand, classified by its letters alone. */
export type Shape =
  | 'option'
  | 'quoted'
  | 'expansion'
  | 'path'
  | 'glob'
  | 'number'
  /** Holds marks or digits that words have not: `HEAD~2`, `web-1`, `key=value`, `README`. */
  | 'name'
  /** Letters only. */
  | 'plain'
  /** Ends as words end in a sentence: `now,`, `down?`, `great!`, `docker's`. */
  | 'spoken'
  /** No letter and no digit that a command would take: an emoji, a dash, an arrow. */
  | 'mark';

const EXTENSION = /^[\w@%+:,-][\w.@%+:,-]*\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** The length of the part of a word that is looked at. */
const LONGEST = 200;

/** Tells the shape of a word. */
export function shapeOf(word: WordToken): Shape {
  const raw = word.raw.length > LONGEST ? word.raw.slice(0, LONGEST) : word.raw;
  if (/^[a-z]+$/.test(raw)) return 'plain';
  if (/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(raw)) return 'name';
  if (/^\\[();!{}[\]<>|&*?]$|^!$/.test(raw)) return 'option';
  if (/^!([!$^*#]|-?\d|[a-z]\w*$)/.test(raw)) return 'name';
  if (/^[-–—−]{1,2}[\w?@#]/.test(raw) && !/^[–—]\s/.test(raw)) return 'option';
  if (/^\+[a-zA-Z%]/.test(raw)) return 'option';
  if (word.expands) return 'expansion';
  if (word.quoting === 'whole') return 'quoted';
  if (raw === '-' || raw === '--') return 'option';
  if (/^[.!?,:;…–—→⇒|*=><+]+$|^(=>|->|\.\.\.)$/.test(raw) && !/^(\.{1,2}|\*{1,2}|=|==|!=|\+|:|>|<|\?+)$/.test(raw)) return 'mark';
  if (/^[“”„«»‘’"‹›]/.test(raw) || /[”“»’]$/.test(raw)) return 'spoken';
  if (/^\.{1,2}$/.test(raw) || /\//.test(raw) || /^~\w*$/.test(raw)) return /[,;!…]$|[^*/.]\?$/.test(raw) ? 'spoken' : 'path';
  if (CONTRACTION.test(raw)) return 'spoken';
  if (/^[+-]?\d[\d.,:]*[%a-zA-Z]{0,2}$/.test(raw) && !/[,:]$/.test(raw)) return 'number';
  if (/^[\p{L}\p{M}'’-]{2,}[,;:.!?…]+$/u.test(raw) || /^[\w.-]+[,…]$|^[\w-]+(\?|!+|\.{2,})$/.test(raw)) return 'spoken';
  if (/[*?]|^[^[]*\[.+\]/.test(raw)) return 'glob';
  if (EXTENSION.test(raw) || /^\.[\w-]/.test(raw)) return 'path';
  if (/^[\p{L}\p{M}'’]+$/u.test(raw)) return /^[A-Z][A-Z]+$/.test(raw) || /[a-z][A-Z]/.test(raw) ? 'name' : 'plain';
  if (/^[\p{L}\p{M}'’]+(-[\p{L}\p{M}'’]+)+$/u.test(raw)) return 'name';
  if (/[\p{L}\p{N}]/u.test(raw) || /^[@%{}^=+:~\\,.\][*<>!-]+$/.test(raw)) return 'name';
  return 'mark';
}

/** How much a plain word speaks for a sentence. */
export type Speech = 'function' | 'doubtful' | 'foreign' | 'weak-foreign' | 'state' | 'search' | 'none';

/** Classifies a word by the vocabulary: as a builder of sentences, a state, a word of a search box, or nothing of that. */
export function speechOf(raw: string): Speech {
  if (raw.length > LONGEST) return 'none';
  const word = /^[a-z\d-]+$/.test(raw) ? raw : bareWord(raw);
  if (DOUBTFUL_FUNCTION_WORDS.has(word)) return 'doubtful';
  if (FUNCTION_WORDS.has(word)) return 'function';
  if (STATE_WORDS.has(word)) return 'state';
  if (SEARCH_WORDS.has(word)) return 'search';
  if (WEAK_FOREIGN_WORDS.has(word)) return 'weak-foreign';
  if (FOREIGN_FUNCTION_WORDS.has(word)) return 'foreign';
  return 'none';
}

function bareWord(raw: string): string {
  return raw
    .toLowerCase()
    .replace(/(?<![,;:.!?…“”"])[,;:.!?…“”"]+$/, '')
    .replace(/^[“”"(]+/, '');
}

/** Tells whether a word is written in another script than Latin. */
export function isOtherScript(word: string): boolean {
  return /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(word);
}

/** Whether `for NAME in WORDS` begins a loop though the shell has not seen its body: no sentence has such a name, or such words. */
export function isLoopOver(name: string, words: readonly Token[]): boolean {
  if (words.length === 0 || (name.length > 1 && isEnglish(name))) return false;
  return words.every(
    (word) =>
      word.type === 'word' && shapeOf(word) !== 'spoken' && (word.raw.length === 1 || !/^(function|foreign)$/.test(speechOf(word.raw))),
  );
}

const listOf = readWordLists(text);

/**
 * Function words of languages in Latin letters, so short and common that a sentence of four words holds one. Words that are
 * also usual names of files or commands (`die`, `den`, `test`, `make`) are left out.
 */
export const FOREIGN_FUNCTION_WORDS = listOf('foreign function words');

/** Words of those lists that are usual operands, or English: one alone proves nothing, but it counts beside another word of a sentence. */
const WEAK_FOREIGN_WORDS = listOf('weak foreign words');

/** Words to say hello, thank or agree with, outside English: never a typo of a command. */
export const FOREIGN_REPLIES = listOf('foreign replies');

/** Function words of languages that are not written in Latin letters. */
export const SCRIPT_WORDS = listOf('script words');
