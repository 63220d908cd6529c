import { joinedRegExp } from '../text/joined-regexp.ts';

/** The construct that a shell line still has open; null if the line can run. */
type OpenPart = 'quote' | 'backslash' | 'here-document' | 'operator' | 'block';

const OPENERS: Readonly<Record<string, string>> = {
  if: 'fi',
  case: 'esac',
  for: 'done',
  while: 'done',
  until: 'done',
  select: 'done',
  '{': '}',
  '(': ')',
};

/** Words followed by another command word, so that a keyword counts there. */
const BEFORE_COMMAND: ReadonlySet<string> = new Set('then do else elif if while until ! { ( time'.split(' '));

interface Scan {
  readonly text: string;
  at: number;
  /** Closing words of the open blocks, innermost last. */
  readonly open: string[];
  readonly documents: { readonly end: string; readonly tabs: boolean }[];
  /** The next word is in command position. */
  command: boolean;
  /** The last token was `|`, `&&` or `||`. */
  operator: boolean;
  /** The last token may be a function definition: `function`, or a name whose body has not begun. */
  definition: 'none' | 'perhaps' | 'name' | 'body';
}

/** Whether a shell line is unfinished, so that Enter begins another line of it. A wrong guess causes a syntax error at worst. */
export function findOpenPart(text: string): OpenPart | null {
  const scan: Scan = { text, at: 0, open: [], documents: [], command: true, operator: false, definition: 'none' };
  while (scan.at < text.length) {
    const open = readToken(scan);
    if (open !== null) return open;
  }
  if (scan.documents.length > 0) return 'here-document';
  if (scan.operator) return 'operator';
  if (scan.definition === 'name' || scan.definition === 'body') return 'block';
  return scan.open.length > 0 ? 'block' : null;
}

/** Whether more braces open than close. zsh, which opens blocks in more places, knows best whether one is open. */
export function mayOpenBrace(text: string): boolean {
  const bare = text.replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, 'x');
  const braces = bare.match(/(?<![^\s;&|()])[{}](?![^\s;&|()])/g) ?? [];
  return braces.filter((brace) => brace === '{').length * 2 > braces.length;
}

function readToken(scan: Scan): OpenPart | null {
  const { text, at } = scan;
  const character = text[at] ?? '';
  if (character === '\n') return endLine(scan);
  if (character === ' ' || character === '\t') {
    scan.at += 1;
    return null;
  }
  if (character === '#') {
    const end = text.indexOf('\n', at);
    scan.at = end < 0 ? text.length : end;
    return null;
  }
  if (/[;&|<>()]/.test(character)) return readOperator(scan);
  return readWord(scan);
}

/** At the end of a line, the here-documents announced on it follow. */
function endLine(scan: Scan): OpenPart | null {
  scan.at += 1;
  scan.command = true;
  if (scan.definition === 'perhaps') scan.definition = 'none';
  for (const document of scan.documents.splice(0)) {
    const lines = scan.text.slice(scan.at).split('\n');
    const end = lines.findIndex((line) => (document.tabs ? line.replace(/^\t+/, '') : line) === document.end);
    if (end < 0) return 'here-document';
    scan.at += lines.slice(0, end + 1).join('\n').length;
  }
  return null;
}

function readOperator(scan: Scan): OpenPart | null {
  const rest = scan.text.slice(scan.at);
  const document = /^<<(-?)[ \t]*(?:'([^']*)'|"([^"]*)"|\\?([^\s;&|<>()'"]+))/.exec(rest);
  if (document !== null && !rest.startsWith('<<<')) {
    scan.documents.push({ end: document[2] ?? document[3] ?? document[4] ?? '', tabs: document[1] === '-' });
    scan.at += document[0].length;
    return null;
  }
  const brackets = scan.definition === 'none' ? undefined : /^\([ \t]*\)/.exec(rest)?.[0];
  if (brackets !== undefined) {
    scan.at += brackets.length;
    scan.definition = 'body';
    scan.command = true;
    return null;
  }
  scan.definition = 'none';
  const operator = /^(<<<|;;&|;;|;&|&&|\|\||\|&|>>|[;&|<>()])/.exec(rest)?.[0] ?? rest.charAt(0);
  scan.at += operator.length;
  scan.operator = ['|', '|&', '&&', '||'].includes(operator);
  if (!/^[<>]/.test(operator)) scan.command = true;
  if (operator === '(') scan.open.push(')');
  else if (operator === ')' && scan.open.at(-1) === ')') scan.open.pop();
  return null;
}

function readWord(scan: Scan): OpenPart | null {
  const start = scan.at;
  while (scan.at < scan.text.length && !/[\s;&|<>()]/.test(scan.text.charAt(scan.at))) {
    const open = readPiece(scan);
    if (open !== null) return open;
  }
  countKeyword(scan, scan.text.slice(start, scan.at));
  scan.operator = false;
  return null;
}

function readPiece(scan: Scan): OpenPart | null {
  const { text, at } = scan;
  const character = text.charAt(at);
  if (character === '\\') {
    if (at + 1 >= text.length) return 'backslash';
    scan.at += 2;
    return null;
  }
  if (character === "'" || character === '"' || character === '`') {
    const end = findClosingQuote(text, at + 1, character);
    scan.at = end + 1;
    return end < 0 ? 'quote' : null;
  }
  if (text.startsWith('$(', at) || text.startsWith('${', at)) {
    const end = findClosingBracket(text, at + 2, text.charAt(at + 1));
    scan.at = end + 1;
    return end < 0 ? 'block' : null;
  }
  scan.at += 1;
  return null;
}

function findClosingQuote(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\' && quote !== "'") at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function findClosingBracket(text: string, from: number, opener: string): number {
  const closer = opener === '(' ? ')' : '}';
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === "'" || character === '"') {
      const end = findClosingQuote(text, at + 1, character);
      if (end < 0) return -1;
      at = end;
    } else if (character === opener) depth += 1;
    else if (character === closer) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function countKeyword(scan: Scan, word: string): void {
  const wasCommand = scan.command;
  if (scan.definition === 'name') {
    scan.definition = 'body';
    scan.command = true;
    return;
  }
  scan.definition = !wasCommand ? 'none' : word === 'function' ? 'name' : isName(word) ? 'perhaps' : 'none';
  scan.command = wasCommand && BEFORE_COMMAND.has(word);
  if (!wasCommand) return;
  const closer = Object.hasOwn(OPENERS, word) ? OPENERS[word] : undefined;
  if (closer !== undefined) scan.open.push(closer);
  else if (word === scan.open.at(-1)) scan.open.pop();
}

function isName(word: string): boolean {
  return !/[=$'"`\\]/.test(word) && !Object.hasOwn(OPENERS, word) && !BEFORE_COMMAND.has(word);
}

/** After these tokens bash inserts a space instead of a semicolon, because a command follows or none may. */
const NO_SEMICOLON = joinedRegExp(
  '',
  String.raw`(?:^|[;&|(){}]|\s(?:then|do|else|if|while|until|\{))\s*(?:then|do|else|if|while|until|\{)$|[;&|()]$`,
  String.raw`|\bcase\s+\S+\s+in$|\bfunction\s+\S+$`,
);
const COMMENT = /(?:^|\s)#/;

/**
 * Joins a command of several lines with semicolons, as bash keeps it in its history (`cmdhist`), as far as quotes, here-documents and
 * substitutions allow. Null for several commands, and for lines that bash would join differently.
 */
export function joinCommand(text: string): string | null {
  const lines = text.split('\n');
  let joined = lines[0] ?? '';
  for (let at = 1; at < lines.length; at++) {
    const before = lines.slice(0, at).join('\n');
    const next = lines[at] ?? '';
    const glue = toGlue(before, lines[at - 1] ?? '');
    if (glue === null) return null;
    joined = glue === 'cut' ? joined.slice(0, -1) + next : joined + glue + next;
  }
  return joined + (endsDocument(text, lines) ? '\n' : '');
}

/** The separator between a line and the next; `cut` if a backslash continues the line. */
function toGlue(before: string, line: string): string | null {
  switch (findOpenPart(before)) {
    case null:
      return null;
    case 'quote':
      return '\n';
    case 'here-document':
      return '\n';
    case 'backslash':
      return 'cut';
    case 'operator':
      return ' ';
    case 'block':
      return toGlueInBlock(before, line);
  }
}

function toGlueInBlock(before: string, line: string): string | null {
  // bash drops a line that is only a comment, and joins the lines around it in its own way.
  if (/^\s*#/.test(line)) return null;
  if (COMMENT.test(line)) return '\n';
  // Inside a substitution this quote would be literal; between commands it would be open.
  if (findOpenPart(`${before}'`) === 'block') return '\n';
  if (/\[\[(?:[^\][]|\[(?!\[))*$|\(\((?:[^()]|\((?!\())*$/.test(before)) return null;
  if (/=\([^()]*$/.test(before) || line.trim() === '') return ' ';
  if (endsDocument(before, before.split('\n'))) return '\n ';
  return NO_SEMICOLON.test(line.trimEnd()) ? ' ' : '; ';
}

function endsDocument(text: string, lines: readonly string[]): boolean {
  const last = lines.at(-1) ?? '';
  return lines.length > 1 && text.includes('<<') && findOpenPart(lines.slice(0, -1).join('\n')) === 'here-document' && last !== '';
}
