import { expect, test } from 'bun:test';
import { findShell, toShellKind } from './program.ts';

const PATH = '/usr/bin:/bin';

test('the configured shell comes first, by path or by name', () => {
  expect(findShell({ program: '/bin/zsh', env: { PATH, SHELL: '/bin/bash' } })).toBe('/bin/zsh');
  expect(findShell({ program: 'zsh', env: { PATH, SHELL: '/bin/bash' } })).toBe('/usr/bin/zsh');
});

test('else the login shell where it is bash, zsh or fish, else bash', () => {
  expect(findShell({ env: { PATH, SHELL: '/usr/bin/zsh' } })).toBe('/usr/bin/zsh');
  for (const SHELL of ['/bin/tcsh', '/usr/local/bin/aish', 'bash', '', '/gone/bash']) {
    expect(findShell({ env: { PATH, SHELL } })).toBe('/bin/bash');
  }
});

test('a shell that aish does not support is refused by name', () => {
  expect(() => findShell({ program: '/bin/tcsh', env: { PATH } })).toThrow(/"\/bin\/tcsh", only bash, zsh and fish/);
  expect(() => findShell({ program: '/gone/bash', env: { PATH } })).toThrow(/does not exist or is not executable/);
});

test('kinds are told by name', () => {
  const names = ['/bin/bash', '-zsh', 'bash-5.2', 'zsh-5.9', 'rbash', 'fish', '-fish', 'fish-4', 'rfish', 'sh', 'aish'];
  expect(names.map(toShellKind)).toEqual([
    'bash',
    'zsh',
    'bash',
    'zsh',
    'bash',
    'fish',
    'fish',
    'fish',
    null,
    null,
    null,
  ]);
});
