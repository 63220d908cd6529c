import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestShell } from '../../../test/support/test-shell.ts';

test('a blank before a line keeps it out of the history of zsh from the moment the user chooses so, and as long', async () => {
  await using t = openTestShell('zsh');
  for (const line of ['setopt hist_ignore_space', ' echo secret', 'unsetopt hist_ignore_space', ' echo known'])
    await t.run(line);
  expect((await t.run('fc -l 1')).output.match(/echo \w+/g)).toEqual(['echo known']);
  expect((await t.run('[[ -o hist_ignore_space ]]; echo $?')).output).toBe('1\n');
});

test.each(['inc_append_history', 'share_history'])(
  'with %s a line is in the history file before it runs, and once',
  async (option) => {
    const rc = `HISTFILE=$HOME/history; HISTSIZE=100; SAVEHIST=100; setopt ${option}\n`;
    await using t = openTestShell('zsh', { files: { '.zshrc': rc } });
    await t.run('echo one');
    const lines = (await t.run('cat ~/history')).output.replace(/^: \d+:\d+;/gm, '');
    expect(lines).toBe('echo one\ncat ~/history\n');
    await t.run('exit');
    expect(readFileSync(join(t.home, 'history'), 'utf8').match(/echo|cat|exit/g)).toEqual(['echo', 'cat', 'exit']);
  },
);

test('where zsh exports everything that is set, nothing of ours is exported', async () => {
  await using t = openTestShell('zsh');
  await t.run('set -a');
  await t.run('OWN=1');
  const { output } = await t.run('env');
  expect(output.match(/^(?:__aish_.*|PS1|RPS1|OWN)=/gm)).toEqual(['OWN=']);
});

test('lines that zsh reads in a way of its own run once, and end', async () => {
  await using t = openTestShell('zsh', { files: { '.zshrc': 'setopt interactive_comments\nHISTSIZE=100\n' } });
  const lines = [
    '# only a remark',
    'echo a # b',
    ';',
    'return 3',
    'echo $?',
    'echo "a!b"',
    'function x',
    'repeat 2',
    'echo c \\',
  ];
  const told = [];
  for (const line of lines) {
    const { exit, output } = await t.run(line);
    told.push([line, exit, output]);
  }
  expect(told).toEqual([
    ['# only a remark', 0, ''],
    ['echo a # b', 0, 'a\n'],
    [';', 0, ''],
    ['return 3', 3, ''],
    ['echo $?', 0, '3\n'],
    ['echo "a!b"', 0, 'a!b\n'],
    ['function x', 0, ''],
    ['repeat 2', 0, ''],
    ['echo c \\', 0, 'c\n'],
  ]);
  expect(t.troubles).toEqual([]);
});

test('our hooks are there again after a function has emptied those of the prompt', async () => {
  await using t = openTestShell('zsh');
  await t.run('empty() { precmd_functions=() }');
  await t.run('empty');
  expect((await t.run('echo on; alias; print -r -- $+functions[preexec]')).output).not.toContain('__aish');
  await t.run('disable alias unalias; set -e');
  expect((await t.run('echo on')).output).toBe('on\n');
});

test('where a function inside of another has emptied the hooks, Ctrl-C brings them back', async () => {
  await using t = openTestShell('zsh', { files: { '.zshrc': "PS1='asks> '\n" } });
  await t.run('empty() { precmd_functions=() }; outer() { empty }');
  const shown = Promise.withResolvers<void>();
  const running = t.shell.run('outer', { driver: 'user', onOutput: () => shown.resolve() });
  await shown.promise;
  t.shell.interrupt();
  expect((await running).exit).toBe(130);
  expect((await t.run('echo on')).output).toBe('on\n');
  expect(t.troubles).toEqual([]);
});

test('a trap before each command sees none of ours, at the prompt or around the command', async () => {
  await using t = openTestShell('zsh', { renderPrompt: true });
  await t.run("trap 'print D' DEBUG");
  await t.run('echo one');
  expect((await t.run('false')).output).toBe('D\n');
  await t.ready();
  expect(t.outside()).toBe('');
});
