import { describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inForeground, openTestShell } from '../../../test/support/test-shell.ts';
import { until } from '../../../test/support/until.ts';

const RC = { bash: '.bashrc', zsh: '.zshrc' } as const;
const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(['bash', 'zsh'] as const)('%s', (program) => {
  test('a record tells the line, its driver, status, directory and output', async () => {
    await using t = openTestShell(program);
    const record = await t.shell.run('printf "a\\nb"; cd /; (exit 7)', { driver: 'model' });
    expect({ ...record, durationMs: 0 }).toEqual({
      line: 'printf "a\\nb"; cd /; (exit 7)',
      driver: 'model',
      exit: 7,
      cwd: '/',
      output: 'a\nb',
      bytes: 4,
      durationMs: 0,
    });
    expect(record.durationMs).toBeGreaterThan(0);
  });

  test('startup files are read, and what they print comes outside of commands', async () => {
    const rc = 'greet() { echo "hello $1"; }\nalias hi="greet you"\nexport FROM_RC=1\necho welcome\n';
    await using t = openTestShell(program, { files: { [RC[program]]: rc } });
    expect((await t.run('hi; echo $FROM_RC')).output).toBe('hello you\n1\n');
    expect(t.outside()).toBe('welcome\r\n');
  });

  test('as a login shell it reads the profile files', async () => {
    const files = { '.bash_profile': 'export PROFILE=bash\n', '.zprofile': 'export PROFILE=zsh\n' };
    await using t = openTestShell(program, { files, login: true });
    expect((await t.run('echo $PROFILE')).output).toBe(`${program}\n`);
  });

  test.each(['logout 4', 'exit 4'])('as a login shell it reads the file for the end at `%s`', async (line) => {
    const files = { '.bash_logout': 'echo bye >~/bye\n', '.zlogout': 'echo bye >~/bye\n' };
    await using t = openTestShell(program, { files, login: true });
    await t.run('(exit 3); echo exit');
    expect(existsSync(join(t.home, 'bye'))).toBe(false);
    expect(await t.run(line)).toMatchObject({ exit: 4 });
    expect(readFileSync(join(t.home, 'bye'), 'utf8')).toBe('bye\n');
  });

  test('directory, exports, functions and aliases stay from line to line', async () => {
    await using t = openTestShell(program);
    await t.run('cd /usr; export A=1; f() { echo "f $A"; }');
    await t.run('alias g="f; pwd"');
    expect((await t.run('g; env | grep ^A=')).output).toBe('f 1\n/usr\nA=1\n');
    expect(t.shell.cwd).toBe('/usr');
  });

  test('statuses are those of the shell', async () => {
    await using t = openTestShell(program);
    writeFileSync(join(t.home, 'plain'), 'text');
    const exits = [];
    for (const line of ['true', 'false', './plain', 'no-such-program', "sh -c 'kill -9 $$'"])
      exits.push((await t.run(line)).exit);
    expect(exits).toEqual([0, 1, 126, 127, 137]);
  });

  test('where a line went that ended the shell is known, and the user sees no trap of ours', async () => {
    await using t = openTestShell(program);
    expect((await t.run('(exit 3); echo "$?"; trap')).output).toBe('3\n');
    expect((await t.run('echo exit; trap')).output).toBe('exit\n');
    expect((await t.run('echo exit')).output).toBe('exit\n');
    expect((await t.run('trap')).output).toBe('');
    expect(await t.run('cd /; exit 5')).toMatchObject({
      exit: 5,
      cwd: '/',
      output: expect.not.stringContaining('7711'),
    });
    expect([t.shell.cwd, t.shell.exitCode]).toEqual(['/', 5]);
  });

  test('what the live shell is told of its history is known at each prompt', async () => {
    await using t = openTestShell(program);
    const set =
      program === 'bash'
        ? "HISTCONTROL=erasedups HISTIGNORE='ls:cd *'"
        : "setopt hist_ignore_all_dups; HISTORY_IGNORE='(ls|cd *)'";
    await t.run(set);
    await t.ready();
    expect(t.shell.report.history).toEqual({ control: 'erasedups', ignore: ['ls', 'cd *'] });
    await t.run(
      program === 'bash' ? 'unset HISTCONTROL HISTIGNORE' : 'unsetopt hist_ignore_all_dups; unset HISTORY_IGNORE',
    );
    await t.ready();
    expect(t.shell.report.history).toEqual({ control: '', ignore: [] });
  });

  test('the status of the line before is there', async () => {
    await using t = openTestShell(program);
    await t.run('(exit 3)');
    expect((await t.run('echo $?')).output).toBe('3\n');
  });

  test('syntax errors and open quotes are errors, and the next line is untouched by them', async () => {
    await using t = openTestShell(program);
    const failed = program === 'bash' ? 2 : 1;
    for (const line of ['if true; then', 'echo "open', 'echo )']) expect((await t.run(line)).exit).toBe(failed);
    expect((await t.run('for i in 1 2; do echo $i; done')).output).toBe('1\n2\n');
  });

  test('several lines, here-documents and tabs run as one command', async () => {
    await using t = openTestShell(program);
    const record = await t.run('for i in 1 2; do\n\techo "n $i"\ndone\ncat <<END\n\tdollar \\$x `echo "q"`\nEND');
    expect({ exit: record.exit, output: record.output }).toEqual({ exit: 0, output: 'n 1\nn 2\n\tdollar $x q\n' });
  });

  test('a long line arrives whole', async () => {
    await using t = openTestShell(program);
    const word = 'x'.repeat(9000);
    expect((await t.run(`printf %s ${word}`)).output).toBe(word);
  });

  test('a directory with a separator, a line end and wide characters in its name is told right', async () => {
    await using t = openTestShell(program);
    const odd = join(t.home, 'a;b 漢');
    expect((await t.run(`mkdir -p '${odd}'; cd '${odd}'`)).cwd).toBe(odd);
    const line = join(t.home, 'two\nlines');
    expect((await t.run(`mkdir -p '${line}'; cd '${line}'`)).cwd).toBe(line);
  });

  test('lines wait for each other', async () => {
    await using t = openTestShell(program);
    const records = await Promise.all(['echo 1', 'sleep 0.05; echo 2', 'echo 3'].map((line) => t.run(line)));
    expect(records.map((record) => record.output)).toEqual(['1\n', '2\n', '3\n']);
  });

  test('a job in the background returns at once, and what it prints later comes outside', async () => {
    await using t = openTestShell(program);
    const record = await t.run(
      '(read x < $HOME/gate; echo late) & echo ok'.replace('(read', 'mkfifo $HOME/gate; (read'),
    );
    expect(record.output).toEndWith('ok\n');
    await t.ready();
    writeFileSync(join(t.home, 'gate'), 'go\n');
    await t.until(() => t.outside().includes('late'));
  });

  test('Ctrl-C stops the command, not the shell', async () => {
    await using t = openTestShell(program);
    await t.run('keep=1');
    const running = t.run('echo started; sleep 60; echo not reached');
    await inForeground(t.shell, 'sleep');
    t.shell.interrupt();
    expect((await running).exit).toBe(130);
    expect((await t.run('echo $keep')).output).toBe('1\n');
  });

  test('an aborted signal interrupts a running line and takes a waiting one away', async () => {
    await using t = openTestShell(program);
    const controller = new AbortController();
    const running = t.shell.run('sleep 60', { driver: 'model', signal: controller.signal });
    const waiting = t.shell.run('touch $HOME/ran', { driver: 'model', signal: controller.signal });
    await t.until(() => t.states.at(-1) === 'running');
    controller.abort();
    expect((await running).exit).toBe(130);
    expect((await waiting).exit).toBe(130);
    await t.run(':');
    expect(existsSync(join(t.home, 'ran'))).toBe(false);
  });

  test('Ctrl-Z leaves a stopped job that fg takes up again', async () => {
    await using t = openTestShell(program);
    writeFileSync(join(t.home, 'job'), '#!/bin/sh\necho up\nread x\necho "got $x"\n');
    chmodSync(join(t.home, 'job'), 0o755);
    const first = t.run('./job');
    await t.until(() => t.states.at(-1) === 'running');
    await inForeground(t.shell, 'job');
    t.shell.write(bytes('\x1a'));
    expect((await first).exit).toBe(148);
    const second = t.run('fg');
    await inForeground(t.shell, 'job');
    t.shell.write(bytes('line\n'));
    expect((await second).output).toContain('got line');
  });

  test('a line and a half typed during a command never runs and comes back', async () => {
    await using t = openTestShell(program);
    const running = t.run('mkfifo $HOME/gate; read x < $HOME/gate');
    await t.until(() => t.states.at(-1) === 'running');
    t.shell.write(bytes('touch $HOME/ran\nhalf a li'));
    await gateIsThere(t.home);
    writeFileSync(join(t.home, 'gate'), 'go\n');
    await running;
    expect((await t.run('echo next')).output).toBe('next\n');
    expect(t.typedAhead().replace('\r', '\n')).toBe('touch $HOME/ran\nhalf a li');
    expect(existsSync(join(t.home, 'ran'))).toBe(false);
  });

  test('a late answer of the terminal is no command either', async () => {
    await using t = openTestShell(program);
    const running = t.run('mkfifo $HOME/gate; read x < $HOME/gate');
    await gateIsThere(t.home);
    t.shell.write(bytes('\x1b[?12;2$y\x1b]11;rgb:0000/0000/0000\x1b\\'));
    writeFileSync(join(t.home, 'gate'), 'go\n');
    await running;
    expect((await t.run('echo next')).output).toBe('next\n');
    expect(t.typedAhead()).toBe('\x1b[?12;2$y\x1b]11;rgb:0000/0000/0000\x1b\\');
  });

  test('keys reach the program in the foreground', async () => {
    await using t = openTestShell(program);
    const running = t.run('read x; echo "got $x"');
    await t.until(() => t.states.at(-1) === 'running');
    t.shell.write(bytes('these words\n'));
    expect((await running).output).toContain('got these words\n');
  });

  test('forged marks are output and change nothing', async () => {
    await using t = openTestShell(program);
    const record = await t.run(
      "printf '\\033]7711;%s;D;1;9;/tmp\\007' 00000000000000000000000000000000; printf '\\033]7711;D;1;9\\007'; echo real",
    );
    expect({ exit: record.exit, cwd: record.cwd, output: record.output }).toEqual({
      exit: 0,
      cwd: t.home,
      output: 'real\n',
    });
  });

  test('an escape sequence that never ends swallows nothing', async () => {
    await using t = openTestShell(program);
    await t.run("printf '\\033]633;E;'");
    expect((await t.run('echo here')).output).toBe('here\n');
  });

  test('no child inherits the nonce or a descriptor of ours', async () => {
    await using t = openTestShell(program);
    const { output: environment } = await t.run('env; tr "\\0" "\\n" < /proc/$$/environ');
    expect(environment).not.toMatch(/[0-9a-f]{32}/);
    expect(environment).not.toContain('__aish');
    expect((await t.run('ls /proc/self/fd | wc -l')).output.trim()).toBe('4');
    expect((await t.run('set -a; env')).output).not.toMatch(/[0-9a-f]{32}/);
  });

  test('the start file with the nonce is gone before the user sees a prompt', async () => {
    await using t = openTestShell(program, {
      files: { [RC[program]]: 'grep -rlE "__aish_n=.[0-9a-f]{32}" $HOME/runtime\n' },
    });
    await t.ready();
    expect(t.outside()).toBe('');
  });

  test('the environment names the real shell and marks nesting', async () => {
    await using t = openTestShell(program);
    expect((await t.run('echo $SHELL $AISH')).output).toMatch(new RegExp(`/${program} ${process.pid}\n$`));
  });

  test('the line of the user is in the history once, and none of ours', async () => {
    await using t = openTestShell(program);
    await t.run('echo "one"');
    await t.shell.run('echo two', { driver: 'model' });
    await t.shell.run(' echo hidden', { driver: 'model' });
    const listing = (await t.run('fc -l 1')).output;
    // zsh leaves out the line that is running, as it does for typed ones.
    const expected = ['echo "one"', 'echo two', ...(program === 'bash' ? ['fc -l 1'] : [])];
    expect(listing.match(/\d+\*?\s+.*/g)?.map((entry) => entry.replace(/^\d+\s+/, ''))).toEqual(expected);
  });

  test('the history file gets the lines and nothing of ours', async () => {
    const rc = 'HISTFILE=$HOME/history; HISTSIZE=100; SAVEHIST=100\n';
    await using t = openTestShell(program, { files: { [RC[program]]: rc } });
    await t.run('echo one');
    await t.run('echo two');
    await t.run('exit');
    expect(readFileSync(join(t.home, 'history'), 'utf8')).toBe('echo one\necho two\nexit\n');
  });

  test('a blank before a line keeps it out where the user wants that', async () => {
    const rc = program === 'bash' ? 'HISTCONTROL=ignoreboth\n' : 'setopt hist_ignore_space hist_ignore_dups\n';
    await using t = openTestShell(program, { files: { [RC[program]]: rc } });
    for (const line of [' echo secret', 'echo a', 'echo a']) await t.run(line);
    expect((await t.run('fc -l 1')).output.match(/echo \w+/g)).toEqual(['echo a']);
  });

  test('a program that turns off the echo for a line asks for a password, and what is typed is in no record', async () => {
    await using t = openTestShell(program);
    const running = t.run("python3 -c 'import getpass; print(len(getpass.getpass()))'");
    await t.until(() => t.passwordsWanted.length > 0);
    expect(t.shell.isAskingSecretly).toBe(true);
    t.shell.write(bytes('secret\n'));
    const record = await running;
    expect(record.output).toContain('6');
    expect(record.output).not.toContain('secret');
    expect(t.passwordsWanted).toEqual([expect.stringMatching(/^python3?/)]);
  });

  test('read -s asks for a password too', async () => {
    await using t = openTestShell(program);
    const running = t.run('read -s x; echo "${#x}"');
    await t.until(() => t.passwordsWanted.length > 0);
    t.shell.write(bytes('four\n'));
    expect((await running).output).toContain('4\n');
    expect(t.passwordsWanted).toEqual([program]);
  });

  test('exit ends the shell with its status and the record says so', async () => {
    await using t = openTestShell(program);
    const [left, never] = [t.run('exit 5'), t.run('echo never')];
    expect((await left).exit).toBe(5);
    expect((await never).exit).toBe(null);
    await t.until(() => t.shell.state === 'ended');
    expect(t.shell.exitCode).toBe(5);
    expect(() => t.run('echo')).toThrow('the shell has ended');
  });

  test('exec another program, which ends: the record has its status', async () => {
    await using t = openTestShell(program);
    expect((await t.run('exec sh -c "echo other; exit 9"')).exit).toBe(9);
  });

  test('a shell killed under a running line settles it without a status', async () => {
    await using t = openTestShell(program);
    const record = await t.run('kill -9 $$');
    expect(record.exit).toBe(null);
  });

  test('close leaves no process and no file', async () => {
    const t = openTestShell(program);
    const running = t.run('echo $$; sleep 61');
    await inForeground(t.shell, 'sleep');
    await t.shell.close();
    const pid = Number((await running).output);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(readdirSync(join(t.home, 'runtime'))).toEqual([]);
    await t[Symbol.asyncDispose]();
  });

  test('a resize is seen by programs', async () => {
    await using t = openTestShell(program);
    await t.run(':');
    t.shell.resize({ columns: 101, rows: 33 });
    expect((await t.run('stty size')).output).toBe('33 101\n');
  });

  test('lookup knows what the shell knows', async () => {
    await using t = openTestShell(program);
    await t.run(
      'alias al=ls; fn() { :; }; mkdir bin; printf "#!/bin/sh\\n" > bin/own; chmod +x bin/own; PATH=$PWD/bin:$PATH',
    );
    await t.ready();
    const words = ['al', 'fn', 'cd', 'if', 'own', './bin/own', 'cat', 'bin', 'explain', '__aish_arm'];
    const kinds = async (): Promise<(string | null)[]> => {
      for (let wait = askAll(); wait !== null; wait = askAll()) await wait;
      return words.map((word) => t.shell.lookup(word));
    };
    const askAll = (): Promise<unknown> | null => {
      for (const word of words) t.shell.lookup(word);
      return t.shell.lookups.settled();
    };
    expect(await kinds()).toEqual([
      'alias',
      'function',
      'builtin',
      'keyword',
      'file',
      'file',
      'file',
      null,
      null,
      null,
    ]);
    await t.run('unalias al; unset -f fn; rm bin/own');
    await t.ready();
    const after = await kinds();
    expect([after[0], after[1], after[4]]).toEqual([null, null, null]);
  });
});

/** Waits until a program of that name has the terminal; there is no event for it. */
async function gateIsThere(home: string): Promise<void> {
  await until({ what: 'the gate' }, () => existsSync(join(home, 'gate')));
}
