import { type Argument, joinPieces, literal, type Piece, unknown, type WordKind } from './argument.ts';
import { expandParameter, hidesValue } from './parameter.ts';
import { arrayOf, isNumeric, isSecretName, positionalAt, type Scope, variableOf } from './scope.ts';
import { type ParameterExpansionPart, parseShell, type Word, type WordPart } from './syntax.ts';

/** Marks a boundary between two words of a split value. */
const BREAK = Symbol('break');
type Item = Piece | typeof BREAK;

const MOST_WORDS = 500;

/** Whether a word contains no quotes, expansions or substitutions, so that its parts need not be read. */
export function isPlainText(text: string): boolean {
  return /^[\w./:,+%=-]*$/.test(text);
}

/** The arguments that a word expands to: none, one, or several through braces, splitting and arrays. */
export function expandWord(word: Word, scope: Scope): readonly Argument[] {
  const parts = isPlainText(word.text) ? undefined : word.parts;
  if (parts === undefined) return [expandPlain(word, scope)];
  const braces = parts.findIndex((part) => part.type === 'BraceExpansion');
  if (braces >= 0) return expandBraced(word, parts, braces, scope);
  const items = parts.flatMap((part, at) => expandPart(part, at === 0, scope));
  const arguments_ = splitItems(word.text, items);
  return arguments_.length === 1
    ? arguments_.map((one) => ({ ...one, isDisguised: one.isDisguised || isPatched(parts), isAssembled: isAssembled(parts) }))
    : arguments_.map((one) => ({ ...one, isValue: true }));
}

/** Expands a word that bash neither splits nor multiplies: an assignment, a redirection target, a pattern. */
export function expandSingle(word: Word, scope: Scope): Argument {
  const [first, ...more] = expandWord(word, scope);
  if (first === undefined) return literal('');
  return more.length === 0 ? first : unknown(word.text);
}

/** The text of a here-document or a double-quoted string, if all of it is known. */
export function knownText(parts: readonly WordPart[], scope: Scope): string | null {
  const items = parts.flatMap((part) => expandPart(part, false, scope, true));
  let text = '';
  for (const item of items) {
    if (item === BREAK || item.text === null) return null;
    text += item.text;
  }
  return text;
}

function expandPlain(word: Word, scope: Scope): Argument {
  const tilde = word.text.startsWith('~') ? expandTilde(word.value, scope) : null;
  if (tilde !== null) return { ...joinPieces(word.text, [tilde]) };
  return { ...literal(word.value, isEscapedOddly(word.text)), text: word.text };
}

/** `~`, `~/x`, `~+`. Another user's home counts as outside the project. */
function expandTilde(value: string, scope: Scope): Piece | null {
  const slash = value.indexOf('/');
  const user = slash < 0 ? value : value.slice(0, slash);
  const rest = slash < 0 ? '' : value.slice(slash);
  if (user === '~') return { text: scope.context.home + rest, isQuoted: true };
  if (user === '~+') return { text: scope.cwd === null ? null : scope.cwd + rest, isQuoted: true };
  if (user === '~-') return { text: null, isQuoted: true };
  return /^~[\w.-]+$/.test(user) ? { text: `/home/${user.slice(1)}${rest}`, isQuoted: true } : null;
}

function expandBraced(word: Word, parts: readonly WordPart[], at: number, scope: Scope): readonly Argument[] {
  const before = parts
    .slice(0, at)
    .map((part) => part.text)
    .join('');
  const after = parts
    .slice(at + 1)
    .map((part) => part.text)
    .join('');
  const words = expandBraces(parts[at]?.text ?? '');
  if (words === null || sizeOfBraces(parts) > MOST_WORDS) return [unknown(word.text)];
  return words.flatMap((one) => expandText(`${before}${one}${after}`, scope)).map((one) => ({ ...one, isBraced: true }));
}

/** Braces multiply, and nested braces multiply again. */
function sizeOfBraces(parts: readonly WordPart[]): number {
  return parts.reduce((size, part) => {
    if (part.type !== 'BraceExpansion') return size;
    return size * (expandBraces(part.text)?.length ?? MOST_WORDS) * Math.max(1, part.text.split('{').length - 1);
  }, 1);
}

function expandText(text: string, scope: Scope): readonly Argument[] {
  if (text === '') return [];
  const [statement] = parseShell(`: ${text}`).commands;
  const command = statement?.command;
  if (command?.type !== 'Command' || command.suffix.length !== 1) return [unknown(text)];
  const [word] = command.suffix;
  return word?.type === 'Word' ? expandWord(word, scope) : [unknown(text)];
}

/** `"$(cat <<'EOF' … )"`: a text of several words that appears in the line exactly as it is printed, usually a message. */
function isWrittenOut(printed: string, written: string): boolean {
  return /^\$\(\s*cat\s*<</.test(written) && /\s/.test(printed) && written.includes(printed);
}

function expandPart(part: WordPart, isFirst: boolean, scope: Scope, isQuoted = false): readonly Item[] {
  switch (part.type) {
    case 'Literal': {
      const tilde = isFirst && part.text.startsWith('~') && !isQuoted ? expandTilde(part.value, scope) : null;
      return [tilde ?? { text: part.value, isQuoted, isDisguised: !isQuoted && isEscapedOddly(part.text) }];
    }
    case 'Glob':
      return [{ text: part.text, isQuoted, isGlob: true }];
    case 'ExtendedGlob':
      return [{ text: null, isQuoted, isExtended: true }];
    case 'SingleQuoted':
      return [{ text: part.value, isQuoted: true }];
    case 'AnsiCQuoted':
      return [{ text: part.value, isQuoted: true, isDisguised: /\\(x|u|U|[0-7])/.test(part.text) && /\w/.test(part.value) }];
    case 'DoubleQuoted':
    case 'LocaleString':
      return [{ text: '', isQuoted: true }, ...part.parts.flatMap((child) => expandPart(child, false, scope, true))];
    case 'SimpleExpansion':
      return expandVariable(part.text.slice(1), scope, isQuoted);
    case 'ParameterExpansion':
      return expandParameterPart(part, scope, isQuoted);
    case 'CommandExpansion': {
      const place = spokenPlace(part.text, scope);
      if (place !== null) return splitValue(place, scope, isQuoted);
      const text = part.script === undefined ? null : scope.outputOf(part.script, scope);
      if (text === null) {
        const { kinds, feeds, remote } = scope;
        const kind = part.script && kinds.get(part.script);
        const feed = part.script && feeds.get(part.script);
        return [{ text: null, isQuoted, ...ofKind(kind), hasOutput: true, isRemote: remote.has(part.text), feed }];
      }
      const printed = text.replace(/(?<!\n)\n+$/, '');
      const isDisguised = !(isQuoted && isWrittenOut(printed, part.text));
      return splitValue(printed, scope, isQuoted).map((item) => (item === BREAK ? item : { ...item, isDisguised }));
    }
    case 'ArithmeticExpansion':
      return [{ text: null, isQuoted, isNumber: true }];
    case 'ProcessSubstitution':
      return [{ text: '/dev/fd/63', isQuoted: true, hasOutput: true, isRemote: scope.remote.has(part.text) }];
    case 'BraceExpansion':
      return [{ text: null, isQuoted: false }];
  }
}

/** The output of commands that print the working directory, which is known without running them. */
function spokenPlace(text: string, { cwd, context }: Scope): string | null {
  if (/^(\$\(\s*pwd\s*\)|`pwd`)$/.test(text)) return cwd;
  const isInside = cwd !== null && (cwd === context.project || cwd.startsWith(`${context.project}/`));
  return isInside && /^(\$\(\s*git rev-parse --show-toplevel\s*\)|`git rev-parse --show-toplevel`)$/.test(text) ? context.project : null;
}

function ofKind(kind: WordKind | undefined): Pick<Piece, 'isNumber' | 'isHash'> {
  return { isNumber: kind === 'number', isHash: kind === 'hash' };
}

function expandVariable(name: string, scope: Scope, isQuoted: boolean): readonly Item[] {
  if (name === '@' || name === '*') {
    const items = expandList(scope.positional?.map(pieceOf) ?? null, isQuoted && name === '*');
    return items.map((item) => (item === BREAK ? item : { ...item, feed: scope.fed.get('@') }));
  }
  const given = /^[1-9]\d*$/.test(name) ? positionalAt(scope, Number(name)) : null;
  if (given !== null && (given.value === null || given.isGlob)) return [{ ...pieceOf(given), isQuoted, feed: scope.fed.get('@') }];
  const kind = scope.variables.kindOf(name) ?? (isNumeric(name) && !scope.variables.has(name) ? 'number' : undefined);
  if (kind !== undefined) return [{ text: null, isQuoted, ...ofKind(kind) }];
  const array = scope.variables.has(name) ? undefined : scope.arrays.get(name);
  const value = array === undefined ? variableOf(scope, name) : (array[0] ?? null);
  const feed = scope.fed.get(/^\d+$/.test(name) ? '@' : name);
  if (value === null) return [{ text: null, isQuoted, isSecret: isSecretName(name), hasOutput: scope.outputs.has(name), feed }];
  return splitValue(value, scope, isQuoted).map((item) => (item === BREAK ? item : { ...item, feed }));
}

function expandParameterPart(part: ParameterExpansionPart, scope: Scope, isQuoted: boolean): readonly Item[] {
  const index = part.index?.text;
  if (part.prefix === undefined && part.operation === undefined) {
    if (index === undefined) return expandVariable(part.parameter, scope, isQuoted);
    if (index === '@' || index === '*') {
      const feed = scope.fed.get(part.parameter);
      const elements = arrayOf(scope, part.parameter)?.map((text) => ({ text, isQuoted: true }));
      const items = expandList(elements ?? null, isQuoted && index === '*');
      return items.map((item) => (item === BREAK ? item : { ...item, feed }));
    }
  }
  // Elements of an array have numeric subscripts; the subscripts of an associative array are text.
  if (
    part.prefix === '!' &&
    index === '@' &&
    part.operation === undefined &&
    scope.arrays.has(part.parameter) &&
    !scope.maps.has(part.parameter)
  )
    return [{ text: null, isQuoted: false, isNumber: true }];
  const result = expandParameter(part, scope);
  if (typeof result === 'string') return splitValue(result, scope, isQuoted);
  return [
    {
      text: null,
      isQuoted,
      isNumber: result.isNumber,
      isSecret: isSecretName(part.parameter) && !hidesValue(part),
      hasOutput: scope.outputs.has(part.parameter) && !hidesValue(part),
      feed: scope.fed.get(part.parameter),
    },
  ];
}

/** `"$@"` and `"${a[@]}"`: each element becomes a word. */
function expandList(pieces: readonly Piece[] | null, isJoined: boolean): readonly Item[] {
  if (pieces === null) return [{ text: null, isQuoted: false }];
  const texts = pieces.map(({ text }) => text);
  if (isJoined) return [{ text: texts.includes(null) ? null : texts.join(' '), isQuoted: true }];
  return pieces.flatMap((piece, at): readonly Item[] => [...(at > 0 ? [BREAK] : []), piece] as readonly Item[]);
}

/** Turns an argument of a function or script into a piece of another word. */
function pieceOf({ value, start, isSplit, isGlob, isFigure, isHash, isSecret, hasOutput }: Argument): Piece {
  const kind = value === null ? { isNumber: isFigure === true, isHash: isHash === true && start === '' } : {};
  return { text: value, isQuoted: !isSplit, isGlob, ...kind, isSecret, hasOutput };
}

/** Splits an unquoted value as the shell would. Stars in it remain glob characters. */
function splitValue(value: string, scope: Scope, isQuoted: boolean): readonly Item[] {
  if (isQuoted) return [{ text: value, isQuoted: true }];
  const separators = variableOf(scope, 'IFS');
  if (separators === null) return [{ text: null, isQuoted: false }];
  const items: Item[] = [];
  let word = '';
  for (const character of value) {
    if (!separators.includes(character)) word += character;
    else {
      if (word !== '') items.push(toPiece(word));
      items.push(BREAK);
      word = '';
    }
  }
  if (word !== '') items.push(toPiece(word));
  return items;
}

function toPiece(text: string): Piece {
  return { text, isQuoted: false, isGlob: /[*?[]/.test(text) };
}

function splitItems(text: string, items: readonly Item[]): readonly Argument[] {
  const words: Piece[][] = [[]];
  for (const item of items) {
    if (item === BREAK) words.push([]);
    else words.at(-1)?.push(item);
  }
  const filled = words.filter((pieces) => pieces.length > 0);
  return filled.map((pieces) => joinPieces(filled.length === 1 ? text : pieces.map((piece) => piece.text ?? '…').join(''), pieces));
}

/** A backslash before a letter or a digit changes only the look of a word. */
function isEscapedOddly(text: string): boolean {
  return (/\\[A-Za-z0-9]/.test(text) || /\w\\\n\w/.test(text)) && !/^\\[A-Za-z]\w*$/.test(text);
}

/** Whether a word is assembled from variables: `$a$b`, `${x}m`. */
function isAssembled(parts: readonly WordPart[]): boolean {
  return parts.length > 1 && parts.some((part) => part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion');
}

/** Whether a word of letters has quotes in the middle or around nothing: `r''m`, `/e't'c`. */
function isPatched(parts: readonly WordPart[]): boolean {
  return parts.some((part, at) => {
    if (part.type !== 'SingleQuoted' && part.type !== 'DoubleQuoted') return false;
    const inner = part.text.slice(1, -1);
    const before = /[A-Za-z]$/.test(parts[at - 1]?.text ?? '');
    const after = /^[A-Za-z]/.test(parts[at + 1]?.text ?? '');
    if (inner === '') return before || after;
    return /^[A-Za-z]+$/.test(inner) && (inner.length === 1 ? before || after : before && after);
  });
}

const MOST_BRACE_WORDS = 200;

/** The words of a brace expansion, given with its braces; null if it is too large or not understood. */
function expandBraces(text: string): readonly string[] | null {
  const inner = text.slice(1, -1);
  const range = /^(-?\w+)\.\.(-?\w+)(?:\.\.(-?\d+))?$/.exec(inner);
  if (range !== null) return expandRange(range[1] ?? '', range[2] ?? '', Number(range[3] ?? 1));
  const words = splitAtCommas(inner);
  return words === null || words.length < 2 || words.length > MOST_BRACE_WORDS ? null : words;
}

function expandRange(from: string, to: string, step: number): readonly string[] | null {
  if (/^-?\d+$/.test(from) && /^-?\d+$/.test(to)) {
    const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
    return count(Number(from), Number(to), step, (at) => String(at).padStart(width, '0'));
  }
  if (!/^[a-zA-Z]$/.test(from) || !/^[a-zA-Z]$/.test(to)) return null;
  return count(from.charCodeAt(0), to.charCodeAt(0), step, (at) => String.fromCharCode(at));
}

function count(from: number, to: number, step: number, name: (at: number) => string): readonly string[] | null {
  const stride = Math.max(1, Math.abs(step));
  const size = Math.floor(Math.abs(to - from) / stride) + 1;
  if (size > MOST_BRACE_WORDS) return null;
  return Array.from({ length: size }, (_, at) => name(from <= to ? from + at * stride : from - at * stride));
}

/** Splits at commas outside quotes, braces and substitutions; null if a quote is unclosed. */
function splitAtCommas(text: string): readonly string[] | null {
  const words: string[] = [];
  let word = '';
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\' && quote !== "'") {
      word += character + (text[at + 1] ?? '');
      at += 1;
      continue;
    }
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"' || character === '`') quote = character;
    else if (character === '{' || character === '(') depth += 1;
    else if (character === '}' || character === ')') depth -= 1;
    else if (character === ',' && depth === 0) {
      words.push(word);
      word = '';
      continue;
    }
    word += character;
  }
  return quote === '' && depth === 0 ? [...words, word] : null;
}
