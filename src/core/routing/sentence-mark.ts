import { CONTRACTION, type WordToken } from './lexer.ts';
import type { ShellFacts } from './shell-facts.ts';
import type { Operand } from './statement.ts';
import { ADJECTIVE_NAMES, AUXILIARIES, HEAD_NOUNS, isEnglish, SEARCH_WORDS, USUAL_NAMES, wordSet } from './words.ts';

const ARTICLES = wordSet('the teh hte a an my your his her its our their every each another');
const POSSESSIVES = wordSet('my your his her its our their');
const AMOUNTS = wordSet('some any several few many');
const QUANTIFIERS = wordSet('all these those some any both this that no several many few');
const COMPARISONS = wordSet('vs versus');
const PRONOUNS = wordSet('it them this that me us him her');
const PARTICLES = wordSet('up down back out off away over around together apart now again');
const CONJUNCTIONS = wordSet('and or but because although though if unless while until than then so whether nor since once');
const QUESTIONS = wordSet('what why how when where who which whose whom');
const ADVERBS = wordSet('not only still already just really too also even again instead never always yet anymore');
const POLITE = wordSet('please pls plz thanks thx');
/** Prepositions that no name follows another one with: `from main`, `of the api`. */
const PREPOSITIONS = wordSet('of to from for with without about into onto between during through as by at on except');
/** The same, but names of files as well. */
const PLACES = wordSet('in inside outside out');

/** How words stand at their places. */
export interface Places {
  /** The command takes any word here. */
  isFree(index: number): boolean;
  /** A command of this name exists. */
  knows(word: string): boolean;
  /** So many English words in a row are no list of operands. */
  readonly longest: number;
}

/**
 * Finds the word that makes operands a sentence, whatever structure stands around them: an article with a noun, an auxiliary verb, a
 * conjunction between clauses, punctuation, or several English words in a row.
 */
export function findSentenceMark(operands: readonly Operand[], places: Places): string | null {
  const { isFree, longest } = places;
  let run = 0;
  let hasContent = false;
  for (const [index, operand] of operands.entries()) {
    const { raw } = operand.word;
    if (isWritten(operand, operands[index - 1])) return raw;
    const isSaid = isWord(operand) && operand.exists === null;
    if (isSaid && isDetermined(operands, index, places)) return raw;
    if (!isSaid || isFree(index) || !isCounted(operand)) {
      run = 0;
      hasContent = false;
      if (!isSaid || isFree(index)) continue;
    } else {
      run += 1;
      hasContent ||= operand.speech !== 'function' && operand.speech !== 'doubtful';
    }
    if (run >= 3 || (run >= longest && hasContent) || isBuilder(operands, index)) return raw;
  }
  return null;
}

/** Whether operands are a sentence in another language. If the command changes something, one word that no command takes is enough. */
export function isForeignSentence(operands: readonly Operand[], changes: boolean): boolean {
  const said = operands.filter((operand) => isWord(operand) && operand.exists === null);
  const score = said.reduce((sum, operand) => sum + foreignWeight(operand), 0);
  if (changes) return score >= 2 || (score >= 1 && said.length >= 3);
  return score >= 3 || (score >= 2 && said.length >= 3);
}

/** How much a word speaks for a sentence in another language. */
function foreignWeight({ speech, word }: Operand): number {
  if (speech === 'foreign') return 2;
  if (speech === 'weak-foreign') return isEnglish(word.raw) ? 0.5 : 1;
  return /[^\x00-\x7f]/.test(word.raw) ? 1 : 0;
}

/** Begins like a request. If an alias has such a name, the line is a call only if an existing command follows. */
export function isRequest([first, next]: readonly WordToken[], facts: ShellFacts): boolean {
  return first !== undefined && POLITE.has(first.raw) && next !== undefined && /^[a-z]+$/.test(next.raw) && !facts.knows(next.raw);
}

/** An article, or a word of quantity, with its noun; `vs` with the things compared. */
function isDetermined(operands: readonly Operand[], index: number, { isFree, knows }: Places): boolean {
  const word = lowerOf(operands[index]);
  const next = operands[index + 1];
  if (COMPARISONS.has(word)) return index > 0;
  if (next === undefined || next.exists !== null || next.shape === 'option') return false;
  if (!isWord(next) && (isFree(index) || next.shape !== 'path')) return false;
  const noun = lowerOf(next);
  if (ARTICLES.has(word)) return noun.length > 1 && !(POSSESSIVES.has(word) && isFree(index) && knows(noun));
  return QUANTIFIERS.has(word) && isNounAfter(noun);
}

const NOBODY: Pick<Operand, 'shape' | 'word'> = {
  shape: 'mark',
  word: { type: 'word', raw: '', value: '', quoting: 'none', expands: false, start: 0 },
};

/** Letters as words of a sentence have them. */
function isWord({ shape, word }: Pick<Operand, 'shape' | 'word'>): boolean {
  return shape === 'plain' || (shape === 'name' && /^[A-Za-z'’-]+$/.test(word.raw));
}

/** `write x.txt with `hello``: code as a sentence quotes it. */
function isCode(operand: Pick<Operand, 'word'> | undefined): boolean {
  return /^`[^`]+`$/.test(operand?.word.raw ?? '');
}

/** Punctuation of a sentence: `script,`, `doesn't`, `why?`, a dash. */
function isWritten({ shape, word, exists }: Operand, before: Operand | undefined): boolean {
  if (exists !== null) return false;
  return (
    shape === 'spoken' || (shape === 'mark' && before?.shape !== 'option') || CONTRACTION.test(word.raw) || /\p{L}\p{L}\?$/u.test(word.raw)
  );
}

/** Usual names of files and the like may stand in a row. */
function isCounted({ speech, word }: Operand): boolean {
  const value = word.value.toLowerCase();
  if (/^(function|doubtful|state|foreign)$/.test(speech)) return true;
  return !USUAL_NAMES.has(value) && isEnglish(value);
}

/** A word that builds a sentence out of its neighbours. */
function isBuilder(operands: readonly Operand[], index: number): boolean {
  const word = lowerOf(operands[index]);
  const next = operands[index + 1];
  const follows = next !== undefined && isWord(next) && next.exists === null;
  const isLast = next === undefined;
  const precedes = index > 0 && operands[index - 1]?.shape !== 'option';
  const before = operands[index - 1] ?? NOBODY;
  const hasCode = isCode(before) || isCode(next);
  const speaks = hasCode || (index > 0 && (isWord(before) || before.shape === 'option'));
  if (AUXILIARIES.has(word)) return follows || precedes;
  if (CONJUNCTIONS.has(word)) return index > 0 && next !== undefined;
  if (QUESTIONS.has(word)) return (precedes && isWord(before) && isLast) || (follows && index > 0);
  if (ADVERBS.has(word)) return follows || (precedes && isLast);
  if (POLITE.has(word)) return isLast && index > 0;
  if (AMOUNTS.has(word)) return speaks && isLast;
  if (PRONOUNS.has(word)) return isLast ? false : PARTICLES.has(lowerOf(next)) && follows;
  if (PLACES.has(word)) return index > 0 && (isWord(before) || hasCode) && next !== undefined && next.shape !== 'option';
  if (PREPOSITIONS.has(word) && index > 0 && follows && PRONOUNS.has(lowerOf(next))) return true;
  if (PREPOSITIONS.has(word))
    return speaks && next !== undefined && next.shape !== 'option' && (index > 0 || hasCode || operands.length > 2);
  return operands[index]?.speech === 'state' && (precedes || follows || (index === 0 && /[^s]s$/.test(word)));
}

/** `all logs`, `this file`: what stands behind is a thing, and no second name. */
function isNounAfter(word: string): boolean {
  if (HEAD_NOUNS.has(word) || SEARCH_WORDS.has(word)) return !ADJECTIVE_NAMES.has(word);
  return isEnglish(word) && /[^s]s$/.test(word);
}

function lowerOf(operand: Operand | undefined): string {
  return operand?.word.raw.toLowerCase() ?? '';
}
