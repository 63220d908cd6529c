import { expect, test } from 'bun:test';
import { cpuTimeOf } from '../../../test/support/cpu-time.ts';
import { mayDifferInFish } from './fish-line.ts';

test.each([
  'ls',
  'ls -la src',
  "grep -rn 'a b' src | head -5",
  'git status && git log --oneline -n 3',
  'cat a.txt; echo "two words"',
  'rm -rf build',
  'npm test > out.txt 2>&1',
  'ls ~/src *.ts',
  'false || echo no',
  'wc -l < a.txt',
])('fish reads %p as bash does', (line) => {
  expect(mayDifferInFish(line)).toBe(false);
});

test.each([
  'echo $HOME',
  'echo $(ls)',
  'echo (rm a)',
  'echo `rm a`',
  'X=1 ls',
  'X=1',
  'set x 1',
  'test a = b',
  'for i in a; do rm $i; done',
  'if true; rm a; end',
  'begin; rm a; end',
  'ls **',
  'echo {a,b}',
  'echo a # rm',
  'echo "a$(rm b)"',
  "echo 'it\\'; rm a'",
  'echo \\',
  'rm a?',
  'rm [ab]',
  'sleep 9 &',
  'echo a\nrm b',
  'eval rm a',
  'and rm a',
  'not rm a',
  "'r'm a",
  '*/x',
  'cat <(rm a)',
  'cat <<E\na\nE',
  'echo %self',
  'echo a ^b',
  '! rm a',
  'ls >| a',
  'ls &> a',
  '',
])('%p may differ', (line) => {
  expect(mayDifferInFish(line)).toBe(true);
});

test('a long line that matches to its last letter takes no time', () => {
  const lines = [`${'a '.repeat(900)}$`, `${'a*'.repeat(900)}$`, `${"'a'".repeat(600)}$`, `${'a|'.repeat(900)}$`];
  let differing: readonly string[] = [];
  const taken = cpuTimeOf(() => {
    differing = lines.filter(mayDifferInFish);
  });
  expect(differing).toEqual(lines);
  expect(taken).toBeLessThan(500);
});
