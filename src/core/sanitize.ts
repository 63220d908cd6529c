import {
  isHidden,
  isJoiner,
  isOddBlank,
  isStackingMark,
  isVariationSelector,
  mayJoin,
  mayVary,
} from './hidden-character.ts';

/*
 * One door between untrusted text (a model, a tool, a server) and the terminal.
 *
 * Escape sequences go first and whole, so that no visible rest of one remains; then every character that shows nothing
 * or reorders its neighbours. A control string (OSC, DCS, APC, PM, SOS) also ends at a new line: an unclosed one may not
 * swallow the lines after it. What is removed can never form a new sequence, because no ESC and no C1 survives.
 */

const PLAIN = /^[\n\t\x20-\x7e]*$/;
const MAX_STACKED_MARKS = 8;
const ESC = 0x1b;

type State = 'text' | 'escape' | 'csi' | 'string' | 'string-escape';

/** What starts with a C1 character, for terminals that take the eight-bit forms too. */
const C1_STATES: ReadonlyMap<number, State> = new Map([
  [0x90, 'string'],
  [0x98, 'string'],
  [0x9b, 'csi'],
  [0x9d, 'string'],
  [0x9e, 'string'],
  [0x9f, 'string'],
]);

/** Sanitises text that arrives in pieces, cut anywhere: sequences and characters may span the cuts. */
export class TextSanitizer {
  readonly #keepColours: boolean;
  #state: State = 'text';
  #output = '';
  #parameters = '';
  #previous = 0;
  #marks = 0;
  #coloured = false;
  /** What cannot be judged before the next character is known: a joiner, a carriage return, half a surrogate pair. */
  #held = '';

  /** With `keepColours` the SGR sequences of a command's output pass, concealing excepted. */
  constructor(options: { readonly keepColours?: boolean } = {}) {
    this.#keepColours = options.keepColours ?? false;
  }

  /** Takes the next piece; returns what may be shown of the text so far. */
  push(piece: string): string {
    if (this.#state === 'text' && this.#held === '' && PLAIN.test(piece)) return this.#passPlain(piece);
    const text = this.#held + piece;
    this.#held = '';
    this.#output = '';
    for (let at = 0; at < text.length; ) {
      const codePoint = text.codePointAt(at) ?? 0;
      const size = codePoint > 0xffff ? 2 : 1;
      if (this.#state === 'text') {
        const next = text.codePointAt(at + size);
        if (next === undefined && mustWait(codePoint)) {
          this.#held = text.slice(at);
          break;
        }
        this.#take(codePoint, next ?? 0);
      } else if (!this.#inSequence(codePoint)) continue;
      at += size;
    }
    return this.#output;
  }

  /** Returns what was held back, closes colours, and is ready for another text. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    this.#output = '';
    const codePoint = held.codePointAt(0);
    if (codePoint !== undefined) this.#take(codePoint, 0);
    if (this.#coloured) this.#output += '\x1b[0m';
    this.#state = 'text';
    this.#previous = 0;
    this.#coloured = false;
    return this.#output;
  }

  #passPlain(piece: string): string {
    if (piece.length > 0) {
      this.#previous = piece.charCodeAt(piece.length - 1);
      this.#marks = 0;
    }
    return piece;
  }

  #take(codePoint: number, next: number): void {
    if (codePoint === ESC) this.#state = 'escape';
    else if (codePoint >= 0x80 && codePoint <= 0x9f) this.#enter(C1_STATES.get(codePoint) ?? 'text');
    else if (codePoint === 0x0d) this.#takeCarriageReturn(next);
    else if (codePoint === 0x2028 || codePoint === 0x2029) this.#keep(0x0a);
    else if (codePoint >= 0xd800 && codePoint <= 0xdfff) this.#keep(0xfffd);
    else if (mayPass(codePoint, this.#previous, next)) this.#keep(codePoint);
  }

  /** A lone carriage return would overwrite its line: the two texts stand on two lines instead. */
  #takeCarriageReturn(next: number): void {
    if (next !== 0x0a && next !== 0 && this.#previous !== 0x0a) this.#keep(0x0a);
  }

  #keep(codePoint: number): void {
    this.#marks = isStackingMark(codePoint) ? this.#marks + 1 : 0;
    if (this.#marks > MAX_STACKED_MARKS) return;
    this.#output += String.fromCodePoint(codePoint);
    this.#previous = codePoint;
  }

  #enter(state: State): void {
    this.#state = state;
    this.#parameters = '';
  }

  /** Takes one character of a sequence; false when it ended the sequence without belonging to it. */
  #inSequence(codePoint: number): boolean {
    switch (this.#state) {
      case 'escape':
        return this.#afterEscape(codePoint);
      case 'csi':
        return this.#inCsi(codePoint);
      case 'string':
        return this.#inString(codePoint);
      case 'string-escape':
        this.#enter('text');
        if (codePoint === 0x5c) return true;
        this.#enter('escape');
        return false;
      case 'text':
        return false;
    }
  }

  #afterEscape(codePoint: number): boolean {
    if (codePoint === 0x5b) this.#enter('csi');
    else if ('P]X^_'.includes(String.fromCodePoint(codePoint))) this.#enter('string');
    else if (codePoint >= 0x20 && codePoint <= 0x2f) return true;
    else {
      this.#enter('text');
      return codePoint >= 0x30 && codePoint <= 0x7e;
    }
    return true;
  }

  #inCsi(codePoint: number): boolean {
    if (codePoint >= 0x20 && codePoint <= 0x3f) {
      if (this.#parameters.length < 256) this.#parameters += String.fromCodePoint(codePoint);
      return true;
    }
    const parameters = this.#parameters;
    this.#enter('text');
    if (codePoint < 0x40 || codePoint > 0x7e) return false;
    if (this.#keepColours && codePoint === 0x6d) this.#keepColour(parameters);
    return true;
  }

  #keepColour(parameters: string): void {
    if (!/^[0-9;:]*$/.test(parameters) || parameters.length >= 256) return;
    const shown = withoutConceal(parameters.split(';'));
    if (shown === null) return;
    this.#output += `\x1b[${shown}m`;
    this.#coloured = !/^0*$/.test(shown);
  }

  #inString(codePoint: number): boolean {
    if (codePoint === ESC) {
      this.#enter('string-escape');
      return true;
    }
    const ends = codePoint === 0x07 || codePoint === 0x9c || codePoint === 0x18 || codePoint === 0x1a;
    if (ends || codePoint === 0x0a) this.#enter('text');
    return codePoint !== 0x0a;
  }
}

/** Removes whatever could steer the terminal, hide, or reorder text. New lines and tabs stay; words of any script stay. */
export function sanitizeText(text: string): string {
  if (PLAIN.test(text)) return text;
  const sanitizer = new TextSanitizer();
  return sanitizer.push(text) + sanitizer.end();
}

/** The same for places of one line, such as a server's name: layout becomes single blanks. */
export function sanitizeLine(text: string): string {
  return sanitizeText(text)
    .replace(/[\n\t ]+/g, ' ')
    .trim();
}

/** For what programs print while no command runs: colours and weights pass and are closed at the end. */
export function sanitizeColoured(text: string): string {
  const sanitizer = new TextSanitizer({ keepColours: true });
  return sanitizer.push(text) + sanitizer.end();
}

/**
 * Shows what others would hide: every character that is invisible, steers the terminal or only looks like a blank is
 * spelled out (`\x1b`, `\u202e`). Used where a person decides about text. With `multiline`, new lines stay new lines.
 */
export function escapeForDisplay(text: string, options: { readonly multiline?: boolean } = {}): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const shown: string[] = [];
  let previous = 0;
  let marks = 0;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    at += codePoint > 0xffff ? 2 : 1;
    marks = isStackingMark(codePoint) ? marks + 1 : 0;
    const keepsLine = codePoint === 0x0a && options.multiline === true;
    const passes = codePoint !== 0x0a && codePoint !== 0x09 && mayPass(codePoint, previous, text.codePointAt(at) ?? 0);
    const plain = keepsLine || (passes && !isOddBlank(codePoint) && marks <= MAX_STACKED_MARKS);
    shown.push(plain ? String.fromCodePoint(codePoint) : spellOut(codePoint));
    previous = codePoint;
  }
  return shown.join('');
}

/**
 * The same for a text of several lines, shown without quotes: where anything in it is spelled out, or could be taken for that, every
 * backslash is doubled. So a single one before `x1b` always stands for the character, and ordinary code reads as it is.
 */
export function escapeBlock(text: string): string {
  const shown = escapeForDisplay(text, { multiline: true });
  const isAmbiguous = shown !== text || /\\(?:[tr]|x[0-9a-f]{2}|u[0-9a-f]{4}|u\{)/i.test(text);
  return isAmbiguous ? escapeForDisplay(text.replaceAll('\\', '\\\\'), { multiline: true }) : text;
}

function mayPass(codePoint: number, previous: number, next: number): boolean {
  if (codePoint === 0x0a || codePoint === 0x09) return true;
  if (isJoiner(codePoint)) return mayJoin(previous, next);
  if (isVariationSelector(codePoint)) return mayVary(previous);
  return !isHidden(codePoint);
}

function mustWait(codePoint: number): boolean {
  return isJoiner(codePoint) || codePoint === 0x0d || (codePoint >= 0xd800 && codePoint <= 0xdbff);
}

const NAMED: ReadonlyMap<number, string> = new Map([
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
]);

function spellOut(codePoint: number): string {
  const named = NAMED.get(codePoint);
  if (named !== undefined) return named;
  const digits = codePoint.toString(16);
  if (codePoint <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return codePoint <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}

/** The parameters of an SGR sequence without 8 (conceal); null when nothing else was in it. */
function withoutConceal(parameters: readonly string[]): string | null {
  const kept: string[] = [];
  for (let at = 0; at < parameters.length; at++) {
    const parameter = parameters[at] ?? '';
    // 38;5;8 and 48;2;8;8;8 are colours: their numbers are no attributes.
    const size = /^0*[345]8$/.test(parameter) ? colourSize(parameters[at + 1]) : 1;
    if (!/^0*8(:|$)/.test(parameter)) kept.push(...parameters.slice(at, at + size));
    at += size - 1;
  }
  return kept.length === 0 ? null : kept.join(';');
}

function colourSize(kind: string | undefined): number {
  if (kind === undefined) return 1;
  if (Number(kind) === 5) return 3;
  return Number(kind) === 2 ? 5 : 1;
}
