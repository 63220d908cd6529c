import { toOperand } from './call-shape.ts';
import { UNKNOWN_GRAMMAR } from './grammar.ts';
import type { WordToken } from './lexer.ts';
import { findSentenceMark } from './sentence-mark.ts';
import type { ShellFacts } from './shell-facts.ts';
import { CALL, type Verdict } from './statement.ts';
import { ADJECTIVE_NAMES, isEnglish, isManner, QUALITIES, shapeOf, speechOf } from './words.ts';

const QUOTED = String.raw`'(?:\\[\s\S]|[^'\\])*'?|"(?:\\[\s\S]|[^"\\])*"?|\\[\s\S]`;
const TOKEN = new RegExp(String.raw`else[^\S\n]+if(?=\s)|${QUOTED}|#[^\n]*|&&|\|\||[;\n|&()]|[^\S\n]+|[^\s'"\\;|&()]+|[\s\S]`, 'g');
/** Words before a command. */
const BEFORE = /^(?:and|or|not|else\s+if)$/;
/** Tokens before a command. */
const SEPARATOR = /^(?:&&|\|\||[;\n|&(])$/;

/**
 * Rewrites a line of fish in the grammar of bash, as far as routing needs: each block becomes a group, a condition a command in it, and a
 * substitution gets a dollar sign. The result is only parsed, never run. A word that begins no block stays unchanged.
 */
export function toBashForms(text: string): string {
  const tokens = Array.from(text.matchAll(TOKEN), ([token]) => token);
  const out: string[] = [];
  let depth = 0;
  let begins = true;
  for (const [at, token] of tokens.entries()) {
    const rest = tokens.slice(at + 1).join('');
    const isWord = begins && /^[a-z ]+$/.test(token) && /^(?:[\s;|&)]|$)/.test(rest);
    const opened = isWord ? open(token, rest) : null;
    if (opened !== null) {
      depth += 1;
      out.push(opened);
    } else if (isWord && token === 'end' && depth > 0) {
      depth -= 1;
      out.push('}');
    } else if (isWord && depth > 0 && (token === 'else' || token === 'case')) out.push(DONE);
    else if (isWord && BEFORE.test(token) && /^\s+\S/.test(rest)) out.push('');
    else if (token === '(') out.push(tokens[at - 1]?.endsWith('$') === true ? '(' : '$(');
    else out.push(token.startsWith("'") ? token.replace(/\\'/g, '') : token);
    // The condition of a block is a command, too.
    const isBefore = opened === '{' || BEFORE.test(token) || token === 'else';
    if (SEPARATOR.test(token)) begins = true;
    else if (token.trim() !== '' && !(isWord && isBefore)) begins = false;
  }
  return out.join('');
}

/** A command that does nothing, whatever its words are. */
const DONE = 'echo "$_"';

const OF_STRING = 'collect|escape|join0?|length|lower|match|pad|repeat|replace|shorten|split0?|sub|trim|unescape|upper';
const SURE = new RegExp(String.raw`^\s*(?:begin\s*(?:[;\n]|$)|string\s+(?:${OF_STRING})\s+\S)`);

/** True for a block of fish, and for a call of its own `string`, unless a word builds a sentence: its words may be any text. */
export function isSurelyFish(text: string): boolean {
  if (!SURE.test(text)) return false;
  const bare = text.replace(new RegExp(QUOTED, 'g'), ' ');
  return !/^\s*string/.test(text) || !bare.split(/\s+/).some((word) => word.length > 1 && /^(function|doubtful)$/.test(speechOf(word)));
}

/** The replacement for a word that opens a block; null if it opens none. */
function open(word: string, rest: string): string | null {
  if (/^(?:if|while)$/.test(word)) return /^\s+\S/.test(rest) ? '{' : null;
  if (word === 'for') return /^\s+\w+\s+in\b/.test(rest) ? `{ ${DONE}` : null;
  if (word === 'begin') return /^\s*(?:[;\n]|$)/.test(rest) ? `{ ${DONE}` : null;
  if (word === 'switch') return /^\s+(?:\S+|\([^()]*\)|"[^"]*")\s*(?:[;\n]|$)/.test(rest) ? `{ ${DONE}` : null;
  if (word === 'function') return /^\s+[\w.:-]+(?:\s+(?:-\S.*?)?)?\s*(?:[;\n]|$)/.test(rest) ? `{ ${DONE}` : null;
  return null;
}

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
