import { eachChild, parseShell, type SyntaxNode } from '../shell-syntax/syntax.ts';
import { commandAround, findMentions, howInterpreted, type Mention } from './mentions.ts';
import { formatPlaceholder, revealPlaceholders } from './secret.ts';

/** A secret for a line: its value and, where it can stand in the environment, the variable that has it. */
export interface PutSecret {
  readonly value: string;
  readonly variable?: string;
}

/** The line with its secrets, or why one cannot be put where its placeholder stands. */
export type PutLine = { readonly line: string } | { readonly problem: string };

/** How the shell reads what stands at a place. */
type Place = 'bare' | 'single' | 'double' | 'ansi' | 'here-document' | 'here-document as it is' | 'comment' | 'nowhere';

/** Characters that are the same to every shell and most languages, wherever they stand. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_./+:@%,=-]*$/;

/**
 * Puts secrets into a line of the shell, each quoted for where its placeholder stands: none can end a quote, a word or a here-document. The
 * result is read again, and is only good when it has the same words but for the values.
 */
export function putSecrets(line: string, find: (name: string) => PutSecret | null): PutLine {
  const mentions = findMentions(line, new Set()).toSorted((one, other) => other.at - one.at);
  let put = line;
  let plain = line;
  for (const mention of mentions) {
    const secret = find(mention.name);
    const placeholder = formatPlaceholder(mention.name);
    if (secret === null) return { problem: `there is no secret ${placeholder}` };
    const place = placeOf(mention.within, line.slice(0, mention.at));
    const why = whyNot(mention, place, secret);
    if (why !== null) return { problem: `${placeholder} ${why}` };
    const replace = (text: string, by: string) =>
      `${text.slice(0, mention.at)}${by}${text.slice(mention.at + placeholder.length)}`;
    const quoted = place === 'comment' ? placeholder : quoteFor(place, secret.value);
    plain = replace(plain, quoted);
    put = replace(put, secret.variable === undefined ? quoted : referTo(place, secret.variable, placeholder));
  }
  const isSame = flatten(line, (name) => find(name)?.value ?? null) === flatten(plain, () => null);
  return isSame ? { line: put } : { problem: 'a placeholder stands where its value would change what the line does' };
}

function placeOf(within: readonly SyntaxNode[], before: string): Place {
  const innermost = within.at(-1);
  if (innermost === undefined || !within.some(({ type }) => type === 'Word' || type === 'HereDocBody'))
    return /(^|\s)#[^\n]*$/.test(before) ? 'comment' : 'nowhere';
  if (within.some((node) => node.type === 'CommandExpansion' && node.text.startsWith('`'))) return 'nowhere';
  const around = within.findLast(({ type }) => type in PLACES || type === 'CommandExpansion' || type === 'HereDoc');
  if (around?.type === 'HereDoc') return around.delimiter?.quoted === true ? 'here-document as it is' : 'here-document';
  if (within.some(({ type }) => type === 'ArithmeticExpansion')) return 'nowhere';
  return (around === undefined ? undefined : PLACES[around.type]) ?? 'bare';
}

const PLACES: Readonly<Record<string, Place>> = {
  SingleQuoted: 'single',
  AnsiCQuoted: 'ansi',
  DoubleQuoted: 'double',
  LocaleString: 'double',
};

function whyNot({ within }: Mention, place: Place, { value, variable }: PutSecret): string | null {
  if (place === 'comment') return null;
  if (place === 'nowhere') return 'stands where no value can be put: put it into quotes, outside of ` ` and $(( ))';
  if (place === 'here-document as it is' && variable !== undefined)
    return 'stands in a here-document that the shell does not read';
  const command = commandAround(within);
  const how = command === undefined ? 'not at all' : howInterpreted(command);
  if (PLAIN.test(value) || how === 'not at all' || (how === 'in part' && isAlone(within))) return null;
  return 'stands in code that another program reads, and its value has characters that could be code: hand it over in a variable';
}

/** True for a placeholder that is a word by itself, as an operand is that holds no code. */
function isAlone(within: readonly SyntaxNode[]): boolean {
  const word = within.findLast(({ type }) => type === 'Word');
  return word?.type === 'Word' && /^⟨[^⟨⟩]*⟩$/.test(word.value);
}

function quoteFor(place: Place, value: string): string {
  switch (place) {
    case 'bare':
      return `'${value.replaceAll("'", "'\\''")}'`;
    case 'single':
      return value.replaceAll("'", "'\\''");
    case 'double':
      return value.replace(/[\\"$`]/g, '\\$&');
    case 'ansi':
      return value.replace(/[\\']/g, '\\$&');
    case 'here-document':
      return value.replace(/[\\$`]/g, '\\$&');
    case 'here-document as it is':
    case 'comment':
    case 'nowhere':
      return value;
  }
}

function referTo(place: Place, variable: string, placeholder: string): string {
  switch (place) {
    case 'bare':
      return `"\${${variable}}"`;
    case 'single':
      return `'"\${${variable}}"'`;
    case 'ansi':
      return `'"\${${variable}}"$'`;
    case 'double':
    case 'here-document':
      return `\${${variable}}`;
    case 'here-document as it is':
    case 'comment':
    case 'nowhere':
      return placeholder;
  }
}

/** The words of a line as the shell would have them, and the shape around them, as one text to compare. */
function flatten(line: string, find: (name: string) => string | null): string {
  const script = parseShell(line);
  const found: string[] = [script.errors === undefined ? '' : 'errors'];
  const reveal = (text: string): string => revealPlaceholders(text, find);
  const read = (node: SyntaxNode, isQuoted: boolean): void => {
    const text = textOf(node, isQuoted);
    // Adding quotes makes more parts of one word; what they say together stays.
    const isShape = !(node.type in PLACES) && node.type !== 'Literal';
    if (isShape) found.push(`\x01${node.type}\x02`);
    if (text === null)
      eachChild(node, (child) => read(child, node.type === 'HereDoc' && node.delimiter?.quoted === true));
    else found.push(reveal(text));
    if (isShape) found.push('\x03');
  };
  read(script, false);
  return found.join('');
}

/** What a part without parts says once its quotes are removed; null for any other. */
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
