/** English as routing knows it: lists of words, and the forms that a word may have. */
import text from './english.txt' with { type: 'text' };

const listOf = readWordLists(text);

function difference(words: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set([...words].filter((word) => !others.some((other) => other.has(word))));
}

/** Words that build an English sentence and that no command takes as an operand. */
export const FUNCTION_WORDS = listOf('function words');

/** Function words that also name a usual operand, so that one alone proves nothing. */
export const DOUBTFUL_FUNCTION_WORDS = listOf('doubtful function words');

/** Words that tell how something went: the state, never the operand, of a command. */
export const STATE_WORDS = listOf('state words');

/** Words of a search box: what an article or a manual calls things, and options spelled without their dashes. */
export const SEARCH_WORDS = listOf('search words');

/** Everyday nouns that users give to files, branches, services and hosts. */
export const USUAL_NAMES = listOf('usual names');

/** Options that users write without their dashes. */
export const OPTION_WORDS = listOf('option words');

/** What a search asks for: words about a command, never for it. */
export const META_WORDS = listOf('meta words');

/** Packages that are named by everyday English. */
export const PACKAGE_NAMES = listOf('package names');

/** Nouns that another word before them makes a phrase of: `test data`, `web server`. */
export const HEAD_NOUNS = listOf('head nouns');

/** Where something is to run: said in a search, never the name of a package. */
export const PLATFORM_WORDS = listOf('platform words');

/** Adjectives that name files as well: before a plural they describe. */
export const ADJECTIVE_NAMES = listOf('adjective names');

/** English that is one typo away from a command, so that none of it is taken for a typo. */
const NEAR_COMMANDS = listOf('near commands');

/** Verbs, in the form that begins a request. */
export const IMPERATIVES = listOf('verbs');

const NOUNS = listOf('nouns');

const ADJECTIVES = listOf('adjectives');

/** What users say to each other in one word: answers, thanks, calls of joy. */
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

/** Words of quality, which describe and name nothing. */
export const QUALITIES = difference(ADJECTIVES, [NOUNS, USUAL_NAMES]);

/** `gracefully`, `looping`, `locked`: how something happens. */
export function isManner(word: string): boolean {
  return (
    (/ly$/.test(word) && word.length > 5 && !/^(monthly|weekly|nightly|hourly|yearly|assembly|family|supply|bodily|italy)$/.test(word)) ||
    (/(ing|ed)$/.test(word) && isEnglish(word) && !VOCABULARY.has(word))
  );
}

/** Endings that only words of a language have. */
const ENGLISH_ENDING =
  /(tion|tions|sion|sions|ment|ments|ness|ity|ities|ance|ence|able|ible|ful|ous|ously|ology|ically|izing|ising|ization|ingly|edly)$/;

const LONGEST_WORD = 40;

/** Tells whether a word in small letters is everyday English, in one of its usual forms. */
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

/** `don't`, `it's`, `docker's`: an apostrophe that belongs to a word. */
export const CONTRACTION = /^[\p{L}\d.]+[’'](t|s|re|ve|ll|d|m)$/iu;

/** Names of everyday English that are commands too: with them a bare word proves little. */
export const ENGLISH_NAMES = listOf('english names');

/** Commands that are a verb as well, and work on a thing only with more than its name. */
export const VERBS_ALONE = listOf('verbs alone');

/** What is asked of somebody in these words is no text to be noted. */
export const NOTED = listOf('noted');

/** Verbs for what somebody else shall say. */
export const SAID = listOf('said');

/** Targets that many projects have. */
export const USUAL_TARGETS = listOf('usual targets');

/** Options whose value is usually any word. */
export const TEXT_OPTIONS = listOf('text options');

/** Options whose value is any word, whatever the program. */
export const STRICT_TEXT_OPTIONS = listOf('strict text options');

/** Long options that stand alone, and words about options: behind them a word is no value. */
export const LONE_OPTIONS = listOf('lone options');

/** What a command does or is: the verb of a sentence about it. */
export const VERBS_OF_COMMAND = listOf('verbs of a command');

/** Options of tools whose value stands as a word of its own before the subcommand. */
export const TOOL_OPTIONS = listOf('tool options');

/** Auxiliary verbs, also as they are written without an apostrophe. */
export const AUXILIARIES = listOf('auxiliaries');

/** Splits a table that is written as words between blanks. */
export function wordSet(...tables: readonly string[]): ReadonlySet<string> {
  return new Set(tables.flatMap((table) => table.split(/\s+/)).filter((word) => word !== ''));
}

/** Reads lists of words, each behind its `[name]`; a line that begins with `#` is a remark. */
export function readWordLists(text: string): (name: string) => ReadonlySet<string> {
  const sections = text.replace(/^#.*$/gm, '').split(/^\[([a-z ]+)\]$/m);
  return (name) => {
    const at = sections.indexOf(name);
    if (at < 0) throw new Error(`no list of words: ${name}`);
    return wordSet(sections[at + 1] ?? '');
  };
}
