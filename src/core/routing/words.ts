/* The words of a line: their shape, and what the vocabulary says of them. The lists are of English and of other languages. */
import english from './english.txt' with { type: 'text' };
import { CONTRACTION, type Token, type WordToken } from './lexer.ts';
import otherLanguages from './other-languages.txt' with { type: 'text' };

const listOf = readWordLists(english);
const foreignOf = readWordLists(otherLanguages);

function difference(words: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set([...words].filter((word) => !others.some((other) => other.has(word))));
}

/** Words that build an English sentence, and that no command takes as an operand. */
const FUNCTION_WORDS = listOf('function words');

/** Function words that are also usual operands, so that one of them alone proves nothing. */
const DOUBTFUL_FUNCTION_WORDS = listOf('doubtful function words');

/** Words about the state of a command, which are never its operand. */
const STATE_WORDS = listOf('state words');

/** Words of web searches: terms of articles and manuals, and options without their dashes. */
export const SEARCH_WORDS = listOf('search words');

/** Everyday nouns that users give to files, branches, services and hosts. */
export const USUAL_NAMES = listOf('usual names');

/** Options that users write without their dashes. */
export const OPTION_WORDS = listOf('option words');

/** Words of searches about a command, which are never its operands. */
export const META_WORDS = listOf('meta words');

/** Packages with everyday English names. */
export const PACKAGE_NAMES = listOf('package names');

/** Nouns that form a phrase with the word before them: `test data`, `web server`. */
export const HEAD_NOUNS = listOf('head nouns');

/** Platforms, which occur in searches, and are never names of packages. */
export const PLATFORM_WORDS = listOf('platform words');

/** Adjectives that are also file names: before a plural they are adjectives. */
export const ADJECTIVE_NAMES = listOf('adjective names');

/** English words one typo away from a command, which never count as that typo. */
const NEAR_COMMANDS = listOf('near commands');

/** Verbs in the form that begins a request. */
export const IMPERATIVES = listOf('verbs');

const NOUNS = listOf('nouns');

const ADJECTIVES = listOf('adjectives');

/** One-word messages: answers, thanks, exclamations. */
export const REPLIES = listOf('replies');

const VOCABULARY: ReadonlySet<string> = new Set([
  ...NEAR_COMMANDS,
  ...IMPERATIVES,
  ...NOUNS,
  ...ADJECTIVES,
  ...OPTION_WORDS,
  ...META_WORDS,
  ...REPLIES,
  ...FUNCTION_WORDS,
  ...STATE_WORDS,
  ...SEARCH_WORDS,
]);

const IRREGULAR: ReadonlyArray<readonly [ending: RegExp, replacements: readonly string[]]> = [
  [/ies$/, ['y']],
  [/ied$/, ['y']],
  [/es$/, ['', 'e']],
  [/s$/, ['']],
  [/(ed|ing|er|est|ers)$/, ['', 'e']],
  [/(.)\1(ed|ing|er|est|ers)$/, ['$1']],
  [/ily$/, ['y']],
  [/(ly|ness|ment|ments|able|ful|less)$/, ['', 'e']],
  [/(ation|ations|ion|ions)$/, ['', 'e']],
];

/** Adjectives that are never names. */
export const QUALITIES = difference(ADJECTIVES, [NOUNS, USUAL_NAMES]);

/** `gracefully`, `looping`, `locked`: words for the manner of an event. */
export function isManner(word: string): boolean {
  return (
    (/ly$/.test(word) && word.length > 5 && !/^(monthly|weekly|nightly|hourly|yearly|assembly|family|supply|bodily|italy)$/.test(word)) ||
    (/(ing|ed)$/.test(word) && isEnglish(word) && !VOCABULARY.has(word))
  );
}

/** Suffixes of natural languages. */
const ENGLISH_ENDING =
  /(tion|tions|sion|sions|ment|ments|ness|ity|ities|ance|ence|able|ible|ful|ous|ously|ology|ically|izing|ising|ization|ingly|edly)$/;

const LONGEST_WORD = 40;

/** Whether a lower-case word is everyday English, in one of its usual forms. */
export function isEnglish(word: string): boolean {
  if (VOCABULARY.has(word)) return true;
  if (word.length < 4 || word.length > LONGEST_WORD) return false;
  if (word.includes('-')) return word.split('-').every((part) => part.length === 1 || isEnglish(part));
  if (word.length > 7 && ENGLISH_ENDING.test(word)) return true;
  const prefixed = /^(?:un|re|non|mis|over|pre)([a-z]{4,})$/.exec(word)?.[1];
  if (prefixed !== undefined && isEnglish(prefixed)) return true;
  return IRREGULAR.some(([ending, replacements]) => {
    if (!ending.test(word)) return false;
    return replacements.some((replacement) => {
      const stem = word.replace(ending, replacement);
      return stem.length > 1 && VOCABULARY.has(stem);
    });
  });
}

/** Everyday English names that are also commands, after which a bare word proves little. */
export const ENGLISH_NAMES = listOf('english names');

/** Commands that are also verbs, and need more than a name to act on something. */
export const VERBS_ALONE = listOf('verbs alone');

/** Words of a request to somebody, which make a text no note. */
export const NOTED = listOf('noted');

/** Verbs for requested statements. */
export const SAID = listOf('said');

/** Targets of many projects. */
export const USUAL_TARGETS = listOf('usual targets');

/** Options whose value is usually an arbitrary word. */
export const TEXT_OPTIONS = listOf('text options');

/** Options whose value is an arbitrary word in every program. */
export const STRICT_TEXT_OPTIONS = listOf('strict text options');

/** Long options without a value, and words about options: the word after them is no value. */
export const LONE_OPTIONS = listOf('lone options');

/** Verbs of sentences about a command. */
export const VERBS_OF_COMMAND = listOf('verbs of a command');

/** Options of tools with a separate value before the subcommand. */
export const TOOL_OPTIONS = listOf('tool options');

/** Auxiliary verbs, also without their apostrophe. */
export const AUXILIARIES = listOf('auxiliaries');

/**
 * Function words of languages in Latin letters, so short and common that a sentence of four words holds one. Words that are
 * also usual names of files or commands (`die`, `den`, `test`, `make`) are left out.
 */
export const FOREIGN_FUNCTION_WORDS = foreignOf('foreign function words');

/** Words of those lists that are usual operands, or English: one alone proves nothing, but it counts beside another word of a sentence. */
const WEAK_FOREIGN_WORDS = foreignOf('weak foreign words');

/** Words to say hello, thank or agree with, outside English: never a typo of a command. */
export const FOREIGN_REPLIES = foreignOf('foreign replies');

/** Function words of languages that are not written in Latin letters. */
export const SCRIPT_WORDS = foreignOf('script words');

/** Splits a list of words separated by spaces. */
export function wordSet(...tables: readonly string[]): ReadonlySet<string> {
  return new Set(tables.flatMap((table) => table.split(/\s+/)).filter((word) => word !== ''));
}

/** Reads lists of words, each after its `[name]`; a line that begins with `#` is a comment. */
export function readWordLists(text: string): (name: string) => ReadonlySet<string> {
  const sections = text.replace(/^#.*$/gm, '').split(/^\[([a-z ]+)\]$/m);
  return (name) => {
    const at = sections.indexOf(name);
    if (at < 0) throw new Error(`no list of words: ${name}`);
    return wordSet(sections[at + 1] ?? '');
  };
}

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
