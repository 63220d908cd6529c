import { expect, test } from 'bun:test';
import { classifyLine } from '../policy/classify-line.ts';
import { SEARCHES_ALL } from './messages.ts';
import type { Layer } from './sandbox-plan.ts';
import { whyNotShown } from './sandboxed-line.ts';

const PLACE = { cwd: '/home/ann/shop', project: '/home/ann/shop', home: '/home/ann', own: [] };
const LAYERS: readonly Layer[] = [
  { path: '/', kind: 'empty' },
  { path: '/etc', kind: 'shown' },
  { path: '/usr', kind: 'shown' },
  { path: '/home/ann/.cargo/bin', kind: 'shown' },
  { path: '/home/ann/shop', kind: 'shown' },
];
const THERE = /^\/(?:$|etc|usr|srv$|home(?:$|\/ann(?:$|\/(?:\.cargo|shop|other|notes\.txt))))/;

function why(line: string): string | null {
  return whyNotShown(classifyLine(line, PLACE), PLACE, { layers: LAYERS, exists: (path) => THERE.test(path) });
}

test.each([
  ...['ls', 'cat a/b', 'cat /etc/hosts', 'ls ~/.cargo/bin', 'cat ~/shop/a', 'ls /home/ann/shop', 'cd src && ls ..'],
  ...['grep -rn "../lib/x" src', "awk -F/ '{print $1}' a", 'cat ~/missing', 'echo a | cut -d/ -f1'],
  ...['sed -n 1,5p a', 'cat $HOME/shop/a', 'head -c 9 ../shop/a'],
])('%s finds in the sandbox what it names', (line) => expect(why(line)).toBeNull());

test.each([
  ...['ls ~', 'cat ~/notes.txt', 'cat $HOME/notes.txt', 'cat "${HOME}"/notes.txt', 'ls ..', 'cat < ../notes.txt', 'ls /srv'],
  ...['grep -rn x ~/other', 'find ~/other -name "*.ts"', 'cat ~/other/*', 'wc --files0-from=/home/ann/notes.txt'],
  ...['cat /home/ann/other/a', 'diff a ../other/a', 'cd src && cat ../../notes.txt', 'ls | xargs cat ~/notes.txt'],
])('%s does not', (line) => expect(why(line)).toMatch(/^the command reads \/\S+, which the sandbox does not show$/));

test('a walk through all there is would miss most of it', () => {
  expect(why('find / -name x')).toBe(SEARCHES_ALL);
});
