/*
 * Bytes of a terminal to keys.
 *
 * Input is a stream that may be cut anywhere: inside a UTF-8 character, inside an escape sequence. A lone ESC is the hard
 * case: the Escape key and the beginning of any sequence look the same until more comes. The parser keeps it and says so
 * (`waiting`); its owner calls `flush` after a short silence. Answers of the terminal (device attributes, modes, colours,
 * cursor and focus reports) arrive here too, also those to questions of programs that have ended; they are no keys.
 */

/** One input of the user. Keys have names such as `ctrl-a`, `alt-left`, `shift-tab`, `enter`. */
export type Key =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'paste'; readonly text: string };

const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** Nobody types so much between two reads. */
const MOST_TYPED = 2000;
const MAX_SEQUENCE = 256;
const MAX_REPLY = 65_536;

const FINAL_KEYS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift-tab',
  M: 'enter',
};

/** By the number before the tilde. */
const TILDE_KEYS = ['', 'home', 'insert', 'delete', 'end', 'page-up', 'page-down', 'home', 'end'];

const KEYPAD_KEYS = 'left right up down page-up page-down home end insert delete'.split(' ');

const CODE_KEYS: ReadonlyMap<number, string> = new Map([
  [8, 'backspace'],
  [9, 'tab'],
  [13, 'enter'],
  [27, 'escape'],
  [127, 'backspace'],
  [57414, 'enter'],
  ...KEYPAD_KEYS.map((name, at) => [57417 + at, name] as const),
]);

/** The characters of the keypad, from code point 57399 on. */
const KEYPAD = '0123456789./*-+';
const KEYPAD_FIRST = 57399;

/** Keys with Ctrl that older terminals send as another key; users expect the same from newer ones. */
const SAME_AS_CTRL: Readonly<Record<string, string>> = {
  ' ': 'ctrl-@',
  '[': 'escape',
  h: 'backspace',
  i: 'tab',
  j: 'enter',
  m: 'enter',
};

/** How much of the input one step took; null when more input is needed. */
interface Step {
  readonly size: number;
  readonly keys: readonly Key[];
}

/** Parses terminal input piece by piece. */
export class KeyParser {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #pending = '';
  /** Pieces of a paste whose end has not come. */
  #paste: string[] | null = null;

  /** True while an unfinished sequence is held that may turn out to be the Escape key. */
  get waiting(): boolean {
    return this.#paste === null && this.#pending !== '';
  }

  /** Takes what was read and returns the keys it completes. With `isPasting` it goes on from a paste without brackets. */
  push(bytes: Uint8Array, { isPasting = false } = {}): Key[] {
    const piece = this.#decoder.decode(bytes, { stream: true });
    const isWhole = this.#pending === '' && this.#paste === null;
    if (isWhole && (isPasting ? piece.length > 1 && isText(piece) : looksPasted(piece))) return [{ type: 'paste', text: piece }];
    const keys: Key[] = [];
    let rest = this.#pending + piece;
    this.#pending = '';
    while (rest !== '') {
      if (this.#paste !== null) {
        rest = this.#continuePaste(rest, keys);
        continue;
      }
      const step = parseStep(rest);
      if (step === null) {
        this.#pending = rest;
        break;
      }
      if (rest.startsWith(PASTE_BEGIN)) this.#paste = [];
      keys.push(...step.keys);
      rest = rest.slice(step.size);
    }
    return joinText(keys);
  }

  /** Gives up waiting: what is held is the Escape key or a key with Alt, or the torn rest of a sequence. */
  flush(): Key[] {
    if (!this.waiting) return [];
    const held = this.#pending;
    this.#pending = '';
    if (held === '\x1b' || held === '\x1b\x1b') return [{ type: 'key', key: 'escape' }];
    if (held.length === 2) return [{ type: 'key', key: `alt-${held.slice(1)}` }];
    // A reply may come slowly over a bad line; its rest must not become text.
    if (/^\x1b[\]P_^X]/.test(held)) this.#pending = held;
    return [];
  }

  #continuePaste(input: string, keys: Key[]): string {
    const pieces = this.#paste ?? [];
    const end = input.indexOf(PASTE_END);
    if (end >= 0) {
      keys.push({ type: 'paste', text: pieces.join('') + input.slice(0, end) });
      this.#paste = null;
      return input.slice(end + PASTE_END.length);
    }
    const kept = partialEnd(input);
    pieces.push(input.slice(0, input.length - kept));
    this.#pending = kept === 0 ? '' : input.slice(-kept);
    return '';
  }
}

/** Length of the longest beginning of the paste's end mark that the text ends with. */
function partialEnd(text: string): number {
  for (let size = Math.min(PASTE_END.length - 1, text.length); size > 0; size--) if (text.endsWith(PASTE_END.slice(0, size))) return size;
  return 0;
}

/**
 * For terminals without bracketed paste. One line with its end, read at once, was typed: ahead of us, or by a program that types for
 * a user. Several lines in one read nobody typed, and they may not run. Keys in between show that a program typed them.
 */
function looksPasted(piece: string): boolean {
  if (piece.length > MOST_TYPED && !/[\x00-\x1f\x7f]/.test(piece)) return true;
  if (!isText(piece)) return false;
  const text = piece.replaceAll('\r\n', '\n');
  return /[^\r\n][\r\n]+[^\r\n]/.test(text) || /[^\r\n][\r\n]{2}/.test(text);
}

/** Text as programs print it, colours among it; with an arrow or a control key in it, it was typed. */
function isText(piece: string): boolean {
  return !/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(piece.replace(/\x1b\[[0-9;:]*m/g, ''));
}

function parseStep(input: string): Step | null {
  const code = input.charCodeAt(0);
  if (code === 0x1b) return parseEscape(input);
  if (input.startsWith('\r\n')) return { size: 2, keys: [{ type: 'key', key: 'enter' }] };
  if (code < 0x20 || code === 0x7f) return { size: 1, keys: [{ type: 'key', key: controlName(code) }] };
  const text = /^[^\x00-\x1f\x7f]+/.exec(input)?.[0] ?? '';
  const shown = text.replace(/[\x80-\x9f]/g, '');
  return { size: text.length, keys: shown === '' ? [] : [{ type: 'text', text: shown }] };
}

function controlName(code: number): string {
  const named = CODE_KEYS.get(code);
  if (named !== undefined) return named;
  if (code === 0x0a) return 'enter';
  return `ctrl-${String.fromCharCode(code + (code >= 1 && code <= 26 ? 0x60 : 0x40))}`;
}

function parseEscape(input: string): Step | null {
  const second = input[1];
  if (second === undefined) return null;
  if (second === '[') return parseCsi(input);
  if (second === 'O') return parseSs3(input);
  if (']P_^X'.includes(second)) return parseReply(input);
  if (second === '\x1b') return parseDoubleEscape(input);
  const code = second.charCodeAt(0);
  const control = code < 0x20 || code === 0x7f;
  return { size: 2, keys: [{ type: 'key', key: `alt-${control ? controlName(code) : second}` }] };
}

/** Some terminals send Alt with an arrow as ESC before the arrow's sequence. */
function parseDoubleEscape(input: string): Step | null {
  if (input.length === 2) return null;
  if (input[2] !== '[' && input[2] !== 'O') return { size: 1, keys: [{ type: 'key', key: 'escape' }] };
  const inner = parseEscape(input.slice(1));
  if (inner === null) return null;
  const keys = inner.keys.map((key): Key => (key.type === 'key' ? { type: 'key', key: `alt-${key.key}` } : key));
  return { size: inner.size + 1, keys };
}

function parseSs3(input: string): Step | null {
  if (input.length < 3) return null;
  const key = FINAL_KEYS[input[2] ?? ''];
  return { size: 3, keys: key === undefined ? [] : [{ type: 'key', key }] };
}

function parseCsi(input: string): Step | null {
  // The Linux console sends its first function keys as ESC [ [ A.
  if (input[2] === '[') return input.length < 4 ? null : { size: 4, keys: [] };
  // Old mouse reports carry three bytes after the final one.
  if (input[2] === 'M') return input.length < 6 ? null : { size: 6, keys: [] };
  const found = /^\x1b\[([0-?]*)([ -/]*)(.?)/s.exec(input);
  const [whole = input, parameters = '', intermediates = '', final = ''] = found ?? [];
  if (final === '') return whole.length > MAX_SEQUENCE ? { size: whole.length, keys: [] } : null;
  if (!/[@-~]/.test(final)) return { size: whole.length - 1, keys: [] };
  const plain = intermediates === '' && /^[0-9;:]*$/.test(parameters);
  return { size: whole.length, keys: plain ? toKeys(parameters, final) : [] };
}

function toKeys(parameters: string, final: string): readonly Key[] {
  const [first = '', second = '', third = ''] = parameters.split(';');
  if (final === 'u') return toCodeKey(first, second, third);
  if (final === '~' && first === '27') return toCodeKey(third, second, '');
  const name = final === '~' ? TILDE_KEYS[Number(first)] : FINAL_KEYS[final];
  if (name === undefined || name === '' || isRelease(second)) return [];
  // Older terminals send `ESC [ 5 D` in place of `ESC [ 1 ; 5 D`.
  const modifiers = final !== '~' && second === '' ? first : second;
  return [{ type: 'key', key: modifierPrefix(modifiers) + name }];
}

/** The kitty protocol and modifyOtherKeys: a code point with its other forms, modifiers, perhaps the text the key makes. */
function toCodeKey(code: string, modifiers: string, text: string): readonly Key[] {
  const bits = modifierBits(modifiers);
  // Super, Hyper and Meta are for the window manager.
  if (isRelease(modifiers) || (bits & 0x38) !== 0) return [];
  const [plain = 0, shifted = 0, base = 0] = code.split(':').map(Number);
  const named = CODE_KEYS.get(plain);
  if (named !== undefined) return [{ type: 'key', key: modifierPrefix(modifiers) + named }];
  const typed = toTyped(plain, shifted, bits, text);
  if (typed === '') return [];
  if ((bits & 6) === 0) return [{ type: 'text', text: typed }];
  // On a keyboard of another script Ctrl-C is where it is on a Latin one.
  const character = plain > 0x7f && base > 0x20 && base < 0x7f ? toText(base) : typed;
  return [{ type: 'key', key: nameWithModifiers(character, bits) }];
}

function nameWithModifiers(character: string, bits: number): string {
  const lower = character.toLowerCase();
  const isShiftedLetter = (bits & 1) !== 0 && lower !== character.toUpperCase();
  if ((bits & 6) === 2) return `alt-${isShiftedLetter ? character.toUpperCase() : character}`;
  const same = bits === 4 ? SAME_AS_CTRL[lower] : undefined;
  return same ?? `ctrl-${bits & 2 ? 'alt-' : ''}${isShiftedLetter ? 'shift-' : ''}${lower}`;
}

/** The text that a key makes; empty for keys without any, such as the media keys. */
function toTyped(plain: number, shifted: number, bits: number, text: string): string {
  if (text !== '') return text.split(':').map(Number).map(toText).join('');
  const keypad = KEYPAD[plain - KEYPAD_FIRST];
  if (keypad !== undefined) return keypad;
  if (plain >= 57344 && plain <= 63743) return '';
  if ((bits & 1) === 0) return toText(plain);
  return shifted > 0 ? toText(shifted) : toText(plain).toUpperCase();
}

function toText(codePoint: number): string {
  return codePoint >= 0x20 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '';
}

function modifierBits(modifiers: string): number {
  return Math.max(0, (Number(modifiers.split(':')[0]) || 1) - 1);
}

function isRelease(modifiers: string): boolean {
  return modifiers.split(':')[1] === '3';
}

function modifierPrefix(modifiers: string): string {
  const bits = modifierBits(modifiers);
  return `${bits & 4 ? 'ctrl-' : ''}${bits & 2 ? 'alt-' : ''}${bits & 1 ? 'shift-' : ''}`;
}

/** A control string sent by the terminal. A control character inside means that a user typed Alt-] and went on. */
function parseReply(input: string): Step | null {
  for (let at = 2; at < input.length; at++) {
    const code = input.charCodeAt(at);
    if (code === 0x07 || code === 0x9c) return { size: at + 1, keys: [] };
    if (code === 0x1b) {
      if (at + 1 === input.length) return null;
      return { size: input[at + 1] === '\\' ? at + 2 : at, keys: [] };
    }
    if (code < 0x20) return { size: at, keys: [] };
  }
  return input.length > MAX_REPLY ? { size: input.length, keys: [] } : null;
}

function joinText(keys: readonly Key[]): Key[] {
  const joined: Key[] = [];
  for (const key of keys) {
    const last = joined.at(-1);
    if (key.type === 'text' && last?.type === 'text') joined[joined.length - 1] = { type: 'text', text: last.text + key.text };
    else joined.push(key);
  }
  return joined;
}

/** The mode of the letter keys: with vi keys they are text only in insert mode. */
export type KeyMode = 'insert' | 'normal' | 'visual' | 'replace';

/** A part of the text, from its first offset to the offset behind its end. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A handler of keys. */
export interface KeyHandler {
  handle(key: Key): void;
  /** A new line begins, so unfinished commands are over. */
  begin(): void;
  /** Whether the next key belongs to a command that has begun, such as Ctrl-V. */
  readonly isWaiting?: boolean;
  /** Null if letters are always text. */
  readonly mode: KeyMode | null;
  /** The selected part. */
  readonly selection: Span | null;
}
