import { expect, test } from 'bun:test';
import { toPaths } from './paths.ts';

test('the folders are those of the XDG variables, else the usual ones of the home', () => {
  expect(toPaths({ HOME: '/h', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: 'relative' })).toEqual({
    config: '/h/.config/aish',
    state: '/s/aish',
    cache: '/h/.cache/aish',
  });
});
