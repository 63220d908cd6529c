import { expect, test } from 'bun:test';
import { toGuardedLaunch } from './guarded-launch.ts';

const RUN = expect.stringContaining('runpy');
const PLACE = { home: '/home/ann', path: '.:/usr/bin::node_modules/.bin:/bin' };

test.each([
  ['npx -y notes .', ['--prefix', '/home/ann', '-y', 'notes', '.']],
  ['/usr/bin/npx notes', ['--prefix', '/home/ann', 'notes']],
  ['npm exec notes', ['--prefix', '/home/ann', 'exec', 'notes']],
  ['npm run notes', ['run', 'notes']],
  ['bun /opt/notes.ts', ['--config=/dev/null', '/opt/notes.ts']],
  ['bun x notes', ['x', 'notes']],
  ['python3.12 -u -m notes -v', ['-u', '-c', RUN, 'notes', '-v']],
  ['python3 -X dev -um notes', ['-X', 'dev', '-u', '-c', RUN, 'notes']],
  ['python -mnotes', ['-c', RUN, 'notes']],
  ['python3 /opt/notes.py -m', ['/opt/notes.py', '-m']],
  ['python3 -c pass -m', ['-c', 'pass', '-m']],
  ['notes npx', ['npx']],
])('%s', (line, args) => {
  const [command = '', ...words] = line.split(' ');
  expect(toGuardedLaunch(command, words, PLACE)).toEqual({ args, env: { PATH: '/usr/bin:/bin' } });
});

test('npm is left alone where no folder holds a package', () => {
  expect(toGuardedLaunch('npx', ['notes'], { ...PLACE, home: null }).args).toEqual(['notes']);
});
