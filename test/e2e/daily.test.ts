import { describe, expect, test } from 'bun:test';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';

const RC = { bash: '.bashrc', zsh: '.zshrc' } as const;

function start(home: Home, program: 'bash' | 'zsh'): TestTerminal {
  return home.open([], { env: { SHELL: `/bin/${program}` } });
}

describe.each(['bash', 'zsh'] as const)('%s', (program) => {
  test('[shell.own-prompt] a prompt of two lines with colours stands before the line', async () => {
    using home = new Home();
    const ps1 = {
      bash: "PS1='\\[\\e[32m\\]at \\W st=$?\\[\\e[0m\\]\\n>> '",
      zsh: "PS1=$'%{\\e[32m%}at %1~ st=%?%{\\e[0m%}\\n>> '",
    }[program];
    writeFileSync(join(home.home, RC[program]), `${ps1}\n`);
    await using terminal = start(home, program);
    await terminal.waitFor(/at work st=0\n>> >$/, PATIENCE);
    terminal.type('(exit 3)\n');
    await terminal.waitFor(/at work st=3\n>> >$/, PATIENCE);
    expect(terminal.rawText()).toContain('\x1b[32m');
  });

  test('[shell.own-prompt] prompt = "aish" keeps ours', async () => {
    using home = new Home();
    home.configure('[ui]\nprompt = "aish"\n');
    writeFileSync(join(home.home, RC[program]), "PS1='mine> '\n");
    await using terminal = start(home, program);
    await runLine(terminal, 'echo on');
    expect(terminal.history()).not.toContain('mine>');
  });

  test('[shell.history-forms] the line that runs is shown and recorded', async () => {
    using home = new Home();
    await using terminal = start(home, program);
    await runLine(terminal, 'echo one two');
    terminal.type('echo last !$');
    await terminal.waitFor(/\$ echo last !\$$/, PATIENCE);
    terminal.press('enter');
    await terminal.waitFor('\necho last two\nlast two\n', PATIENCE);
    await prompted(terminal);
    terminal.type('^last^first\n');
    await terminal.waitFor('\necho first two\nfirst two\n', PATIENCE);
    await prompted(terminal);
    expect(isOnDisk(home.state, '"line":"echo first two"')).toBe(true);
    terminal.type('echo !nothing\n');
    await terminal.waitFor('no command begins with "nothing", so nothing ran', PATIENCE);
  });

  test('[shell.jobs] a job is counted, its output and its end are told, and leaving is held back once', async () => {
    using home = new Home();
    await using terminal = start(home, program);
    await runLine(terminal, 'mkfifo go.1 go.2; (read x < go.1; echo from the job; read y < go.2) &');
    await terminal.waitFor(/\n1 job [^\n]*>$/, PATIENCE);
    appendFileSync(join(home.work, 'go.1'), 'go\n');
    await terminal.waitFor(/\[\d\] [^\n]*:\nfrom the job\n/, PATIENCE);
    terminal.press('ctrl-d');
    await terminal.waitFor('There is 1 job: ', PATIENCE);
    appendFileSync(join(home.work, 'go.2'), 'go\n');
    await terminal.waitFor(/\[\d\] [^\n]*: done\n/, PATIENCE);
    await prompted(terminal);
    terminal.press('ctrl-d');
    expect(await terminal.ended()).toBe(0);
  });

  test('[shell.jobs] a job that was begun in several lines has one line at each place', async () => {
    using home = new Home();
    await using terminal = start(home, program);
    await runLine(terminal, 'mkfifo go.1 go.2');
    terminal.paste('for i in 1 2; do\n read x < go.$i\n echo "seen $i"\n done &');
    await terminal.waitFor(/\n> {2}done &$/, PATIENCE);
    terminal.press('enter');
    await terminal.waitFor(/\n1 job [^\n]*>$/, PATIENCE);
    const label = /\n\[\d\] for i in 1 2; do;? read x < go.\$i; echo "seen \$i"; done/.source;
    appendFileSync(join(home.work, 'go.1'), 'go\n');
    await terminal.waitFor(new RegExp(`${label}:\nseen 1\n[^\n]*>$`), PATIENCE);
    terminal.press('ctrl-d');
    await terminal.waitFor(
      /There is 1 job: for i in 1 2; do;? read x < go.\$i; echo "seen \$i"; done\b[^>]*leave[^>]*>$/,
      PATIENCE,
    );
    appendFileSync(join(home.work, 'go.2'), 'go\n');
    await terminal.waitFor(new RegExp(`\nseen 2${label}: done\n[^\n]*>$`), PATIENCE);
  });

  test('[shell.restart] a killed shell is followed by one in the same place with the same exported variables', async () => {
    using home = new Home();
    await using terminal = start(home, program);
    await runLine(terminal, 'cd /usr; export KEPT=yes');
    terminal.type('kill -9 $$\n');
    await terminal.waitFor('the shell was killed (SIGKILL); a new shell starts in /usr, with', PATIENCE);
    terminal.type('echo "[$KEPT $PWD]"\n');
    await terminal.waitFor('\n[yes /usr]\n', PATIENCE);
  });

  test('[shell.stubborn] the third Ctrl-C offers more, and the offer works', async () => {
    using home = new Home();
    writeFileSync(join(home.work, 'stubborn'), "trap '' INT\necho deaf\nwhile :; do sleep 0.05; done\n");
    await using terminal = start(home, program);
    await prompted(terminal);
    terminal.type('sh stubborn\n');
    await terminal.waitFor('\ndeaf', PATIENCE);
    for (let count = 0; count < 3; count++) terminal.press('ctrl-c');
    await terminal.waitFor(/\[sh \(\d+\) still runs: for 10 s, Alt-T sends SIGTERM, Alt-K SIGKILL\]/, PATIENCE);
    terminal.press('alt-k');
    await terminal.waitFor(/\n\[SIGKILL\] [^\n]*>$/, PATIENCE);
  });

  test('[shell.unknown] Tab on the empty line makes a question of it, which Enter would send', async () => {
    using home = new Home();
    await using server = startModelServer();
    home.useModel(server.url);
    await using terminal = start(home, program);
    await prompted(terminal);
    terminal.type('./no-such-thing -x\n');
    await terminal.waitFor('Press Tab to ask the model about this command.', PATIENCE);
    await prompted(terminal);
    terminal.press('tab');
    await terminal.waitFor('? ?./no-such-thing -x', PATIENCE);
  });
});

test('[shell.two-drivers] the user answers a command of the model, and the model is told no more than that', async () => {
  using home = new Home();
  const command = 'read -rs -p "Password: " p; echo; echo "length ${#p}"; cat go; echo over';
  const exec = calls({ name: 'aish__exec', arguments: { command } });
  await using server = startModelServer({ script: [exec, text('Thanks.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await runLine(terminal, 'mkfifo go');
  await ask(terminal, 'log in');
  await asked(terminal, 'aish.exec');
  await answer(terminal, 'y');
  await terminal.waitFor('[hidden input for bash, not recorded]', PATIENCE);
  terminal.type('hunter22\n');
  await terminal.waitFor('[your keys go to cat; Ctrl-C stops it]', PATIENCE);
  appendFileSync(join(home.work, 'go'), '');
  await answered(terminal, 'Thanks.');
  const told = JSON.stringify(server.requests.at(-1)?.body);
  expect(told).toContain('the user answered a hidden prompt');
  expect(told).toContain('length 8');
  expect([told.includes('hunter22'), isOnDisk(home.root, 'hunter22'), terminal.history().includes('hunter22')]).toEqual(
    [false, false, false],
  );
});
