import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answered, ask } from '../support/conversation.ts';
import { makeFakeSudo } from '../support/fake-sudo.ts';
import { startModelServer, text } from '../support/model-server.ts';
import { openTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

/** The marks of OSC 133 in their order. A prompt that is drawn once more, or whose mark is, marks itself once more. */
function marksOf(raw: string): string {
  const marks = [...raw.matchAll(/\x1b\]133;([A-D](?:;\d+)?)\x07/g)].map(([, mark]) => mark);
  return marks
    .join(' ')
    .replace(/B(?: B)+/g, 'B')
    .replace(/A B(?: A B)+/g, 'A B');
}

for (const [signal, status] of [
  ['SIGUSR1', 138],
  ['SIGUSR2', 140],
  ['SIGALRM', 142],
  ['SIGABRT', 134],
] as const) {
  test(`[prompt.modes] ${signal} ends aish in order and gives the terminal back`, async () => {
    using home = new Home();
    await using terminal = openTerminal({
      command: '/bin/bash',
      args: ['--norc', '--noprofile', '--noediting', '-i'],
      cwd: home.work,
      columns: 100,
      env: { ...home.env, PS1: 'outer$ ' },
    });
    await terminal.waitFor('outer$', PATIENCE);
    terminal.type(`stty -a >before; ${AISH}; echo "left with $?"; stty -a >after; echo com''pared\n`);
    const pid = /\npid (\d+)\n/.exec(await runLine(terminal, 'echo pid $AISH'))?.[1];
    process.kill(Number(pid), signal);
    expect(await terminal.waitFor('compared', PATIENCE)).toContain(`left with ${status}`);
    expect(readFileSync(join(home.work, 'after'), 'utf8')).toBe(readFileSync(join(home.work, 'before'), 'utf8'));
    const raw = terminal.rawText();
    for (const mode of ['2004', '1004']) {
      expect(raw.lastIndexOf(`\x1b[?${mode}l`)).toBeGreaterThan(raw.lastIndexOf(`\x1b[?${mode}h`));
    }
  });
}

test('[prompt.modes] signals that say nothing to a shell do nothing', async () => {
  using home = new Home();
  await using terminal = home.open();
  const pid = Number(/\npid (\d+)\n/.exec(await runLine(terminal, 'echo pid $AISH'))?.[1]);
  for (const signal of ['SIGPIPE', 'SIGQUIT', 'SIGINT', 'SIGXFSZ'] as const) process.kill(pid, signal);
  expect(await runLine(terminal, 'echo alive-$((1+1))')).toContain('\nalive-2\n');
});

test('[prompt.marks] a prompt, the line behind it, its output and its end are marked in this order', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('Words.')] });
  home.useModel(server.url);
  await using terminal = home.open([], { columns: 200 });
  await runLine(terminal, 'false');
  await runLine(terminal, 'echo out');
  await ask(terminal, 'say words');
  await answered(terminal, 'Words.');
  await terminal.waitForRaw(/\x1b\]133;D\x07[\s\S]*\x1b\]133;B/, PATIENCE);
  const raw = terminal.rawText();
  expect(marksOf(raw)).toBe('A B C D;1 A B C D;0 A B C D A B');
  expect(raw).toMatch(/\x1b\]133;C\x07out\r\n\x1b\]133;D;0\x07/);
});

test('[prompt.dumb] a dumb terminal gets letters, line ends and backspaces only', async () => {
  using home = new Home();
  await using terminal = home.open([], { env: { TERM: 'dumb' } });
  await prompted(terminal);
  terminal.type('echo abx');
  terminal.press('backspace');
  terminal.type('c');
  await terminal.waitFor(/echo abc$/, PATIENCE);
  terminal.press('enter');
  await terminal.waitFor(/\nabc\n[\s\S]*>$/, PATIENCE);
  terminal.press('ctrl-d');
  expect(await terminal.ended()).toBe(0);
  const sequences = terminal.rawText().match(/\x1b[^a-zA-Z\\]*[a-zA-Z\\]/g);
  expect(sequences).toEqual(null);
});

test('[prompt.secret] the notice that a program reads in secret goes with the next output', async () => {
  using home = new Home();
  const bin = makeFakeSudo(home);
  await using terminal = home.open([], { env: { PATH: `${bin}:${home.env.PATH}` } });
  await prompted(terminal);
  terminal.type('sudo\n');
  await terminal.waitFor(/password for tester: {3}\[hidden input for sudo, not recorded\]/, PATIENCE);
  terminal.type('hunter2\n');
  const screen = await terminal.waitFor(/got 7\n[\s\S]*>$/, PATIENCE);
  expect(screen).not.toContain('not recorded');
  expect(screen).toMatch(/\n\[sudo\] password for tester: ?\ngot 7\n/);
});

test('[prompt.secret] the notice is gone when the command ends without another word', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type('read -s word\n');
  await terminal.waitFor('[hidden input for bash, not recorded]', PATIENCE);
  terminal.type('hunter2\n');
  const screen = await terminal.waitFor(/read -s word\n[\s\S]*> ?$/, PATIENCE);
  expect(screen).not.toContain('not recorded');
});
