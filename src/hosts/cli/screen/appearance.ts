import type { ThemeChoice } from '../../../core/meta/meta-entry.ts';
import { knowsLinks } from './capabilities.ts';
import { type Capabilities, UNKNOWN_TERMINAL } from './capability-replies.ts';
import { createTheme, isDumbTerminal, LiveTheme, type Theme } from './theme.ts';

/** The settings of the user and the terminal for the screen. */
export interface AppearanceOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `always` goes before NO_COLOR. */
  readonly colour: 'auto' | 'always' | 'never';
  readonly theme: ThemeChoice;
  /** Somebody listens to the screen. */
  readonly screenReader: boolean;
}

/** The style of the screen, from the configuration, the capabilities of the terminal, and later choices. */
export class Appearance {
  /** Changes in place, because all painters keep a reference. */
  readonly theme: LiveTheme;
  readonly #options: AppearanceOptions;
  #name: ThemeChoice;
  #capabilities = UNKNOWN_TERMINAL;

  constructor(options: AppearanceOptions) {
    this.#options = options;
    this.#name = options.theme;
    this.theme = new LiveTheme(this.#make());
  }

  /** The known capabilities of the terminal. */
  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  /** The chosen theme. */
  get name(): ThemeChoice {
    return this.#name;
  }

  /** Nothing is drawn over what stands there: the terminal cannot, or somebody listens to it. */
  get isPlain(): boolean {
    return isDumbTerminal(this.#options.environment) || this.#options.screenReader;
  }

  /** The terminal has reported its capabilities. */
  answered(capabilities: Capabilities): void {
    this.#capabilities = capabilities;
    this.theme.use(this.#make());
  }

  /** The user wants another theme. */
  choose(name: ThemeChoice): void {
    this.#name = name;
    this.theme.use(this.#make());
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
  const { background } = appearance.capabilities;
  const why =
    appearance.name !== 'auto'
      ? ''
      : `, the terminal ${background === null ? 'does not report its background' : `is ${background}`}`;
  const off =
    appearance.theme.enabled || appearance.name === 'none'
      ? ''
      : '; colours are off (NO_COLOR, --no-color or TERM=dumb)';
  return `theme: ${appearance.name}${why}${off}`;
}
