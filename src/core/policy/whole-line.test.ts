import { expect, test } from 'bun:test';
import { mayDifferInZsh } from './whole-line.ts';

test.each([
  "ls *(e:'touch made':)",
  'ls **/*(.)',
  'cat =(ls)',
  'cat =ls',
  'echo ${(e)x}',
  'ls ~[x]',
  'echo x >! file',
  'sleep 1 &!',
  'repeat 3 ls',
  'ls <1-9>',
  'echo $~x',
  'ls [a-z](/)',
])('zsh may understand %s otherwise', (line) => {
  expect(mayDifferInZsh(line)).toBe(true);
});

test.each([
  'git log -3',
  'git log --format=%s | head -5',
  'echo $(date) && ls -la',
  'echo $((1 + 2))',
  'diff <(ls a) <(ls b)',
  '(cd src; ls)',
  'npm run build 2>/dev/null',
  'grep -rn "a b" src',
])('zsh understands %s as bash does', (line) => {
  expect(mayDifferInZsh(line)).toBe(false);
});
