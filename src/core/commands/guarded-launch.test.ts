import { expect, test } from 'bun:test';
import { toGuardedLaunch } from './guarded-launch.ts';

test.each([
  ['npx -y notes .', '--prefix /home/ann -y notes .', {}],
  ['/usr/bin/npx notes', '--prefix /home/ann notes', {}],
  ['npm exec notes', '--prefix /home/ann exec notes', {}],
  ['npm run notes', 'run notes', {}],
  ['bun /opt/notes.ts', '--config=/dev/null /opt/notes.ts', {}],
  ['bun x notes', 'x notes', {}],
  ['python3.12 -u -m notes', '-u -m notes', { PYTHONSAFEPATH: '1' }],
  ['python3 /opt/notes.py -m', '/opt/notes.py -m', {}],
  ['notes npx', 'npx', {}],
])('%s', (line, args, env) => {
  const [command = '', ...words] = line.split(' ');
  const surroundings = { home: '/home/ann', path: '.:/usr/bin::node_modules/.bin:/bin' };
  expect(toGuardedLaunch(command, words, surroundings)).toEqual({
    args: args.split(' '),
    env: { PATH: '/usr/bin:/bin', ...env },
  });
});
