import { toOperand } from './call-shape.ts';
import { grammarOf, UNKNOWN_GRAMMAR } from './grammar.ts';
import type { WordToken } from './lexer.ts';
import type { ShellFacts } from './shell-facts.ts';
import { type Evidence, type Reason, SHAPES, type Statements } from './statement.ts';

/** The reason found in the words of a call. */
export function explainCall({ commands, compound, trailing }: Statements, facts: ShellFacts): Reason {
  const [command, other] = commands;
  const [first, ...rest] = command?.words ?? [];
  if (compound || command === undefined || first === undefined || first.expands) return { code: 'syntax' };
  const name = first.value;
  if (!facts.knows(name)) return { code: 'path', path: first.raw };
  const shown = findOperand(name, rest, facts);
  if (shown !== null) return { code: 'command', name, by: shown };
  const operator = other?.after.trim() || (trailing ? '&' : '');
  const [target] = command.redirections;
  if (operator !== '') return { code: 'command', name, by: { type: 'operator', word: operator } };
  if (target !== undefined) return { code: 'command', name, by: { type: 'redirection', word: target.raw } };
  if (rest.length === 0) return { code: 'command', name, by: { type: 'alone' } };
  return { code: 'command', name, by: { type: grammarOf(name, facts.shell)?.takes === 'text' ? 'text' : 'words' } };
}

/** The reason for a sentence: the command's name it begins with, and the word that makes it a sentence. */
export function explainSentence({ commands }: Statements, facts: ShellFacts, because: Reason | null): Reason {
  const name = commands[0]?.words[0]?.value ?? '';
  return { code: 'prose', name: facts.knows(name) ? name : null, word: because?.code === 'prose' ? because.word : null };
}

/** The maximum number of operands searched for one to show. */
const MOST_SHOWN = 20;

/** The most telling operand; none if the command takes any words. */
function findOperand(name: string, words: readonly WordToken[], facts: ShellFacts): Evidence | null {
  const grammar = grammarOf(name, facts.shell) ?? UNKNOWN_GRAMMAR;
  const [next] = words;
  if (next === undefined) return null;
  if (facts.knowsCall(`${name} ${next.value}`)) return { type: 'target', word: next.value };
  if (grammar.takes === 'text') return null;
  const operands = words.slice(0, MOST_SHOWN).map((word) => toOperand(word, grammar, facts));
  for (const { word, exists } of operands) if (exists !== null) return { type: exists, word: word.raw };
  for (const type of SHAPES) {
    const shown = operands.find(({ shape }) => shape === type);
    if (shown !== undefined) return { type, word: shown.word.raw };
  }
  return grammar.subcommands.has(next.value) ? { type: 'subcommand', word: next.value } : null;
}
