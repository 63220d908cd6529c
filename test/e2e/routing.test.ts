import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine, tell } from '../support/at-prompt.ts';
import { pause } from '../support/conversation.ts';
import { startModelServer, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';

const SHELLS = ['bash', 'zsh'] as const;

function open(home: Home, program: string): TestTerminal {
  return home.open([], { columns: 140, env: { SHELL: `/bin/${program}` } });
}

/** Types a line and settles with its mark, once nothing may change it any more; then takes the line away. */
async function markOf(terminal: TestTerminal, line: string, mark: '$' | '?' | ':'): Promise<void> {
  await prompted(terminal);
  terminal.type(line);
  await terminal.waitFor((screen) => screen.endsWith(`${mark} ${line}`), PATIENCE);
  terminal.press('ctrl-u');
  await prompted(terminal);
}

/** Types a line and enters it once its mark shows that it is a message. */
async function enter(terminal: TestTerminal, line: string): Promise<void> {
  await prompted(terminal);
  terminal.type(line);
  await terminal.waitFor((screen) => screen.endsWith(`? ${line}`), PATIENCE);
  terminal.press('enter');
}

describe.each(SHELLS)('%s', (program) => {
  test('[prompt.route] operands that exist make a command: files, branches, tags, targets, scripts, hosts', async () => {
    using home = new Home();
    await using server = await startModelServer();
    home.useModel(server.url);
    home.git('branch', 'older');
    home.git('tag', 'latest');
    writeFileSync(join(home.work, 'Makefile'), 'love:\n\techo made\n');
    writeFileSync(join(home.work, 'package.json'), '{"scripts":{"tidy everything":"x","tidy":"x"}}');
    writeFileSync(join(home.work, 'it'), '');
    mkdirSync(join(home.home, '.ssh'));
    writeFileSync(join(home.home, '.ssh', 'config'), 'Host home\n');
    await using terminal = open(home, program);
    for (const line of ['git merge older', 'git show latest', 'make love', 'npm run tidy', 'rm it', 'ssh home uptime'])
      await markOf(terminal, line, '$');
    for (const line of ['git merge newer', 'make coffee', 'rm them', 'git merge older keeps failing, why'])
      await markOf(terminal, line, '?');
    await tell(
      terminal,
      ':route git merge older',
      '`older` is a branch or tag of this repository, so the line goes to your shell.',
    );
    await tell(terminal, ':route git merge older keeps failing', '`keeps` makes the line read like a sentence, so');
  });

  test("[prompt.route] a mistake in the syntax is the shell's to report, with its status", async () => {
    using home = new Home();
    await using server = await startModelServer();
    home.useModel(server.url);
    await using terminal = open(home, program);
    for (const line of ['ls >', 'ls | | wc', 'echo )']) {
      const screen = await runLine(terminal, line);
      expect(screen).toMatch(/(?:syntax error|parse error) near [^\n]*\n\[[12]\] [^\n]* >$/);
    }
  });

  test('[prompt.route] a pasted prompt of a documentation is taken off', async () => {
    using home = new Home();
    await using terminal = open(home, program);
    expect(await runLine(terminal, '$ echo once more')).toContain('$ $ echo once more\nonce more\n');
  });

  test('[prompt.choice] a line that was forced goes there without its mark, in the next session too, until it is deleted', async () => {
    using home = new Home();
    await using server = await startModelServer({ script: [text('fine')] });
    home.useModel(server.url);
    {
      await using terminal = open(home, program);
      await markOf(terminal, 'git tag newest', '?');
      await runLine(terminal, '!git tag newest');
      await markOf(terminal, 'git tag newest', '$');
      await markOf(terminal, 'git tag current', '$');
      expect(home.git('tag')).toBe('newest');
      await enter(terminal, '?cat header body');
      await terminal.waitFor('fine', PATIENCE);
      await markOf(terminal, 'cat header body', '?');
    }
    // A tag that is there would make the line a command by itself.
    home.git('tag', '-d', 'newest');
    await using terminal = open(home, program);
    await markOf(terminal, 'git tag newest', '$');
    await markOf(terminal, 'cat header body', '?');
    await tell(terminal, ':route', /\d+ .*!git tag newest\n.*\n?.*\?cat header body\n/);
    await tell(terminal, ':history delete git tag newest', /deleted|removed/i);
    await markOf(terminal, 'git tag newest', '?');
  });

  test('[prompt.doubt] a doubtful line that would change something waits for Enter or Tab', async () => {
    using home = new Home();
    await using server = await startModelServer({ script: [text('about that')] });
    home.useModel(server.url);
    await using terminal = open(home, program);
    await markOf(terminal, 'git tag newest', '?');
    // The second Enter is typed before anybody can have seen the question.
    await enter(terminal, 'git tag newest');
    terminal.press('enter');
    const asked = 'This may be a command or a message. Enter runs it, Tab asks the model.';
    await terminal.waitFor((screen) => screen.includes(asked) && screen.endsWith('? git tag newest'), PATIENCE);
    expect([home.git('tag'), server.requests.length]).toEqual(['', 0]);
    await pause(terminal);
    terminal.press('tab');
    await terminal.waitFor(/\? \?git tag newest\n(?:.*\n)*?about that/, PATIENCE);
    expect([home.git('tag'), server.requests.length]).toEqual(['', 1]);
    await prompted(terminal);
    await enter(terminal, 'git tag current');
    await terminal.waitFor(
      (screen) => screen.split(asked).length === 3 && screen.endsWith('? git tag current'),
      PATIENCE,
    );
    await pause(terminal);
    terminal.press('enter');
    await terminal.waitFor('$ !git tag current', PATIENCE);
    await prompted(terminal);
    expect(home.git('tag')).toBe('current');
    await markOf(terminal, 'git tag current', '$');
  });

  test('[prompt.doubt] without a model, and with doubt = "shell", the shell runs it', async () => {
    using home = new Home();
    home.configure('');
    await using terminal = open(home, program);
    await runLine(terminal, 'git tag newest');
    expect(home.git('tag')).toBe('newest');
    await using server = await startModelServer();
    home.useModel(server.url, '[shell]\ndoubt = "shell"');
    await using other = open(home, program);
    await runLine(other, 'git tag current');
    expect(home.git('tag')).toBe('current\nnewest');
    await markOf(other, 'rm the old builds', '?');
  });

  test('[prompt.route] gti: Tab runs the line that was meant, or shows it first if it takes something away', async () => {
    using home = new Home();
    await using terminal = open(home, program);
    await runLine(terminal, 'gti status --short');
    await terminal.waitForHistory('Did you mean git status --short?', PATIENCE);
    await prompted(terminal);
    await pause(terminal);
    terminal.press('tab');
    await terminal.waitForHistory(/\$ git status --short\n/, PATIENCE);
    await prompted(terminal);
    await runLine(terminal, 'gti clean -fdx');
    await terminal.waitForHistory('Did you mean git clean -fdx?', PATIENCE);
    await prompted(terminal);
    terminal.press('tab');
    await terminal.waitFor(/\$ git clean -fdx$/, PATIENCE);
  });

  test('[prompt.route] the null command of the shell is typed with a mark, and says so', async () => {
    using home = new Home();
    await using terminal = open(home, program);
    await tell(terminal, ': ${X:=3}', '!: ${X:=3}');
    await tell(terminal, ': > made', '!: > made');
    expect(existsSync(join(home.work, 'made'))).toBe(false);
    await runLine(terminal, '!: > made');
    expect(existsSync(join(home.work, 'made'))).toBe(true);
  });
});
