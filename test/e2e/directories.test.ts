import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine, tell } from '../support/at-prompt.ts';
import { pause } from '../support/conversation.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

const SHELLS = ['bash', 'zsh'].filter((name) => hasProgram(name));

/** A home with some directories below it. */
function furnished(startup = ''): Home {
  const home = new Home();
  for (const path of ['projects/aish/docs', 'projects/site', 'other']) {
    mkdirSync(join(home.work, path), { recursive: true });
  }
  for (const name of ['.bashrc', '.zshrc']) writeFileSync(join(home.home, name), startup);
  return home;
}

function open(home: Home, shell: string): TestTerminal {
  return home.open([], { env: { SHELL: Bun.which(shell) ?? shell } });
}

/** Presses a key at the empty prompt, and settles when the line that it entered has run. */
async function goes(terminal: TestTerminal, key: 'alt-left' | 'alt-right', line: RegExp): Promise<void> {
  await prompted(terminal);
  terminal.press(key);
  await terminal.waitFor((screen) => line.test(screen) && />$/.test(screen), PATIENCE);
}

for (const shell of SHELLS) {
  describe(shell, () => {
    test('[directories.keys] Alt-Left and Alt-Right take the shell back and forward, and stay out of the history', async () => {
      using home = furnished();
      await using terminal = open(home, shell);
      await runLine(terminal, 'cd projects');
      await runLine(terminal, 'cd aish/docs');
      await goes(terminal, 'alt-left', /docs \$ cd \S+\/projects\n\S+\/projects >$/);
      await goes(terminal, 'alt-left', /projects \$ cd \S+\n\S+ >$/);
      await goes(terminal, 'alt-right', /\$ cd \S+\/projects\n\S+\/projects >$/);
      // If there is text the keys move by words.
      terminal.type('echo here');
      terminal.press('alt-left');
      terminal.type('x');
      await terminal.waitFor('$ echo xhere', PATIENCE);
      terminal.press('ctrl-c');
      expect(await runLine(terminal, 'pwd')).toContain(`\n${join(home.work, 'projects')}\n`);
      const lines = readFileSync(join(home.state, 'history.jsonl'), 'utf8').match(/"line":"[^"]*"/g);
      expect(lines).toEqual(['"line":"cd projects"', '"line":"cd aish/docs"', '"line":"pwd"']);
    });

    test('[directories.list] cdh lists the directories of the session and goes to one', async () => {
      using home = furnished();
      await using terminal = open(home, shell);
      await runLine(terminal, 'cd projects/site');
      await runLine(terminal, 'cd ../../other');
      await prompted(terminal);
      terminal.type('cdh');
      await terminal.waitFor(/: cdh$/, PATIENCE);
      terminal.press('enter');
      await terminal.waitFor(/ {2}1 {2}\S+\/site\n {2}2 {2}\S+\n.*stay here\): ?$/, PATIENCE);
      terminal.type('1\r');
      await terminal.waitFor(/site >$/, PATIENCE);
      expect(await tell(terminal, ':cdh 7', 'there is no directory 7')).toContain(':cdh lists the directories');
    });

    test('[directories.jump] z goes to the directory that is used most, in every terminal, and Tab completes it', async () => {
      using home = furnished();
      {
        await using terminal = open(home, shell);
        await runLine(terminal, 'cd projects/aish/docs; cd ~-');
        await runLine(terminal, 'cd projects/site');
        await runLine(terminal, 'cd ../../other');
      }
      await using terminal = open(home, shell);
      await runLine(terminal, 'true');
      await tell(terminal, 'z site && pwd', /\ncd \S+\/site && pwd\n\/.*\/site\n/);
      await prompted(terminal);
      terminal.type('z oth');
      await terminal.waitFor(/: z oth$/, PATIENCE);
      terminal.press('tab');
      await terminal.waitFor(/: z \S+\/other$/, PATIENCE);
      terminal.press('enter');
      await terminal.waitFor(/other >$/, PATIENCE);
      await tell(terminal, 'z nowhere', 'no directory of the history matches "nowhere"');
    });

    test('[directories.own-jump] z is the shell where the shell has its own z', async () => {
      using home = furnished('z() { echo "own z: $1"; }\n');
      await using terminal = open(home, shell);
      expect(await runLine(terminal, 'z site')).toContain('own z: site');
    });

    test('[directories.meant] a directory with a typing error is offered as it is called, and Tab goes there', async () => {
      using home = furnished();
      await using terminal = open(home, shell);
      await runLine(terminal, 'cd projcts/aish');
      const screen = await prompted(terminal);
      expect(screen).toContain('Did you mean cd projects/aish? Press Tab to run it.');
      await pause(terminal);
      terminal.press('tab');
      await terminal.waitFor(/projects\/aish >$/, PATIENCE);
    });
  });
}
