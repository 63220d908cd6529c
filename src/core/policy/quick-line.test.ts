import { expect, test } from 'bun:test';
import { cpuTimeOf } from '../../../test/support/cpu-time.ts';
import { specNames } from '../commands/programs/find-program.ts';
import { classifyLine, isQuickLine } from './classify-line.ts';

const place = { cwd: '/home/ada/site', home: '/home/ada', project: '/home/ada/site' };
/** A freeze takes seconds or has no end; a usual line takes less than a millisecond. */
const MOST_MS = 500;

test.each([
  'ls -la src',
  'git log --oneline -5 -- src/main.ts',
  'cat package.json | head -20',
  'grep -rn "needle in hay" src --include=*.ts',
  'cd src && npm test 2>/dev/null',
])('%s is short and plain', (line) => {
  expect(isQuickLine(line)).toBe(true);
});

test.each([
  'echo $(date)',
  'echo `date`',
  'f() { f | f; }',
  'cat <<END',
  'echo {a,b}',
  'ls [a-z]',
  'ls\nls',
  'ls a\\ b',
  'sudo ssh -x ssh -x ssh -x ssh -x ssh -x ssh -x ssh',
  `echo ${'a'.repeat(100)}`,
  'a;b;c;d;e;f;g;h;i;j;k;l;m',
  '"'.repeat(30),
])('%s is not', (line) => {
  expect(isQuickLine(line)).toBe(false);
});

/** Repeats a pump between two texts as long as the line is quick. */
function fill(before: string, pump: string, after = ''): string {
  let line = before + pump + after;
  for (let count = 2; isQuickLine(before + pump.repeat(count) + after); count += 1) line = before + pump.repeat(count) + after;
  return line;
}

/** Lines of one program that are as bad as such a line can be. */
function worstOf(name: string): readonly string[] {
  return [fill('xargs ', `${name} `), fill(`${name} -c "`, 'a ', '!x"'), fill('', `${name} -x;`)];
}

test('no such line takes long, whatever its program is', () => {
  const isSlow = (line: string) => cpuTimeOf(() => classifyLine(line, place)) > MOST_MS;
  // A collection of garbage is no fault of the line that it falls on.
  const slow = [...specNames()].flatMap(worstOf).filter((line) => isSlow(line) && isSlow(line));
  expect(slow).toEqual([]);
}, 60_000);
