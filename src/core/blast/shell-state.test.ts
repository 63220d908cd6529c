import { expect, test } from 'bun:test';
import { readShellState } from './shell-state.ts';

const habits = (shell: string, options: readonly string[], names: readonly string[] = []) =>
  [...readShellState({ shell, options, names, exports: {} }).habits].sort();

test('options of bash are read as what they do', () => {
  expect(habits('bash', ['globskipdots', 'dotglob', 'noglob', 'checkwinsize'])).toEqual(['dots', 'none']);
  expect(habits('bash', ['globstar', 'nullglob', 'failglob', 'nocaseglob', 'globskipdots'])).toEqual([
    'deep',
    'empty',
    'fails',
    'folds',
  ]);
});

test('a bash without the option for it matches the parent with a dot and a star', () => {
  expect(habits('bash', ['checkwinsize'])).toEqual(['parents']);
});

test('a shell that told nothing has no habits', () => {
  expect([habits('bash', []), habits('zsh', [])]).toEqual([[], []]);
});

test('options of zsh are read as what they do, those that are off too', () => {
  expect(habits('zsh', ['glob', 'caseglob', 'nomatch'])).toEqual(['fails']);
  expect(habits('zsh', ['globdots', 'caseglob'])).toEqual(['dots', 'none']);
});

test('a place that cd looks in first is a habit', () => {
  expect(habits('bash', [], ['CDPATH'])).toEqual(['cd-path']);
});

test('variables are kept that are paths or short words, and no secrets', () => {
  const exports = {
    BUILD: '/srv/build',
    OUT: 'dist',
    API_TOKEN: 'abc',
    LONG: 'ghp_0123456789abcdefABCDEF',
    URL: 'https://me:secret@host/',
    PWD: '/x',
  };
  const { variables } = readShellState({ shell: 'bash', options: [], names: [], exports });
  expect([...variables.keys()]).toEqual(['BUILD', 'OUT']);
});
