import type { ThemeChoice } from '../meta/meta-entry.ts';
import { type Background, type Capabilities, isDumbTerminal, knowsLinks, UNKNOWN_TERMINAL } from './capabilities.ts';

/** The look of each kind of text: SGR parameters, of which a name stands for the colour that a theme has for it. */
const LOOKS = {
  dim: '2',
  bold: '1',
  italic: '3',
  underline: '4',
  strike: '9',
  heading: '1;4',
  selected: '7',
  code: 'cyan',
  link: '4;blue',
  error: 'red',
  warning: 'yellow',
  ok: 'green',
  added: 'green',
  removed: 'red',
  hunk: 'cyan',
  shell: 'green',
  ai: 'magenta',
  meta: 'yellow',
  keyword: 'magenta',
  string: 'green',
  number: 'yellow',
  comment: '2',
  function: 'blue',
  variable: 'cyan',
  operator: 'yellow',
  path: '4',
  mention: '1;magenta',
  command: '1;blue',
  unknown: 'red',
  glob: '1;cyan',
  option: 'cyan',
  'string-path': '4;green',
  type: 'cyan',
} as const;

/** The kind of a piece of text; the theme gives its look. */
export type Style = keyof typeof LOOKS;

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

/** SGR parameters of each colour. */
type Colours = Readonly<Record<string, string>>;

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
};

/** The same for light backgrounds. */
export const LIGHT_COLOURS: typeof DARK_COLOURS = {
  red: 0xa40e26,
  green: 0x0b5c22,
  yellow: 0x6f4400,
  blue: 0x0b4a9e,
  magenta: 0x7a1fa2,
  cyan: 0x00525e,
};

function toExact(colours: typeof DARK_COLOURS): Colours {
  const rgb = (colour: number) => `38;2;${colour >> 16};${(colour >> 8) & 0xff};${colour & 0xff}`;
  return Object.fromEntries(Object.entries(colours).map(([name, colour]) => [name, rgb(colour)]));
}

/** The looks in some colours. */
function toSgr(colours: Colours): Theme['sgr'] {
  return mapLooks((look) => `\x1b[${look.replace(/[a-z]+/, (name) => colours[name] ?? '')}m`);
}

function mapLooks(format: (look: string) => string): Theme['sgr'] {
  const sgr: Record<Style, string> = { ...LOOKS };
  // The keys of the table are the styles.
  for (const style of Object.keys(LOOKS) as Style[]) sgr[style] = format(LOOKS[style]);
  return sgr;
}

/** The theme without any sequence. */
export const PLAIN_THEME: Theme = {
  enabled: false,
  sgr: mapLooks(() => ''),
  reset: '',
  links: false,
  words: false,
};

type Environment = Readonly<Record<string, string | undefined>>;

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
  return { enabled: true, sgr: toSgr(colours), reset: '\x1b[0m', links, words };
}

function chooseColours(background: Background, { COLORTERM }: Environment): Colours {
  if (background === null) return NEUTRAL;
  const isExact = COLORTERM === 'truecolor' || COLORTERM === '24bit';
  if (background === 'light') return isExact ? toExact(LIGHT_COLOURS) : LIGHT;
  return isExact ? toExact(DARK_COLOURS) : DARK;
}

/** Text in one look, closed again. */
export function styled(theme: Theme, style: Style, text: string): string {
  return theme.enabled && text !== '' ? `${theme.sgr[style]}${text}${theme.reset}` : text;
}

/** The settings of the user and the terminal for the screen. */
export interface AppearanceOptions {
  readonly environment: Environment;
  /** `always` goes before NO_COLOR. */
  readonly colour: 'auto' | 'always' | 'never';
  readonly theme: ThemeChoice;
  /** Somebody listens to the screen. */
  readonly screenReader: boolean;
}

/** The style of the screen, from the configuration, the capabilities of the terminal, and later choices. */
export class Appearance {
  /** Changes in place, because all painters keep a reference. */
  readonly theme: Theme;
  /** Nothing is drawn over what stands there: the terminal cannot, or somebody listens to it. */
  readonly isPlain: boolean;
  readonly #options: AppearanceOptions;
  #name: ThemeChoice;
  #capabilities = UNKNOWN_TERMINAL;

  constructor(options: AppearanceOptions) {
    this.#options = options;
    this.#name = options.theme;
    this.isPlain = isDumbTerminal(options.environment) || options.screenReader;
    this.theme = this.#make();
  }

  /** The known capabilities of the terminal. */
  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /** The chosen theme. */
  get name(): ThemeChoice {
    return this.#name;
  }

  /** The terminal has reported its capabilities. */
  answered(capabilities: Capabilities): void {
    this.#capabilities = capabilities;
    Object.assign(this.theme, this.#make());
  }

  /** The user wants another theme. */
  choose(name: ThemeChoice): void {
    this.#name = name;
    Object.assign(this.theme, this.#make());
  }

  #make(): Theme {
    const { environment, colour, screenReader } = this.#options;
    return createTheme(colour === 'always' ? { ...environment, NO_COLOR: '' } : environment, {
      colour: colour !== 'never',
      name: this.#name,
      background: this.#capabilities.background,
      links: knowsLinks(environment, this.#capabilities),
      words: screenReader,
    });
  }
}

/** `:theme`: what the colours are, or others. */
export function setTheme(theme: ThemeChoice | undefined, appearance: Appearance): string {
  if (theme !== undefined) appearance.choose(theme);
  const { name, capabilities } = appearance;
  const { background } = capabilities;
  const told = background === null ? 'does not report its background' : `is ${background}`;
  const why = name === 'auto' ? `, the terminal ${told}` : '';
  const isOff = !appearance.theme.enabled && name !== 'none';
  return `theme: ${name}${why}${isOff ? '; colours are off (NO_COLOR, --no-color or TERM=dumb)' : ''}`;
}
