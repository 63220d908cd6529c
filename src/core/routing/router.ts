import { findOpenPart } from '../commands/open-line.ts';
import { toOperand } from './call-shape.ts';
import { classifyInput } from './classify-input.ts';
import { isSurelyFish } from './fish-forms.ts';
import { grammarOf, UNKNOWN_GRAMMAR } from './grammar.ts';
import { lex } from './lexer.ts';
import { pasteKind } from './paste.ts';
import { findSentenceMark } from './sentence-mark.ts';
import type { ShellFacts } from './shell-facts.ts';

/**
 * Routes a line by its first mark, else by what the shell would make of it: a call goes to the shell, a sentence and what is pasted
 * from elsewhere to the model. In doubt it goes to the model, which changes nothing by itself.
 */
export function routeLine(line: string, facts: ShellFacts): Route {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  const marked = readFirstMark(line);
  if (marked !== null) return marked;
  const documented = /^[$%]\s+([^\s\n][^\n]*)$/.exec(text)?.[1];
  if (documented !== undefined) return classifyDocumented(text, documented, facts);
  const isFish = facts.shell === 'fish' && isSurelyFish(text);
  if (!isFish && pasteKind(text) !== null) return { type: 'message', text };
  const isCall = classifyInput(line, facts) === 'call' || (!facts.asksModel && isDoubtful(text, facts));
  return isCall ? { type: 'command', text: line } : { type: 'message', text };
}

/** One line of documentation is the command behind its prompt: `$ npm test`. */
function classifyDocumented(text: string, behind: string, facts: ShellFacts): Route {
  const isCall = readFirstMark(behind) === null && pasteKind(behind) === null && classifyInput(behind, facts) === 'call';
  return isCall ? { type: 'command', text: behind } : { type: 'message', text };
}

/** Forms in which `!` belongs to the shell: its negation and its history. */
const KEEPS_MARK = /^!(?:$|\s|[!$^*#?]|-?\d|:[\d$^*-])/;

/** Reads the mark an input begins with: `:` meta, `!` shell, `?` model, whatever follows. */
function readFirstMark(input: string): Route | null {
  const text = input.trimStart();
  if (text.startsWith(':')) return { type: 'meta', text };
  if (text.startsWith('?')) return { type: 'message', text: text.slice(1).trimStart() };
  if (text.startsWith('!')) {
    return { type: 'command', text: KEEPS_MARK.test(text) ? text : text.slice(1) };
  }
  return null;
}

/**
 * Whether a line that reads as a message may as well be the shell's: an unknown name, where nothing but words follows, so that
 * the shell runs none of it, or a command without any word that only a sentence holds. Every other line is certainly a message.
 */
function isDoubtful(text: string, facts: ShellFacts): boolean {
  if (text.includes('\n') || findOpenPart(text) !== null) return false;
  const { tokens } = lex(text, facts.shell);
  const words = tokens.flatMap((token) => (token.type === 'word' ? [token] : []));
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const name = first.value;
  if (!facts.knows(name)) return words.length === tokens.length && !words.some(({ expands }) => expands);
  const grammar = grammarOf(name) ?? UNKNOWN_GRAMMAR;
  const operands = rest.map((word) => toOperand(word, grammar, facts));
  return findSentenceMark(operands, { isFree: () => false, knows: () => false, longest: 3 }) === null;
}

/** Where a typed line goes, and what is handed on of it. */
export type Route = { readonly type: 'meta' | 'command' | 'message'; readonly text: string } | { readonly type: 'nothing' };
