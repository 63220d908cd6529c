import { describe, expect, test } from 'bun:test';
import { hasProgram } from '../../../../test/support/programs.ts';
import { inForeground, openTestShell } from '../../../../test/support/test-shell.ts';
import { readStartupKeys } from '../startup-keys.ts';

const CONFIG = 'set fish_greeting\nset -gx FOO bar\nabbr -a gs "echo abbr"\nfunction hi; echo hi $argv; end\n';
const files = { '.config/fish/config.fish': CONFIG };

describe.skipIf(!hasProgram('fish'))('fish', () => {
  test('its lines run with the output, status and directory that fish gives them', async () => {
    await using t = openTestShell('fish', { files });
    const seen = async (line: string) => {
      const { exit, output, cwd } = await t.run(line);
      return [exit, output, cwd === t.home ? '~' : cwd];
    };
    expect(await seen('echo hi')).toEqual([0, 'hi\n', '~']);
    expect(await seen('printf abc')).toEqual([0, 'abc', '~']);
    expect(await seen('true | false')).toEqual([1, '', '~']);
    expect(await seen('echo $status $pipestatus')).toEqual([0, '1 0 1\n', '~']);
    expect(await seen('for i in 1 2\n  echo $i\nend')).toEqual([0, '1\n2\n', '~']);
    expect(await seen('gs')).toEqual([0, 'abbr\n', '~']);
    expect(await seen('gs more')).toEqual([0, 'abbr more\n', '~']);
    expect(await seen('hi you')).toEqual([0, 'hi you\n', '~']);
    expect(await seen('nosuch')).toEqual([127, 'fish: Unknown command: nosuch\n', '~']);
    await t.run('false');
    const [exit, output] = await seen('ls | | wc');
    expect([exit, output]).toEqual([123, expect.stringContaining('Expected a command, but found a pipe')]);
    await t.ready();
    expect(t.shell.report.pushed).toBe('ls | | wc');
    expect(await seen('echo $status')).toEqual([0, '1\n', '~']);
    await t.ready();
    expect(t.shell.report.pushed).toBe('');
    expect(await seen('for i in 1')).toEqual([123, expect.stringContaining('found end of the input'), '~']);
    expect(await seen('# a note')).toEqual([123, '', '~']);
    expect(await seen('cd /')).toEqual([0, '', '/']);
    expect(await seen('echo $FOO')).toEqual([0, 'bar\n', '/']);
    expect([t.outside(), t.troubles]).toEqual(['', []]);
  });

  test('jobs stop, are listed and go on', async () => {
    await using t = openTestShell('fish', { files });
    const stopped = t.run('sleep 60');
    await inForeground(t.shell, 'sleep');
    t.shell.write(Buffer.from('\x1a'));
    expect((await stopped).output).toContain("Job 1, 'sleep 60' has stopped");
    await t.ready();
    expect(t.shell.report.jobs).toEqual([{ number: 1, state: 'stopped', line: 'sleep 60' }]);
    const back = t.run('fg');
    await inForeground(t.shell, 'sleep');
    t.shell.write(Buffer.from('\x03'));
    await back;
    await t.ready();
    expect(t.shell.report.jobs).toEqual([]);
    expect((await t.run('echo on')).output).toBe('on\n');
  });

  test('the end of a job in the background is told at the next prompt, and no end of another', async () => {
    await using t = openTestShell('fish', { files });
    await t.run('mkfifo go; sh -c "read x < go" &');
    await t.ready();
    const [job] = t.shell.report.jobs;
    await t.run('sleep 60 &; disown');
    await t.run('echo > go; while builtin jobs -q; end');
    await t.ready();
    expect(t.notices).toEqual([`[${job?.number}] ${job?.line}: ended`]);
    await t.run('kill (pgrep -f "^sleep 60$" -s (ps -o sid= -p $fish_pid | string trim))');
  });

  test('handlers hear of a line that was given up', async () => {
    await using t = openTestShell('fish', { files });
    await t.run('function on_cancel --on-event fish_cancel; set -g cancels "$cancels"x; end');
    await t.ready();
    t.shell.cancelLine();
    t.shell.cancelLine();
    expect((await t.run('echo $cancels')).output).toBe('xx\n');
  });

  test('abbreviations and keys of the user are known', async () => {
    const config = `${CONFIG}abbr -a co 'git checkout'\nabbr -a it "it's"\nabbr -a --position anywhere L "| less"
function fish_user_key_bindings; bind \\cx\\ca beginning-of-line; bind \\ck 'commandline -f end-of-line'; bind \\cg my_own; end\n`;
    await using t = openTestShell('fish', { files: { '.config/fish/config.fish': config } });
    await t.run('true');
    await t.ready();
    await t.shell.lookups.known();
    expect(Object.fromEntries(t.shell.lookups.abbreviations)).toEqual({
      gs: 'echo abbr',
      co: 'git checkout',
      it: "it's",
    });
    const { exportsFile } = t.shell.lookups;
    expect(await readStartupKeys({ program: Bun.which('fish') ?? '', exportsFile, env: {} })).toEqual({
      isVi: false,
      bindings: [
        { sequence: '\x18\x01', to: { type: 'function', name: 'beginning-of-line' } },
        { sequence: '\x0b', to: { type: 'function', name: 'end-of-line' } },
        { sequence: '\x07', to: { type: 'function', name: 'my_own' } },
      ],
    });
  });

  test('Ctrl-C stops a loop of nothing but builtins', async () => {
    await using t = openTestShell('fish', { files });
    const onOutput = (bytes: Uint8Array) => {
      if (Buffer.from(bytes).includes('begun')) t.shell.write(Buffer.from('\x03'));
    };
    const { output } = await t.shell.run('echo begun; while true; end; echo never', { driver: 'user', onOutput });
    expect(output).not.toContain('never');
    expect((await t.run('echo on')).output).toBe('on\n');
  });

  test('a new shell gets the variables of the one before, but its own level, and says nothing', async () => {
    const restore = "export SHLVL='3'\nexport KEPT='it'\\''s\nhere'\n";
    await using t = openTestShell('fish', { files, restore });
    expect((await t.run('echo $SHLVL "$KEPT"')).output).toBe("1 it's\nhere\n");
    expect(t.outside()).toBe('');
  });

  test('prompts of several lines leave the rest of the report as it is', async () => {
    await using t = openTestShell('fish', { files, renderPrompt: true });
    await t.run(
      'function fish_prompt; printf "one\\n> "; end; function fish_right_prompt; echo 10:00; echo -n done; end',
    );
    await t.run('sleep 300 &');
    await t.ready();
    expect(t.shell.report).toMatchObject({ prompt: 'one\n> ', rightPrompt: '10:00done', pushed: '' });
    expect(t.shell.report.jobs).toHaveLength(1);
    await t.run('kill %1');
  });

  test('names, exports and the prompt are known', async () => {
    await using t = openTestShell('fish', { files, renderPrompt: true });
    await t.run(
      `set -gx QUOTED 'it\\'s \\\\ here'; function fish_prompt; echo "<$status>"; end; function fish_right_prompt; echo right $status; end; function ls; command ls; end; false`,
    );
    await t.ready();
    await t.shell.lookups.known();
    const { report, lookups } = t.shell;
    expect(report).toMatchObject({ prompt: '<1>', rightPrompt: 'right 1', isPromptOwn: true });
    expect(['hi', 'gs', 'string', 'for', 'ls', 'man'].map((word) => lookups.kindOf(word))).toEqual([
      'function',
      'alias',
      'builtin',
      'keyword',
      'function',
      'builtin',
    ]);
    expect([...lookups.redefined]).toEqual(expect.arrayContaining(['hi', 'gs', 'ls']));
    expect(lookups.redefined.has('man')).toBe(false);
    expect(await Bun.file(lookups.exportsFile).text()).toContain(`export QUOTED='it'\\''s '\\\\' here'\n`);
  });

  test('exit ends it with its status, and what a command is not to have stays with it', async () => {
    await using t = openTestShell('fish', { files });
    const { output } = await t.shell.run('env', { driver: 'model', withheld: ['FOO'] });
    expect(output).not.toContain('FOO=');
    expect((await t.run('env')).output).toContain('FOO=bar\n');
    expect((await t.run('exit 3')).exit).toBe(3);
    await t.until(() => t.shell.state === 'ended');
    expect([t.shell.exitCode, t.shell.wasLeft]).toEqual([3, true]);
  });

  test('a startup file with an error is named, and the shell starts', async () => {
    await using t = openTestShell('fish', { files: { '.config/fish/config.fish': 'set fish_greeting\nif true\n' } });
    expect((await t.run('echo on')).output).toBe('on\n');
    expect(t.outside()).toContain('config.fish (line 2)');
  });
});
