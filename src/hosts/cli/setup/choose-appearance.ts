import { Appearance } from '../screen/appearance.ts';
import type { Options } from './args.ts';
import type { Setup } from './setup.ts';

/** How everything looks to this user: `--no-color` before the configuration before NO_COLOR. */
export function chooseAppearance({ env, loaded }: Setup, options: Pick<Options, 'color'>): Appearance {
  const { color, theme, screen_reader } = loaded.config.ui;
  return new Appearance({
    environment: env,
    colour: options.color ? color : 'never',
    theme,
    screenReader: screen_reader || env.AISH_SCREEN_READER === '1',
  });
}
