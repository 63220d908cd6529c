import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStartupKeys } from './startup-keys.ts';

const call = (...words: readonly string[]): string =>
  [String(words.length), ...words].map((word) => `${word}\0`).join('');

test('bash itself reads the file of readline, and repeats what the startup files called bind with', async () => {
  const home = mkdtempSync(join(tmpdir(), 'keys-test-'));
  const write = (name: string, text: string): void => writeFileSync(join(home, name), text);
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

/** The sequences that count as the user's, after these calls of `bind`. */
async function sequencesAfter(
  calls: string,
  extra: (home: string) => Record<string, string> = () => ({}),
): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), 'keys-test-'));
  writeFileSync(join(home, 'keys'), calls);
  // Without this file, bash takes the one of the system.
  writeFileSync(join(home, '.inputrc'), '');
  writeFileSync(join(home, 'script'), 'echo > "$HOME/ran"\n');
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm', ...extra(home) };
  const { bindings } = await readStartupKeys({
    program: Bun.which('bash') ?? '',
    exportsFile: join(home, 'exports'),
    env,
  });
  const hasRun = existsSync(join(home, 'ran'));
  rmSync(home, { recursive: true });
  return [hasRun, ...bindings.map(({ sequence }) => sequence)];
}

test('bash takes neither a script nor functions from the environment', async () => {
  const calls = call('"\\C-t": kill-line');
  expect([
    await sequencesAfter(calls, (home) => ({ BASH_ENV: join(home, 'script') })),
    await sequencesAfter(calls, () => ({ 'BASH_FUNC_bind%%': '() { echo > "$HOME/ran"; }' })),
  ]).toEqual([
    [false, '\x14'],
    [false, '\x14'],
  ]);
});

test('a keymap or convert-meta that a startup file sets makes no default a key of the user', async () => {
  const own = call('"\\C-t": kill-line');
  for (const setting of ['keymap vi-command', 'convert-meta on', 'convert-meta off']) {
    for (const LC_ALL of ['C', 'C.UTF-8']) {
      expect(await sequencesAfter(own + call(`set ${setting}`), () => ({ LC_ALL }))).toEqual([false, '\x14']);
    }
  }
  const inVi = call('set editing-mode vi') + own + call('set keymap vi-command') + call('"gg": beginning-of-history');
  expect(await sequencesAfter(inVi)).toEqual([false, '\x14']);
});
