import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TestHome } from '../support/daemon.ts';
import { hasProgram } from '../support/programs.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

const HAS_SANDBOX = hasProgram('bwrap');

const PROGRAM =
  process.env.AISH_BIN === undefined
    ? [process.execPath, join(import.meta.dir, '../../src/hosts/main.ts')]
    : [process.env.AISH_BIN];

/** A home whose temporary directory is its own, to see what is left there. */
function openHome(): { home: TestHome; env: Record<string, string>; left: () => string[] } {
  const home = new TestHome();
  const temporary = join(home.root, 'tmp');
  mkdirSync(temporary);
  const left = () => readdirSync(temporary).filter((name) => name.startsWith('aish-demo'));
  return { home, env: { ...home.env, TMPDIR: temporary }, left };
}

function openDemo(home: TestHome, env: Record<string, string>): TestTerminal {
  const [command = '', ...args] = PROGRAM;
  return openTerminal({ command, args: [...args, 'demo'], env, cwd: home.work });
}

test('[start.demo] it says at once that the model is scripted and plays to its end without a terminal', async () => {
  const { home, env, left } = openHome();
  using _home = home;
  const child = Bun.spawn([...PROGRAM, 'demo'], {
    cwd: home.work,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, error, exit] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect([exit, error]).toEqual([0, '']);
  expect(output.split('\n')[0]).toBe('aish demo: the model here is SCRIPTED, and nothing leaves this machine.');
  expect(output).toMatch(/tasks\.txt is the longest,\s+with 3 lines/);
  expect(output).toContain('yes (the demo answers by itself: there is no terminal to ask at)');
  expect(output).toMatch(/checkpoint c1.*\n {2}ok/);
  expect(output).toContain('restored  tasks.txt');
  expect(output).not.toContain('\x1b');
  expect(output.split('\n').slice(-1)).toEqual(['']);
  expect(left()).toEqual([]);
  expect(['.bash_history', '.local'].filter((name) => existsSync(join(home.root, name)))).toEqual([]);
});

test.skipIf(!HAS_SANDBOX)(
  '[start.demo-norris] it plays an autonomous run: a contract, a failing check, the work, a passing check, a receipt and an undo',
  async () => {
    const { home, env, left } = openHome();
    using _home = home;
    const child = Bun.spawn([...PROGRAM, 'demo', '--norris'], { cwd: home.work, env, stdin: 'ignore', stdout: 'pipe' });
    const [output, exit] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    const places = [
      'SCRIPTED',
      'Until: sh check/total.sh exits with 0',
      'fails (exit 1): sh check/total.sh',
      'adds the prices now',
      'passes: sh check/total.sh',
      'Receipt of an autonomous run',
      '- changed: shop/total.sh',
      'restored  shop/total.sh',
    ].map((text) => output.indexOf(text));
    expect(exit).toBe(0);
    expect(places.every((place, at) => place > (places[at - 1] ?? -1))).toBe(true);
    expect(left()).toEqual([]);
  },
);

test('a user who allows the write sees it made and taken back', async () => {
  const { home, env, left } = openHome();
  using _home = home;
  await using terminal = openDemo(home, env);
  await terminal.waitFor('[y] allow once');
  terminal.type('y');
  expect(await terminal.ended()).toBe(0);
  const shown = terminal.history();
  expect(shown).toContain('  yes\n');
  expect(shown).toContain('restored  tasks.txt');
  expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(left()).toEqual([]);
});

test('[screen.narrow] at twenty columns no word of its own is torn', async () => {
  const { home, env } = openHome();
  using _home = home;
  const [command = '', ...args] = PROGRAM;
  const options = { command, args: [...args, 'demo', '--yes'], env, cwd: home.work, columns: 20 };
  await using terminal = openTerminal(options);
  expect(await terminal.ended()).toBe(0);
  const shown = terminal.history();
  expect(shown).toContain('aish demo: the model\nhere is SCRIPTED,\nand nothing leaves\n');
  expect(shown).toContain('\n2. Let the model\nchange a file\n');
  expect(shown).toContain('\n  path: "tasks.txt"\n');
  expect(shown).toMatch(/\n {2}restored\n? {2,4}tasks\.txt\n/);
});

test('a user who refuses the write is told that there is nothing to take back', async () => {
  const { home, env } = openHome();
  using _home = home;
  await using terminal = openDemo(home, env);
  await terminal.waitFor('[y] allow once');
  terminal.type('n');
  expect(await terminal.ended()).toBe(0);
  expect(terminal.history()).toContain('Nothing was written, so there is nothing to undo.');
  expect(terminal.history()).not.toContain('declined');
});

test('Ctrl-C at the question gives the turn up, and the demo goes on', async () => {
  const { home, env } = openHome();
  using _home = home;
  await using terminal = openDemo(home, env);
  await terminal.waitFor('[y] allow once');
  terminal.press('ctrl-c');
  expect(await terminal.ended()).toBe(0);
  expect(terminal.history()).toContain('Nothing was written, so there is nothing to undo.');
});

test('it leaves nothing behind when it is ended at the question', async () => {
  const { home, env, left } = openHome();
  using _home = home;
  await using terminal = openDemo(home, env);
  await terminal.waitFor('[y] allow once');
  expect(left()).toHaveLength(1);
  process.kill(terminal.pid, 'SIGINT');
  expect(await terminal.ended()).toBe(130);
  expect(left()).toEqual([]);
});

test('[start.demo] :demo plays it at the prompt', async () => {
  const { home, env } = openHome();
  using _home = home;
  const [command = '', ...args] = PROGRAM;
  await using terminal = openTerminal({ command, args, env, cwd: home.work });
  await terminal.waitFor(/ > ?$/);
  terminal.type(':demo\n');
  await terminal.waitFor('[y] allow once');
  terminal.type('y');
  const shown = await terminal.waitForHistory(/That was the demo\.[\s\S]* >\s*$/);
  expect(shown).toContain('  restored  tasks.txt');
});
