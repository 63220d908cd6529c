/*
 * The capabilities of a terminal: the queries that tell them, and the answers.
 *
 * Answers come in the stream of keys, cut anywhere, and look like keys to a reader who does not expect them. Each query has one answer,
 * terminals answer in order, and all of them answer the last query (primary device attributes): when that answer is there, all others have
 * come. So a reader knows for sure when no more answers are in the stream, however slow the line, and passes everything on from there.
 */

export type Environment = Readonly<Record<string, string | undefined>>;

/** The background of a terminal; null if it is unknown. */
export type Background = 'light' | 'dark' | null;

/** The capabilities of a terminal, as far as it has reported them. */
export interface Capabilities {
  /** Holds a frame back until it is whole (mode 2026). */
  readonly synchronized: boolean;
  readonly background: Background;
  /** Tells keys apart that look alike otherwise (the kitty keyboard protocol). */
  readonly kittyKeyboard: boolean;
  readonly sixel: boolean;
  readonly kittyImages: boolean;
  /** Its own name, such as `WezTerm 20240203`. */
  readonly name: string | null;
  /** Pixels of one character. */
  readonly cell: { readonly width: number; readonly height: number } | null;
}

/** A terminal that has said nothing. */
export const UNKNOWN_TERMINAL: Capabilities = {
  synchronized: false,
  background: null,
  kittyKeyboard: false,
  sixel: false,
  kittyImages: false,
  name: null,
  cell: null,
};

/** Number of our graphics question, by which its answer is known. */
const GRAPHICS_ID = 4211;

// An image of one dot that is not to be shown.
const GRAPHICS_QUESTION = `\x1b_Gi=${GRAPHICS_ID},s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\`;

/** All questions; the last one is answered by every terminal. */
export const QUESTIONS = ['\x1b[?2026$p', '\x1b[?u', '\x1b]11;?\x1b\\', '\x1b[>q', '\x1b[16t', GRAPHICS_QUESTION, '\x1b[c'].join('');

/** The questions for a terminal. tmux and screen show the question about graphics as the title of the window, so they do not get it. */
export function questionsFor({ TERM = '', TMUX, STY }: Environment): string {
  const isMultiplexer = TMUX !== undefined || STY !== undefined || /^(tmux|screen)/.test(TERM);
  return isMultiplexer ? QUESTIONS.replace(GRAPHICS_QUESTION, '') : QUESTIONS;
}

interface Reply {
  readonly shape: RegExp;
  /** The meaning of the answer; null makes no difference. */
  readonly read: (found: RegExpExecArray) => Partial<Capabilities>;
  readonly isLast?: boolean;
}

const STRING_END = '(?:\\x1b\\\\|\\x07|\\x9c)';

/** In the order of the questions. Each is taken once. */
const REPLIES: readonly Reply[] = [
  { shape: /^\x1b\[\?2026;(\d)\$y/, read: ([, state]) => ({ synchronized: state === '1' || state === '2' }) },
  { shape: /^\x1b\[\?\d+u/, read: () => ({ kittyKeyboard: true }) },
  {
    shape: new RegExp(`^\\x1b\\]11;([^\\x07\\x1b\\x9c]{1,64})${STRING_END}`),
    read: ([, colour]) => ({ background: toBackground(colour ?? '') }),
  },
  {
    shape: new RegExp(`^\\x1bP>\\|([^\\x07\\x1b\\x9c]{0,128})${STRING_END}`),
    read: ([, name]) => ({ name: (name ?? '').replace(/[^\x20-\x7e]/g, '') }),
  },
  {
    shape: /^\x1b\[6;(\d{1,4});(\d{1,4})t/,
    read: ([, height, width]) => ({ cell: toCellSize(Number(width), Number(height)) }),
  },
  {
    shape: new RegExp(`^\\x1b_Gi=${GRAPHICS_ID};([^\\x07\\x1b\\x9c]{0,256})${STRING_END}`),
    read: ([, answer]) => ({ kittyImages: answer === 'OK' }),
  },
  {
    shape: /^\x1b\[\?([\d;]+)c/,
    read: ([, attributes]) => ({ sixel: (attributes ?? '').split(';').slice(1).includes('4') }),
    isLast: true,
  },
];

/** Beginnings of answers, of which more may come. No key begins like one of these but Escape and Alt-[ and the like. */
const UNFINISHED = new RegExp(
  `^\\x1b(?:${[
    '$',
    '\\[(?:$|\\?[\\d;]*\\$?$|6(?:$|;\\d{0,4}(?:$|;\\d{0,4}$)))',
    '\\](?:$|1(?:$|1(?:$|;[^\\x07\\x1b\\x9c]{0,64}\\x1b?$)))',
    'P(?:$|>(?:$|\\|[^\\x07\\x1b\\x9c]{0,128}\\x1b?$))',
    '_(?:$|G[^\\x07\\x1b\\x9c]{0,280}\\x1b?$)',
  ].join('|')})`,
);

/** Takes the answers out of what comes from the terminal. */
export class ReplyReader {
  #awaited: Reply[] = [...REPLIES];
  #held = '';
  #capabilities = UNKNOWN_TERMINAL;

  /** The capabilities in the answers so far. */
  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /** No answer to aish's queries can be in the stream any more. */
  get isDone(): boolean {
    return this.#awaited.length === 0;
  }

  /** Something is held back that may be the beginning of an answer, or the Escape key. */
  get isHolding(): boolean {
    return this.#held !== '';
  }

  /** Takes bytes (one character each) and gives back those that are no answer. */
  take(input: string): string {
    let rest = this.#held + input;
    this.#held = '';
    let passed = '';
    while (rest !== '' && !this.isDone) {
      const begin = rest.indexOf('\x1b');
      if (begin < 0) break;
      passed += rest.slice(0, begin);
      rest = rest.slice(begin);
      const size = this.#takeReply(rest);
      if (size > 0) rest = rest.slice(size);
      else if (UNFINISHED.test(rest)) {
        this.#held = rest;
        return passed;
      } else {
        passed += '\x1b';
        rest = rest.slice(1);
      }
    }
    return passed + rest;
  }

  /** Gives up waiting for the rest of what is held: it was no answer. */
  release(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /** Characters of the answer that the text begins with; 0 when it begins with none. */
  #takeReply(text: string): number {
    for (const reply of this.#awaited) {
      const found = reply.shape.exec(text);
      if (found === null) continue;
      this.#capabilities = { ...this.#capabilities, ...reply.read(found) };
      this.#awaited = reply.isLast === true ? [] : this.#awaited.filter((other) => other !== reply);
      return found[0].length;
    }
    return 0;
  }
}

function toCellSize(width: number, height: number): Capabilities['cell'] {
  return width > 0 && height > 0 ? { width, height } : null;
}

/** `rgb:ffff/fafa/f0f0` by its brightness as users see it. */
function toBackground(colour: string): Background {
  const found = /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(colour);
  if (found === null) return null;
  const [red = 0, green = 0, blue = 0] = found.slice(1, 4).map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? 'light' : 'dark';
}

/** Whether links (OSC 8) are links here; where nobody knows, an address is spelled out. */
export function knowsLinks(environment: Environment, { name }: Pick<Capabilities, 'name'>): boolean {
  // A multiplexer answers for itself, and may keep the links to itself too.
  if (environment.TMUX !== undefined || environment.STY !== undefined) return false;
  if (name !== null && /^(kitty|foot|WezTerm|ghostty|iTerm2|Konsole|contour|mintty|mlterm|VTE)\b/i.test(name)) return true;
  if (Number(environment.VTE_VERSION ?? 0) >= 5000 || environment.WT_SESSION !== undefined) return true;
  if (/^(xterm-kitty|xterm-ghostty|foot|alacritty|wezterm|contour)/.test(environment.TERM ?? '')) return true;
  return ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'rio'].includes(environment.TERM_PROGRAM ?? '');
}

/** Whether the terminal accepts queries at all: one that understands no sequences would show them. */
export function mayAsk(environment: Environment): boolean {
  return !isDumbTerminal(environment) && environment.TERM !== 'linux';
}

/** A terminal that understands no sequences at all. */
export function isDumbTerminal({ TERM = '' }: Environment): boolean {
  return /^(?:dumb|unknown|)$/.test(TERM);
}
