import { type Grammar, grammarOf, makesOnly, takesAny, UNKNOWN_GRAMMAR } from './grammar.ts';
import { CALL, type Operand, SENTENCE, sentenceBy, type Verdict } from './statement.ts';
import {
  ADJECTIVE_NAMES,
  ENGLISH_NAMES,
  HEAD_NOUNS,
  IMPERATIVES,
  isEnglish,
  isManner,
  LONE_OPTIONS,
  META_WORDS,
  OPTION_WORDS,
  PACKAGE_NAMES,
  PLATFORM_WORDS,
  QUALITIES,
  STRICT_TEXT_OPTIONS,
  TEXT_OPTIONS,
  USUAL_NAMES,
  USUAL_TARGETS,
  VERBS_ALONE,
} from './words.ts';

/** Whether an operand is the value of an option that takes any word. */
function isText(operands: readonly Operand[], index: number): boolean {
  const before = operands[index - 1];
  const option = before?.shape === 'option' ? before.word.raw : '';
  return STRICT_TEXT_OPTIONS.has(option) || /^-[a-z]{5,}$/.test(option);
}

/** Whether an operand is the value of the option before it. */
export function isOptionValue(operands: readonly Operand[], index: number): boolean {
  const [before, word] = [operands[index - 1], operands[index]?.word.value ?? ''];
  if (before?.shape !== 'option' || META_WORDS.has(word)) return false;
  // `find . -newer then -print`
  if (/^-[a-z]{4,}$/.test(before.word.raw) && operands[index + 1]?.shape === 'option') return true;
  return TEXT_OPTIONS.has(before.word.raw) || (/^--[a-z][a-z-]+$/.test(before.word.raw) && !LONE_OPTIONS.has(before.word.raw.slice(2)));
}

/** The index of the text to look for: not the number of an option, as in `-A 3`. */
export function patternAt(operands: readonly Operand[]): number {
  return operands.findIndex(({ shape }, at) => shape !== 'option' && !(shape === 'number' && operands[at - 1]?.shape === 'option'));
}

/** Classifies operands of a command that has no subcommands, after the words of a sentence were looked for. */
export function classifyOperands(name: string, operands: readonly Operand[], grammar: Grammar): Verdict {
  const pattern = grammar.takes === 'pattern' ? patternAt(operands) : -1;
  const plain = operands.filter((operand, index) => isBareWord(operand, grammar) && !isText(operands, index));
  const state = plain.find(({ speech, word }) => isTelling(speech, word.value) && operands[pattern]?.word !== word);
  if (state !== undefined && isNewName(grammar, operands, state.word.value)) return CALL;
  if (state !== undefined) return sentenceBy(state.word);
  const counted = plain.filter((operand) => !isOptionValue(operands, operands.indexOf(operand)));
  const proof = operands.filter((operand, index) => isProof(operand, operands[index - 1], grammar)).length;
  return classifyByKind(operands, counted, grammar, proof) ?? classifyDoubt({ name, operands, plain: counted, grammar, proof });
}

/** `mkdir gone`: a new thing may be called anything but by the verb of a statement. */
function isNewName(grammar: Grammar, operands: readonly Operand[], word: string): boolean {
  return makesOnly(grammar) && operands.length === 1 && !/(s|ed|ing|ly)$/.test(word);
}

/** A word of state, or an adverb. */
function isTelling(speech: string, word: string): boolean {
  return speech === 'state' || (word.endsWith('ly') && isManner(word));
}

function isBareWord({ shape, speech, exists, word }: Operand, grammar: Grammar): boolean {
  const isName = shape === 'name' && (speech !== 'none' || isCompound(word.value, grammar));
  return (shape === 'plain' || isName) && exists === null && !grammar.words.has(word.value);
}

/** Forms that only a call has: options, paths, globs, marks. A bare number counts if the command takes numbers. */
function isProof({ shape, exists, word }: Operand, before: Operand | undefined, grammar: Grammar): boolean {
  if (exists !== null || (grammar.roles.has('mode') && MODE.test(word.raw))) return true;
  if (shape === 'number') return /^(numbers|times|text)$/.test(grammar.takes) || before?.shape === 'option';
  return shape !== 'plain' && shape !== 'spoken' && !(shape === 'name' && isCompound(word.value, grammar));
}

/** `read-only`, `f-string`: English with a hyphen, where the command takes no branch, which is often called so. */
function isCompound(word: string, grammar: Grammar): boolean {
  return /^[a-z]+(-[a-z]+)+$/.test(word) && isEnglish(word) && !takesAny(grammar, 'branch', 'ref', 'tag');
}

function classifyByKind(operands: readonly Operand[], plain: readonly Operand[], grammar: Grammar, proof: number): Verdict | null {
  const bare = operands.filter(({ shape }) => shape !== 'option');
  const first = plain[0];
  if (operands.length === 0) return CALL;
  const isShort =
    bare.length < grammar.min && ((proof === 0 && first !== undefined) || (grammar.takes === 'formal' && bare.length === operands.length));
  if (isShort) return SENTENCE;
  if (first === undefined) return CALL;
  if (/^(nothing|times|numbers)$/.test(grammar.takes)) return classifyBare(plain, operands, proof);
  if (grammar.roles.has('mode') && !operands.some(({ word }) => MODE.test(word.raw))) return SENTENCE;
  if (grammar.takes === 'names' && grammar.roles.has('word') && !grammar.words.has(bare.at(-1)?.word.value ?? '')) return SENTENCE;
  if (/^(formal|program)$/.test(grammar.takes) && proof === 0) return SENTENCE;
  if (bare.length > grammar.max + 2 * (operands.length - bare.length)) return SENTENCE;
  return null;
}

/** A bare word after a command that takes none: only the value of an option before it can be one. */
function classifyBare(plain: readonly Operand[], operands: readonly Operand[], proof: number): Verdict {
  const isOption = plain.every((operand) => operands[operands.indexOf(operand) - 1]?.shape === 'option');
  return isOption && proof > 0 ? CALL : SENTENCE;
}

/** `755`, `u+x,go-w`, or where to take a mode from. */
export const MODE = /^([0-7]{3,4}|[ugoa]*[-+=][rwxXstugo,=+-]*|--reference.*|\$.*)$/;

interface Doubt {
  readonly name: string;
  readonly operands: readonly Operand[];
  /** Bare words that may be operands or may be English. */
  readonly plain: readonly Operand[];
  readonly grammar: Grammar;
  readonly proof: number;
}

function classifyDoubt(doubt: Doubt): Verdict {
  const { operands, plain, grammar, proof } = doubt;
  if (plain.length === 0) return CALL;
  if (grammar === UNKNOWN_GRAMMAR) return classifyOwn(plain.map(({ word }) => word.value.toLowerCase()));
  if (takesAny(grammar, 'host') && grammar.max > 9 && proof === 0 && !runsThere(plain)) return SENTENCE;
  const phrase = phraseIn(doubt);
  if (phrase !== null) return SENTENCE;
  const bare = operands.filter(({ shape }) => shape !== 'option').length;
  if (proof === 0) return bare === 1 ? classifySingle(doubt) : classifyList(doubt);
  return classifyMixed(doubt);
}

/** `ssh box uptime`: behind a host that is not known as one stands the name of a command. */
function runsThere([, second, ...more]: readonly Operand[]): boolean {
  return second === undefined || more.length === 0 || grammarOf(second.word.value) !== null;
}

/** Several bare words and nothing else: names, or the clipped English of a search. */
function classifyList({ plain, grammar }: Doubt): Verdict {
  if (grammar.roles.has('target')) {
    const isTarget = ({ word }: Operand): boolean => !isEnglish(word.value) || USUAL_TARGETS.has(word.value);
    return plain.every(isTarget) ? CALL : SENTENCE;
  }
  const [pattern, place] = plain.map(({ word }) => word.value);
  const isLookedFor = grammar.takes === 'pattern' && plain.length === 2 && USUAL_NAMES.has(place ?? '');
  if (isLookedFor && META_WORDS.has(pattern ?? '')) return CALL;
  if (plain.some(({ word }) => META_WORDS.has(word.value))) return SENTENCE;
  if (grammar.takes === 'pattern' && plain.length === 2 && !plain.some(({ word }) => OPTION_WORDS.has(word.value))) return CALL;
  const isPackage = ({ word }: Operand): boolean => grammar.takes === 'packages' && PACKAGE_NAMES.has(word.value);
  const odd = plain.filter((operand) => isOdd(operand) && !isPackage(operand));
  const said =
    odd.find(({ speech }) => speech === 'search') ?? plain.find((operand, index) => describes(operand, plain[index + 1], grammar));
  if (said !== undefined) return sentenceBy(said.word);
  if (grammar.takes === 'pages') return CALL;
  if (grammar.takes === 'packages') {
    const strange =
      odd.length > 0 || plain.some(({ word }) => GENERIC.test(word.value)) || plain.some(({ word }) => PLATFORM_WORDS.has(word.value));
    return strange ? SENTENCE : CALL;
  }
  if (grammar.roles.has('new-folder') && !odd.some(({ word }) => QUALITIES.has(word.value))) return CALL;
  if (grammar.roles.has('service') && plain.some(({ word }) => GENERIC.test(word.value))) return SENTENCE;
  const [first] = odd;
  return first === undefined ? CALL : sentenceBy(first.word);
}

/** Names before a noun that own it or hold it, and describe nothing. */
const HOLDERS = /^(origin|upstream|root|admin|staff|wheel|nobody|daemon)$/;

/** `staging server`, `build cache`, `arm64 image`, `backup first`: a phrase of two words where a call would name two things. */
function phraseIn({ name, operands, grammar }: Doubt): string | null {
  if (!grammar.changes && !ENGLISH_NAMES.has(name) && !takesAny(grammar, 'host')) return null;
  // A new file or archive may have any name.
  if (takesAny(grammar, 'new-file', 'new-folder')) return null;
  const [before, last] = operands.slice(-2);
  if (before === undefined || last === undefined || last.exists !== null || before.exists !== null) return null;
  if (operands.some(({ shape }) => /^(option|path|glob|quoted)$/.test(shape))) return null;
  const [modifier, noun] = [before.word.value, last.word.value];
  if (noun === 'first') return `${modifier} ${noun}`;
  const isModifier = before.shape === 'plain' && MODIFIERS.test(modifier);
  const describes = PLATFORM_WORDS.has(modifier) || isModifier || (before.shape === 'plain' && isDescriber(modifier));
  return describes && (HEAD_NOUNS.has(noun) || PLATFORM_WORDS.has(noun)) ? `${modifier} ${noun}` : null;
}

/** Names that stand before a noun as words do. */
const MODIFIERS = /^(node|startup|web|app|git|docker|npm|dev|prod)$/;

function isDescriber(word: string): boolean {
  return isEnglish(word) && !/[^s]s$/.test(word) && !HOLDERS.test(word);
}

/** Nouns so general that no package and no service has them for a name. */
const GENERIC = /^(file|dir|user|users|order|list|name|names|service|services|page|table|version|everything)$/;

/** Everyday English that is no usual name. */
function isOdd({ word }: Operand): boolean {
  const value = word.value.toLowerCase();
  return !USUAL_NAMES.has(value) && isEnglish(value);
}

/** `old logs`, `log file`: a word that describes the next one instead of naming something. */
function describes(operand: Operand, next: Operand | undefined, grammar: Grammar): boolean {
  if (next === undefined) return false;
  const [word, noun] = [operand.word.value, next.word.value];
  if (/^(file|dir)$/.test(noun)) return isEnglish(word);
  if (!ADJECTIVE_NAMES.has(word)) return false;
  return /[^s]s$/.test(noun) || (grammar.changes && isEnglish(noun) && !ADJECTIVE_NAMES.has(noun));
}

/** Bare words beside options or paths: a call, unless they come from a search. */
function classifyMixed({ name, plain, grammar }: Doubt): Verdict {
  const odd = plain.filter((operand) => isOdd(operand) && !(grammar.roles.has('target') && USUAL_TARGETS.has(operand.word.value)));
  const search = odd.filter(({ speech }) => speech === 'search').length;
  const [first] = odd;
  if (first === undefined) return CALL;
  const talk = odd.find(({ word }) => META_WORDS.has(word.value));
  if (talk !== undefined && grammar.takes !== 'pattern') return SENTENCE;
  if (grammar.changes && isDoubtful(name, odd, grammar)) return SENTENCE;
  if (plain.length >= 2 && search >= 2 && (grammar.takes !== 'paths' || plain.length > 2)) return SENTENCE;
  if (plain.length >= 2 && grammar.changes && search >= 1) return SENTENCE;
  if (plain.length >= 3 && odd.length >= plain.length - 1) return SENTENCE;
  return CALL;
}

/** English beside options of a command that changes something: a quality, a word of a search, or no name such a tool takes. */
function isDoubtful(name: string, odd: readonly Operand[], grammar: Grammar): boolean {
  if (odd.some(({ word }) => QUALITIES.has(word.value) || isManner(word.value))) return grammar.takes !== 'packages';
  if (name.includes(' ')) return grammar.takes === 'names';
  return !isFreelyNamed(grammar) && odd.some(({ speech }) => speech === 'search');
}

/** A command of the user's own takes any names; three everyday words after it are a sentence. */
function classifyOwn(words: readonly string[]): Verdict {
  const odd = words.filter((word) => isEnglish(word) && !USUAL_NAMES.has(word));
  return words.length > 2 && odd.length === words.length ? SENTENCE : CALL;
}

/** One bare word is an operand, unless it is an option without its dashes or the command is an everyday word as well. */
function classifySingle({ name, plain, grammar }: Doubt): Verdict {
  const operand = plain[0];
  if (operand === undefined) return CALL;
  const word = operand.word.value.toLowerCase();
  if (grammar.takes === 'pattern' || grammar.takes === 'pages') return CALL;
  if (grammar.roles.has('target')) return isEnglish(word) && !USUAL_TARGETS.has(word) ? SENTENCE : CALL;
  if (META_WORDS.has(word)) return SENTENCE;
  if (OPTION_WORDS.has(word)) return SENTENCE;
  if (isWish(name, word, grammar)) return SENTENCE;
  if (!isOdd(operand)) return CALL;
  return classifyOddSingle(name, operand, word, grammar);
}

/** Words for any thing of its kind: nobody's name for one. */
const THING = /^(file|dir|list|name|names|version|package|everything)$/;
/** Words for time or order: `git tag latest` may ask for the latest tag. */
const ORDER = /^(old|older|oldest|new|newer|newest|first|last|latest|recent|next|previous|current)$/;

/** `patch server`, `write docs`, `git tag latest`: an everyday noun after a verb, or what asks for one of several things. */
function isWish(name: string, word: string, grammar: Grammar): boolean {
  if (VERBS_ALONE.has(name)) return isEnglish(word) && !HOLDERS.test(word);
  if (grammar.roles.has('process-name') && grammar.changes) return isEnglish(word) && /[^s]s$/.test(word);
  if (grammar.changes && name.includes(' ') && THING.test(word)) return true;
  return grammar.changes && takesAny(grammar, 'branch', 'tag', 'container') && ORDER.test(word);
}

function classifyOddSingle(name: string, operand: Operand, word: string, grammar: Grammar): Verdict {
  const isSubcommand = name.includes(' ');
  if (grammar.takes === 'packages' && (isManner(word) || (QUALITIES.has(word) && !PACKAGE_NAMES.has(word)))) return SENTENCE;
  if (grammar.takes === 'packages') return operand.speech === 'search' ? SENTENCE : CALL;
  if (QUALITIES.has(word) && !isFreelyNamed(grammar)) return SENTENCE;
  if (ENGLISH_NAMES.has(name)) return SENTENCE;
  if (grammar.changes && operand.speech === 'search' && !isFreelyNamed(grammar)) return SENTENCE;
  if (grammar.changes && (isSubcommand ? grammar.takes !== 'paths' || operand.speech === 'search' : grammar.max <= 2)) return SENTENCE;
  if (!isSubcommand && grammar.takes === 'paths' && IMPERATIVES.has(word) && !isFreelyNamed(grammar)) return SENTENCE;
  return CALL;
}

/** Users give any name to what they make, and to the folders and files they look at or move. */
function isFreelyNamed(grammar: Grammar): boolean {
  return takesAny(grammar, 'entry', 'folder', 'new-folder') || makesOnly(grammar);
}
