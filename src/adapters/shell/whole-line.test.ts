import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../../../test/support/programs.ts';
import { WholeLines } from './whole-line.ts';

const ask = (program: string, line: string) => openLines(program).isWhole(line);
const openLines = (program: string) => new WholeLines({ program, env: { PATH: process.env.PATH } });

test.each([
  'hello() { echo "hi $1" }',
  'for i in 1 2 3; echo $i',
  '{ a } always { b }',
  'for f (*.txt) cat $f',
  'if [[ -f x ]] { cat x }',
  'make &|',
])('zsh finds %p complete, and bash does not', async (line) => {
  expect([await ask('zsh', line), await ask('bash', line)]).toEqual([true, false]);
});

test('a simple command of one shell may be another one of the other', async () => {
  expect([await ask('zsh', 'repeat 3 echo hi'), await ask('bash', 'repeat 3 echo hi')]).toEqual([true, true]);
});

test.each([
  'for i in 1 2; do',
  'for f in a b',
  'while true',
  'until false',
  'select x in a b',
  'if true',
  'echo "x',
  'ls |',
  '{ echo',
])('no shell finds %p complete', async (line) => {
  expect([await ask('zsh', line), await ask('bash', line)]).toEqual([false, false]);
});

test('what is read is not run', async () => {
  const root = mkdtempSync(join(tmpdir(), 'whole-line-'));
  try {
    for (const program of ['zsh', 'bash']) {
      expect(await ask(program, `touch ${root}/a; echo $(touch ${root}/b) \`touch ${root}/c\``)).toBe(true);
    }
    expect(['a', 'b', 'c'].filter((name) => existsSync(join(root, name)))).toEqual([]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test.each(['bash', 'zsh'])(
  'a parser of %s that waits gives the same answers, and parses one line only',
  async (program) => {
    const lines = openLines(program);
    try {
      for (const line of ['echo "x', 'echo one', 'for i in 1 2; do', 'case x in x) echo;; esac']) {
        lines.prepare();
        expect([line, await lines.isWhole(line)]).toEqual([line, await ask(program, line)]);
      }
      lines.prepare();
      lines.close();
      expect(await lines.isWhole('echo one')).toBe(true);
    } finally {
      lines.close();
    }
  },
);

test.skipIf(!hasProgram('fish')).each([
  ['echo one', true],
  ['for i in 1 2', false],
  ['echo (ls', false],
  ['echo "x', false],
  // fish says what is wrong with these.
  ['cat <<EOF', true],
  ['ls | | wc', true],
])('fish finds %p whole: %p', async (line, isWhole) => {
  expect(await ask('fish', line)).toBe(isWhole);
});
