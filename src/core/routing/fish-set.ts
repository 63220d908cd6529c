import { toOperand } from './call-shape.ts';
import { ADJECTIVE_NAMES, isEnglish, isManner, QUALITIES } from './english.ts';
import { UNKNOWN_GRAMMAR } from './grammar.ts';
import type { WordToken } from './lexer.ts';
import { findSentenceMark } from './sentence-mark.ts';
import type { ShellFacts } from './shell-facts.ts';
import { CALL, type Verdict } from './statement.ts';
import { shapeOf, speechOf } from './word-shape.ts';

/** `name`, or elements of a list: `name[2..3]`. */
const VARIABLE = /^([A-Za-z_]\w*)(?:\[\S+\])?$/;
/** `higher`, `bigger`: a value of nothing. */
const COMPARATIVE = /(?:[^aeiou]er|est)$/;
/** Words that say which one of several things is meant. */
const WHICH = /^(?:default|current|custom|new|next|global|local|remote)$/;
/** Words that build a sentence, or may do so. */
const BUILDERS = /^(?:function|doubtful|state)$/;

interface SetContext {
  readonly facts: ShellFacts;
  /** All of the input: a variable that it reads is no word of a sentence. */
  readonly text: string;
  /** Nothing but this command is in the input. */
  readonly isSingle: boolean;
}

/**
 * Classifies the operands of fish's `set`: a variable, then its values. Null where they may be a sentence: a word builds one, or the
 * variable is a word of everyday English and the values describe it.
 */
export function classifySet(words: readonly WordToken[], { facts, text, isSingle }: SetContext): Verdict | null {
  const at = words.findIndex((word) => shapeOf(word) !== 'option');
  const [, name] = VARIABLE.exec(words[at]?.raw ?? '') ?? [];
  if (name === undefined || (name.length > 1 && BUILDERS.test(speechOf(name)))) return null;
  if (text.includes(`$${name}`)) return CALL;
  const values = words.slice(at + 1).map((word) => toOperand(word, UNKNOWN_GRAMMAR, facts));
  const [first] = values;
  if (values.length > 1 && BUILDERS.test(first?.speech ?? '')) return null;
  if (findSentenceMark(values, { isFree: () => false, knows: () => false, longest: 9 }) !== null) return null;
  const isWord = isEnglish(name.toLowerCase());
  if (isWord && values.some(({ speech }) => speech === 'function')) return null;
  const said = values.filter(({ shape, word }) => shape === 'plain' && (isEnglish(word.value) || name === 'a'));
  if (at > 0 || !isSingle) return CALL;
  if (said.length === 0 || (!isWord && name.length > 1)) return values.length > 0 ? CALL : null;
  if (values.length > 1) return /[^s]s$/.test(name) ? CALL : null;
  const value = first?.word.value ?? '';
  const isDescribed =
    name === 'a' || WHICH.test(name) || QUALITIES.has(name) || ADJECTIVE_NAMES.has(name) || isManner(value) || COMPARATIVE.test(value);
  return isDescribed ? null : CALL;
}
