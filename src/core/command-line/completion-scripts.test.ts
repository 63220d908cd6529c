import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPLETION_SHELLS } from './completion-scripts.ts';

/** The completions of bash behind the word of a program, and the files that this made. The aish of $PATH prints the rows. */
function completeInBash(program: string, rows: readonly string[], current = ''): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'completion-test-'));
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'made'));
  write('aish', 'echo > made/by-path');
  write('bin/aish', `cat <<'END'\n${rows.join('\n')}\nEND`);
  const script = `${COMPLETION_SHELLS.bash.script}
COMP_WORDS=("$1" sessions show "$2") COMP_CWORD=3
_aish
for reply in "\${COMPREPLY[@]}"; do echo "$reply"; done`;
  const { stdout } = Bun.spawnSync(['bash', '--norc', '-c', script, 'bash', program, current], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
  });
  const made = readdirSync(join(folder, 'made'));
  rmSync(folder, { recursive: true });
  return [...stdout.toString().split('\n').slice(0, -1), ...made];
}

test('in bash, a path in the line is not run before Enter', () => {
  expect(completeInBash('./aish', ['one', 'two'])).toEqual(['one', 'two']);
});

test('in bash, a name is never expanded, neither now nor in the line', () => {
  const rows = ['$(echo > made/by-name)', '*', 'one two'];
  expect(completeInBash('aish', rows)).toEqual(['\\$\\(echo\\ \\>\\ made/by-name\\)', '\\*', 'one\\ two']);
});

test('in bash, only what begins with the word is offered', () => {
  expect(completeInBash('aish', ['one', 'two'], 'o')).toEqual(['one']);
  expect(completeInBash('aish', ['one', 'two'], '"o')).toEqual(['one']);
  expect(completeInBash('aish', [''])).toEqual([]);
});

test('every script asks the aish of $PATH', () => {
  for (const { script } of Object.values(COMPLETION_SHELLS)) expect(script).toMatch(/\(command aish completion \w+ --/);
});
