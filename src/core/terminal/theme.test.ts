import { describe, expect, test } from 'bun:test';
import { UNKNOWN_TERMINAL } from './capabilities.ts';
import { Appearance, type AppearanceOptions, createTheme, DARK_COLOURS, LIGHT_COLOURS, PLAIN_THEME, styled } from './theme.ts';

const TERM = 'xterm-256color';

/** The contrast of two colours as accessibility guidelines define it. */
function contrast(one: number, other: number): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: number): number {
  const [red = 0, green = 0, blue = 0] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff].map((value) =>
    value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('createTheme', () => {
  test('exact colours stand out from any usual background of their kind', () => {
    for (const behind of [0x000000, 0x1e1e2e, 0x282c34, 0x2e3440, 0x002b36])
      for (const colour of Object.values(DARK_COLOURS)) expect(contrast(colour, behind)).toBeGreaterThan(4.5);
    for (const behind of [0xffffff, 0xfdf6e3, 0xeff1f5, 0xeeeeee])
      for (const colour of Object.values(LIGHT_COLOURS)) expect(contrast(colour, behind)).toBeGreaterThan(4.5);
  });

  test('takes the sixteen colours of the terminal unless it says that it knows more', () => {
    const sixteen = /^\x1b\[([1-479]|[39][0-7]|1;4|[14];[39][0-7])m$/;
    for (const background of ['light', 'dark', null] as const) {
      const { sgr } = createTheme({ TERM }, { background });
      expect(Object.values(sgr).filter((sequence) => !sixteen.test(sequence))).toEqual([]);
    }
    expect(createTheme({ TERM, COLORTERM: 'truecolor' }, { background: 'light' }).sgr.ok).toBe('\x1b[38;2;11;92;34m');
    expect(createTheme({ TERM, COLORTERM: 'truecolor' }).sgr.ok).toBe('\x1b[32m');
  });

  test('a chosen theme goes before what the terminal says', () => {
    const dark = createTheme({ TERM }, { name: 'dark', background: 'light' });
    expect(dark).toEqual(createTheme({ TERM }, { background: 'dark' }));
    expect(dark.sgr).not.toEqual(createTheme({ TERM }, { background: 'light' }).sgr);
  });

  test('has no sequence at all where colours are refused', () => {
    const refusals = [
      createTheme({ TERM, NO_COLOR: '1' }),
      createTheme({ TERM: 'dumb' }, { links: true }),
      createTheme({ TERM }, { colour: false }),
      createTheme({ TERM }, { name: 'none' }),
    ];
    for (const theme of refusals) expect(theme).toEqual(PLAIN_THEME);
    expect(styled(PLAIN_THEME, 'error', 'x')).toBe('x');
  });
});

function open(options: Partial<AppearanceOptions> = {}): Appearance {
  return new Appearance({ environment: { TERM }, colour: 'auto', theme: 'auto', screenReader: false, ...options });
}

describe('Appearance', () => {
  test('is neutral until the terminal tells its background, and changes for those who draw already', () => {
    const appearance = open();
    const { theme } = appearance;
    const before = theme.sgr;
    appearance.answered({ ...UNKNOWN_TERMINAL, background: 'light', name: 'foot(1.20)' });
    expect([before, theme.sgr, theme.links]).toEqual([createTheme({ TERM }).sgr, createTheme({ TERM }, { background: 'light' }).sgr, true]);
  });

  test('what the user chooses goes before what the terminal tells', () => {
    const appearance = open({ theme: 'dark' });
    appearance.answered({ ...UNKNOWN_TERMINAL, background: 'light' });
    const configured = appearance.theme.sgr;
    appearance.choose('none');
    expect([configured, appearance.theme.enabled, appearance.name]).toEqual([createTheme({ TERM }, { name: 'dark' }).sgr, false, 'none']);
  });

  test('draws nothing over for somebody who listens, nor where the terminal cannot', () => {
    expect([
      open().isPlain,
      open({ screenReader: true }).isPlain,
      open({ environment: { TERM: 'dumb' } }).isPlain,
      open({ screenReader: true }).theme.words,
    ]).toEqual([false, true, true, true]);
  });

  test('colours asked for go before NO_COLOR, but not before a terminal that has none', () => {
    const at = (environment: Record<string, string>, colour: AppearanceOptions['colour']) => open({ environment, colour }).theme.enabled;
    expect([
      at({ TERM, NO_COLOR: '1' }, 'auto'),
      at({ TERM, NO_COLOR: '1' }, 'always'),
      at({ TERM: 'dumb' }, 'always'),
      at({ TERM }, 'never'),
    ]).toEqual([false, true, false, false]);
  });
});
