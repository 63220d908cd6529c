import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine, tell } from '../support/at-prompt.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

const SHELLS = ['bash', 'zsh'].filter((name) => hasProgram(name));

function open(home: Home, shell: string): TestTerminal {
  return home.open([], { env: { SHELL: Bun.which(shell) ?? shell } });
}

/** A home whose startup files put a `man` of its own into the PATH. */
function withManual(): Home {
  const home = new Home();
  const bin = join(home.home, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh
case $1 in
-w) case $2 in git-commit | tar) exit 0 ;; *) exit 16 ;; esac ;;
*) printf 'page of %s' "$1"; read -r line ;;
esac
`;
  writeFileSync(join(bin, 'man'), script);
  chmodSync(join(bin, 'man'), 0o755);
  for (const name of ['.bashrc', '.zshrc']) writeFileSync(join(home.home, name), 'export PATH=~/bin:$PATH\n');
  return home;
}

/** Settles when help names the widget of the startup files, so that their keys are known. */
async function knowsKeys(terminal: TestTerminal): Promise<void> {
  await tell(terminal, ':help keys', /that aish does not take over\n(?: {2}.*\n)*? {2}Ctrl-T +my-widget\n/);
}

for (const shell of SHELLS) {
  describe(shell, () => {
    test('[prompt.manual] Alt-H opens the closest manual page, and the line stays as it was', async () => {
      using home = withManual();
      await using terminal = open(home, shell);
      await runLine(terminal, 'true');
      terminal.type('git commit -m x');
      await terminal.waitFor(/\$ git commit -m x$/, PATIENCE);
      terminal.press('alt-h');
      await terminal.waitFor(/page of git-commit$/, PATIENCE);
      terminal.press('enter');
      await terminal.waitFor(/\$ git commit -m x$/, PATIENCE);
      terminal.press('ctrl-u');
      await prompted(terminal);
      terminal.type('frobnicate x');
      terminal.press('alt-h');
      await terminal.waitFor('There is no manual page for frobnicate.', PATIENCE);
    });

    test('[prompt.abbreviations] an abbreviation is expanded in sight, undone by a key, and kept by the configuration', async () => {
      using home = new Home();
      home.configure('[abbreviations]\nsay = "echo said"\n');
      await using terminal = open(home, shell);
      await runLine(terminal, 'true');
      terminal.type('say ');
      terminal.type('it');
      await terminal.waitFor(/\$ echo said it$/, PATIENCE);
      terminal.press('ctrl-u');
      await prompted(terminal);
      terminal.type('say ');
      await terminal.waitFor(/\$ echo said$/, PATIENCE);
      terminal.press('ctrl-z');
      terminal.send('\0');
      terminal.type('x');
      await terminal.waitFor(/ say x$/, PATIENCE);
      terminal.press('ctrl-u');
      await tell(terminal, ":abbr bye 'echo good; echo bye'", '[abbreviations]\nbye = "echo good; echo bye"');
      terminal.type('true; bye');
      await terminal.waitFor(/\$ true; bye$/, PATIENCE);
      terminal.press('enter');
      await terminal.waitFor('$ true; echo good; echo bye\ngood\nbye\n', PATIENCE);
      terminal.type(':abbr\n');
      expect(await terminal.waitFor(/bye {2}echo good; echo bye {2}this session/, PATIENCE)).toMatch(
        /say {2}echo said/,
      );
      await tell(terminal, ':abbr -d bye', 'aish does not expand bye any more.');
      expect(await tell(terminal, ':abbr gone', 'there is no abbreviation gone')).toContain(':abbr lists');
    });

    test('[prompt.startup-keys] the keys of the startup files work, and help names those that do not', async () => {
      using home = new Home();
      writeFileSync(join(home.home, '.inputrc'), '"\\C-xh": beginning-of-line\n');
      writeFileSync(
        join(home.home, '.bashrc'),
        `bind '"\\eg":"echo macro\\n"'\nbind '"\\C-g": kill-whole-line'\nbind -x '"\\C-t": my-widget'\necho "keys: $(bind -p | wc -l)"\n`,
      );
      writeFileSync(
        join(home.home, '.zshrc'),
        `bindkey '^Xh' beginning-of-line\nbindkey -s '^[g' 'echo macro^M'\nbindkey '^G' kill-whole-line\nmy-widget() { :; }\nzle -N my-widget\nbindkey '^T' my-widget\n`,
      );
      await using terminal = open(home, shell);
      await runLine(terminal, 'true');
      expect(terminal.history()).not.toContain('warning');
      await knowsKeys(terminal);
      terminal.type('ne');
      terminal.press('ctrl-x');
      terminal.type('h');
      terminal.type('echo o');
      await terminal.waitFor(/\$ echo one$/, PATIENCE);
      terminal.press('ctrl-g');
      await prompted(terminal);
      terminal.press('alt-g');
      await terminal.waitFor(/\$ echo macro\nmacro\n/, PATIENCE);
      await prompted(terminal);
      // The shell itself is as its startup files left it.
      await runLine(terminal, 'type bind bindkey');
      expect(terminal.history()).not.toContain('bind is a function');
    });

    test('[prompt.startup-vi] the startup files choose the keys of vi', async () => {
      using home = new Home();
      writeFileSync(join(home.home, '.inputrc'), 'set editing-mode vi\n');
      writeFileSync(join(home.home, '.bashrc'), `bind -x '"\\C-t": my-widget'\n`);
      writeFileSync(join(home.home, '.zshrc'), "bindkey -v\nbindkey '^T' my-widget\n");
      await using terminal = open(home, shell);
      await runLine(terminal, 'true');
      await knowsKeys(terminal);
      terminal.type('cho one');
      terminal.press('escape');
      terminal.type('0');
      terminal.type('ie');
      await terminal.waitFor(/\$ echo one$/, PATIENCE);
    });
  });
}
