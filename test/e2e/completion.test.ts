import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { commandLine, descendants, HAS_PROCESS_TABLE, survivors } from '../support/processes.ts';
import { hasProgram } from '../support/programs.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

const HAS_BASH_COMPLETION = existsSync('/usr/share/bash-completion/bash_completion');

const SHELLS = ['bash', 'zsh'].filter((name) => hasProgram(name));

/** A home with a repository in which there is something to complete. */
function furnished(): Home {
  const home = new Home();
  for (const branch of ['feature/login', 'feature/logout']) home.git('branch', branch);
  mkdirSync(join(home.home, '.ssh'));
  writeFileSync(join(home.home, '.ssh', 'config'), 'Include more\n');
  writeFileSync(join(home.home, '.ssh', 'more'), 'Host webserver.example\n');
  writeFileSync(join(home.work, 'Makefile'), 'clean:\n\t@true\nbuild-all:\n\t@true\n');
  home.git('add', '-A');
  home.git('commit', '-qm', 'make');
  writeFileSync(join(home.work, 'two words.txt'), 'inside\n');
  writeFileSync(join(home.home, '.zshrc'), 'HISTFILE=~/history SAVEHIST=100 HISTSIZE=100\n');
  writeFileSync(join(home.home, '.bashrc'), 'HISTFILE=~/history\n');
  return home;
}

function open(home: Home, shell: string): TestTerminal {
  return home.open([], { env: { SHELL: Bun.which(shell) ?? shell } });
}

/** Types the beginning of a line and Tab, and settles when what is wanted is on the screen. */
async function tab(terminal: TestTerminal, typed: string, wanted: RegExp): Promise<string> {
  await prompted(terminal);
  terminal.type(typed);
  const end = typed.trimEnd();
  await terminal.waitFor((screen) => screen.endsWith(end) && /[$?:] $/.test(screen.slice(0, -end.length)), PATIENCE);
  terminal.press('tab');
  return await terminal.waitFor(wanted, PATIENCE);
}

async function clear(terminal: TestTerminal): Promise<void> {
  terminal.press('ctrl-u');
  await prompted(terminal);
}

for (const shell of SHELLS) {
  describe.skipIf(shell === 'bash' && !HAS_BASH_COMPLETION)(shell, () => {
    test('[prompt.shell-completion] git, ssh, make, kill, options and paths', async () => {
      using home = furnished();
      await using terminal = open(home, shell);
      await runLine(terminal, 'sleep 98765 & sleep 98764 &');
      await tab(terminal, 'git checkout feat', /git checkout feature\/log\n\s+feature\/login .*\n\s+feature\/logout/);
      await clear(terminal);
      await runLine(terminal, "alias ours='git checkout'");
      await tab(terminal, 'ours feat', /ours feature\/log\n\s+feature\/login .*\n\s+feature\/logout/);
      await clear(terminal);
      await tab(terminal, 'git add ', /git add two\\ words\.txt$/);
      await clear(terminal);
      await tab(terminal, 'ssh webs', /ssh webserver\.example$/);
      await clear(terminal);
      await tab(terminal, 'make bui', /make build-all$/);
      await clear(terminal);
      await tab(terminal, 'kill sleep', /\d+\s+sleep 98764\n[\s\S]*\d+\s+sleep 98765/);
      await clear(terminal);
      await tab(terminal, 'ls --co', /--color[\s\S]*--context|--context[\s\S]*--color/);
      await clear(terminal);
      await tab(terminal, 'ls --cntxt', /ls --context/);
      await clear(terminal);
      await tab(terminal, 'cat "two', /cat "two words\.txt"$/);
      await clear(terminal);
      await tab(terminal, 'cat two', /cat two\\ words\.txt$/);
      terminal.press('enter');
      await terminal.waitFor('\ninside\n', PATIENCE);
    });

    test('[prompt.shell-completion] directories that the shell names, searches and remembers', async () => {
      using home = furnished();
      for (const folder of ['src/deep', 'places/inner/leaf']) mkdirSync(join(home.home, folder), { recursive: true });
      const isZsh = shell === 'zsh';
      writeFileSync(join(home.home, '.zshrc'), 'hash -d nested=~/src\ncdpath=(~/places)\nunsetopt pushd_minus\n');
      writeFileSync(join(home.home, '.bashrc'), 'CDPATH=~/places\n');
      await using terminal = open(home, shell);
      await runLine(terminal, 'pushd / >/dev/null');
      await tab(terminal, 'cd inn', /cd inner\/$/);
      await clear(terminal);
      await tab(terminal, 'pushd +1', /pushd \+1 $|pushd \+1$/);
      await clear(terminal);
      await tab(terminal, 'cat ~/pl/i/le', /cat ~\/places\/inner\/leaf\/$/);
      await clear(terminal);
      if (isZsh) {
        await tab(terminal, 'cd -', /-0\s+.*work\n\s*-1\s+\/\s*$/);
        await clear(terminal);
        await tab(terminal, 'cat ~nes', /cat ~nested\/$/);
        terminal.press('tab');
        await terminal.waitFor(/cat ~nested\/deep\/$/, PATIENCE);
      }
    });

    test('[prompt.safe-completion] a hostile name is read back whole, and nothing in it runs or steers', async () => {
      using home = furnished();
      writeFileSync(join(home.work, 'x\x1b[31m;touch pwned;$(touch pwned)\n!.txt'), 'unharmed\n');
      await using terminal = open(home, shell);
      await tab(terminal, 'cat x', /cat x\$'\\x1b'/);
      terminal.press('enter');
      await terminal.waitFor('\nunharmed\n', PATIENCE);
      await prompted(terminal);
      expect(existsSync(join(home.work, 'pwned'))).toBe(false);
    });

    test.skipIf(!HAS_PROCESS_TABLE)('[prompt.completion-helper] nothing of the helper is left', async () => {
      using home = furnished();
      await using terminal = open(home, shell);
      await runLine(terminal, 'true');
      await tab(terminal, 'ls --conte', /ls --context/);
      const started = () => descendants(terminal.pid);
      const isHelper = (pid: number) => /complete\.bash|zsh -i$/.test(commandLine(pid));
      // It answers in a process of its own, which may be there for a moment longer.
      const isOne = (pids: readonly number[]) => pids.filter(isHelper).length === 1;
      const processes = await until({ what: 'one helper' }, started, isOne);
      await clear(terminal);
      terminal.type('exit\n');
      expect(await terminal.ended()).toBe(0);
      expect(await survivors(processes)).toEqual([]);
      expect(readFileSync(join(home.home, 'history'), 'utf8')).not.toMatch(/context|aish/);
    });
  });
}

test('[prompt.safe-completion] variables, folders, globs and meta-commands complete without a helper', async () => {
  using home = furnished();
  mkdirSync(join(home.work, 'folder one'));
  await using terminal = open(home, 'bash');
  await runLine(terminal, 'MY_OWN_VARIABLE=here');
  await tab(terminal, 'echo $MY_OW', /echo \$MY_OWN_VARIABLE$/);
  await clear(terminal);
  await tab(terminal, 'cd fol', /cd folder\\ one\/$/);
  await clear(terminal);
  await tab(terminal, 'cat t*.txt', /cat two\\ words\.txt$/);
  await clear(terminal);
  await tab(terminal, ':mdls', /:models$/);
  await clear(terminal);
  await tab(terminal, ':theme li', /:theme light$/);
  await clear(terminal);
  await tab(terminal, '?look at @two', /@two\\ words\.txt$/);
  await clear(terminal);
  await tab(terminal, 'MY_OWN=1 mkfif', /MY_OWN=1 mkfifo$/);
});

test('Tab replaces a reference to history by what it stands for, and leaves one that stands for nothing', async () => {
  using home = furnished();
  await using terminal = open(home, 'bash');
  await runLine(terminal, 'echo one two');
  await tab(terminal, 'printf %s !$', /printf %s two$/);
  await clear(terminal);
  await tab(terminal, '!!', /echo one two$/);
  await clear(terminal);
  await tab(terminal, 'cat !?nowhere?', /cat !\?nowhere\?$/);
});

test('[prompt.complete] handles of outputs, alone on a line and behind commands that take them', async () => {
  using home = furnished();
  await using terminal = open(home, 'bash');
  for (let number = 1; number <= 3; number++) await runLine(terminal, `seq ${number}`);
  await tab(terminal, '%', /[$] %\n\s+%1\s+%2\s+%3$/);
  await clear(terminal);
  // There is nothing to add.
  terminal.type('%3');
  await terminal.waitFor(/: %3$/, PATIENCE);
  terminal.press('tab', 'enter');
  await terminal.waitFor(/: %3 ?\n1\n2\n3\n/, PATIENCE);
  await tab(terminal, ':diff %', /:diff %\n\s+%1\s+%2\s+%3$/);
});
