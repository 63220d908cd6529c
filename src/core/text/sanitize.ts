import {
  isHidden,
  isJoiner,
  isOddBlank,
  isStackingMark,
  isVariationSelector,
  mayJoin,
  mayVary,
  nameCharacter,
} from './hidden-character.ts';
import { type ControlSequence, isEntry, LEAVE_ALTERNATE, SequenceReader, toSafeDrawing } from './sanitize-sequence.ts';

/*
 * The one way from untrusted text (a model, a tool, a server) to the terminal.
 *
 * Escape sequences are removed first and whole, so that no visible rest of one remains; then every character that shows nothing or reorders
 * its neighbours. Removed text can never form a new sequence, because no ESC and no C1 survives.
 */

const PLAIN = /^[\n\t\x20-\x7e]*$/;
const MAX_STACKED_MARKS = 8;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** The last character of SGR. */
const COLOUR = 0x6d;
/** Controls that move the cursor: on the alternate screen they do that. */
const MOVING: ReadonlySet<number> = new Set([0x08, LINE_FEED, CARRIAGE_RETURN]);

interface SanitizerOptions {
  /** The colours of a command's output, redacting excepted. */
  readonly keepColours?: boolean;
  /** Called when a program opens the alternate screen: whether it may, and whether its drawing passes. */
  readonly mayDraw?: () => boolean;
  /** The output for a new line; a terminal in raw mode needs a carriage return too. */
  readonly lineEnd?: '\n' | '\r\n';
}

/** Sanitises text that arrives in pieces, cut anywhere: sequences and characters may span the cuts. */
export class TextSanitizer {
  readonly #options: SanitizerOptions;
  readonly #lineEnd: string;
  readonly #sequence = new SequenceReader();
  /** ASCII, letters of Latin and Cyrillic, kana, Han, Hangul: no marks, nothing hidden, nothing that joins. */
  readonly #run = /[\x20-\x7e\u00c0-\u02ff\u0400-\u0481\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+/y;
  #output = '';
  #previous = 0;
  #marks = 0;
  #coloured = false;
  #isAlternate = false;
  /** Characters that cannot be classified before the next one is known: a joiner, a selector, a carriage return, half a surrogate pair. */
  #held = '';

  constructor(options: SanitizerOptions = {}) {
    this.#options = options;
    this.#lineEnd = options.lineEnd ?? '\n';
  }

  /** Takes the next piece; returns what may be shown of the text so far. */
  push(piece: string): string {
    if (!this.#sequence.isInside && !this.#isAlternate && this.#held === '') {
      const plain = piece.includes('\r') ? piece.replaceAll('\r\n', '\n') : piece;
      if (PLAIN.test(plain)) return this.#passPlain(plain);
    }
    const text = this.#held + piece;
    this.#output = '';
    const end = this.#takeAll(text, { isWhole: false });
    this.#held = text.slice(end);
    return this.#output;
  }

  /** Returns the held characters, closes colours, and is ready for another text. */
  end(): string {
    this.#output = '';
    this.#takeAll(this.#held, { isWhole: true });
    if (this.#isAlternate) this.#output += LEAVE_ALTERNATE;
    else if (this.#coloured) this.#output += '\x1b[0m';
    this.#isAlternate = false;
    this.#held = '';
    this.#sequence.reset();
    this.#previous = 0;
    this.#marks = 0;
    this.#coloured = false;
    return this.#output;
  }

  #passPlain(piece: string): string {
    if (piece.length > 0) {
      this.#previous = piece.charCodeAt(piece.length - 1);
      this.#marks = 0;
    }
    return this.#lineEnd === '\n' ? piece : piece.replaceAll('\n', this.#lineEnd);
  }

  /** Takes the characters of a text; of one that goes on, only those that can be classified. Returns where it stopped. */
  #takeAll(text: string, { isWhole }: { readonly isWhole: boolean }): number {
    for (let at = 0; at < text.length; ) {
      const codePoint = text.codePointAt(at) ?? 0;
      const after = at + sizeOf(codePoint);
      if (!isWhole && isCutAt(text, at)) return at;
      if (this.#sequence.isInside) {
        const taken = this.#sequence.take(codePoint);
        if (taken === 'outside') continue;
        if (taken !== 'inside') this.#takeSequence(taken);
      } else {
        const end = this.#passRun(text, at);
        if (end > at) {
          at = end;
          continue;
        }
        if (!isWhole && needsNext(codePoint) && (after === text.length || isCutAt(text, after))) return at;
        this.#take(codePoint, text.codePointAt(after));
      }
      at = after;
    }
    return text.length;
  }

  /** Passes characters that are what they are wherever they stand; returns where they end. */
  #passRun(text: string, at: number): number {
    this.#run.lastIndex = at;
    const [run = ''] = this.#run.exec(text) ?? [];
    if (run === '') return at;
    this.#output += run;
    this.#previous = run.charCodeAt(run.length - 1);
    this.#marks = 0;
    return at + run.length;
  }

  #take(codePoint: number, next: number | undefined): void {
    if (this.#isAlternate && MOVING.has(codePoint)) this.#output += String.fromCodePoint(codePoint);
    else if (codePoint === CARRIAGE_RETURN) this.#takeCarriageReturn(next);
    else if (isLineBreak(codePoint)) this.#keep(LINE_FEED);
    else if (this.#sequence.begin(codePoint)) return;
    else if (codePoint >= 0xd800 && codePoint <= 0xdfff) this.#keep(0xfffd);
    else if (mayPass(codePoint, { before: this.#previous, after: next ?? 0 })) this.#keep(codePoint);
  }

  /** A lone carriage return would overwrite its line: the two texts stand on two lines instead. */
  #takeCarriageReturn(next: number | undefined): void {
    const isPartOfLineEnd = next === undefined || next === LINE_FEED || next === CARRIAGE_RETURN;
    if (!isPartOfLineEnd && this.#previous !== LINE_FEED) this.#keep(LINE_FEED);
  }

  #keep(codePoint: number): void {
    this.#marks = isStackingMark(codePoint) ? this.#marks + 1 : 0;
    if (this.#marks > MAX_STACKED_MARKS) return;
    this.#output += codePoint === LINE_FEED ? this.#lineEnd : String.fromCodePoint(codePoint);
    this.#previous = codePoint;
  }

  #takeSequence(sequence: ControlSequence): void {
    if (sequence.final === COLOUR) {
      if (this.#options.keepColours) this.#keepColour(sequence.parameters);
    } else if (this.#isAlternate || (isEntry(sequence) && this.#options.mayDraw?.() === true)) {
      const { text, isAlternate } = toSafeDrawing(sequence, this.#isAlternate);
      this.#output += text;
      if (text === LEAVE_ALTERNATE) this.#coloured = false;
      this.#isAlternate = isAlternate;
    }
  }

  #keepColour(parameters: string): void {
    const colour = toSafeColour(parameters);
    if (colour === null) return;
    this.#output += `\x1b[${colour}m`;
    this.#coloured = !/^0*$/.test(colour);
  }
}

function sizeOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

/** True where the text ends in the middle of a surrogate pair. */
function isCutAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at === text.length - 1 && unit >= 0xd800 && unit <= 0xdbff;
}

function needsNext(codePoint: number): boolean {
  return codePoint === CARRIAGE_RETURN || isJoiner(codePoint) || isVariationSelector(codePoint);
}

/** True for what parts lines without being a line end that everybody knows: vertical tab, form feed, next line, and the separators. */
function isLineBreak(codePoint: number): boolean {
  if (codePoint === 0x0b || codePoint === 0x0c || codePoint === 0x85) return true;
  return codePoint === 0x2028 || codePoint === 0x2029;
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
 * Shows characters that would otherwise hide: every character that is invisible, steers the terminal or only looks like a blank is named
 * instead (`<U+001B>`). Used if a user decides about text. Text that only reads like such a name has its `<` named, so a name always stands
 * for the character, and all other text, every backslash in it too, reads as it is. With `multiline`, new lines stay new lines.
 */
export function escapeForDisplay(text: string, options: { readonly multiline?: boolean } = {}): string {
  if (/^[\x20-\x7e]*$/.test(text)) return guardNames(text);
  const shown: string[] = [];
  let before = 0;
  let marks = 0;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    const isName = codePoint === LESS_THAN && NAME.test(text.slice(at, at + LONGEST_NAME));
    at += sizeOf(codePoint);
    const after = text.codePointAt(at) ?? 0;
    marks = isStackingMark(codePoint) ? marks + 1 : 0;
    const mayStand = marks > 0 && !isHidden(codePoint) ? mayStack(before, marks) : mayShow(codePoint, { before, after }, options);
    const isShown = mayStand && !isName;
    shown.push(isShown ? String.fromCodePoint(codePoint) : nameCharacter(codePoint));
    before = isShown ? codePoint : NAMED;
  }
  return shown.join('');
}

interface Around {
  readonly before: number;
  readonly after: number;
}

function mayPass(codePoint: number, around: Around): boolean {
  if (codePoint === LINE_FEED || codePoint === 0x09) return true;
  if (isJoiner(codePoint)) return mayJoin(codePoint, around);
  if (isVariationSelector(codePoint)) return mayVary(codePoint, around);
  return !isHidden(codePoint);
}

function mayShow(codePoint: number, around: Around, options: { readonly multiline?: boolean }): boolean {
  if (codePoint === LINE_FEED) return options.multiline === true;
  return codePoint !== 0x09 && !isOddBlank(codePoint) && mayPass(codePoint, around);
}

/** Stands for a character that is shown by its name; itself it is never shown. */
const NAMED = 0x7f;

/** A mark behind a name would change how that reads. */
function mayStack(before: number, marks: number): boolean {
  return before !== NAMED && marks <= MAX_STACKED_MARKS;
}

const LESS_THAN = 0x3c;

/** Text that reads like the name of a character, in any letter case. */
const NAME = /^<U\+[0-9a-f]{4,6}>/i;
const LONGEST_NAME = '<U+10FFFF>'.length;

function guardNames(text: string): string {
  return text.includes('<') ? text.replace(/<(?=U\+[0-9a-f]{4,6}>)/gi, nameCharacter(LESS_THAN)) : text;
}

/** Longest parameters of a colour sequence that are looked at; real ones are far shorter. */
const LONGEST = 256;

/** The parameters of a colour sequence as they may pass, without redact and without broken colours; null when nothing is left of it. */
function toSafeColour(parameters: string): string | null {
  if (parameters.length >= LONGEST || !/^[0-9;:]*$/.test(parameters)) return null;
  const given = parameters.split(';');
  const kept: string[] = [];
  for (let at = 0; at < given.length; ) {
    const colour = readColour(given, at);
    if (colour === null) at += 1;
    else {
      kept.push(...given.slice(at, at + colour.size));
      at += colour.size;
    }
  }
  return kept.length === 0 ? null : kept.join(';');
}

/** The number of parameters that belong together; null for one that may not pass. */
function readColour(given: readonly string[], at: number): { readonly size: number } | null {
  const parameter = given[at] ?? '';
  if (/^0*8(:|$)/.test(parameter)) return null;
  if (!/^0*[345]8$/.test(parameter)) return { size: 1 };
  // 38;5;8 and 48;2;8;8;8 are colours: their numbers are no attributes, provided that they are all there.
  const size = colourSize(given[at + 1]);
  return size !== null && given.slice(at + 2, at + size).filter((number) => /^\d+$/.test(number)).length === size - 2 ? { size } : null;
}

function colourSize(kind: string | undefined): number | null {
  if (kind !== undefined && /^0*5$/.test(kind)) return 3;
  return kind !== undefined && /^0*2$/.test(kind) ? 5 : null;
}
