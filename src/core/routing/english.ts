/** The English vocabulary of routing: lists of words, and inflected forms. */
import text from './english.txt' with { type: 'text' };

const listOf = readWordLists(text);

function difference(words: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set([...words].filter((word) => !others.some((other) => other.has(word))));
}

/** Words that build an English sentence, and that no command takes as an operand. */
export const FUNCTION_WORDS = listOf('function words');

/** Function words that are also usual operands, so that one of them alone proves nothing. */
export const DOUBTFUL_FUNCTION_WORDS = listOf('doubtful function words');

/** Words about the state of a command, which are never its operand. */
export const STATE_WORDS = listOf('state words');

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

/** `don't`, `it's`, `docker's`: an apostrophe within a word. */
export const CONTRACTION = /^[\p{L}\d.]+[’'](t|s|re|ve|ll|d|m)$/iu;

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
