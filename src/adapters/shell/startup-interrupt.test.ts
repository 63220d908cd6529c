import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestShell } from '../../../test/support/test-shell.ts';

const RC = { bash: '.bashrc', zsh: '.zshrc' } as const;
const CTRL_C = Buffer.from('\x03');

describe.each(['bash', 'zsh'] as const)('a Ctrl-C while the startup files of %s run', (program) => {
  const slow = { files: { [RC[program]]: 'early=1\nsh -c "echo at work; exec sleep 60"\nlate=1\n' } };
  const ways = [
    ['from the session', (t: ReturnType<typeof openTestShell>) => t.shell.interrupt()],
    ['as a key', (t: ReturnType<typeof openTestShell>) => t.shell.write(CTRL_C)],
  ] as const;

  test.each(ways)('%s ends them, and the shell takes lines', async (_way, send) => {
    await using t = openTestShell(program, slow);
    await t.until(() => t.outside().includes('at work'));
    send(t);
    await t.ready();
    expect((await t.run('echo "$early-$late-${ZDOTDIR-}"')).output).toBe('1--\n');
    expect((await t.run('(exit 7)')).exit).toBe(7);
    expect((await t.run('false')).exit).toBe(1);
    expect(t.outside()).not.toContain('__aish');
    expect(t.troubles).toEqual([]);
  });

  test('calls off the line that waits behind them', async () => {
    await using t = openTestShell(program, slow);
    await t.until(() => t.outside().includes('at work'));
    const waiting = t.run('echo never');
    t.shell.interrupt();
    expect(await waiting).toMatchObject({ exit: 130, output: '' });
    expect((await t.run('echo then')).output).toBe('then\n');
  });

  test('takes nothing of what an earlier shell left to this one', async () => {
    const restore = 'export kept=before\0';
    await using t = openTestShell(program, { ...slow, restore });
    await t.until(() => t.outside().includes('at work'));
    t.shell.interrupt();
    const { exit, output } = await t.run('echo "$kept"');
    expect({ exit, output, troubles: t.troubles }).toEqual({ exit: 0, output: 'before\n', troubles: [] });
  });

  test('costs no shell at whatever moment of the start it comes', async () => {
    for (let moment = 0; moment < 20; moment += 1) {
      await using t = openTestShell(program);
      writeFileSync(join(t.home, RC[program]), 'own=1\n');
      for (let tick = 0; tick < moment * 4; tick += 1) await new Promise(setImmediate);
      t.shell.interrupt();
      expect([moment, (await t.run('(exit 7)')).exit]).toEqual([moment, 7]);
      expect((await t.run('echo fine')).output).toBe('fine\n');
      expect(t.troubles).toEqual([]);
    }
  }, 60_000);
});

const canSteal = Bun.which('setsid') !== null && existsSync('/proc/self/syscall');

describe.skipIf(!canSteal)('a line of ours that another program reads', () => {
  const reader = `setsid dd bs=4096 count=1 status=none of=stolen </dev/tty &
until [[ $(</proc/$!/syscall) == @(0|63)' 0x0 '* ]]; do :; done
`;
  const stolen = (home: string) => readFileSync(join(home, 'stolen'), 'utf8');

  test('is typed again after a Ctrl-C in the startup files', async () => {
    const files = { '.bashrc': `${reader}sh -c "echo at work; exec sleep 60"\n` };
    await using t = openTestShell('bash', { files });
    await t.until(() => t.outside().includes('at work'));
    t.shell.interrupt();
    const { exit, output } = await t.run('echo fine');
    expect({ exit, output, troubles: t.troubles }).toEqual({ exit: 0, output: 'fine\n', troubles: [] });
    expect(stolen(t.home)).toContain('__aish_i');
  });

  test('is typed again at the prompt, and the command runs once', async () => {
    await using t = openTestShell('bash', { files: { '.bashrc': reader } });
    await t.ready();
    const { exit, output } = await t.run('echo fine | tee -a ran');
    expect({ exit, output, troubles: t.troubles }).toEqual({ exit: 0, output: 'fine\n', troubles: [] });
    expect(stolen(t.home)).toContain('__aish_arm');
    expect((await t.run('cat ran')).output).toBe('fine\n');
  });
});
