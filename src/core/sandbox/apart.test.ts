import { describe, expect, test } from 'bun:test';
import { judgeLine } from '../gate/judge-line.ts';
import { whyNotApart } from './apart.ts';

const PLACE = { cwd: '/home/ann/project', project: '/home/ann/project', home: '/home/ann', own: [] };
const why = (text: string, place = PLACE) => whyNotApart(text, judgeLine(text, place), place);

describe('comes to the same apart from the shell', () => {
  test.each([
    'git status',
    'ls -la src | head -5',
    'cd src && ls',
    'cat $HOME/project/a 2>/dev/null',
    'for f in *.ts; do wc -l "$f"; done',
    'x=1; echo $x',
    "awk '{print $NF}' a.txt",
    'cat /home/ann/project/tmp/a',
    'read -r a b < x; echo $b',
    'echo $?',
    'env LC_ALL=C ls',
    'grep -rn id src',
    'echo free users',
    'tail -n 5 a.txt',
    'timeout 5 tail -f a.txt',
    'yes | head -3',
    'ls ../other',
    'whoami',
  ])('%s', (text) => expect(why(text)).toBeNull());
});

describe('does not', () => {
  test.each([
    ['cd src', 'it reads or changes the shell itself'],
    ['alias', 'it reads or changes the shell itself'],
    ['jobs; ls', 'it reads or changes the shell itself'],
    ['x=1', 'it changes nothing but the shell itself'],
    ['ps aux', 'it asks about the machine, of which a sandbox shows another'],
    ['command ps', 'it asks about the machine, of which a sandbox shows another'],
    ['ls | xargs df', 'it asks about the machine, of which a sandbox shows another'],
    ['ls /tmp', 'it looks into folders that a sandbox has of its own'],
    ['cat /proc/1/status', 'it looks into folders that a sandbox has of its own'],
    ['echo $draft', 'it uses the variable draft of the shell'],
    [`echo "\${draft:-}"`, 'it uses the variable draft of the shell'],
    ['echo $(echo $draft)', 'it uses the variable draft of the shell'],
    ['tail -f a.txt', 'tail goes on until it is stopped'],
    ['tail -n3 -F a.txt | grep x', 'tail goes on until it is stopped'],
    ['watch ls', 'watch goes on until it is stopped'],
    ['yes', 'yes goes on until it is stopped'],
    ['yes | cat', 'yes goes on until it is stopped'],
    ['sleep infinity', 'sleep goes on until it is stopped'],
    ['echo $$', 'it uses the variable $ of the shell'],
  ])('%s', (text, because) => expect(why(text)).toBe(because));

  test('what looks beyond a project among temporary files', () => {
    const place = { ...PLACE, cwd: '/tmp/p', project: '/tmp/p' };
    expect([why('ls ..', place), why('ls', place)]).toEqual([
      'it looks beyond the project, where a sandbox has folders of its own',
      null,
    ]);
  });
});
