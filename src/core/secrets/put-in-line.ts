import { findProgram } from '../commands/programs/find-program.ts';
import { type Command, eachChild, type ParsedScript, parseShell, type SyntaxNode } from '../commands/syntax.ts';
import { CHANGES_MEANING, formatObstacle, formatUnknownSecrets, type Obstacle } from './messages.ts';
import { formatPlaceholder, PLACEHOLDER, revealPlaceholders } from './secret.ts';

/** A secret for a line: its value and, if the environment may contain it, its variable. */
interface PutSecret {
  readonly value: string;
  readonly variable?: string;
}

/** The line with its secrets, or the reason why a placeholder cannot be replaced. */
type PutLine = { readonly line: string } | { readonly problem: string };

type Place = 'bare' | 'single' | 'double' | 'ansi' | 'here-document' | 'quoted here-document' | 'comment' | 'nowhere';

/** Characters without special meaning in shells and most languages. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_./+:@%,=-]*$/;

/**
 * Injects secrets into a shell line, quoted for the position of each placeholder, so that no value can end a quote, a word or a
 * here-document. The result is parsed again, and must have the same words except for the values.
 */
export function putSecrets(line: string, find: (name: string) => PutSecret | null): PutLine {
  const script = parseShell(line);
  const mentions = findMentions(line, script, new Set()).toSorted((one, other) => other.at - one.at);
  let put = line;
  let plain = line;
  for (const mention of mentions) {
    const secret = find(mention.name);
    const placeholder = formatPlaceholder(mention.name);
    if (secret === null) return { problem: formatUnknownSecrets([mention.name]) };
    const place = placeOf(mention.within, line.slice(0, mention.at));
    const obstacle = findObstacle(mention, place, secret);
    if (obstacle !== null) return { problem: formatObstacle(placeholder, obstacle) };
    const replace = (text: string, by: string) => `${text.slice(0, mention.at)}${by}${text.slice(mention.at + placeholder.length)}`;
    const { quote, refer } = WRITERS[place];
    const quoted = place === 'comment' ? placeholder : quote(secret.value);
    plain = replace(plain, quoted);
    put = replace(put, secret.variable === undefined ? quoted : (refer?.(secret.variable) ?? placeholder));
  }
  const isSame = flatten(script, (name) => find(name)?.value ?? null) === flatten(parseShell(plain), () => null);
  return isSame ? { line: put } : { problem: CHANGES_MEANING };
}

function placeOf(within: readonly SyntaxNode[], before: string): Place {
  const innermost = within.at(-1);
  if (innermost === undefined || !within.some(({ type }) => type === 'Word' || type === 'HereDocBody'))
    return /(^|\s)#(?:\S|[^\S\n](?!#))*$/.test(before) ? 'comment' : 'nowhere';
  if (within.some((node) => node.type === 'CommandExpansion' && node.text.startsWith('`'))) return 'nowhere';
  const around = within.findLast(({ type }) => type in PLACES || type === 'CommandExpansion' || type === 'HereDoc');
  if (around?.type === 'HereDoc') return around.delimiter?.quoted === true ? 'quoted here-document' : 'here-document';
  if (within.some(({ type }) => type === 'ArithmeticExpansion')) return 'nowhere';
  return (around === undefined ? undefined : PLACES[around.type]) ?? 'bare';
}

const PLACES: Readonly<Record<string, Place>> = {
  SingleQuoted: 'single',
  AnsiCQuoted: 'ansi',
  DoubleQuoted: 'double',
  LocaleString: 'double',
};

function findObstacle({ within }: Mention, place: Place, { value, variable }: PutSecret): Obstacle | null {
  if (place === 'comment') return null;
  if (place === 'nowhere') return place;
  if (place === 'quoted here-document' && variable !== undefined) return 'quoted here-document';
  const command = commandAround(within);
  const how = command === undefined ? 'not at all' : howInterpreted(command);
  if (PLAIN.test(value) || how === 'not at all' || (how === 'in part' && isAlone(within))) return null;
  return 'code';
}

/** Whether a placeholder is a whole word, such as an operand without code. */
function isAlone(within: readonly SyntaxNode[]): boolean {
  const word = within.findLast(({ type }) => type === 'Word');
  return word?.type === 'Word' && /^⟨[^⟨⟩]*⟩$/.test(word.value);
}

type Write = (text: string) => string;
const asItIs: Write = (text) => text;

/** How each place takes the value of a secret, and a reference to its variable; without `refer` the placeholder stays. */
const WRITERS: Readonly<Record<Place, { readonly quote: Write; readonly refer?: Write }>> = {
  bare: { quote: (value) => `'${value.replaceAll("'", "'\\''")}'`, refer: (variable) => `"\${${variable}}"` },
  single: { quote: (value) => value.replaceAll("'", "'\\''"), refer: (variable) => `'"\${${variable}}"'` },
  ansi: { quote: (value) => value.replace(/[\\']/g, '\\$&'), refer: (variable) => `'"\${${variable}}"$'` },
  double: { quote: (value) => value.replace(/[\\"$`]/g, '\\$&'), refer: (variable) => `\${${variable}}` },
  'here-document': { quote: (value) => value.replace(/[\\$`]/g, '\\$&'), refer: (variable) => `\${${variable}}` },
  'quoted here-document': { quote: asItIs },
  comment: { quote: asItIs },
  nowhere: { quote: asItIs },
};

/** The unquoted words of a line and the structure around them, as one text for comparison. */
function flatten(script: ParsedScript, find: (name: string) => string | null): string {
  const found: string[] = [script.errors === undefined ? '' : 'errors'];
  const reveal = (text: string): string => revealPlaceholders(text, find);
  const read = (node: SyntaxNode, isQuoted: boolean): void => {
    const text = textOf(node, isQuoted);
    // Quotes split a word into more parts with the same value.
    const isShape = !(node.type in PLACES) && node.type !== 'Literal';
    if (isShape) found.push(`\x01${node.type}\x02`);
    if (text === null) eachChild(node, (child) => read(child, node.type === 'HereDoc' && node.delimiter?.quoted === true));
    else found.push(reveal(text));
    if (isShape) found.push('\x03');
  };
  read(script, false);
  return found.join('');
}

/** The unquoted text of a leaf node; null for any other node. */
function textOf(node: SyntaxNode, isQuoted: boolean): string | null {
  switch (node.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return node.value;
    case 'Word':
      return node.parts === undefined ? node.value : null;
    case 'HereDocBody':
      if (node.parts !== undefined) return null;
      return isQuoted ? node.text : node.text.replace(/\\([\\$`])/g, '$1');
    default:
      return null;
  }
}

/** A position in a line that names a secret. */
export interface Mention {
  readonly name: string;
  /** A program reads the secret from its environment; the line itself does not. */
  readonly isExported: boolean;
  /** Offset of a placeholder. */
  readonly at: number;
  /** The enclosing nodes, innermost last; empty in a comment. */
  readonly within: readonly SyntaxNode[];
}

/** Finds the placeholders of a line, and its uses of variables that contain secrets. */
export function findMentions(line: string, script: ParsedScript, variables: ReadonlySet<string>): readonly Mention[] {
  return [...findPlaceholders(line, script), ...findVariables(script, variables)];
}

/** The commands of a line, including those in substitutions and functions. */
export function commandsOf(script: ParsedScript): readonly Command[] {
  const found: Command[] = [];
  walk(script, (node) => {
    if (node.type === 'Command') found.push(node);
  });
  return found;
}

/** The innermost command around a position; undefined if there is none. */
export function commandAround(within: readonly SyntaxNode[]): Command | undefined {
  return within.findLast((node): node is Command => node.type === 'Command');
}

/** Whether a program of the command evaluates all of its words, or some, as code. */
function howInterpreted(command: Command): 'all' | 'in part' | 'not at all' {
  const programs = wordsOf(command).map((word) => word.slice(word.lastIndexOf('/') + 1));
  const specs = programs.flatMap((program) => findProgram(program) ?? []);
  if (specs.some(({ inner }) => inner?.script !== undefined || inner?.scripts !== undefined)) return 'all';
  const isCode = specs.some(({ interprets, namesVariables }) => interprets !== undefined || namesVariables === 'in code');
  return isCode ? 'in part' : 'not at all';
}

/** The words of a command without quotes. */
export function wordsOf({ name, args }: Command): readonly string[] {
  return name === undefined ? [] : [name.value, ...args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))];
}

function findPlaceholders(line: string, script: ParsedScript): readonly Mention[] {
  return Array.from(line.matchAll(PLACEHOLDER), (found) => {
    const at = found.index;
    const mention = { name: found[1] ?? '', isExported: false, at };
    let within: readonly SyntaxNode[] = [];
    walk(script, (node, around) => {
      if (node.pos <= at && at < node.end && node.type !== 'Script') within = [...around, node];
    });
    return { ...mention, within };
  });
}

function findVariables(script: ParsedScript, variables: ReadonlySet<string>): readonly Mention[] {
  if (variables.size === 0) return [];
  const found: Mention[] = [];
  walk(script, (node, within) => {
    const command = commandAround([...within, node]);
    for (const name of namedBy(node, command, variables)) {
      const isExported = node.type === 'Word';
      const isSame = (one: Mention) => one.name === name && one.isExported === isExported;
      if (found.some((one) => isSame(one) && commandAround(one.within) === command)) continue;
      found.push({ name, isExported, at: node.pos, within: [...within, node] });
    }
  });
  return found;
}

function namedBy(node: SyntaxNode, command: Command | undefined, variables: ReadonlySet<string>): readonly string[] {
  switch (node.type) {
    case 'SimpleExpansion':
      return [node.text.slice(1)].filter((name) => variables.has(name));
    case 'ParameterExpansion':
      // The target of an indirect expansion is unknown; a list of variable names contains no value.
      if (node.prefix === '!' && node.operation?.type !== 'Names' && node.index === undefined) return [...variables];
      return [node.parameter].filter((name) => variables.has(name));
    case 'ArithmeticExpansion':
      return namesIn(node.text, variables);
    case 'Word':
      return command === undefined ? [] : namedByWord(node.value, command, variables);
    case 'Command':
      return listsVariables(node) ? [...variables] : [];
    default:
      return [];
  }
}

function namedByWord(value: string, command: Command, variables: ReadonlySet<string>): readonly string[] {
  if (howInterpreted(command) !== 'not at all') return namesIn(value, variables);
  const program = command.name?.value ?? '';
  return findProgram(program)?.namesVariables === '' && variables.has(value) ? [value] : [];
}

/** Whether a command prints all shell variables. */
export function listsVariables(command: Command): boolean {
  const [program = '', ...rest] = wordsOf(command);
  const letters = findProgram(program)?.listsVariables;
  return letters !== undefined && rest.every((word) => /^-\w+$/.test(word) && isSpelledWith(letters, word.slice(1)));
}

function isSpelledWith(letters: string, word: string): boolean {
  return [...word].every((letter) => letters.includes(letter));
}

function namesIn(text: string, variables: ReadonlySet<string>): readonly string[] {
  return [...new Set(text.match(/[A-Za-z_]\w*/g))].filter((name) => variables.has(name));
}

/** Visits a node and its descendants, parents first. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, around: readonly SyntaxNode[]) => void,
  around: readonly SyntaxNode[] = [],
): void {
  visit(node, around);
  const inside = [...around, node];
  eachChild(node, (child) => walk(child, visit, inside));
}
