import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Home, LAUNCHER } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { HostileFolder } from '../support/hostile-folder.ts';
import { calls, startModelServer, text } from '../support/model-server.ts';
import { SourceCopy } from '../support/source-copy.ts';
import { openTerminal } from '../support/terminal.ts';
import { useFolder } from '../support/test-folder.ts';

setDefaultTimeout(120_000);

const ROOT = resolve(import.meta.dir, '../..');
/** The launcher of a copy in which nothing is built, by a link as a package manager makes it. */
const source = new SourceCopy();
const linked = join(useFolder('linked'), 'aish');
symlinkSync(source.aish, linked);
afterAll(() => source[Symbol.dispose]());

/** Starts that end by themselves: what each prints is tested elsewhere. */
const ENDING: readonly (readonly string[])[] = [
  ['--version'],
  ['--help'],
  ['config', 'path'],
  ['config', 'show'],
  ['-p', 'hello'],
  ['-p', '--approve', 'all', 'hello'],
  ['-c', 'exit 0'],
  ['-lc', 'exit 0'],
  ['sessions'],
  ['checkpoints'],
  ['mcp', 'list'],
  ['undo'],
  ['attach'],
  ['demo', '--yes'],
  ['no-such\u0020subcommand, so a question'],
];

/** Each way to start the runtime, once. */
const WAYS = ['--version', '-p', '-c', 'demo'];

/** Without a tsconfig.json the runtime looks for another file in the same way: one start of each kind shows it. The night starts all. */
function startsWith(tsconfig: boolean): readonly (readonly string[])[] {
  if (tsconfig || process.env.AISH_HOSTILE === 'all') return ENDING;
  return WAYS.flatMap((way) => ENDING.filter(([first]) => first === way).slice(0, 1));
}

describe.each([
  ['the launcher', LAUNCHER],
  ['the source', linked],
])('in a folder of files that a runtime obeys, %s', (_, program) => {
  test.each([[true], [false]])(
    '[secrets.project] reads and runs none of them, whatever it is started for (tsconfig: %p)',
    async (tsconfig) => {
      using home = new Home();
      const hostile = new HostileFolder(home.root, { tsconfig });
      await using server = startModelServer({ script: Array.from({ length: 4 }, () => text('Hello.')) });
      home.useModel(server.url);
      const codes: Record<string, number> = {};
      for (const args of startsWith(tsconfig)) {
        const child = Bun.spawn([program, ...args], {
          cwd: hostile.path,
          env: home.env,
          stdin: 'ignore',
          stdout: 'ignore',
          stderr: 'ignore',
        });
        codes[args.join(' ')] = await child.exited;
      }
      expect({ ran: hostile.ran, read: hostile.read }).toEqual({ ran: [], read: [] });
      // Those that do something have done it.
      const worked = [
        '--version',
        '--help',
        'config path',
        'config show',
        '-p hello',
        '-c exit 0',
        'sessions',
        'demo --yes',
      ];
      const started = Object.keys(codes);
      expect(worked.filter((name) => started.includes(name) && codes[name] !== 0)).toEqual([]);
      expect(started.length).toBe(startsWith(tsconfig).length);
    },
  );

  test('[secrets.project] reads and runs none of them under the name that a login gives it', async () => {
    using home = new Home();
    const hostile = new HostileFolder(home.root);
    const child = Bun.spawn(['/bin/bash', '-c', 'exec -a -aish "$0" -l', program], {
      ...{ cwd: hostile.path, env: home.env, stdout: 'pipe', stderr: 'pipe' },
      stdin: new TextEncoder().encode('echo "[$OF_PROJECT]"\n'),
    });
    expect([await new Response(child.stdout).text(), await child.exited]).toEqual(['[]\n', 0]);
    expect({ ran: hostile.ran, read: hostile.read }).toEqual({ ran: [], read: [] });
  });

  test('[secrets.project] reads and runs none of them as a daemon, which begins its process anew', async () => {
    using home = new Home();
    const hostile = new HostileFolder(home.root);
    await using server = startModelServer({ script: [text('Hello.')] });
    home.useModel(server.url);
    const child = Bun.spawn([program, 'serve'], {
      cwd: hostile.path,
      env: home.env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    });
    try {
      const said = new TextDecoder().decode((await child.stdout.getReader().read()).value);
      const unix = /^listening unix:(\S+)/.exec(said)?.[1] ?? '';
      const body = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], config: { cwd: hostile.path } });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch('http://aish/chat', { unix, method: 'POST', headers, body });
      expect(response.status).toBe(200);
      await response.text();
      expect({ ran: hostile.ran, read: hostile.read }).toEqual({ ran: [], read: [] });
    } finally {
      child.kill();
      await child.exited;
    }
  });

  test('[secrets.project] reads and runs none of them at the prompt, in a thread of its own, or in an aish started there', async () => {
    using home = new Home();
    const hostile = new HostileFolder(home.root);
    const call = calls({ name: 'aish__exec', arguments: { command: 'rm -r node_modules/valibot' } });
    await using server = startModelServer({ script: [call, text('Left.')] });
    home.useModel(server.url);
    await using terminal = openTerminal({
      ...{ command: program, args: [], cwd: hostile.path, columns: 100, rows: 40, env: home.env },
    });
    await ask(terminal, 'remove it');
    await asked(terminal, 'aish.exec');
    // A thread counts the files that it would delete, and its code is loaded in this folder.
    await terminal.waitFor(/1 file/, PATIENCE);
    await answer(terminal, 'n');
    await answered(terminal, /Left\./);
    terminal.type(':demo\n');
    await terminal.waitForHistory(/SCRIPTED/, PATIENCE);
    terminal.press('ctrl-c');
    await prompted(terminal);
    expect(await runLine(terminal, 'echo "[$OF_PROJECT]"')).toContain('\n[]\n');
    // The names of the scripts here are commands to aish: it reads them itself.
    expect({ ran: hostile.ran, read: hostile.read }).toEqual({ ran: [], read: ['sub/deep/package.json'] });
  });
});

test.each([
  [true, ['bunfig', 'tsconfig']],
  [false, ['bunfig', 'jsconfig']],
])('such a folder does run code in a bare Bun (tsconfig: %p)', (tsconfig, expected) => {
  using home = new Home();
  const hostile = new HostileFolder(home.root, { tsconfig });
  const main = join(ROOT, 'src/hosts/main.ts');
  for (const options of [['--config=/dev/null'], ['--tsconfig-override=/dev/null']]) {
    Bun.spawnSync([process.execPath, ...options, main, '--version'], { cwd: hostile.path, env: home.env });
  }
  expect(hostile.ran.filter((name) => expected.includes(name))).toEqual(expected);
  expect(readdirSync(hostile.path)).toContain('.env');
});

test.each([
  [['.git']],
  [['.git/HEAD']],
  [['.git/index', '.gitignore']],
  [['.env', 'Makefile', 'package.json', '.aish', 'AGENTS.md', 'note.txt']],
])('pipes in the place of files that aish reads are waited for by nobody: %p', async (names) => {
  using home = new Home({ repository: !names.includes('.git'), sandbox: true });
  for (const name of names) rmSync(join(home.work, name), { force: true });
  for (const name of names) expect(Bun.spawnSync(['mkfifo', join(home.work, name)]).exitCode).toBe(0);
  const steps = [
    calls({ name: 'aish__exec', arguments: { command: 'echo seen' } }),
    calls({ name: 'aish__read_file', arguments: { path: names[0] ?? '' } }),
    calls({ name: 'aish__write_file', arguments: { path: 'new.txt', content: 'written\n' } }),
    text('Done.'),
  ];
  await using server = startModelServer({ script: steps });
  home.useModel(server.url);
  const { out } = await home.run(['-p', '--approve', 'all', 'go']);
  expect(out.trim()).toBe('Done.');
  // A write that nothing could undo is not made without asking.
  expect(existsSync(join(home.work, 'new.txt'))).toBe(!names.some((name) => name.startsWith('.git')));
});
