import { describe, expect, test } from 'bun:test';
import { openTestShell } from '../../../test/support/test-shell.ts';
import { formatRestarted, formatStartupAsks } from './messages.ts';

/** Lines that take away, fix or hide what the integration uses, and after which lines run as before. */
const LINES = {
  bash: [
    'readonly PS1',
    'readonly PROMPT_COMMAND PS0 PS2 PS4 HISTFILE HISTCONTROL',
    'unset $(compgen -v | grep -i aish)',
    'builtin() { :; }',
    'command() { :; }; [() { :; }; test() { :; }',
    'eval() { :; }; trap() { :; }; cd() { :; }',
    'printf() { :; }; read() { :; }; echo() { :; }',
    'export() { :; }; unset() { :; }; history() { :; }; jobs() { :; }',
    'alias cd=: eval=: trap=: printf=: read=: command=: [=: test=:',
  ],
  zsh: [
    'readonly PS1',
    'typeset -r PS1 RPS1 PS2',
    'readonly precmd_functions',
    'readonly preexec_functions zshaddhistory_functions zshexit_functions',
    'typeset -r HISTFILE PROMPT',
    'unset -m "__aish*"',
    'builtin() { : }',
    'command() { : }; [() { : }; test() { : }',
    'eval() { : }; trap() { : }; cd() { : }',
    'printf() { : }; read() { : }; print() { : }',
    'setopt() { : }; unsetopt() { : }; emulate() { : }',
    'alias cd=: eval=: trap=: printf=: read=: command=:',
  ],
} as const;

const RC = { bash: '.bashrc', zsh: '.zshrc' } as const;

describe.each(['bash', 'zsh'] as const)('%s', (program) => {
  test.each([...LINES[program]])('after "%s" lines run and end as before', async (line) => {
    await using t = openTestShell(program, { renderPrompt: true });
    await t.run(line);
    expect((await t.run('false')).exit).toBe(1);
    expect((await t.run('(exit 7)')).exit).toBe(7);
    expect((await t.run('/bin/echo seen')).output).toBe('seen\n');
    await t.ready();
    expect([t.shell.state, t.outside()]).toEqual(['ready', '']);
  });

  test.each([...LINES[program]])('with "%s" in its startup file lines run and end as before', async (line) => {
    const files = { '.bashrc': `${line}\n`, '.zshrc': `${line}\n` };
    await using t = openTestShell(program, { renderPrompt: true, files });
    expect((await t.run('(exit 7)')).exit).toBe(7);
    expect((await t.run('/bin/echo seen')).output).toBe('seen\n');
    await t.ready();
    expect(t.shell.state).toBe('ready');
  });

  test('a shell that exec put in the place of ours is ended with a notice: no line goes to it', async () => {
    await using t = openTestShell(program);
    const record = await t.run(program === 'bash' ? 'exec bash --norc' : 'exec zsh -f');
    expect(record.exit).toBe(null);
    await t.until(() => t.shell.state === 'ended');
    expect(t.troubles).toEqual([formatRestarted(program, 'later')]);
  });

  test('a startup file that reads the terminal is cut short, with a notice', async () => {
    const files = { [RC[program]]: 'early=1\nread answer\nlate=1\n' };
    await using t = openTestShell(program, { files });
    expect((await t.run('echo "$early-$late"')).output).toBe('1-\n');
    expect(t.troubles).toEqual([formatStartupAsks(`line 2 of ~/${RC[program]}`)]);
  }, 60_000);

  test('a shell that its startup file ends never waited for a line, and starts without that file', async () => {
    const files = { [RC[program]]: 'exit 1\n' };
    {
      await using t = openTestShell(program, { files });
      await t.until(() => t.shell.state === 'ended');
      expect([t.shell.hasStarted, t.shell.exitCode]).toEqual([false, 1]);
    }
    await using t = openTestShell(program, { files, withoutStartup: true });
    expect((await t.run('(exit 7)')).exit).toBe(7);
    expect(t.shell.hasStarted).toBe(true);
  });
});
