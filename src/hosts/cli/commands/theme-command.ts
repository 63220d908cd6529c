import type { ThemeChoice } from '../../../core/meta-entry.ts';
import type { Appearance } from '../screen/appearance.ts';

/** `:theme`: what the colours are, or others. */
export function setTheme(theme: ThemeChoice | undefined, appearance: Appearance): string {
  if (theme !== undefined) appearance.choose(theme);
  const told = appearance.capabilities.background;
  const why =
    appearance.name !== 'auto' ? '' : `, the terminal ${told === null ? 'does not tell its background' : `is ${told}`}`;
  const off =
    appearance.theme.enabled || appearance.name === 'none'
      ? ''
      : '; colours are off (NO_COLOR, --no-color or TERM=dumb)';
  return `theme: ${appearance.name}${why}${off}`;
}
