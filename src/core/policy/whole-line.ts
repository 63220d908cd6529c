import { findProgram, findSpec } from '../commands/programs/find-program.ts';
import type { DefinedFunction } from '../commands/scope.ts';
import { type CommandNode, eachChild, type SyntaxNode } from '../commands/syntax.ts';
import { type Effect, effect, type Part } from '../commands/verdict.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';

/** Parts at the definition of functions whose calls are more precise: all calls are followed, and no other function has the name. */
export function surpassedBy(functions: readonly DefinedFunction[]): ReadonlySet<Part> {
  const isFollowed = ({ name, body }: DefinedFunction) => {
    const named = functions.filter((one) => one.name === name);
    return named.every((one) => one.body === body && one.calls !== 'hidden') && named.some(({ calls }) => calls === 'followed');
  };
  return new Set(functions.filter(isFollowed).flatMap(({ found }) => found));
}

/** So many spaces or empty lines hide the text after them, and so many commands bury it. */
const PADDING = /[ \t]{40}|(\n\s*){8}/;
const MANY_PARTS = 40;

/** Classifies the layout of a line: destructive commands must be in plain view. */
export function classifyLayout(text: string, parts: readonly Part[]): readonly Effect[] {
  const destroys = parts.some((part) => part.effects.some((effect) => effect.class === 'destructive'));
  if (!destroys || !(PADDING.test(text) || parts.length > MANY_PARTS)) return [];
  return [effect('hides', 'a command far behind others')];
}

const SECRET_FILE = joinedRegExp(
  '',
  String.raw`(^|[/*\\^(|])\.env\b(?!\.?(example|sample|template|dist|schema))|\.(pem|p12|pfx|key)\b|\bid_(rsa|dsa|ecdsa`,
  String.raw`|ed25519)|\.(ssh|aws|netrc|npmrc|kube|gnupg|pgpass)\b|\.git-credentials|_history\b|^credentials(\.json)?$`,
  '|^(shadow|env)$',
);

/** The texts that a part of a line assigns to variables, word by word: values, defaults, and input from the line itself. */
export function textsSpelled(node: SyntaxNode): readonly string[] {
  const words = (text = ''): readonly string[] => (text.includes('.') || text.includes('_') ? text.split(/[\s()'"=:;,{}]+/) : []);
  switch (node.type) {
    case 'Assignment':
      return words(node.text);
    case 'ParameterExpansion':
      if (node.operation?.type === 'Default') return words(node.operation.operand.text);
      return node.operation?.type === 'Replace' ? words(node.operation.replacement.text) : [];
    case 'HereString':
      return words(node.target?.text);
    case 'HereDoc':
      return words(node.body?.text);
    default:
      return [];
  }
}

/** Results of a search for secrets are secrets for any program that prints those files, and so is a file that a value may name. */
export function classifyFound(parts: readonly Part[], spelled: ReadonlySet<string>): readonly Effect[] {
  const shows = parts.some(({ words: [name, ...words] }) => words.includes(null) && printsContent(name ?? ''));
  if (!shows) return [];
  const named = [...parts.flatMap(({ words }) => words.slice(1)), ...spelled].find((word) => word !== null && SECRET_FILE.test(word));
  return named === undefined || named === null ? [] : [effect('secrets', `files that match ${named}`)];
}

/** Whether a program prints, copies or packs the content of its files. */
function printsContent(program: string): boolean {
  const { prints = 'content', passesOn, operands, descends } = findSpec(program) ?? {};
  return prints === 'content' && (passesOn !== undefined || operands === 'content' || descends !== undefined);
}

/** The output of one part of a line may go into a connection opened by the shell itself, however the two are joined. */
export function classifyShellConnection(parts: readonly Part[]): readonly Effect[] {
  const effects = parts.flatMap((part) => part.effects);
  const isOpen = effects.some(({ because }) => because === 'device-connection');
  if (
    isOpen &&
    parts.some(
      ({ words, effects: own }) =>
        (isShell(words[0] ?? '') && !words.includes('-c')) ||
        own.some(({ because }) => because === 'unknown-command' || because === 'printed-script'),
    )
  )
    return [effect('remote code', 'a shell for another machine')];
  const printed = isOpen ? effects.find(({ kind }) => kind === 'secrets') : undefined;
  return printed === undefined ? [] : [effect('leaks', 'credentials')];
}

/** Whether a program, by name or path, reads its input or all its words as a shell script. */
function isShell(program: string): boolean {
  const { interprets, inner, elsewhere } = findSpec(program.replace(/^.*\//s, '')) ?? {};
  return (interprets === true && inner?.scripts !== undefined) || (inner?.script === 'joined' && elsewhere === undefined);
}

const ENDLESS = /\/dev\/(zero|u?random|full)\b/;
const BOUNDED = /\bcount=|\s-\w*[Nln]\s*\d|--(bytes|length|lines|random-source)/;
const HUGE = /\s(-c|bs=|count=|--bytes[= ])\s*(\d+[GTPE]|\d{10,})/;

/** A line without the texts that it prints, searches for, or stores as a message. */
function withoutTexts(line: string, parts: readonly Part[]): string {
  const [saying, others] = [parts.filter(takesText), parts.filter((part) => !takesText(part))];
  const texts = saying.flatMap(({ words }) => words.filter((word) => word !== null && /\s/.test(word)));
  const rest = texts.reduce<string>((left, text) => left.replaceAll(text ?? '', ' '), line);
  // A command within such a text is a part of its own.
  return [rest, ...others.map(({ words }) => words.join(' '))].join(' ; ');
}

/** Whether quoted words are only text to the program, which neither opens nor runs them. */
function takesText({ words: [name] }: Part): boolean {
  const { takes, messages } = findProgram(name ?? '') ?? {};
  return messages !== undefined || (typeof takes === 'string' && /^(text|pattern)/.test(takes));
}

/** Whether any part of a line may run without end, so that the line needs a closer look. */
function isUnbounded(line: string, parts: readonly Part[]): boolean {
  return (
    MAY_NOT_END.test(line) ||
    parts.some(({ words }) => findProgram(words[0] ?? '')?.endless === 'unread' || MAY_NOT_END.test(words.join(' ')))
  );
}

const MAY_NOT_END = /\/dev\/|\{-?\d+\.\./;

/** Endless output fills memory or a disk if a program keeps it. */
export function classifyEndless(line: string, parts: readonly Part[]): readonly Effect[] {
  if (!isUnbounded(line, parts)) return [];
  const text = withoutTexts(line, parts);
  const adds = parts.some(({ effects }) => effects.some(({ kind }) => kind === 'adds'));
  const specs = parts.flatMap(({ words: [name] }) => findProgram(name ?? '') ?? []);
  const isEndless = ENDLESS.test(text) || specs.some(({ endless }) => endless === 'unread');
  const isBounded = BOUNDED.test(text) || specs.some(({ ends }) => ends !== undefined);
  const fills = adds && isEndless && (!isBounded || HUGE.test(text));
  const hoards = ENDLESS.test(text) && (!isBounded || hoardsEndless(text, parts)) && !/of=\/dev\/null/.test(text);
  const isWide = text.split(/\s/).some((word) => countOf(word) > 1_000_000);
  return fills || hoards || isWide ? [effect('destroys', 'fills memory or a disk')] : [];
}

/** Whether a program that keeps its input reads endless output. */
function hoardsEndless(text: string, parts: readonly Part[]): boolean {
  const names = parts.flatMap(({ words: [name] }) => (findProgram(name ?? '')?.hoards !== undefined ? [name] : []));
  const programs = new Set(names);
  return text.split(/[|;]/).some((command) => {
    const words = command.split(/\s+/);
    const at = words.findLastIndex((word) => programs.has(word));
    return at >= 0 && words.slice(at).some((word) => /\/dev\/(zero|u?random|full)\b(?!\S*=)/.test(word));
  });
}

/** The number of words in the brace ranges of one word. */
function countOf(word: string): number {
  let count = 1;
  for (const [, from = '', to = ''] of word.matchAll(/\{(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?\}/g))
    count *= Math.abs(Number(to) - Number(from)) + 1;
  return count;
}

/** Whether a loop's condition is always true, and its body neither leaves the loop nor waits. */
export function isEndless(node: Extract<CommandNode, { type: 'While' | 'ArithmeticFor' }>, source: string): boolean {
  if (leaves(node.body)) return false;
  if (node.type === 'ArithmeticFor') return node.test === undefined;
  const condition = source.slice(node.clause.pos, node.clause.end).replace(/(?<![\s;])[\s;]+$/, '');
  const holds = /^(true|:|\[ 1 \]|\[ 1 (=|==|-eq) 1 \]|\[\[ 1 \]\]|\(\(\s*1\s*\)\)|! false|! \[ 0 -eq 1 \])$/;
  return node.kind === 'while' ? holds.test(condition) : /^(false|! (true|:)|\(\(\s*0\s*\)\))$/.test(condition);
}

function leaves(node: SyntaxNode): boolean {
  if (node.type === 'Command' && findProgram(node.name?.value ?? '')?.pauses !== undefined) return true;
  let found = false;
  eachChild(node, (child) => {
    found ||= leaves(child);
  });
  return found;
}

/**
 * Syntax that zsh reads differently from bash, whose grammar the classifier uses: glob qualifiers and flags, which may run code
 * (`*(e:'x':)`, `${(e)x}`), `=(x)` and `=x`, named directories found by a function (`~[x]`), `>!`, short loops and `&|`. Quotes are
 * ignored: asking about one line too many is safer.
 */
const ZSH_ONLY: readonly RegExp[] = [
  /[^\s$<>;&|({]\(/,
  /\$\{(?:[^}($]|\$(?!\{))*\(/,
  /(^|[\s;&|({])=[^\s=]/,
  /~\[/,
  />[!|&]|<\d*-\d*>/,
  /&[|!]/,
  /\b(repeat|foreach|select|always|noglob|nocorrect|coproc)\b/,
  /\^\^|\$[~^=]|\$\{[~^=]/,
  /:[&gsWwfFx]/,
];

/** Whether zsh may understand a line differently from its classification. */
export function mayDifferInZsh(line: string): boolean {
  return ZSH_ONLY.some((pattern) => pattern.test(line));
}
