import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStartupKeys } from './startup-keys.ts';

test('bash itself reads the file of readline, and repeats what the startup files called bind with', async () => {
  const home = mkdtempSync(join(tmpdir(), 'keys-test-'));
  const write = (name: string, text: string): void => writeFileSync(join(home, name), text);
  const call = (...words: readonly string[]): string =>
    [String(words.length), ...words].map((word) => `${word}\0`).join('');
  write('more', '"\\C-n": history-search-forward\n');
  write(
    '.inputrc',
    '$include ~/more\nset editing-mode vi\n$if Bash\nControl-u: kill-whole-line\n$else\n"\\C-b": abort\n$endif\n',
  );
  write(
    'keys',
    call('"\\eg": " git status\\n"') + call('-x', '"\\C-t": my-widget --all') + call('-r', '\\C-n') + call('-p'),
  );
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm' };
  const { isVi, bindings } = await readStartupKeys({
    program: Bun.which('bash') ?? '',
    exportsFile: join(home, 'exports'),
    env,
  });
  rmSync(home, { recursive: true });
  expect([
    isVi,
    ...bindings.map(({ sequence, to }) => [sequence, 'text' in to ? to.text : `${to.type} ${to.name}`]),
  ]).toEqual([true, ['\x15', 'function kill-whole-line'], ['\x1bg', ' git status\n'], ['\x14', 'command my-widget']]);
});
