import type { ThemeChoice } from '../../../core/meta/meta-entry.ts';

/** The kind of a piece of text; the theme gives its look. */
export type Style =
  | 'dim'
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strike'
  | 'code'
  | 'heading'
  | 'link'
  | 'error'
  | 'warning'
  | 'ok'
  | 'added'
  | 'removed'
  | 'hunk'
  | 'shell'
  | 'ai'
  | 'meta'
  | 'selected'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'variable'
  | 'operator'
  | 'path'
  | 'mention'
  | 'command'
  | 'unknown'
  | 'glob'
  | 'option'
  | 'string-path'
  | 'type';

/** Looks as SGR sequences. With colours off every sequence is empty, and nothing may rest on a look alone. */
export interface Theme {
  readonly enabled: boolean;
  readonly sgr: Readonly<Record<Style, string>>;
  readonly reset: string;
  /** The terminal makes a text a link (OSC 8), so that its address need not be spelled out. */
  readonly links: boolean;
  /** Everything appears in words, line by line: no symbols, no boxes, nothing drawn twice. */
  readonly words: boolean;
}

/** The background of a terminal; null if it is unknown. */
export type Background = 'light' | 'dark' | null;

type Palette = Readonly<Record<Style, string>>;

interface Colours {
  readonly red: string;
  readonly green: string;
  readonly yellow: string;
  readonly blue: string;
  readonly magenta: string;
  readonly cyan: string;
}

/** Colours among the sixteen of a terminal's own palette, which nearly always are readable on its background. */
const NEUTRAL: Colours = { red: '31', green: '32', yellow: '33', blue: '34', magenta: '35', cyan: '36' };

/** On a dark background plain red, blue and magenta are hard to read in most palettes; the bright ones are not. */
const DARK: Colours = { red: '91', green: '32', yellow: '33', blue: '94', magenta: '95', cyan: '36' };

/** On a light background yellow and cyan vanish in most palettes. */
const LIGHT: Colours = { red: '31', green: '32', yellow: '35', blue: '34', magenta: '35', cyan: '34' };

/** Exact colours for terminals that take them. A test holds their contrast. */
export const DARK_COLOURS = {
  red: 0xff8a80,
  green: 0x8fd19e,
  yellow: 0xe5c07b,
  blue: 0x8ab4f8,
  magenta: 0xd7a8f0,
  cyan: 0x7fd0d8,
} as const;

/** The same for light backgrounds. */
export const LIGHT_COLOURS = {
  red: 0xa40e26,
  green: 0x0b5c22,
  yellow: 0x6f4400,
  blue: 0x0b4a9e,
  magenta: 0x7a1fa2,
  cyan: 0x00525e,
} as const;

function toExact(colours: Readonly<Record<keyof Colours, number>>): Colours {
  const rgb = (colour: number) => `38;2;${colour >> 16};${(colour >> 8) & 0xff};${colour & 0xff}`;
  const { red, green, yellow, blue, magenta, cyan } = colours;
  return {
    red: rgb(red),
    green: rgb(green),
    yellow: rgb(yellow),
    blue: rgb(blue),
    magenta: rgb(magenta),
    cyan: rgb(cyan),
  };
}

/** The looks in some colours; null is no sequence at all. */
function toPalette(colours: Colours | null): Palette {
  const { red, green, yellow, blue, magenta, cyan } = colours ?? NEUTRAL;
  const sgr = (parameters: string) => (colours === null ? '' : `\x1b[${parameters}m`);
  return {
    dim: sgr('2'),
    bold: sgr('1'),
    italic: sgr('3'),
    underline: sgr('4'),
    strike: sgr('9'),
    heading: sgr('1;4'),
    selected: sgr('7'),
    code: sgr(cyan),
    link: sgr(`4;${blue}`),
    error: sgr(red),
    warning: sgr(yellow),
    ok: sgr(green),
    added: sgr(green),
    removed: sgr(red),
    hunk: sgr(cyan),
    shell: sgr(green),
    ai: sgr(magenta),
    meta: sgr(yellow),
    keyword: sgr(magenta),
    string: sgr(green),
    number: sgr(yellow),
    comment: sgr('2'),
    function: sgr(blue),
    variable: sgr(cyan),
    operator: sgr(yellow),
    path: sgr('4'),
    mention: sgr(`1;${magenta}`),
    command: sgr(`1;${blue}`),
    unknown: sgr(red),
    glob: sgr(`1;${cyan}`),
    option: sgr(cyan),
    'string-path': sgr(`4;${green}`),
    type: sgr(cyan),
  };
}

/** The theme without any sequence. */
export const PLAIN_THEME: Theme = { enabled: false, sgr: toPalette(null), reset: '', links: false, words: false };

type Environment = Readonly<Record<string, string | undefined>>;

/** A terminal that understands no sequences at all. */
export function isDumbTerminal({ TERM = '' }: Environment): boolean {
  return /^(?:dumb|unknown|)$/.test(TERM);
}

interface ThemeOptions {
  /** False turns colours off. */
  readonly colour?: boolean;
  readonly name?: ThemeChoice;
  readonly background?: Background;
  readonly links?: boolean;
  readonly words?: boolean;
}

/** Colours for a terminal, unless NO_COLOR is set to anything or TERM says that it understands none. */
export function createTheme(environment: Environment, options: ThemeOptions = {}): Theme {
  const { name = 'auto', words = false } = options;
  const isDumb = isDumbTerminal(environment);
  const refused = (environment.NO_COLOR ?? '') !== '' || isDumb || options.colour === false || name === 'none';
  const links = options.links === true && !isDumb && !words;
  if (refused) return { ...PLAIN_THEME, links, words };
  const colours = chooseColours(name === 'auto' ? (options.background ?? null) : name, environment);
  return { enabled: true, sgr: toPalette(colours), reset: '\x1b[0m', links, words };
}

function chooseColours(background: Background, { COLORTERM }: Environment): Colours {
  const isExact = COLORTERM === 'truecolor' || COLORTERM === '24bit';
  switch (background) {
    case 'light':
      return isExact ? toExact(LIGHT_COLOURS) : LIGHT;
    case 'dark':
      return isExact ? toExact(DARK_COLOURS) : DARK;
    case null:
      return NEUTRAL;
  }
}

/** A theme that may change while it is in use: when the terminal has told its background, and when the user chooses another. */
export class LiveTheme implements Theme {
  #theme: Theme;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** From now on everything that is drawn looks like this. */
  use(theme: Theme): void {
    this.#theme = theme;
  }

  get enabled(): boolean {
    return this.#theme.enabled;
  }

  get sgr(): Theme['sgr'] {
    return this.#theme.sgr;
  }

  get reset(): string {
    return this.#theme.reset;
  }

  get links(): boolean {
    return this.#theme.links;
  }

  get words(): boolean {
    return this.#theme.words;
  }
}

/** Text in one look, closed again. */
export function styled(theme: Theme, style: Style, text: string): string {
  return theme.enabled && text !== '' ? `${theme.sgr[style]}${text}${theme.reset}` : text;
}
