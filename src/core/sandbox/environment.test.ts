import { expect, test } from 'bun:test';
import { scrubEnvironment } from './environment.ts';

const ALWAYS = {
  TMPDIR: '/tmp',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
};

test('names that are known to be harmless go in as they are', () => {
  const env = { PATH: '/bin', HOME: '/home/ann', LC_ALL: 'C', LANG: 'C.UTF-8', NO_COLOR: '1' };
  expect(scrubEnvironment(env)).toEqual({ ...env, ...ALWAYS });
});

test('what loads code, steers git or holds a secret stays outside', () => {
  const env = {
    ...{ BASH_ENV: '/x', ENV: '/x', LD_PRELOAD: '/x.so', GIT_SSH_COMMAND: 'x', NODE_OPTIONS: '-r x', PYTHONPATH: '/x' },
    ...{ PERL5LIB: '/x', PROMPT_COMMAND: 'x', SSH_AUTH_SOCK: '/x', DBUS_SESSION_BUS_ADDRESS: 'x', DISPLAY: ':0' },
    ...{
      WAYLAND_DISPLAY: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      OPENAI_API_KEY: 'x',
      LC_TOKEN: 'x',
      'BASH_FUNC_ls%%': '() { x; }',
    },
  };
  expect(scrubEnvironment(env)).toEqual(ALWAYS);
});

test('a function in a harmless name stays outside', () => {
  expect(scrubEnvironment({ TERM: '() { :;}; x' })).toEqual(ALWAYS);
});

test('where the caller pages or keeps temporary files does not count', () => {
  expect(scrubEnvironment({ PAGER: 'evil', GIT_PAGER: 'evil', TMPDIR: '/home/ann/tmp' })).toEqual(ALWAYS);
});
