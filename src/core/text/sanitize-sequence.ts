/*
 * The grammar of ECMA-48 as terminals read it, one character at a time.
 *
 * A control character inside of a sequence does not end it, as terminals carry those out and read on; CAN and SUB do, ESC begins
 * another. Two things differ from terminals, and neither lets anything through. A line end closes every sequence, control strings
 * (OSC, DCS, APC, PM, SOS) included: one that was never closed may not swallow the lines after it. Only snapshots in sixels have lines of
 * their own. And BEL closes every control string, not OSC alone.
 */

type State = 'text' | 'escape' | 'csi' | 'device-string' | 'sixel' | 'sixel-line' | 'string' | 'string-escape';

/** A control sequence as it came: what stands between its introducer and its last character, and that. */
export interface ControlSequence {
  readonly parameters: string;
  readonly final: number;
}

/** The role of a character: part of a sequence; none, as the sequence ended before it; or the end of a control sequence. */
type Taken = 'inside' | 'outside' | ControlSequence;

const ESC = 0x1b;
const LONGEST_PARAMETERS = 256;

/** The state after a C1 character, for terminals that take the eight-bit forms too. */
const C1_STATES: ReadonlyMap<number, State> = new Map([
  [0x90, 'device-string'],
  [0x98, 'string'],
  [0x9b, 'csi'],
  [0x9d, 'string'],
  [0x9e, 'string'],
  [0x9f, 'string'],
]);

const ESCAPED_STATES: ReadonlyMap<number, State> = new Map([
  [0x50, 'device-string'],
  [0x58, 'string'],
  [0x5b, 'csi'],
  [0x5d, 'string'],
  [0x5e, 'string'],
  [0x5f, 'string'],
  // The title of a window of tmux and screen.
  [0x6b, 'string'],
]);

/** Follows escape sequences through text that arrives in pieces. */
export class SequenceReader {
  #state: State = 'text';
  #parameters = '';

  /** True within a sequence: the next character goes to `take`. */
  get isInside(): boolean {
    return this.#state !== 'text';
  }

  /** Takes a character of the text; false when it neither begins a sequence nor is an eight-bit control. */
  begin(codePoint: number): boolean {
    if (codePoint === ESC) this.#enter('escape');
    else if (codePoint >= 0x80 && codePoint <= 0x9f) this.#enter(C1_STATES.get(codePoint) ?? 'text');
    else return false;
    return true;
  }

  /** Takes a character of the sequence. */
  take(codePoint: number): Taken {
    switch (this.#state) {
      case 'escape':
        return this.#afterEscape(codePoint);
      case 'csi':
        return this.#inCsi(codePoint);
      case 'device-string':
        return this.#inDeviceString(codePoint);
      case 'sixel':
      case 'sixel-line':
        return this.#inSixel(codePoint);
      case 'string':
        return this.#inString(codePoint);
      case 'string-escape':
        this.#enter(codePoint === 0x5c ? 'text' : 'escape');
        return codePoint === 0x5c ? 'inside' : this.#afterEscape(codePoint);
      case 'text':
        return 'outside';
    }
  }

  /** Forgets a sequence that was cut. */
  reset(): void {
    this.#enter('text');
  }

  #enter(state: State): void {
    this.#state = state;
    this.#parameters = '';
  }

  #afterEscape(codePoint: number): Taken {
    const string = ESCAPED_STATES.get(codePoint);
    if (string !== undefined) this.#enter(string);
    else if (codePoint < 0x20 || codePoint >= 0x7f) return this.#disturbed(codePoint);
    else if (codePoint >= 0x30) this.#enter('text');
    return 'inside';
  }

  #inCsi(codePoint: number): Taken {
    if (codePoint < 0x20 || codePoint >= 0x7f) return this.#disturbed(codePoint);
    if (codePoint < 0x40) {
      if (this.#parameters.length < LONGEST_PARAMETERS) this.#parameters += String.fromCodePoint(codePoint);
      return 'inside';
    }
    const parameters = this.#parameters;
    this.#enter('text');
    return { parameters, final: codePoint };
  }

  /** Handles a character within a sequence that is no part of it. */
  #disturbed(codePoint: number): Taken {
    if (codePoint === ESC) this.#enter('escape');
    else if (codePoint === 0x18 || codePoint === 0x1a) this.#enter('text');
    else if (codePoint > 0x7f || isLineEnd(codePoint)) {
      this.#enter('text');
      return 'outside';
    }
    return 'inside';
  }

  #inDeviceString(codePoint: number): Taken {
    const isParameter = codePoint >= 0x30 && codePoint <= 0x3b;
    if (!isParameter) this.#enter(codePoint === 0x71 ? 'sixel' : 'string');
    return isParameter || codePoint === 0x71 ? 'inside' : this.#inString(codePoint);
  }

  /** Only a line that begins as one of a snapshot goes on with it. */
  #inSixel(codePoint: number): Taken {
    if (isLineEnd(codePoint)) {
      this.#enter('sixel-line');
      return 'inside';
    }
    const isSnapshot = codePoint >= 0x21 && codePoint < 0x7f;
    if (this.#state === 'sixel') {
      if (!isSnapshot) this.#enter('string');
      return isSnapshot ? 'inside' : this.#inString(codePoint);
    }
    if ('#!$-"'.includes(String.fromCodePoint(codePoint))) {
      this.#enter('sixel');
      return 'inside';
    }
    this.#enter(codePoint < 0x20 || codePoint === 0x9c ? 'string' : 'text');
    return this.isInside ? this.#inString(codePoint) : 'outside';
  }

  #inString(codePoint: number): Taken {
    if (codePoint === ESC) this.#enter('string-escape');
    else if (codePoint === 0x07 || codePoint === 0x9c || codePoint === 0x18 || codePoint === 0x1a) this.#enter('text');
    else if (codePoint === 0x0a) {
      this.#enter('text');
      return 'outside';
    }
    return 'inside';
  }
}

function isLineEnd(codePoint: number): boolean {
  return codePoint === 0x0a || codePoint === 0x0d;
}

/*
 * A program that a model proposed may still be one that a user uses, such as a pager or an editor. It may draw, but only on the
 * alternate screen, where nothing that was shown before can be changed, and with nothing but what moves, erases and colours. Settings that
 * would outlive it are put back when it leaves.
 */

/** The part of a sequence that passes, and the screen on which it leaves the terminal. */
interface Drawing {
  readonly text: string;
  readonly isAlternate: boolean;
}

/** Puts back what may have been set on the alternate screen: scrolling region, cursor keys, wrapping, the cursor, colours. */
export const LEAVE_ALTERNATE = '\x1b[r\x1b[?1l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l';

const SET = 0x68;
const RESET = 0x6c;
const ENTER_ALTERNATE = '\x1b[?1049h';
const SWITCH = /^\?(?:1049|1047|47)$/;
const SETTING = /^\?(?:1|7|12|25)$/;
const MOVES = '@ABCDEFGHIJKLMPSTXZ^`adefgr';

/** True for what goes to the alternate screen. */
export function isEntry({ parameters, final }: ControlSequence): boolean {
  return final === SET && SWITCH.test(parameters);
}

/** The part that passes of a control sequence that opens the alternate screen or is written on it; the text is empty for none. */
export function toSafeDrawing(sequence: ControlSequence, isAlternate: boolean): Drawing {
  const { parameters, final } = sequence;
  if (isEntry(sequence)) return { text: isAlternate ? '' : ENTER_ALTERNATE, isAlternate: true };
  if (final === RESET && SWITCH.test(parameters)) return { text: LEAVE_ALTERNATE, isAlternate: false };
  const end = String.fromCodePoint(final);
  return { text: draws(parameters, end) ? `\x1b[${parameters}${end}` : '', isAlternate };
}

function draws(parameters: string, end: string): boolean {
  if (end === 'h' || end === 'l') return SETTING.test(parameters) || (parameters === '4' && end === 'l');
  // 3 J erases what has scrolled away.
  return MOVES.includes(end) && /^[0-9;]*$/.test(parameters) && !(end === 'J' && /3/.test(parameters));
}
