import { findOperandCommand } from './command-prefix.ts';
import { paintGaps } from './paint-gaps.ts';
import { Kind, ShellPaint } from './shell-paint.ts';
import {
  type Assignment,
  type Command,
  eachChild,
  parseShell,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from './syntax.ts';

/*
 * The tree is walked from the outside in, and what lies deeper is painted over what holds it. The tree has no nodes for keywords,
 * operators and comments: they are what is left between the words, and are told from their letters at the end. So a line that is
 * not finished, whose tree ends early, still has colours up to its last character.
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
      paint.paint(node.name.pos, node.name.end, Kind.command);
      paint.functions.add(node.name.value);
      visit(paint, node.body);
      return;
    case 'For':
    case 'Select':
      paint.paint(node.name.pos, node.name.end, Kind.variable);
      for (const word of node.wordlist ?? []) visitOperand(paint, word);
      visit(paint, node.body);
      return;
    case 'ArithmeticCommand':
      paint.paint(node.pos + 2, node.end - 2, Kind.plain);
      eachChild(node, (child) => visit(paint, child));
      return;
    case 'ArithmeticWord':
      paint.paint(node.pos, node.end, /^[\d.]/.test(node.value) ? Kind.plain : Kind.variable);
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
  const inner = findOperandCommand(command);
  let options = true;
  for (const node of command.suffix) {
    if (node === inner) visitCommandName(paint, inner);
    else if (node.type === 'Word' && options && node.text.startsWith('-')) visitOption(paint, node);
    else visit(paint, node);
    if (node.type === 'Word' && node.text === '--') options = false;
  }
}

function visitCommandName(paint: ShellPaint, word: Word): void {
  paint.paint(word.pos, word.end, Kind.plain);
  if (visitParts(paint, word.parts)) paint.commands.push({ start: word.pos, end: word.end, value: word.value });
}

function visitOption(paint: ShellPaint, word: Word): void {
  paint.paint(word.pos, word.end, Kind.option);
  const assign = word.text.startsWith('--') ? word.text.indexOf('=') + 1 : 0;
  if (assign > 0) paint.paint(word.pos + assign, word.end, Kind.plain);
  const isKnown = visitParts(paint, word.parts);
  const value = word.value.slice(word.value.indexOf('=') + 1);
  if (isKnown && assign > 0 && value !== '') paint.operands.push({ start: word.pos + assign, end: word.end, value });
}

function visitOperand(paint: ShellPaint, word: Word): void {
  paint.paint(word.pos, word.end, Kind.plain);
  if (visitParts(paint, word.parts)) paint.operands.push({ start: word.pos, end: word.end, value: word.value });
}

function visitAssignment(paint: ShellPaint, node: Assignment): void {
  const value = node.value.pos;
  paint.paint(node.pos, value, Kind.operator);
  paint.paint(node.pos, node.pos + node.name.length, Kind.variable);
  if (node.index !== undefined) visit(paint, node.index);
  visit(paint, node.value);
}

function visitRedirection(paint: ShellPaint, node: Redirection): void {
  const start = node.descriptor?.end ?? node.pos;
  paint.paint(node.pos, start + node.operator.length, Kind.operator);
  if (node.type !== 'HereDoc') {
    if (node.target !== undefined) visitOperand(paint, node.target);
    return;
  }
  if (node.delimiter !== undefined) paint.paint(node.delimiter.pos, node.delimiter.end, Kind.keyword);
  if (node.closing !== undefined) paint.paint(node.closing.pos, node.closing.end, Kind.keyword);
  paint.paint(node.body.pos, node.body.end, Kind.string);
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
      paint.paint(part.pos, part.end, Kind.string);
      return true;
    case 'DoubleQuoted':
    case 'LocaleString':
      paint.paint(part.pos, part.end, Kind.string);
      return visitParts(paint, part.parts);
    case 'Glob':
      paint.paint(part.pos, part.end, Kind.glob);
      return false;
    case 'ExtendedGlob':
    case 'BraceExpansion':
      paint.paint(part.pos, part.end, Kind.glob);
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
      paint.paint(part.pos, part.end, Kind.variable);
      eachChild(part, (child) => visit(paint, child));
      return false;
  }
}

/** A command in a word is painted as a line of its own, between its brackets. */
function visitSubstitution(paint: ShellPaint, start: number, end: number): void {
  const opener = paint.text[start] === '`' ? 1 : 2;
  const closes = end - start > opener && /[)`}]/.test(paint.text[end - 1] ?? '');
  paint.paint(start, end, Kind.gap);
  paint.paint(start, start + opener, Kind.variable);
  if (closes) paint.paint(end - 1, end, Kind.variable);
}
