import { describe, expect, test } from 'bun:test';
import { Appearance, type AppearanceOptions } from './appearance.ts';
import { UNKNOWN_TERMINAL } from './capability-replies.ts';
import { createTheme } from './theme.ts';

const TERM = 'xterm-256color';

function open(options: Partial<AppearanceOptions> = {}): Appearance {
  return new Appearance({ environment: { TERM }, colour: 'auto', theme: 'auto', screenReader: false, ...options });
}

describe('Appearance', () => {
  test('is neutral until the terminal tells its background, and changes for those who draw already', () => {
    const appearance = open();
    const { theme } = appearance;
    const before = theme.sgr;
    appearance.answered({ ...UNKNOWN_TERMINAL, background: 'light', name: 'foot(1.20)' });
    expect([before, theme.sgr, theme.links]).toEqual([
      createTheme({ TERM }).sgr,
      createTheme({ TERM }, { background: 'light' }).sgr,
      true,
    ]);
  });

  test('what the user chooses goes before what the terminal tells', () => {
    const appearance = open({ theme: 'dark' });
    appearance.answered({ ...UNKNOWN_TERMINAL, background: 'light' });
    const configured = appearance.theme.sgr;
    appearance.choose('none');
    expect([configured, appearance.theme.enabled, appearance.name]).toEqual([
      createTheme({ TERM }, { name: 'dark' }).sgr,
      false,
      'none',
    ]);
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
    const at = (environment: Record<string, string>, colour: AppearanceOptions['colour']) =>
      open({ environment, colour }).theme.enabled;
    expect([
      at({ TERM, NO_COLOR: '1' }, 'auto'),
      at({ TERM, NO_COLOR: '1' }, 'always'),
      at({ TERM: 'dumb' }, 'always'),
      at({ TERM }, 'never'),
    ]).toEqual([false, true, false, false]);
  });
});
