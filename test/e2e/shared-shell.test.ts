import { expect, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';

const ending = calls({ name: 'aish__exec', arguments: { command: 'exit 3' } });

test('[shell.state] a shell that a command of the model ended is started again, and the next line is a command', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [ending, text('It ended.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await prompted(terminal);
  await ask(terminal, 'please end it');
  await asked(terminal, 'aish.exec');
  await answer(terminal, 'y');
  await answered(terminal, 'It ended.');
  await terminal.waitFor('a new shell starts');
  await runLine(terminal, 'echo he"re I a"m');
  await terminal.waitFor('here I am');
  expect(server.requests.length).toBe(2);
}, 60_000);

test('[shell.state] a new session goes on in the same shell', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  await runLine(terminal, 'export KEPT=yes; cd /');
  terminal.type(':new\n');
  await terminal.waitFor('Started a new session.');
  await runLine(terminal, 'echo "kept: $KEPT in $PWD"');
  await terminal.waitFor('kept: yes in /');
}, 60_000);

test('[history.kept] rules of history that the live shell is told hold from the next prompt on', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  await runLine(terminal, "HISTIGNORE='echo hid*'");
  await runLine(terminal, 'echo hid-$((40+2))');
  await runLine(terminal, 'echo told-$((40+2))');
  terminal.type(':history\n');
  const screen = await terminal.waitFor(/:history\n[^$]*HISTIGNORE[\s\S]*echo told/, PATIENCE);
  expect(screen.slice(screen.indexOf(':history'))).not.toContain('hid-');
}, 60_000);
