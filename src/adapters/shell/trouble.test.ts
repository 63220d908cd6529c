import { describe, expect, test } from 'bun:test';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inForeground, openTestShell } from '../../../test/support/test-shell.ts';
import { until } from '../../../test/support/until.ts';
import { diagnose, type Signs } from './health.ts';
import { formatStartupAsks, HOOKS_HANG, SLOW_HOOKS, STOPPED, UNRESPONSIVE } from './messages.ts';

describe.each(['bash', 'zsh'] as const)('%s', (program) => {
  const both = [
    'exec >/dev/null 2>&1',
    'stty raw -echo',
    'set -x',
    'set -u',
    'set -o noclobber',
    'IFS=',
    'IFS=";0123456789"',
    'PATH=',
    'PATH=; unset HOME',
    'unset PS1 PROMPT_COMMAND',
    "trap 'echo interrupted' INT",
    "trap 'echo left' EXIT",
    "trap '' INT QUIT TSTP TERM",
    'set -o allexport',
    'set -v',
    'set -f; set -o noglob',
    'set -o vi',
    'set -o emacs',
  ];
  const own = {
    bash: [
      'shopt -s extdebug',
      "trap 'echo debug' DEBUG; set -T",
      "trap 'echo error' ERR; set -E",
      'set -o posix',
      'PROMPT_COMMAND=nowhere; PS0="ps0 "',
      'readonly PROMPT_COMMAND=x',
      'PROMPT_COMMAND=(a b); readonly PROMPT_COMMAND',
      'unset -f $(compgen -A function __aish)',
      '__aish_d() { :; }; __aish_arm() { :; }',
      "PS1='${unset?wrong} ${!}'",
      "PS1='$(exit 3)\\$ '; PS2=; PS4=",
      'shopt -s nullglob failglob nocasematch; shopt -u promptvars',
      'command_not_found_handle() { echo handled; }',
      'set -o functrace -o errtrace -o nounset',
      'unalias -a; alias builtin=echo eval=echo local=echo',
    ],
    zsh: [
      'precmd_functions=(); preexec_functions=()',
      'setopt ksh_arrays sh_word_split glob_subst null_glob',
      'TRAPZERR() { echo error }; TRAPDEBUG() { echo debug }',
      'readonly precmd_functions',
      'emulate sh',
      'emulate ksh',
      "setopt prompt_subst; PS1='${unset?wrong} ${(bad)x}'",
      'setopt err_return',
      'setopt no_unset warn_create_global',
      'disable -r if; alias -g x=y',
      'zle; setopt zle',
      'setopt xtrace verbose',
    ],
  };

  test.each([...both, ...own[program]])('after "%s" lines run and end as before', async (line) => {
    await using t = openTestShell(program, { renderPrompt: true });
    await t.run(line);
    expect((await t.run('false')).exit).toBe(1);
    expect((await t.run('(exit 7)')).exit).toBe(7);
    expect((await t.run('echo seen >/dev/tty')).output).toContain('seen\n');
    expect((await t.run('true')).exit).toBe(0);
    await t.ready();
    expect([t.troubles, t.shell.state]).toEqual([[], 'ready']);
  });

  const startup = {
    bash: [
      'set -u',
      'set -o posix -o functrace -o errtrace -o nounset',
      "trap 'echo error' ERR; shopt -s extdebug failglob",
    ],
    zsh: ['set -u', 'emulate sh', 'emulate ksh', 'setopt err_return ksh_arrays no_unset warn_create_global'],
  };

  test.each(startup[program])('with "%s" in a startup file lines run and end', async (line) => {
    await using t = openTestShell(program, { renderPrompt: true, files: { [`.${program}rc`]: `${line}\n` } });
    expect((await t.run('(exit 7)')).exit).toBe(7);
    expect((await t.run('echo on')).output).toBe('on\n');
    await t.ready();
    expect([t.troubles, t.shell.state]).toEqual([[], 'ready']);
  });

  test('a startup file that ends too early is told by the shell with its name and line', async () => {
    const rc = 'early=1\nif true; then\n  :\n';
    await using t = openTestShell(program, { files: { '.bashrc': rc, '.zshrc': rc } });
    await t.ready();
    expect(t.outside()).toMatch(program === 'bash' ? /\.bashrc: line 4: syntax error/ : /\.zshrc:4: parse error/);
    expect((await t.run('echo on')).output).toBe('on\n');
    expect(t.troubles).toEqual([]);
  });

  test('a startup file that reads the terminal is skipped with a notice, and leaves no mark of a line', async () => {
    const rc = 'read x\n';
    await using t = openTestShell(program, { files: { '.bashrc': rc, '.zshrc': rc } });
    await t.ready();
    expect(t.troubles).toEqual([formatStartupAsks(`line 1 of ~/.${program}rc`)]);
    expect(t.outside()).not.toContain('\x1b[7m');
  });

  test('a directory that was removed is still told, and left as usual', async () => {
    await using t = openTestShell(program);
    const gone = join(t.home, 'gone');
    expect((await t.run('mkdir gone; cd gone; rmdir ../gone')).cwd).toBe(gone);
    expect((await t.run('false')).exit).toBe(1);
    expect((await t.run('cd "$HOME"')).cwd).toBe(t.home);
  });

  test('a shell stopped by a signal continues, with a notice', async () => {
    await using t = openTestShell(program);
    const record = await t.run('kill -STOP $$; echo on');
    expect(record.output).toContain('on\n');
    expect(t.troubles).toEqual([STOPPED]);
  });

  test('a line whose end is not told, as a Ctrl-C may drop it, has ended when the prompt comes', async () => {
    await using t = openTestShell(program);
    const record = await t.run('__aish_p=1');
    expect([record.exit, record.cwd, (await t.run('false')).exit]).toEqual([130, t.home, 1]);
  });

  test('a command whose output is to be put into a line may go on after a Ctrl-C: that is no prompt', async () => {
    await using t = openTestShell(program);
    const wait = `trap ": >hit" INT; : >begun; until [ -e hit ]; do sleep 0.02; done; sleep 1`;
    const record = t.run(`x=$(sh -c '${wait}')`);
    await until({ what: 'the command within' }, () => existsSync(join(t.home, 'begun')));
    t.shell.interrupt();
    expect((await record).output).not.toContain('__aish');
    expect((await t.run('echo next')).output).toBe('next\n');
    expect(t.outside()).toBe('');
  });

  test('hooks of the prompt that hang cause a notice, and Ctrl-C stops them', async () => {
    await using t = openTestShell(program);
    const hang =
      program === 'bash'
        ? 'PROMPT_COMMAND=("[[ -e slow ]] || { : >slow; sleep 60; }")'
        : 'precmd() { [[ -e slow ]] || { : >slow; sleep 60 } }';
    await t.run(hang);
    await t.until(() => t.troubles.length > 0);
    expect(t.troubles).toEqual([SLOW_HOOKS]);
    t.shell.write(new Uint8Array([3]));
    await t.ready();
  });

  test('hooks that hang at each prompt cost the shell at a second Ctrl-C', async () => {
    await using t = openTestShell(program);
    await t.run(program === 'bash' ? 'PROMPT_COMMAND=("sleep 60")' : 'precmd() { sleep 60 }');
    await t.until(() => t.troubles.length === 1);
    t.shell.write(new Uint8Array([3]));
    await t.until(() => t.troubles.length === 2);
    expect(t.troubles[1]).toBe(HOOKS_HANG);
    t.shell.write(new Uint8Array([3]));
    await t.until(() => t.shell.state === 'ended');
  }, 60_000);

  test('a line that comes while a killed shell ends has an end, too', async () => {
    await using t = openTestShell(program);
    await t.run('kill -9 $$');
    const late = async () => (await t.run('echo late')).exit;
    expect(await late().catch(() => null)).toBe(null);
  });

  test('a killed shell leaves its exported variables, and another takes them up', async () => {
    let exports: string | null = null;
    {
      await using t = openTestShell(program);
      await t.run('export ONE="a b\n\'c\'" TWO=2; THREE=3; export PATH=$HOME/bin:$PATH');
      await t.run('kill -9 $$');
      await t.until(() => t.shell.state === 'ended');
      expect(t.shell.endSignal).toBe('SIGKILL');
      exports = t.shell.exports;
    }
    const rc = 'export ONE=rc FOUR=4\n';
    await using t = openTestShell(program, { restore: exports, files: { '.bashrc': rc, '.zshrc': rc } });
    expect((await t.run('echo "$ONE|$TWO|${THREE-none}|$FOUR|$PWD|$SHLVL"')).output).toBe(
      `a b\n'c'|2|none|4|${t.home}|1\n`,
    );
    expect((await t.run('echo ${PATH%%:*}')).output).toMatch(/\/bin\n$/);
    expect(t.outside()).toBe('');
  });

  test('what a shell exports is where nobody else can read it, and goes with the shell', async () => {
    await using t = openTestShell(program);
    await t.run('export SECRET=hidden');
    await t.run(':');
    await t.ready();
    const found = (await t.run('ls -ld $HOME/runtime/*; ls -l $HOME/runtime/*/exports')).output;
    expect(found).toMatch(/^drwx------.*\n-rw-------/);
  });

  test('a line that makes the shell forget our functions costs it at a Ctrl-C, and that is said', async () => {
    if (program === 'bash') return;
    await using t = openTestShell(program);
    const record = t.run('unfunction -m "__aish_*"; : > gone');
    await until({ what: 'the end of the functions' }, () => existsSync(join(t.home, 'gone')));
    t.shell.interrupt();
    expect((await record).exit).toBe(null);
    await t.until(() => t.shell.state === 'ended');
    expect(t.troubles).toEqual([UNRESPONSIVE]);
  }, 60_000);
});

describe('the prompt of the user', () => {
  test.each(['bash', 'zsh'] as const)(
    '%s renders it right after the hooks, with the status of the line',
    async (program) => {
      const rc = {
        bash: "PROMPT_COMMAND='n=$((n+1))'\nPS1='\\[\\e[1m\\]\\W\\[\\e[0m\\] n=$n st=$? $(echo sub)\\n\\$ '\n",
        zsh: "setopt prompt_subst\nprecmd() { n=$((n+1)) }\nPS1=$'%{\\e[1m%}%1~%{\\e[0m%} n=$n st=%? $(echo sub)\\n%# '\n",
      }[program];
      await using t = openTestShell(program, { renderPrompt: true, files: { '.bashrc': rc, '.zshrc': rc } });
      await t.run('mkdir inner; cd inner; (exit 3)');
      await t.ready();
      const sign = process.getuid?.() === 0 ? '#' : program === 'bash' ? '$' : '%';
      expect(t.shell.report).toEqual({
        prompt: `\x1b[1minner\x1b[0m n=2 st=3 sub\n${sign} `,
        rightPrompt: null,
        isPromptOwn: true,
        environment: null,
        jobs: [],
        history: { control: '', ignore: [] },
        pushed: '',
        ended: [],
      });
      expect(t.outside()).toBe('');
    },
  );

  test.each(['bash', 'zsh'] as const)('the one %s comes with is nobody’s own', async (program) => {
    await using t = openTestShell(program, { renderPrompt: true });
    await t.ready();
    expect(t.shell.report.isPromptOwn).toBe(false);
  });

  test.each(['bash', 'zsh'] as const)('%s is not asked for it where it is not shown', async (program) => {
    const rc = "PS1='$(touch rendered)mine> '\nsetopt prompt_subst 2>/dev/null\n";
    await using t = openTestShell(program, { files: { '.bashrc': rc, '.zshrc': rc } });
    await t.run(':');
    expect((await t.run('ls')).output).not.toContain('rendered');
  });
});

test('a shell is taken for ill only when it should have answered', () => {
  const well: Signs = {
    phase: 'running',
    quietMs: 9000,
    overdueMs: null,
    isRepairing: false,
    isStopped: false,
    isAsleep: true,
    isWaiting: true,
    isStarting: false,
    replacedBy: null,
    isReading: false,
    isAtPrompt: false,
    isOfModel: false,
    mayLackHooks: false,
    isAlternate: false,
  };
  expect([
    diagnose(well),
    diagnose({ ...well, isStopped: true }),
    diagnose({ ...well, phase: 'ready', isStopped: true }),
    diagnose({ ...well, overdueMs: 500 }),
    diagnose({ ...well, overdueMs: 500, quietMs: 500, isRepairing: true }),
    diagnose({ ...well, overdueMs: 1500, quietMs: 1500, isRepairing: true }),
    diagnose({ ...well, phase: 'injecting' }),
    diagnose({ ...well, phase: 'injecting', quietMs: 1000 }),
    diagnose({ ...well, phase: 'injecting', quietMs: 1000, isReading: true }),
    diagnose({ ...well, phase: 'settling', overdueMs: 2500, isWaiting: false }),
    diagnose({ ...well, replacedBy: 'same' }),
    diagnose({ ...well, replacedBy: 'other', overdueMs: 500 }),
    diagnose({ ...well, replacedBy: 'other', isAsleep: false }),
    diagnose({ ...well, replacedBy: 'other', isAlternate: true }),
    diagnose({ ...well, phase: 'boot', replacedBy: 'other' }),
    diagnose({ ...well, isAtPrompt: true }),
    diagnose({ ...well, isAtPrompt: true, quietMs: 500 }),
    diagnose({ ...well, isAtPrompt: true, isOfModel: true }),
    diagnose({ ...well, isAtPrompt: true, mayLackHooks: true }),
    diagnose({ ...well, phase: 'boot', isStarting: true }),
    diagnose({ ...well, phase: 'boot', isStarting: true, quietMs: 500 }),
  ]).toEqual([
    null,
    'stopped',
    null,
    'hooks-lost',
    null,
    'unheard',
    'unresponsive',
    null,
    'unheard',
    'slow-hooks',
    'restarted',
    'replaced',
    null,
    null,
    'restarted',
    'lost',
    null,
    'unresponsive',
    'hooks-lost',
    'startup-asks',
    null,
  ]);
});

test('a counter in a DEBUG trap of bash counts the commands of the user and none of ours', async () => {
  await using t = openTestShell('bash', { renderPrompt: true });
  await t.run("n=0; trap 'n=$((n+1)) last=$BASH_COMMAND:$?' DEBUG");
  await t.run('n=0');
  await t.run('echo one >/dev/null; (exit 3)');
  await t.run('echo two words');
  const told = await t.run('echo $n "$last"');
  expect(told.output).toBe('3 echo $n "$last":0\n');
  expect((await t.run('trap -p DEBUG')).output).toBe("trap -- 'n=$((n+1)) last=$BASH_COMMAND:$?' DEBUG\n");
  await t.run('false');
  expect((await t.run('echo "$last"')).output).toBe('echo "$last":1\n');
  expect(t.troubles).toEqual([]);
});

test.each([
  ['bash', '.bashrc', 'line 3 of ~/inner.sh'],
  ['zsh', '.zshrc', 'line 5 of ~/inner.sh'],
] as const)('%s names the file and the line where a startup file ends it', async (program, rc, place) => {
  const inner = 'x=$(exit 7)\nleave() {\n  exit 3\n}\nleave\n';
  await using t = openTestShell(program, { files: { [rc]: '. ~/inner.sh\n', 'inner.sh': inner } });
  await t.until(() => t.shell.state === 'ended');
  expect([t.shell.startupPlace, t.shell.exitCode, t.shell.hasStarted]).toEqual([place, 3, false]);
});

test.each(['bash', 'zsh'] as const)(
  '%s names the file and the line that reads the terminal, and skips the rest',
  async (program) => {
    const inner = 'early=1\nwant() {\n  read -r answer\n}\nwant\nlate=2\n';
    await using t = openTestShell(program, {
      files: { [`.${program}rc`]: '. ~/inner.sh\nlate=1\n', 'inner.sh': inner },
    });
    expect((await t.run('echo "$early-$late"')).output).toBe('1-\n');
    expect(t.troubles).toEqual([formatStartupAsks('line 3 of ~/inner.sh')]);
    expect((await t.run('exit() { echo mine; }; trap; exit')).output).toBe('mine\n');
  },
);

test.each([
  ['bash', '[[ ! -e ran || -e pass ]] || { : >hook; sleep 10; }', 'PROMPT_COMMAND="hang"'],
  ['zsh', '[[ ! -e ran || -e pass ]] || { : >hook; sleep 10; }', 'precmd() { hang }'],
] as const)('a Ctrl-C in hooks of %s shows no prompt of the shell and types nothing', async (program, hang, rc) => {
  const text = `hang() { ${hang}; }\nPS1="theirs> "\n${rc}\n`;
  await using t = openTestShell(program, { renderPrompt: true, files: { [`.${program}rc`]: text } });
  const hook = join(t.home, 'hook');
  const running = t.run(': >ran');
  for (let count = 0; count < 4; count += 1) {
    await until({ what: 'the hook' }, () => existsSync(hook));
    // bash takes a Ctrl-C between the commands of a hook for one of the command that follows.
    await inForeground(t.shell, 'sleep');
    rmSync(hook);
    if (count === 3) writeFileSync(join(t.home, 'pass'), '');
    t.shell.write(new Uint8Array([3]));
  }
  await running;
  await t.run('rm ran');
  expect(t.outside()).not.toContain('theirs');
  expect(t.typedAhead()).not.toContain('__aish');
});
