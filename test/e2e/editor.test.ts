import { expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';

setDefaultTimeout(120_000);

test('[prompt.fold] a long paste stands as one piece, is shown by Tab, and runs whole', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'echo ready');
  terminal.paste(`${Array.from({ length: 20 }, (_, at) => `echo ${at} >>out`).join('\n')}\n`);
  const folded = await terminal.waitFor('[pasted 20 lines]', PATIENCE);
  terminal.press('tab');
  await terminal.waitFor('> echo 19 >>out', PATIENCE);
  terminal.press('enter');
  await prompted(terminal);
  expect(folded).not.toContain('echo 19');
  expect(readFileSync(join(home.work, 'out'), 'utf8').trim().split('\n').length).toBe(20);
});

test('[prompt.external] the line goes to the editor and comes back, and runs only with Enter', async () => {
  using home = new Home();
  const editor = join(home.work, 'my-editor');
  writeFileSync(editor, `#!/bin/sh\nprintf 'in the editor: '; read -r word\necho "echo $word > out" > "$1"\n`);
  chmodSync(editor, 0o755);
  await using terminal = home.open([], { env: { ...home.env, EDITOR: editor } });
  await prompted(terminal);
  terminal.type('ls');
  terminal.press('ctrl-x');
  terminal.press('ctrl-e');
  await terminal.waitFor('in the editor:', PATIENCE);
  terminal.type('written\n');
  await terminal.waitFor('$ echo written > out', PATIENCE);
  expect(() => readFileSync(join(home.work, 'out'))).toThrow();
  terminal.press('enter');
  await prompted(terminal);
  expect(readFileSync(join(home.work, 'out'), 'utf8')).toBe('written\n');
});

test("[prompt.vi] vi's keys change the line, and the cursor's shape is given back", async () => {
  using home = new Home();
  home.configure('[ui]\nkeys = "vi"\n');
  await using terminal = home.open();
  await runLine(terminal, 'echo ready');
  terminal.type('echo one two');
  await terminal.waitFor('$ echo one two', PATIENCE);
  terminal.press('escape');
  await terminal.waitForRaw('\x1b[2 q', PATIENCE);
  terminal.type('bbcwthree');
  await terminal.waitFor('$ echo three two', PATIENCE);
  terminal.press('enter');
  const screen = await prompted(terminal);
  terminal.press('ctrl-d');
  await terminal.ended();
  expect(screen).toContain('\nthree two\n');
  expect(terminal.rawText().lastIndexOf('\x1b[0 q')).toBeGreaterThan(terminal.rawText().lastIndexOf('\x1b[6 q'));
});
