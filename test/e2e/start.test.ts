import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { openAttachedClient } from '../support/attached-terminal.ts';
import { answered, ask } from '../support/conversation.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { hasProgram } from '../support/programs.ts';
import { openTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

/** Runs the program under the name a login gives it, which a script would not get to see. */
function asLogin(args: readonly string[]): string[] {
  const program = process.env.AISH_BIN;
  const command =
    program === undefined ? [process.execPath, resolve(import.meta.dir, '../../src/hosts/main.ts')] : [program];
  return ['-c', 'exec -a -aish "$@"', 'login', ...command, ...args];
}

test('[cli.prompt] aish opens a prompt in this directory, in a subdirectory too', async () => {
  using home = new Home();
  mkdirSync(join(home.work, 'sub'));
  await using terminal = home.open([], { cwd: join(home.work, 'sub') });
  expect(await prompted(terminal)).toContain(`${home.work}/sub >`);
  expect(await runLine(terminal, 'pwd')).toContain(`\n${home.work}/sub\n`);
});

test('[cli.prompt] the home directory is shown as ~', async () => {
  using home = new Home();
  await using terminal = home.open([], { cwd: home.home });
  expect(await prompted(terminal)).toMatch(/(^|\n)~ >$/);
});

test('[cli.prompt] a directory that is taken away meanwhile leaves the shell usable', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'mkdir deep2 && cd deep2 && rmdir ../deep2');
  await runLine(terminal, 'echo alive-$((1+1))');
  expect(await runLine(terminal, 'cd / && pwd')).toContain('alive-2\n');
});

test.each([
  ['near', ''],
  ['so far that no socket fits', 'far'.repeat(40)],
])(
  '[cli.prompt] without a runtime directory all works, no matter who took a name in /tmp, with a state folder that is %s',
  async (_, far) => {
    using home = new Home({ sandbox: true });
    const state = join(home.root, 'state', far);
    const temporary = join(home.root, 'tmp');
    for (const folder of [state, temporary]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(temporary, `aish-${process.getuid?.()}`), 'taken');
    const env = { XDG_RUNTIME_DIR: '', XDG_STATE_HOME: state, TMPDIR: temporary };
    const look = calls({ name: 'aish__exec', arguments: { command: 'wc -c README' } });
    await using server = startModelServer({ script: [look, text('Looked.')] });
    home.useModel(server.url);
    await using terminal = home.open([], { env });
    expect(await runLine(terminal, 'echo works-$((1+1))')).toContain('\nworks-2\n');
    await ask(terminal, 'look');
    await answered(terminal, 'Looked.');
    await using attached = home.open(['attach'], { env });
    await openAttachedClient(attached);
    attached.type('echo joined-$((1+1))\n');
    await terminal.waitForHistory('joined-2', PATIENCE);
  },
);

describe('aish -c', () => {
  test("[cli.command] runs a command in the user's own shell at once, with its status", async () => {
    using home = new Home();
    expect(await home.run(['-c', 'echo "$0 $1 $((6*7))"; exit 7', 'name', 'one'])).toEqual({
      code: 7,
      out: 'name one 42\n',
      error: '',
    });
    expect(existsSync(home.state)).toBe(false);
  });

  test('[cli.command] passes input through, as scp and rsync want', async () => {
    using home = new Home();
    expect((await home.run(['-c', 'tr a-z A-Z'], { input: 'bytes\n' })).out).toBe('BYTES\n');
  });

  test('[cli.command] reads login files with -lc', async () => {
    using home = new Home();
    writeFileSync(join(home.home, '.bash_profile'), 'export FROM_PROFILE=yes\n');
    expect((await home.run(['-lc', 'echo "$FROM_PROFILE"'])).out).toBe('yes\n');
    expect((await home.run(['-c', 'echo "[$FROM_PROFILE]"'])).out).toBe('[]\n');
  });

  test('[cli.command] runs with a broken configuration too', async () => {
    using home = new Home();
    home.configure('this is [not toml');
    expect(await home.run(['-c', 'echo fine'])).toEqual({ code: 0, out: 'fine\n', error: '' });
  });

  test.skipIf(!hasProgram('zsh'))('[cli.command] goes to the shell of the configuration', async () => {
    using home = new Home();
    home.configure(`[shell]\nprogram = "${Bun.which('zsh')}"\n`);
    expect((await home.run(['-c', 'echo "${ZSH_VERSION:+zsh}"'])).out).toBe('zsh\n');
  });
});

describe('as a login shell', () => {
  test('[cli.login] SHELL names the real shell, and login files are read', async () => {
    using home = new Home();
    writeFileSync(join(home.home, '.bash_profile'), 'echo "profile was read"\n');
    await using terminal = home.open(['-l'], { env: { SHELL: AISH } });
    await terminal.waitFor('profile was read', PATIENCE);
    expect(await runLine(terminal, 'echo "is $SHELL"')).toMatch(/\nis \/(usr\/)?bin\/(ba|z)sh\n/);
  });

  test('[cli.login] a name that begins with a dash makes it one', async () => {
    using home = new Home();
    writeFileSync(join(home.home, '.bash_profile'), 'export FROM_PROFILE=yes\n');
    const run = (args: readonly string[], stdin: 'ignore' | Uint8Array): Bun.SyncSubprocess<'pipe', 'pipe'> =>
      Bun.spawnSync(['/bin/bash', ...asLogin(args)], { cwd: home.work, env: home.env, stdin });
    expect(run(['-c', 'echo "$FROM_PROFILE"'], 'ignore').stdout.toString()).toBe('yes\n');
    const script = run([], Buffer.from('cd /\npwd; echo "$FROM_PROFILE"\nexit 5\n'));
    expect([script.exitCode, script.stdout.toString()]).toEqual([5, '/\nyes\n']);
  });

  test('[cli.login] a script on standard input runs, as over ssh', async () => {
    using home = new Home();
    const input = 'cd /\npwd\nexit 5\n';
    expect(await home.run(['-l'], { input })).toEqual({ code: 5, out: '/\n', error: '' });
  });

  test('[cli.login] aish refuses to run inside itself, and says what to do', async () => {
    using home = new Home();
    await using terminal = home.open();
    await prompted(terminal);
    terminal.type(`${AISH}\n`);
    await terminal.waitFor(/does not run inside itself\n\s*type exit/, PATIENCE);
    await terminal.waitFor(/\n\[2\] \S+ >$/, PATIENCE);
    expect(await runLine(terminal, `${AISH} -c 'echo in-$((1+1))'`)).toContain('\nin-2\n');
  });
});

describe('the first start', () => {
  test('[start.first-run] without configuration the prompt comes, and one line says how to set up a model', async () => {
    using home = new Home();
    await using terminal = home.open();
    await prompted(terminal);
    const screen = await terminal.waitFor(/found no model/, PATIENCE);
    expect(screen.match(/model/g)?.length).toBe(1);
    expect(await runLine(terminal, 'echo works-$((1+1))')).toContain('\nworks-2\n');
    terminal.type('?hello\n');
    await terminal.waitFor(/no model is set up[\s\S]*OPENAI_API_KEY[\s\S]*\n\S+ >$/, PATIENCE);
  });

  test('[start.first-run] a key in the environment is found and named, and is kept nowhere', async () => {
    using home = new Home();
    await using terminal = home.open([], { env: { OPENAI_API_KEY: 'sk-secret-zebra' } });
    await terminal.waitFor('OPENAI_API_KEY', PATIENCE);
    await runLine(terminal, 'true');
    terminal.type('exit\n');
    await terminal.ended();
    expect(terminal.rawText()).not.toContain('sk-secret');
    expect(isOnDisk(home.root, 'sk-secret')).toBe(false);
  });
});

describe('a broken configuration', () => {
  test('[start.config-error] a wrong key is told with line, column and the nearest key, and the prompt comes', async () => {
    using home = new Home();
    home.configure('[shell]\nconfirm_cmd = true\n\n[chekpoint]\nmode = "ref"\n');
    await using terminal = home.open();
    await terminal.waitFor(/config\.toml:4:2\b[\s\S]*chekpoint[\s\S]*checkpoint/, PATIENCE);
    expect(await runLine(terminal, 'echo works-$((1+1))')).toContain('\nworks-2\n');
  });

  test('[start.config-error] with it no model is looked for outside of this machine', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('sent')] });
    home.configure('[models.test\n');
    await using terminal = home.open([], {
      columns: 200,
      env: { OPENAI_API_KEY: 'sk-zebra-zebra', OPENAI_BASE_URL: server.url },
    });
    await terminal.waitFor('only a model on this machine', PATIENCE);
    await prompted(terminal);
    terminal.type('?hello\n');
    await terminal.waitFor(/no model is set up[\s\S]*aish config check\n[\s\S]*>$/, PATIENCE);
    expect(server.requests).toEqual([]);
  });

  test("[start.config-error] a project's broken file is told, and the user's own model is asked", async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('from my own model')] });
    home.useModel(server.url);
    mkdirSync(join(home.work, '.aish'));
    writeFileSync(join(home.work, '.aish', 'config.toml'), 'x = = 1\n');
    await using terminal = home.open([], { columns: 200, env: { OPENAI_API_KEY: 'sk-zebra-zebra' } });
    await terminal.waitFor(/\.aish\/config\.toml:1:\d+[\s\S]*aish ignores this\s+project\s+file/, PATIENCE);
    await ask(terminal, 'hello');
    await answered(terminal, 'from my own model');
  });

  test('[start.config-error] text that is no TOML is told with its place', async () => {
    using home = new Home();
    home.configure('[shell]\nconfirm_cmd = = true\n');
    await using terminal = home.open();
    await terminal.waitFor(/config\.toml:2:\d+/, PATIENCE);
    await prompted(terminal);
  });

  test('[start.config-error] a one-shot question does not start with it', async () => {
    using home = new Home();
    home.configure('[shell]\nconfirm_cmds = true\n');
    const { code, error } = await home.run(['-p', 'hello']);
    expect(code).toBe(2);
    expect(error).toMatch(/config\.toml:2:1\b[\s\S]*confirm_cmd\b/);
  });
});

test('[cli.prompt] a full disk ends the session with a clear line and leaves the shell as it was', async () => {
  using home = new Home();
  await using server = startModelServer();
  home.useModel(server.url);
  const limited = 'trap "" XFSZ; ulimit -f 16; exec "$0"';
  await using terminal = openTerminal({
    command: '/bin/bash',
    args: ['-c', limited, AISH],
    cwd: home.work,
    env: home.env,
  });
  await prompted(terminal);
  terminal.type('seq 1 9000; (exit 4)\n');
  await terminal.waitFor(/log cannot be written[\s\S]*\n\[4\] \S+ >$/, PATIENCE);
  expect(await runLine(terminal, 'cd / && echo alive-$((1+1))')).toContain('\nalive-2\n/ >');
  terminal.type('?hello\n');
  await terminal.waitFor(/so this session is read-only[\s\S]*:new/, PATIENCE);
  expect(server.requests).toEqual([]);
});

describe('plain terminals', () => {
  test('[cli.prompt] with NO_COLOR and with --no-color no colour is sent', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('A **bold** answer.'), text('A **bold** answer.')] });
    home.useModel(server.url);
    for (const [args, env] of [
      [[], { NO_COLOR: '1' }],
      [['--no-color'], {}],
    ] as const) {
      await using terminal = home.open(args, { env });
      await runLine(terminal, 'false');
      await ask(terminal, 'hello');
      await answered(terminal, /bold\S* answer\./);
      expect(terminal.rawText()).not.toMatch(/\x1b\[[0-9;]*(3|4|9|10)[0-9][0-9;]*m/);
    }
  });

  test('[cli.prompt] a dumb terminal gets text it can show', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [text('A **bold** answer.')] });
    home.useModel(server.url);
    await using terminal = home.open([], { env: { TERM: 'dumb' } });
    await runLine(terminal, 'echo hi-$((1+1))');
    await ask(terminal, 'hello');
    await answered(terminal, /bold\S* answer\./);
    terminal.type('exit\n');
    expect(await terminal.ended()).toBe(0);
  });
});
