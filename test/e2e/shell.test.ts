import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readingPlaceOf } from '../../src/adapters/system/process-table.ts';
import { Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { descendants } from '../support/processes.ts';
import { hasProgram } from '../support/programs.ts';
import type { TerminalOptions, TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

const RC = `
alias shout='echo SHOUTED'
greet() { echo "greeted $1"; }
export FROM_RC=yes
HISTFILE=$HOME/.shell_history
HISTSIZE=500
SAVEHIST=500
`;

/** A user with this shell, and startup files that define a few words. */
function userWith(shell: string, more = ''): Home {
  const home = new Home();
  writeFileSync(join(home.home, shell === 'zsh' ? '.zshrc' : '.bashrc'), `${RC}${more}\n`);
  return home;
}

function open(home: Home, shell: string, options: Partial<TerminalOptions> = {}): TestTerminal {
  return home.open([], { ...options, env: { SHELL: Bun.which(shell) ?? shell, ...options.env } });
}

test.skipIf(!hasProgram('zsh'))(
  'print -z leaves a line in the editor, and vared edits with the editor of zsh',
  async () => {
    using home = userWith('zsh');
    await using terminal = open(home, 'zsh');
    await prompted(terminal);
    terminal.type("print -rz 'echo pre\\\\filled'\n");
    await terminal.waitFor(/\$ echo pre\\\\filled$/, PATIENCE);
    terminal.press('ctrl-u');
    await runLine(terminal, 'value=one');
    terminal.type('vared -p "edit " value\n');
    await terminal.waitFor(/edit one$/, PATIENCE);
    terminal.type(' two\n');
    expect(await runLine(terminal, 'echo "<$value>"')).toContain('\n<one two>\n');
  },
);

/** The text of everything the model was sent with its newest request. */
function lastRequest(server: ModelServer): string {
  return server.requests.at(-1)?.text ?? '';
}

/** Sends a message and says yes to the command that comes of it. */
async function allow(terminal: TestTerminal, message: string): Promise<void> {
  await ask(terminal, message);
  await asked(terminal, 'aish.exec');
  await answer(terminal, 'y');
}

/** Starts a full-screen program, types into it once it stands, and settles when the prompt is back. */
async function terminalProgram(terminal: TestTerminal, line: string, stands: RegExp, keys: string): Promise<void> {
  await prompted(terminal);
  terminal.type(`${line}\n`);
  await terminal.waitFor(stands, PATIENCE);
  terminal.type(keys);
  await prompted(terminal);
  expect(terminal.isAlternate()).toBe(false);
}

function isCursorShown(terminal: TestTerminal): boolean {
  const raw = terminal.rawText();
  return raw.lastIndexOf('\x1b[?25h') >= raw.lastIndexOf('\x1b[?25l');
}

for (const shell of ['bash', 'zsh']) {
  describe.skipIf(!hasProgram(shell))(shell, () => {
    test('[shell.state] cwd, exports and functions last, and an approved aish.exec sees all three', async () => {
      using home = userWith(shell);
      const command = 'pwd; echo "A is $A"; made_here';
      await using server = startModelServer({
        script: [calls({ name: 'aish__exec', arguments: { command } }), text('All three are there.')],
      });
      home.useModel(server.url);
      await using terminal = open(home, shell);
      await runLine(terminal, 'mkdir deep && cd deep');
      await runLine(terminal, 'export A=1');
      await runLine(terminal, 'made_here() { echo "function $((40+2))"; }');
      await allow(terminal, 'look at my shell');
      await answered(terminal, 'All three are there.');
      const result = server.requests[1]?.body.messages?.at(-1);
      expect(result?.role).toBe('tool');
      expect(String(result?.content)).toContain(`${home.work}/deep\nA is 1\nfunction 42`);
      expect(server.failures).toEqual([]);
    });

    test('[shell.state] what the model changes in the shell the user has too', async () => {
      using home = userWith(shell);
      await using server = startModelServer({
        script: [calls({ name: 'aish__exec', arguments: { command: 'cd / && export B=2' } }), text('Done.')],
      });
      home.useModel(server.url);
      await using terminal = open(home, shell);
      await allow(terminal, 'go to the root');
      await answered(terminal, 'Done.');
      expect(terminal.screen()).toMatch(/\n\/ >$/);
      expect(await runLine(terminal, 'echo "B=$B $PWD"')).toContain('\nB=2 /\n');
    });

    test('[shell.rc] aliases, functions and exports of the startup file are there', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      expect(await runLine(terminal, 'shout x1')).toContain('\nSHOUTED x1\n');
      expect(await runLine(terminal, 'greet bob')).toContain('\ngreeted bob\n');
      expect(await runLine(terminal, 'echo "rc $FROM_RC"')).toContain('\nrc yes\n');
    });

    test('[shell.exit] the status of a command is shown until one succeeds, and the model is told', async () => {
      using home = userWith(shell);
      await using server = startModelServer({ script: [text('It failed.')] });
      home.useModel(server.url);
      await using terminal = open(home, shell);
      expect(await runLine(terminal, '(exit 7)')).toMatch(/\n\[7\] \S+ >$/);
      expect(await runLine(terminal, 'echo "was $?"')).toContain('\nwas 7\n');
      expect(terminal.screen()).not.toMatch(/\[\d+\] \S+ >$/);
      terminal.type('?why\n');
      await terminal.waitFor('It failed.', PATIENCE);
      expect(lastRequest(server)).toMatch(/\(exit 7\)[^}]*\b7\b/);
    });

    test('[shell.context] the output of commands is part of the next request, bounded', async () => {
      using home = userWith(shell);
      await using server = startModelServer({ script: [text('I saw it.')] });
      home.useModel(server.url);
      await using terminal = open(home, shell);
      await prompted(terminal);
      terminal.type('echo first-$((1+1))-line; seq 1 100000\n');
      await terminal.waitFor(/\n100000\n\S+ >$/, PATIENCE);
      await runLine(terminal, 'echo short-$((2+2))-one');
      terminal.type('?what did you see\n');
      await terminal.waitFor('I saw it.', PATIENCE);
      expect(lastRequest(server)).toContain('first-2-line');
      expect(lastRequest(server)).toContain('99999');
      expect(lastRequest(server)).toContain('short-4-one');
      expect(lastRequest(server).length).toBeLessThan(60_000);
      expect(server.failures).toEqual([]);
    });

    test('[shell.interrupt] Ctrl-C stops the command with 130, and aish goes on', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await prompted(terminal);
      // It tells that it runs, not the shell before it: between two commands a shell takes the key as it likes.
      terminal.type('sh -c \'echo be""gun; exec sleep 600\'\n');
      await terminal.waitFor('\nbegun', PATIENCE);
      terminal.press('ctrl-c');
      await terminal.waitFor(/\n\[SIGINT\] \S+ >$/, PATIENCE);
      expect(await runLine(terminal, 'echo still-$((1+1))')).toContain('\nstill-2\n');
    });

    test('[shell.interrupt] Ctrl-C at the prompt gives the line up', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await prompted(terminal);
      terminal.type('echo nev""er');
      await terminal.waitFor('nev""er', PATIENCE);
      terminal.press('ctrl-c');
      await prompted(terminal);
      expect(await runLine(terminal, 'echo after')).not.toContain('\nnever');
    });

    test('[shell.background] a job in the background lets the prompt come at once', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      expect(await runLine(terminal, 'sleep 60 & echo ok-$((1+1))')).toContain('\nok-2\n');
      expect(await runLine(terminal, 'kill $!; wait; jobs; echo gone-$((1+1))')).toContain('\ngone-2\n');
    });

    test('[shell.typed-ahead] commands typed during a command run behind it, and half a line is in the editor', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await runLine(terminal, 'mkfifo go');
      terminal.type('echo be""gun; read -r x < go\n');
      await terminal.waitFor('\nbegun', PATIENCE);
      const typed = ['mkdir deep; cd deep', 'for i in 1 2; do', 'touch $i; done', 'touch hal'];
      terminal.type(typed.join('\n'));
      await terminal.waitFor(/\btouch hal$/, PATIENCE);
      appendFileSync(join(home.work, 'go'), 'go\n');
      await terminal.waitFor(/\/deep \$ touch hal$/, PATIENCE);
      terminal.press('ctrl-c');
      await prompted(terminal);
      await runLine(terminal, 'echo settled');
      expect(readdirSync(join(home.work, 'deep')).sort()).toEqual(['1', '2']);
    });

    test('[shell.typed-ahead] a sentence typed during a command waits in the editor, and so do the lines behind it', async () => {
      using home = userWith(shell);
      await using server = startModelServer({ script: [] });
      home.useModel(server.url);
      await using terminal = open(home, shell);
      await runLine(terminal, 'mkfifo go');
      terminal.type('echo be""gun; read -r x < go\n');
      await terminal.waitFor('\nbegun', PATIENCE);
      terminal.type('touch one\nwhy did it fail\ntouch two\n');
      await terminal.waitFor(/\btouch two\s*$/, PATIENCE);
      appendFileSync(join(home.work, 'go'), 'go\n');
      await terminal.waitFor(/ \? why did it fail$/, PATIENCE);
      terminal.press('up');
      await terminal.waitFor(/ \$ touch two$/, PATIENCE);
      expect([existsSync(join(home.work, 'one')), existsSync(join(home.work, 'two'))]).toEqual([true, false]);
      expect(server.requests).toEqual([]);
    });

    test("[shell.history] the shell's own history holds the user's lines and none of ours", async () => {
      using home = userWith(shell);
      await using server = startModelServer({
        script: [calls({ name: 'aish__exec', arguments: { command: ' echo modelled' } }), text('Done.')],
      });
      home.useModel(server.url);
      await using terminal = open(home, shell);
      await runLine(terminal, 'echo kept-one');
      await allow(terminal, 'run it');
      await answered(terminal, 'Done.');
      await runLine(terminal, 'echo kept-two');
      await prompted(terminal);
      terminal.type('exit\n');
      expect(await terminal.ended()).toBe(0);
      const kept = readFileSync(join(home.home, '.shell_history'), 'utf8').trim().split('\n');
      expect(kept.map((line) => line.replace(/^: \d+:\d+;/, ''))).toEqual(['echo kept-one', 'echo kept-two', 'exit']);
    });

    test('[shell.no-model] without any model the shell works', async () => {
      using home = userWith(shell);
      home.configure('');
      await using terminal = open(home, shell, { env: { OPENAI_API_KEY: '' } });
      expect(await runLine(terminal, 'echo $((6*7)) | tr 2 3')).toContain('\n43\n');
    });

    test('[shell.secret] what is typed into `read -s` is on no screen, no disk and in no request', async () => {
      using home = userWith(shell);
      await using server = startModelServer({ script: [text('Fine.')] });
      home.useModel(server.url);
      await using terminal = open(home, shell);
      await prompted(terminal);
      const ask = shell === 'zsh' ? 'read -s "pw?secret: "' : 'read -s -p "secret: " pw';
      terminal.type(`${ask}; echo; echo "length \${#pw}"\n`);
      await terminal.waitFor(/\nsecret: +\[.*, not recorded\]$/, PATIENCE);
      await terminal.waitForRaw('secret: ', PATIENCE);
      terminal.type('hunter2-zebra\n');
      await terminal.waitFor('length 13', PATIENCE);
      await prompted(terminal);
      terminal.type('?did you see it\n');
      await terminal.waitFor('Fine.', PATIENCE);
      await prompted(terminal);
      terminal.type('exit\n');
      await terminal.ended();
      expect(terminal.rawText()).not.toContain('hunter2');
      expect(isOnDisk(home.root, 'hunter2')).toBe(false);
      expect(server.requests.map((request) => request.text).join('')).not.toContain('hunter2');
    });

    test('[shell.full-screen] vim, less and top work, and the terminal is as before afterwards', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await runLine(terminal, 'stty -a >before');
      await terminalProgram(terminal, 'vim -Nu NONE -i NONE new.txt', /^~ *$/m, 'iwritten by hand\x1b:wq\n');
      expect(readFileSync(join(home.work, 'new.txt'), 'utf8')).toBe('written by hand\n');
      await terminalProgram(terminal, 'seq 1 500 | less', /\n20\n/, 'Gq');
      await terminalProgram(terminal, 'top', /PID USER/, 'q');
      await runLine(terminal, 'stty -a >after');
      expect(readFileSync(join(home.work, 'after'), 'utf8')).toBe(readFileSync(join(home.work, 'before'), 'utf8'));
      expect(isCursorShown(terminal)).toBe(true);
    });

    test('[shell.full-screen] a full-screen program that is killed leaves the line usable', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await runLine(terminal, 'stty -a >before');
      terminal.type('!(until [ -e shown ]; do sleep 0.05; done; pkill -9 -s 0 -x less) & seq 1 500 | less\n');
      await terminal.waitFor(/\n20\n/, PATIENCE);
      writeFileSync(join(home.work, 'shown'), '');
      await prompted(terminal);
      await runLine(terminal, 'stty -a >after');
      expect(readFileSync(join(home.work, 'after'), 'utf8')).toBe(readFileSync(join(home.work, 'before'), 'utf8'));
      expect(isCursorShown(terminal)).toBe(true);
      expect(terminal.isAlternate()).toBe(false);
    });

    test('[shell.full-screen] a resize reaches the program in the foreground and later commands', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await prompted(terminal);
      const told = 'autocmd VimResized * call setline(1, &columns .. "x" .. &lines)';
      terminal.type(`vim -Nu NONE -i NONE -c '${told}'\n`);
      await terminal.waitFor(/^~ *$/m, PATIENCE);
      terminal.resize(72, 20);
      await terminal.waitFor('72x20', PATIENCE);
      terminal.type(':q!\n');
      await prompted(terminal);
      expect(await runLine(terminal, 'stty size')).toContain('\n20 72\n');
    });

    test('[shell.state] a shell that is killed is replaced by one in the same directory', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await runLine(terminal, 'mkdir deep && cd deep');
      terminal.type('kill -9 $$\n');
      await terminal.waitFor('a new shell starts in', PATIENCE);
      await prompted(terminal);
      expect(await runLine(terminal, 'pwd; shout hello')).toContain(`\n${home.work}/deep\nSHOUTED hello\n`);
    });

    test.each([
      ['exec sh -c "exit 6"', 6],
      ['true && exit 3', 3],
      ['echo bye; exit', 0],
      ['set -e; false', 1],
      ['leave() { exit 4; }; leave', 4],
    ])('[shell.exit] `%s` leaves aish as it would leave the shell', async (line, status) => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await prompted(terminal);
      terminal.type(`${line}\n`);
      expect(await terminal.ended()).toBe(status);
    });

    test('[shell.exit] a shell that ends by itself at the prompt, as after TMOUT, ends aish', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      const pid = /^(\d+)$/m.exec(await runLine(terminal, "trap 'exit 4' USR1; echo $$"))?.[1];
      process.kill(Number(pid), 'SIGUSR1');
      expect(await terminal.ended()).toBe(0);
    });

    test('[shell.unheard] a program in the place of the shell has the keys, and its end is the end of aish', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await prompted(terminal);
      terminal.type("PS1='here> ' exec sh\n");
      await terminal.waitFor(/exec replaced your shell with \S+\. Your keys go to .*\nhere>$/s, PATIENCE);
      terminal.type('exit 3\n');
      expect(await terminal.ended()).toBe(3);
    });

    test('[shell.unheard] `exit` in a shell that reports nothing any more leaves aish, as it does at the prompt', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await runLine(terminal, 'true');
      const isAtPrompt = () => descendants(terminal.pid).some((pid) => readingPlaceOf(pid) !== null);
      await until({ what: 'the shell at its own prompt' }, isAtPrompt);
      terminal.type(shell === 'bash' ? 'enable -n builtin\n' : 'disable builtin\n');
      await terminal.waitFor('The shell integration stopped working.', PATIENCE);
      terminal.type('exit 3\n');
      expect(await terminal.ended()).toBe(3);
    });

    test('[shell.exit] `exit 3` leaves aish with 3', async () => {
      using home = userWith(shell);
      await using terminal = open(home, shell);
      await prompted(terminal);
      terminal.type('exit 3\n');
      expect(await terminal.ended()).toBe(3);
    });
  });
}
