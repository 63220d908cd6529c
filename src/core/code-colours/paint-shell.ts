import { findInner } from '../commands/programs/find-program.ts';
import {
  type Assignment,
  type Command,
  eachChild,
  parseShell,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from '../commands/syntax.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';

/** The kind of one character of a shell line. A gap is text that no word of the tree covers: blanks, keywords, operators, comments. */
export type Kind = 'gap' | 'plain' | 'command' | 'keyword' | 'string' | 'variable' | 'glob' | 'operator' | 'option' | 'comment';

/** A word whose value is known before anything runs. */
export interface KnownWord {
  readonly start: number;
  readonly end: number;
  /** Without quotes and backslashes. */
  readonly value: string;
}

/** A shell line as a painter sees it: a kind for each UTF-16 unit, and the words to look up. */
export class ShellPaint {
  readonly text: string;
  readonly kinds: Kind[];
  /** Words at the place of a command. */
  readonly commands: KnownWord[] = [];
  /** Words that may name a file. */
  readonly operands: KnownWord[] = [];
  /** Functions that the line itself defines. */
  readonly functions = new Set<string>();

  constructor(text: string) {
    this.text = text;
    this.kinds = Array.from({ length: text.length }, () => 'gap');
  }

  /** Paints over whatever was there. */
  paint(start: number, end: number, kind: Kind): void {
    this.kinds.fill(kind, Math.max(0, start), Math.max(0, end));
  }
}

/*
 * The walk goes through the tree from the outside in, and paints inner nodes over the outer ones. The tree has no nodes for keywords,
 * operators and comments: they are the rest between the words, and the painter finds them at the end by their letters. So an unfinished
 * line, whose tree ends early, still has colours up to its last character.
 */

/** Paints a shell line by the parser's tree. */
export function paintShell(text: string): ShellPaint {
  const paint = new ShellPaint(text);
  visit(paint, parseShell(text));
  paintGaps(paint);
  return paint;
}

function visit(paint: ShellPaint, node: SyntaxNode): void {
  switch (node.type) {
    case 'Command':
      visitCommand(paint, node);
      return;
    case 'Word':
      visitOperand(paint, node);
      return;
    case 'Assignment':
      visitAssignment(paint, node);
      return;
    case 'Redirect':
    case 'HereString':
    case 'HereDoc':
      visitRedirection(paint, node);
      return;
    case 'Function':
      paint.paint(node.name.pos, node.name.end, 'command');
      paint.functions.add(node.name.value);
      visit(paint, node.body);
      return;
    case 'For':
    case 'Select':
      paint.paint(node.name.pos, node.name.end, 'variable');
      for (const word of node.wordlist ?? []) visitOperand(paint, word);
      visit(paint, node.body);
      return;
    case 'ArithmeticCommand':
      paint.paint(node.pos + 2, node.end - 2, 'plain');
      eachChild(node, (child) => visit(paint, child));
      return;
    case 'ArithmeticWord':
      paint.paint(node.pos, node.end, /^[\d.]/.test(node.value) ? 'plain' : 'variable');
      return;
    case 'Time':
    case 'Negation':
      return;
    default:
      eachChild(node, (child) => visit(paint, child));
  }
}

function visitCommand(paint: ShellPaint, command: Command): void {
  for (const node of command.prefix) visit(paint, node);
  if (command.name !== undefined) visitCommandName(paint, command.name);
  const inner = innerNames(command);
  let options = true;
  for (const node of command.suffix) {
    if (node.type === 'Word' && inner.has(node)) visitCommandName(paint, node, inner.get(node));
    else if (node.type === 'Word' && options && node.text.startsWith('-')) visitOption(paint, node);
    else visit(paint, node);
    if (node.type === 'Word' && node.text === '--') options = false;
  }
}

/** The words that name the commands which a command runs, one within the other, with whether each runs elsewhere. */
function innerNames({ name, suffix }: Command): ReadonlyMap<Word, boolean> {
  const found = new Map<Word, boolean>();
  if (name === undefined) return found;
  let words: readonly (Word | Assignment)[] = [name, ...suffix.filter((node) => node.type === 'Word' || node.type === 'Assignment')];
  for (let isElsewhere = false; ; ) {
    const inner = findInner(words.map((word) => (word.type === 'Word' ? word.value : word.text)));
    const word = inner === null ? undefined : words[inner.at];
    if (inner === null || word?.type !== 'Word') return found;
    isElsewhere ||= inner.elsewhere;
    found.set(word, isElsewhere);
    words = words.slice(inner.at);
  }
}

/** Another machine and a container have other programs: there every name is one. */
function visitCommandName(paint: ShellPaint, word: Word, isElsewhere = false): void {
  paint.paint(word.pos, word.end, isElsewhere ? 'command' : 'plain');
  if (visitParts(paint, word.parts) && !isElsewhere) paint.commands.push({ start: word.pos, end: word.end, value: word.value });
}

function visitOption(paint: ShellPaint, word: Word): void {
  paint.paint(word.pos, word.end, 'option');
  const assign = word.text.startsWith('--') ? word.text.indexOf('=') + 1 : 0;
  if (assign > 0) paint.paint(word.pos + assign, word.end, 'plain');
  const isKnown = visitParts(paint, word.parts);
  const value = word.value.slice(word.value.indexOf('=') + 1);
  if (isKnown && assign > 0 && value !== '') paint.operands.push({ start: word.pos + assign, end: word.end, value });
}

function visitOperand(paint: ShellPaint, word: Word): void {
  paint.paint(word.pos, word.end, 'plain');
  if (visitParts(paint, word.parts)) paint.operands.push({ start: word.pos, end: word.end, value: word.value });
}

function visitAssignment(paint: ShellPaint, node: Assignment): void {
  const value = node.value.pos;
  paint.paint(node.pos, value, 'operator');
  paint.paint(node.pos, node.pos + node.name.length, 'variable');
  if (node.index !== undefined) visit(paint, node.index);
  visit(paint, node.value);
}

function visitRedirection(paint: ShellPaint, node: Redirection): void {
  const start = node.descriptor?.end ?? node.pos;
  paint.paint(node.pos, start + node.operator.length, 'operator');
  if (node.type !== 'HereDoc') {
    if (node.target !== undefined) visitOperand(paint, node.target);
    return;
  }
  if (node.delimiter !== undefined) paint.paint(node.delimiter.pos, node.delimiter.end, 'keyword');
  if (node.closing !== undefined) paint.paint(node.closing.pos, node.closing.end, 'keyword');
  paint.paint(node.body.pos, node.body.end, 'string');
  visitParts(paint, node.body.parts);
}

/** Paints the parts of a word. The answer is whether its value is known: nothing in it is expanded. */
function visitParts(paint: ShellPaint, parts: readonly WordPart[] | undefined): boolean {
  let isKnown = true;
  for (const part of parts ?? []) isKnown = visitPart(paint, part) && isKnown;
  return isKnown;
}

function visitPart(paint: ShellPaint, part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
      return true;
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      paint.paint(part.pos, part.end, 'string');
      return true;
    case 'DoubleQuoted':
    case 'LocaleString':
      paint.paint(part.pos, part.end, 'string');
      return visitParts(paint, part.parts);
    case 'Glob':
      paint.paint(part.pos, part.end, 'glob');
      return false;
    case 'ExtendedGlob':
    case 'BraceExpansion':
      paint.paint(part.pos, part.end, 'glob');
      visitParts(paint, part.parts);
      return false;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      visitSubstitution(paint, part.pos, part.end);
      if (part.script !== undefined) visit(paint, part.script);
      return false;
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'ArithmeticExpansion':
      paint.paint(part.pos, part.end, 'variable');
      eachChild(part, (child) => visit(paint, child));
      return false;
  }
}

/** A command in a word is painted as a line of its own, between its brackets. */
function visitSubstitution(paint: ShellPaint, start: number, end: number): void {
  const opener = paint.text[start] === '`' ? 1 : 2;
  const closes = end - start > opener && /[)`}]/.test(paint.text[end - 1] ?? '');
  paint.paint(start, end, 'gap');
  paint.paint(start, start + opener, 'variable');
  if (closes) paint.paint(end - 1, end, 'variable');
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'in', 'do', 'done', 'while', 'until', 'select', 'case', 'esac'],
  ...['function', 'time', 'coproc', 'foreach', 'end', 'repeat', 'always', '{', '}', '[[', ']]', '!'],
]);

/** In the order they are tried at each place; what none of them takes is plain. */
const TOKEN = joinedRegExp(
  'y',
  String.raw`([ \t\r\n]+)|(\\[\s\S]?)|("(?:\\[\s\S]|[^"\\])*"?|'[^']*'?)|(\$\w+|\$[^\w\s]?)|(\[\[|\]\]|[A-Za-z_][\w-]*`,
  String.raw`|[{}!])|([;&|()<>=~]+)|(-\w+)|(#)|[\s\S]`,
);

/** Paints the text that no word of the tree covers: keywords, operators, comments, and text that the parser could not read. */
function paintGaps(paint: ShellPaint): void {
  const { kinds } = paint;
  for (let at = 0; at < kinds.length; ) {
    if (kinds[at] !== 'gap') {
      at += 1;
      continue;
    }
    let end = at + 1;
    while (end < kinds.length && kinds[end] === 'gap') end += 1;
    paintGap(paint, at, end);
    at = end;
  }
}

function paintGap(paint: ShellPaint, start: number, end: number): void {
  const text = paint.text.slice(0, end);
  for (TOKEN.lastIndex = start; TOKEN.lastIndex < end; ) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) return;
    const isComment = found[8] !== undefined && (at === 0 || /[\s;&|()]/.test(text.charAt(at - 1)));
    const stop = isComment ? endOfLine(text, at) : TOKEN.lastIndex;
    paint.paint(at, stop, isComment ? 'comment' : kindOf(found));
    TOKEN.lastIndex = stop;
  }
}

function kindOf([, blank, escaped, quoted, variable, word, operator, option]: RegExpExecArray): Kind {
  if (blank !== undefined) return 'gap';
  if (escaped !== undefined) return 'plain';
  if (quoted !== undefined) return 'string';
  if (variable !== undefined) return 'variable';
  if (word !== undefined) return KEYWORDS.has(word) ? 'keyword' : 'plain';
  if (operator !== undefined) return 'operator';
  return option === undefined ? 'plain' : 'option';
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
