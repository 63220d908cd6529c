import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home, LAUNCHER, type RunResult } from '../support/aish.ts';
import { PATIENCE, runLine } from '../support/at-prompt.ts';
import { startModelServer, text } from '../support/model-server.ts';
import { asOtherUser, NOBODY } from '../support/other-user.ts';

setDefaultTimeout(120_000);

/** Starts that end by themselves, each of which wants another folder. */
const COMMANDS: readonly (readonly string[])[] = [
  ['config', 'path'],
  ['config', 'show'],
  ['-c', 'true'],
  ['-p', 'hello'],
  ['-p', '--continue', 'hello'],
  ['sessions'],
  ['sessions', 'search', 'x'],
  ['mcp', 'list'],
  ['undo'],
  ['diff'],
  ['checkpoints'],
  ['attach'],
  ['halt'],
  ['completion', 'bash'],
  ['serve', '--socket', '/proc/none/x.sock'],
];

/** Each place that aish wants something of, in the way of which stands a file. */
const VARIABLES = ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR'];

/** A stack, words of the runtime, or nothing although it failed. */
function faultOf({ code, error }: RunResult): string | null {
  if (/^\s+at \S|uv_|TypeError|SystemError|^Error/m.test(error)) return error;
  return code !== 0 && error === '' ? 'it failed without a word' : null;
}

async function faults(home: Home, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const runs = COMMANDS.map(async (args) => {
    const fault = faultOf(await home.run(args, { env }));
    // A search finds nothing without a word on standard error, as grep does.
    const isFound = fault !== null && !(args[1] === 'search' && fault.startsWith('it failed'));
    return isFound ? [`${args.join(' ')}: ${fault}`] : [];
  });
  return (await Promise.all(runs)).flat();
}

describe('a place that cannot be used gives one plain error, or none', () => {
  test.each(VARIABLES)('a file stands where %s leads', async (variable) => {
    using home = new Home();
    const file = join(home.root, 'file');
    writeFileSync(file, '');
    const usual: Readonly<Record<string, string>> =
      variable === 'HOME' ? { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_CACHE_HOME: '' } : {};
    expect(await faults(home, { ...usual, XDG_RUNTIME_DIR: '', [variable]: file })).toEqual([]);
  });

  test('the directory aish is started in is gone', async () => {
    using home = new Home();
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@" 2>"$ERRORS"';
    const found: string[] = [];
    for (const args of COMMANDS) {
      const ERRORS = join(home.root, 'errors');
      const env = { ...home.env, ERRORS };
      const child = Bun.spawn(['/bin/sh', '-c', script, AISH, ...args], {
        cwd: home.work,
        env,
        stdout: 'ignore',
        stderr: 'ignore',
      });
      const code = await child.exited;
      // The shell of the launcher says so itself.
      const error = readFileSync(ERRORS, 'utf8').replace(/^.*getcwd.*\n/gm, '');
      const fault = args[0] === '-c' ? null : faultOf({ code, out: '', error });
      if (fault !== null) found.push(`${args.join(' ')}: ${fault}`);
    }
    expect(found).toEqual([]);
  });

  test('the output is a disk that is full', async () => {
    using home = new Home();
    for (const args of [['--help'], ['config', 'show'], ['sessions', '--output', 'json']]) {
      const child = Bun.spawn([AISH, ...args], {
        cwd: home.work,
        env: home.env,
        stdin: 'ignore',
        stdout: Bun.file('/dev/full'),
        stderr: 'pipe',
      });
      const error = await new Response(child.stderr).text();
      expect([await child.exited, error]).toEqual([1, 'aish: cannot write the output: the disk is full\n']);
    }
  });

  // Bun itself ends a compiled program there, with a plain error, before any of its code runs: the launcher starts the source.
  test('the prompt comes all the same, in the home', async () => {
    using home = new Home();
    mkdirSync(join(home.work, 'gone'));
    const script = 'cd gone && rmdir ../gone && exec "$0"';
    await using terminal = home.open(['-c', script, LAUNCHER], { command: '/bin/sh' });
    await terminal.waitForHistory('the directory in which aish started no longer exists', PATIENCE);
    expect(await runLine(terminal, 'pwd')).toContain(`\n${home.home}\n`);
  });

  const nobody = asOtherUser();
  test.skipIf(nobody === null)('folders are of another user', async () => {
    using home = new Home();
    const found: string[] = [];
    for (const args of COMMANDS) {
      const child = Bun.spawn([...(nobody ?? []).slice(0, -1), AISH, ...args], {
        cwd: '/',
        env: home.env,
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'pipe',
      });
      const error = await new Response(child.stderr).text();
      const fault = faultOf({ code: await child.exited, out: '', error });
      if (fault !== null && args[1] !== 'search') found.push(`${args.join(' ')}: ${fault}`);
    }
    expect(found).toEqual([]);
  });
});

const setpriv = asOtherUser()?.slice(0, -1) ?? null;
test.skipIf(setpriv === null)(
  'aish runs inside the aish of another user, as behind su, and not inside its own',
  async () => {
    using home = new Home();
    const env = { AISH: String(process.pid) };
    await using own = home.open([], { env });
    await own.waitFor('you are in aish already', PATIENCE);
    Bun.spawnSync(['chown', '-R', `${NOBODY}:${NOBODY}`, home.root]);
    const [command = '', ...words] = setpriv ?? [];
    await using other = home.open([...words, AISH], { command, env });
    expect(await runLine(other, 'id -u')).toContain(`\n${NOBODY}\n`);
  },
);

test('a log that is damaged in its middle is told of by one-shots, and where it is shown', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('One.'), text('Two.')] });
  home.useModel(server.url);
  expect((await home.run(['-p', 'first'])).code).toBe(0);
  const [id = ''] = readdirSync(join(home.state, 'sessions'));
  const log = join(home.state, 'sessions', id, 'log.jsonl');
  const lines = readFileSync(log, 'utf8').split('\n');
  writeFileSync(log, lines.with(4, `garbage${lines[4]}`).join('\n'));
  const damaged = /^aish: the session log is damaged after event \d+; aish cannot show .* of .*log\.jsonl\n$/;
  expect((await home.run(['sessions', 'show', id])).error).toMatch(damaged);
  const { code, error } = await home.run(['-p', '--continue', 'second']);
  expect([code, error]).toEqual([
    0,
    expect.stringMatching(/^aish: the session log is damaged after event \d+; aish moved the rest .* to /),
  ]);
});
