import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inForeground, openTestShell } from '../../../test/support/test-shell.ts';

const RC = { bash: '.bashrc', zsh: '.zshrc' } as const;

/** Changes that the user's files and lines make to the prompt, its hooks and the terminal, which aish's hooks among them must withstand. */
describe.each(['bash', 'zsh'] as const)('%s', (program) => {
  test('PS1 is the one of the startup files while a line runs', async () => {
    await using t = openTestShell(program, { files: { [RC[program]]: "PS1='mine> '\n" } });
    await t.run(':');
    expect((await t.run('echo "$PS1"')).output).toBe('mine> \n');
    expect(t.outside()).toBe('');
  });

  test('the history is saved if the shell is hung up right after a command', async () => {
    const hook = program === 'bash' ? 'PROMPT_COMMAND="sleep 0.05"' : 'precmd() { sleep 0.05; }';
    const rc = `HISTFILE=$HOME/.saved\nHISTSIZE=500\nSAVEHIST=500\n${hook}\n`;
    await using t = openTestShell(program, { files: { [RC[program]]: rc } });
    await t.ready();
    await t.run('echo kept');
    await t.shell.close();
    expect(readFileSync(join(t.home, '.saved'), 'utf8')).toContain('echo kept');
  });

  test('a theme that makes its prompt anew each time stays unseen', async () => {
    const theme = program === 'bash' ? 'PROMPT_COMMAND=\'PS1="st $? > "\'\n' : 'precmd() { PS1="st $? > "; }\n';
    await using t = openTestShell(program, { files: { [RC[program]]: theme } });
    await t.run('false');
    expect((await t.run('echo "$? $PS1"')).output).toBe('1 st 1 > \n');
    expect(t.outside()).toBe('');
  });

  test('hooks that are thrown away are put back', async () => {
    await using t = openTestShell(program);
    const lines =
      program === 'bash'
        ? ['PROMPT_COMMAND=x', 'PROMPT_COMMAND=(x y)', 'unset PROMPT_COMMAND', 'PROMPT_COMMAND=; PS0=; PS1="loud> "']
        : ['precmd_functions=()', 'unset precmd_functions', 'precmd() { false; }; PS1="loud> "'];
    for (const line of lines) expect((await t.run(`${line}; (exit 4)`)).exit).toBe(4);
    expect((await t.run('echo on')).output).toBe('on\n');
  });

  test('hooks thrown away by a line that is then interrupted are put back too', async () => {
    await using t = openTestShell(program);
    const clobber = program === 'bash' ? 'unset PROMPT_COMMAND' : 'precmd_functions=()';
    const running = t.run(`${clobber}; sleep 60`);
    await inForeground(t.shell, 'sleep');
    t.shell.interrupt();
    expect((await running).exit).toBe(130);
    expect((await t.run('echo on')).output).toBe('on\n');
  });

  test.each([
    'exec 2>/dev/null',
    'exec >/dev/null',
    'set -u',
    'set -o noclobber',
    'set -f',
    'IFS=0123456789',
    'set -x',
    'set -o noglob',
  ])('after "%s" lines still run and end', async (line) => {
    await using t = openTestShell(program);
    await t.run(line);
    expect((await t.run('false')).exit).toBe(1);
    expect((await t.run('echo seen >/dev/tty')).output).toContain('seen\n');
    expect(t.outside()).toBe('');
  });

  test('under set -e only a failing command of the user ends the shell', async () => {
    await using t = openTestShell(program);
    await t.run('set -e');
    expect((await t.run('false || echo handled')).output).toBe('handled\n');
    expect((await t.run('false')).exit).toBe(1);
    await t.until(() => t.shell.state === 'ended');
  });

  test.each(['stty raw', 'stty -echo', 'stty raw -echo', 'stty -icanon'])(
    'the modes left by "%s" are put right',
    async (line) => {
      await using t = openTestShell(program);
      await t.run(line);
      expect((await t.run('stty -a')).output).toMatch(/[^-]icanon .*[^-]echo /);
      expect((await t.run('echo a; echo b')).bytes).toBe(6);
    },
  );

  test('modes the user chose stay', async () => {
    await using t = openTestShell(program);
    await t.run('stty -ixon intr ^T');
    expect((await t.run('stty -a')).output).toMatch(/intr = \^T.* -ixon/s);
  });

  test('a prompt of the startup files is the own one, with or without the prefix of an environment', async () => {
    const coloured = program === 'bash' ? "PS1='\\[\\e[32m\\]\\u\\[\\e[m\\]\\$ '" : "PS1='%F{2}%n%f%# '";
    await using t = openTestShell(program, { files: { [RC[program]]: `${coloured}\n` }, renderPrompt: true });
    await t.ready();
    expect(t.shell.report).toMatchObject({ isPromptOwn: true, environment: null });
    await t.run('PS1="(site) $PS1" VIRTUAL_ENV=/w/site');
    await t.ready();
    expect(t.shell.report).toMatchObject({ isPromptOwn: true, environment: 'site' });
  });

  test('the prompt of the system is not the own one, with the prefix of an environment neither', async () => {
    await using t = openTestShell(program, { renderPrompt: true });
    await t.run('PS1="(site) $PS1" VIRTUAL_ENV=/w/.venv VIRTUAL_ENV_PROMPT="(site) "');
    await t.ready();
    expect(t.shell.report).toMatchObject({ isPromptOwn: false, environment: 'site' });
    await t.run('PS1="mine> "');
    await t.ready();
    expect(t.shell.report.isPromptOwn).toBe(true);
  });
});

test('the right prompt of zsh is rendered with the status, and stays what the user set', async () => {
  await using t = openTestShell('zsh', { files: { '.zshrc': "RPROMPT='[%?]'\n" }, renderPrompt: true });
  await t.ready();
  expect(t.shell.report.rightPrompt).toBe('[0]');
  await t.run('(exit 3)');
  await t.ready();
  expect(t.shell.report.rightPrompt).toBe('[3]');
  expect((await t.run('echo $RPROMPT')).output).toBe('[%?]\n');
});

test('an ERR trap of bash fires once for a line, with its status, and stays', async () => {
  await using t = openTestShell('bash', { files: { '.bashrc': 'trap \'echo "failed $?"\' ERR\n' } });
  expect((await t.run('(exit 3)')).output).toBe('failed 3\n');
  expect((await t.run('echo $?; trap -p ERR; false')).output).toBe('3\ntrap -- \'echo "failed $?"\' ERR\nfailed 1\n');
  expect((await t.run('trap - ERR; false')).output).toBe('');
  expect([(await t.run('false')).output, t.outside()]).toEqual(['', '']);
});

test.each(['set -x', "trap 'echo debug' DEBUG"])(
  'after "%s" in a startup file of bash nothing of aish is shown',
  async (line) => {
    await using t = openTestShell('bash', { files: { '.bashrc': `${line}\n` } });
    await t.run(':');
    await t.ready();
    expect(t.outside()).toBe('');
  },
);

test('key bindings in a startup file of bash warn nobody', async () => {
  const rc = 'bind \'"\\C-t": "x"\'\nbind -x \'"\\C-g": true\'\n';
  await using t = openTestShell('bash', { files: { '.bashrc': rc } });
  await t.run(':');
  expect(t.outside()).toBe('');
});
