import { MOST_OPERANDS, toOperand } from './call-shape.ts';
import { type Grammar, grammarOf, takesAny, UNKNOWN_GRAMMAR } from './grammar.ts';
import { isRedirection, operatorText, type Token, type WordToken } from './lexer.ts';
import { isOptionValue, MODE, patternAt } from './operand-doubt.ts';
import { findSentenceMark, isForeignSentence, isRequest } from './sentence-mark.ts';
import type { ShellFacts } from './shell-facts.ts';
import { CALL, type Operand, type SimpleCommand, type Statements, type Verdict } from './statement.ts';
import { ENGLISH_NAMES, IMPERATIVES, isEnglish, speechOf, USUAL_NAMES } from './words.ts';

/** A command with its operands, read with the knowledge about it. */
interface SeenCall {
  readonly name: string;
  readonly grammar: Grammar;
  readonly operands: readonly Operand[];
  /** The operands before are subcommands. */
  readonly from: number;
}

/**
 * Structure decides, whatever English words the operands are: after the name of a command that exists an operator in its place, an option,
 * a glob, a variable, a quoted word, a thing that is there, exactly the names that a subcommand takes, or a line that ran before make a
 * call. Null where there is none of it, or where the words around it are a sentence.
 */
export function classifyStructure(line: string, statements: Statements, facts: ShellFacts): Verdict | null {
  const { commands, compound } = statements;
  if (commands.length === 1 && findMention(commands[0]?.words ?? [], facts) !== null) return null;
  const hasLines = commands.some(({ after }) => after === '\n');
  if (hasLines && !compound) return null;
  const isJoined = commands.length > 1 || (compound && !statements.open) || statements.trailing || commands.some(isRedirected);
  let isProven = isJoined;
  for (const command of commands) {
    if (command.words.length === 0) continue;
    const seen = seeCall(command.words, facts);
    if (seen === null || (commands.length === 1 && isComparison(command, facts)) || hasMark(line, seen, command, facts)) return null;
    const isCall = isCertainCall(seen);
    isProven ||= isCall;
    if (!isCall && !isRedirected(command) && refusesWords(seen)) return null;
  }
  if (isProven) return CALL;
  const earlier = facts.history.find(line);
  return earlier?.to === 'command' ? { isCall: true, because: { code: 'earlier', ...earlier } } : null;
}

function isRedirected({ redirections }: SimpleCommand): boolean {
  return redirections.length > 0;
}

/** Whether one of the commands has operands that are a sentence in another language. */
export function isForeign({ commands }: Statements, facts: ShellFacts): boolean {
  return commands.some(({ words }) => {
    const seen = seeCall(words, facts);
    if (seen === null || seen.grammar.takes === 'text' || seen.grammar === UNKNOWN_GRAMMAR) return false;
    const { operands, from, grammar } = seen;
    const named = operands.filter((_, index) => index >= from && !isOptionValue(operands, index));
    return isForeignSentence(named, grammar.changes);
  });
}

/** `less > more`: a comparison of two programs. */
function isComparison({ words, redirections }: SimpleCommand, facts: ShellFacts): boolean {
  const rival = redirections[0]?.value ?? '';
  return words.length === 1 && redirections.length === 1 && facts.knows(rival) && grammarOf(rival) !== null && words[0]?.raw !== 'date';
}

/** Sees a command that exists with its operands; a command that runs another as that one. Null where there is none. */
export function seeCall(words: readonly WordToken[], facts: ShellFacts): SeenCall | null {
  const [first, ...rest] = words;
  if (first === undefined || isRequest(words, facts)) return null;
  const isPlace = /^(\.{0,2}|~)\//.test(first.raw) || (first.expands && /^\$\{?\w/.test(first.raw));
  if (!isPlace && !facts.knows(first.value)) return null;
  const grammar = grammarOf(first.value, facts.shell) ?? UNKNOWN_GRAMMAR;
  if (grammar.takes === 'command' && rest.length > 0) return seeInner(first.value, rest, facts);
  const name = first.value;
  const operands = rest.slice(0, MOST_OPERANDS).map((word) => toOperand(word, grammar, facts));
  return { name, ...descend(grammar, operands) };
}

function seeInner(name: string, words: readonly WordToken[], facts: ShellFacts): SeenCall | null {
  const at = words.findIndex((word, index) => facts.knows(word.value) && words[index - 1]?.raw !== '-u');
  const before = words.slice(0, at).map((word) => toOperand(word, UNKNOWN_GRAMMAR, facts));
  if (at < 0) {
    const operands = words.map((word) => toOperand(word, UNKNOWN_GRAMMAR, facts));
    return operands.some(({ shape }) => shape === 'path' || shape === 'option' || shape === 'quoted')
      ? { name, grammar: UNKNOWN_GRAMMAR, operands, from: 0 }
      : null;
  }
  const inner = seeCall(words.slice(at), facts);
  return inner === null ? null : { ...inner, operands: [...before, ...inner.operands], from: before.length + inner.from };
}

/** Goes down the subcommands that are named. */
function descend(grammar: Grammar, operands: readonly Operand[]): Omit<SeenCall, 'name'> {
  let [own, from] = [grammar, 0];
  for (const [index, operand] of operands.entries()) {
    if (operand.shape === 'option' || isOptionValue(operands, index)) continue;
    const inner = own.subcommands.get(operand.word.value);
    if (inner === undefined) break;
    [own, from] = [inner, index + 1];
  }
  return { grammar: own, operands, from };
}

function hasMark(line: string, { grammar, operands, from }: SeenCall, { redirections }: SimpleCommand, facts: ShellFacts): boolean {
  const late = redirections[0]?.start ?? Number.POSITIVE_INFINITY;
  if (from > 0 && from < operands.length && operands.slice(from).every(isWrittenAsName)) return false;
  const pattern = grammar.takes === 'pattern' ? patternAt(operands) : -1;
  const isFree = (at: number): boolean => {
    const index = at + from;
    const operand = operands[index];
    if (operand === undefined || operand.word.start > late) return false;
    // A word that the line uses as a variable is the name of one.
    if (line.includes(`$${operand.word.raw}`)) return true;
    if (grammar.takes === 'command' && facts.knows(operands[index + 1]?.word.value ?? '')) return true;
    if (index === pattern || grammar.words.has(operand.word.value)) return true;
    return operands[index - 1]?.shape === 'option' && isOptionValue(operands, index);
  };
  const isText = takesTalk(grammar);
  const counted = isText ? operands.filter(({ word }) => word.start > late) : operands.slice(from);
  const places = {
    isFree: isText ? () => false : isFree,
    knows: (word: string) => (!grammar.changes || grammar.roles.has('target')) && facts.knows(word),
  };
  if (findSentenceMark(counted, { ...places, longest: grammar.changes ? 2 : 3 }) !== null) return true;
  return operands.some(({ word, speech }) => word.start > late && (speech === 'function' || speech === 'state'));
}

/** Takes any words, and no expression. */
function takesTalk(grammar: Grammar): boolean {
  return grammar.takes === 'text' && !takesAny(grammar, 'expression', 'arithmetic');
}

/** Whether a command has operands that only a call has. */
function isCertainCall(seen: SeenCall): boolean {
  const { operands, grammar, from } = seen;
  if (takesTalk(grammar)) return false;
  if (grammar.roles.has('mode') && !operands.some(({ word }) => MODE.test(word.raw))) return false;
  if (operands.some((operand) => operand.exists !== null || (PROOFS.has(operand.shape) && !isEmphasis(seen, operand)))) return true;
  const names = operands.slice(from);
  return takesExactly(seen, names) || (grammar.takes === 'paths' && isPair(seen.name, names));
}

/** `make it 'pretty'`: quotes that the shell would not need, after a verb. */
function isEmphasis({ name, grammar }: SeenCall, { shape, word }: Operand): boolean {
  const isVerb = ENGLISH_NAMES.has(name) || grammar.roles.has('target');
  return shape === 'quoted' && /^[a-z]+$/i.test(word.value) && isVerb;
}

const PROOFS: ReadonlySet<string> = new Set(['option', 'quoted', 'expansion', 'glob', 'path']);

/** `old-data`, `web1`: letters with a hyphen or a digit. */
function isWrittenAsName({ shape, speech }: Operand): boolean {
  return shape === 'name' && speech === 'none';
}

/** A subcommand with exactly as many names as it takes, or with one that is written as names are. */
function takesExactly({ grammar, from }: SeenCall, names: readonly Operand[]): boolean {
  if (from === 0 || grammar.takes !== 'names') return false;
  if (names.length <= grammar.max && names.length > 0 && names.every(isWrittenAsName)) return true;
  return names.length === grammar.max && (isDemonstrative(names) || names.every(isNameLike));
}

/** A usual name, a word that is none of English, or where something is: no word that describes. */
function isNameLike({ shape, speech, word }: Operand): boolean {
  if (shape === 'name') return speech !== 'state';
  if (shape !== 'plain' || /^(state|foreign|weak-foreign|function)$/.test(speech)) return false;
  return !/^(file|dir)$/.test(word.value) && (USUAL_NAMES.has(word.value) || !isEnglish(word.value) || isSide(word.value));
}

/** `docker network create outside`: no sentence has one of these words behind such a subcommand alone. */
function isSide(word: string): boolean {
  return word === 'inside' || word === 'outside';
}

/** `this that`: no sentence holds them side by side. */
function isDemonstrative(names: readonly Operand[]): boolean {
  return /^(this that|that this)$/.test(names.map(({ word }) => word.raw).join(' '));
}

/** `cp in out`: two words that no sentence holds side by side. */
function isPair(name: string, names: readonly Operand[]): boolean {
  if (ENGLISH_NAMES.has(name) || names.length !== 2) return false;
  return isDemonstrative(names) || names.every(({ speech, word }) => speech === 'doubtful' && word.raw.length > 1);
}

/** Whether a command without any proof of its own takes no bare words. */
function refusesWords({ grammar, operands }: SeenCall): boolean {
  return (
    /^(nothing|numbers|times|formal)$/.test(grammar.takes) &&
    operands.some(({ shape, word }) => shape === 'plain' && !grammar.words.has(word.value))
  );
}

/** Keywords behind which a command begins. */
const LEADING = /^(then|do|else|elif|if|while|until|\{|!|time)$/;
const CLOSING = /^(fi|done|esac|\}|end)$/;
const LOOPS = /^(for|while|until|select|if|case)$/;

/**
 * A syntax error after a known command, an operator or a keyword belongs to the shell, which explains the fault: `ls >`, `ls | | wc`, `echo
 * )`, `done < list.txt`. Null if the words are a sentence, or if the line has only letters.
 */
export function classifySyntaxError(tokens: readonly Token[], facts: ShellFacts): Verdict | null {
  const words = tokens.filter((token) => token.type === 'word');
  const marks = tokens.flatMap((token) => (token.type === 'operator' && token.text !== '\n' ? [token.text] : []));
  const [first] = tokens;
  const begins = first?.type === 'word' ? first.raw : '';
  if (LOOPS.test(begins) && !words.some(({ raw }) => CLOSING.test(raw))) return null;
  const heads = headsOf(tokens);
  const isGrammar = marks.length > 0 || LOOPS.test(begins) || (begins !== 'done' && CLOSING.test(begins) && words.length === 1);
  if (!isGrammar || (heads.length === 0 && !CLOSING.test(begins))) return null;
  if (tokens.some((token) => token.type === 'operator' && token.text === '\n')) return null;
  if (!heads.every((head) => facts.knows(head.value) || /^\$\{?\w+\}?$/.test(head.raw))) return null;
  const [head] = heads;
  if (marks[0] === '&' && words.length === 1 && ENGLISH_NAMES.has(head?.value ?? '')) return null;
  const isAside = marks.every((text) => /^[()]$/.test(text)) && marks.filter((text) => text === '(').length * 2 === marks.length;
  if (marks.length > 0 && isAside && head !== undefined && grammarOf(head.value)?.takes !== 'text') return null;
  const isSentence = operandsOf(words, heads, LOOPS.test(begins) ? (head?.start ?? 0) : 0, facts).some(
    (operands) => findSentenceMark(operands, { isFree: () => false, knows: () => false, longest: 3 }) !== null,
  );
  return isSentence ? null : { isCall: true, because: { code: 'syntax-error', name: begins } };
}

/** `if [ $x = 1 ] then echo one; fi`, `{ls; pwd}`: no sentence has all keywords of a block, or a command's name in such braces. */
export function isWholeBlock(tokens: readonly Token[], facts: ShellFacts): boolean {
  const [first, last] = [tokens[0], tokens.findLast((token) => token.type === 'word')];
  if (first?.type !== 'word' || last?.type !== 'word') return false;
  if (first.raw.startsWith('{') && facts.knows(first.raw.slice(1)))
    return last.raw.endsWith('}') && tokens.some((token) => operatorText(token) === ';');
  const ends = BLOCKS[first.raw];
  if (ends === undefined || ends.last !== last.raw) return false;
  const before = tokens[tokens.indexOf(last) - 1];
  const isClosed = before?.type === 'operator' && /^[;\n]/.test(before.text);
  return isClosed && tokens.some((token) => token.type === 'word' && token.raw === ends.body);
}

const LOOP = { body: 'do', last: 'done' };
const BLOCKS: Readonly<Partial<Record<string, { readonly body: string; readonly last: string }>>> = {
  if: { body: 'then', last: 'fi' },
  for: LOOP,
  while: LOOP,
  until: LOOP,
  select: LOOP,
};

/** The operands of each command, from a place on. */
function operandsOf(words: readonly WordToken[], heads: readonly WordToken[], from: number, facts: ShellFacts): readonly Operand[][] {
  const all: Operand[][] = [[]];
  let grammar = UNKNOWN_GRAMMAR;
  for (const word of words) {
    const isHead = heads.includes(word);
    if (isHead) grammar = grammarOf(word.value) ?? UNKNOWN_GRAMMAR;
    if (isHead || LEADING.test(word.raw) || CLOSING.test(word.raw)) all.push([]);
    else if (word.start >= from) all.at(-1)?.push(toOperand(word, grammar, facts));
  }
  return all;
}

/** The words that stand where a command begins. */
function headsOf(tokens: readonly Token[]): readonly WordToken[] {
  const heads: WordToken[] = [];
  let begins = true;
  let isList = false;
  let before = '';
  for (const token of tokens) {
    // `if [ -f x ] then`: only a semicolon is missing.
    const isLate = before === ']' || before === ']]';
    before = token.type === 'operator' ? '' : token.raw;
    if (token.type === 'operator') begins = /^[;|&\n]/.test(token.text) && !isRedirection(token.text) ? true : begins && token.text === '(';
    else if (token.type === 'test') begins = false;
    else if (LEADING.test(token.raw) && (begins || isList || isLate)) [begins, isList] = [true, false];
    else if (begins && /^(for|select|case)$/.test(token.raw)) [begins, isList] = [false, true];
    else if (begins && !CLOSING.test(token.raw)) {
      heads.push(token);
      begins = false;
    } else begins = false;
  }
  return heads;
}

/** Commands that print what they are given. */
const PRINTERS: ReadonlySet<string> = new Set(['print', 'cat', 'write']);

/** A file that is there, mentioned behind a word of a sentence: `look at @shot.png`. No command names files so. */
export function findMention(words: readonly WordToken[], facts: ShellFacts): string | null {
  const first = words[0]?.raw ?? '';
  if (!IMPERATIVES.has(first) || PRINTERS.has(first)) return null;
  const found = words.find(({ raw }, at) => {
    if (at < 2 || !/^@[^@"'\\]+$/.test(raw) || !/^[a-z]+$/.test(words[at - 1]?.raw ?? '')) return false;
    if (!['function', 'doubtful'].includes(speechOf(words[at - 1]?.raw ?? ''))) return false;
    const path = raw.replace(/^@!?/, '').replace(/:\d+(-\d+)?$/, '');
    return facts.hasFile(path) === true && facts.hasFile(raw) !== true;
  });
  return found?.raw ?? null;
}
