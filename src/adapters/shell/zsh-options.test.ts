import { expect, test } from 'bun:test';
import { openTestShell } from '../../../test/support/test-shell.ts';

test('a blank before a line keeps it out of the history of zsh from the moment the person chooses so, and as long', async () => {
  await using t = openTestShell('zsh');
  for (const line of ['setopt hist_ignore_space', ' echo secret', 'unsetopt hist_ignore_space', ' echo known'])
    await t.run(line);
  expect((await t.run('fc -l 1')).output.match(/echo \w+/g)).toEqual(['echo known']);
  expect((await t.run('[[ -o hist_ignore_space ]]; echo $?')).output).toBe('1\n');
});

test('where zsh exports everything that is set, nothing of ours is exported', async () => {
  await using t = openTestShell('zsh');
  await t.run('set -a');
  await t.run('OWN=1');
  const { output } = await t.run('env');
  expect(output.match(/^(?:__aish_.*|PS1|RPS1|OWN)=/gm)).toEqual(['OWN=']);
});
