import { describe, expect, test } from 'bun:test';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { survivors } from '../../../test/support/processes.ts';
import { openTerminal } from '../../../test/support/terminal.ts';
import { openTestShell } from '../../../test/support/test-shell.ts';
import { until } from '../../../test/support/until.ts';
import { systemCalls } from '../system/system-calls.ts';

/** A terminal that shows nothing until it is read: a pipe that does not block. */
class SlowTerminal {
  readonly fd: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'slow-terminal-'));
  #text = '';

  constructor() {
    const path = join(this.#folder, 'pipe');
    systemCalls()?.makeFifo(path);
    this.fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  }

  /** Everything shown so far. */
  read(): string {
    const buffer = new Uint8Array(65536);
    for (;;) {
      try {
        this.#text += Buffer.from(buffer.subarray(0, readSync(this.fd, buffer))).toString('latin1');
      } catch {
        return this.#text;
      }
    }
  }

  /** Reads on until the work is done. */
  async readWhile<T>(work: Promise<T>): Promise<T> {
    const timer = setInterval(() => this.read(), 1);
    return await work.finally(() => clearInterval(timer));
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
    rmSync(this.#folder, { recursive: true });
  }
}

describe.each(['bash', 'zsh'] as const)('%s', (program) => {
  test('output is framed by the marks terminals know, and forged ones of ours pass through', async () => {
    using terminal = new SlowTerminal();
    await using t = openTestShell(program, { terminal: terminal.fd });
    await t.run("printf 'a\\033]7711;no;B\\007'; cd /; false");
    const { hostname } = await import('node:os');
    expect(terminal.read()).toBe(
      `\x1b]133;C\x07a\x1b]7711;no;B\x07\x1b]133;D;1\x07\x1b]7;file://${hostname()}/\x07\x1b[?25h`,
    );
  });

  test('a terminal that reads nothing stops the writer, and Ctrl-C gets through', async () => {
    using terminal = new SlowTerminal();
    await using t = openTestShell(program, { terminal: terminal.fd });
    await t.ready();
    const running = t.run('trap "" PIPE; yes');
    await until({ what: 'a full queue' }, () => t.shell.queuedBytes >= 256 * 1024);
    t.shell.interrupt();
    await until({ what: 'the end of yes' }, () => t.shell.foregroundName !== 'yes');
    expect(t.shell.queuedBytes).toBeLessThan(1024 * 1024);
    const record = await terminal.readWhile(running);
    expect(record.exit).toBe(130);
    expect(record.bytes).toBeLessThan(2 * 1024 * 1024);
  });

  test('the screen of a program that was killed is left behind', async () => {
    using terminal = new SlowTerminal();
    await using t = openTestShell(program, { terminal: terminal.fd });
    await t.run("printf '\\033[?1049h\\033[?1000hdrawn'; sh -c 'kill -9 $$'");
    expect(terminal.read()).toMatch(/drawn[\s\S]*\x1b\[\?1049l[\s\S]*\x1b\[\?1000l/);
  });

  test('a slow terminal gets every byte', async () => {
    using terminal = new SlowTerminal();
    await using t = openTestShell(program, { terminal: terminal.fd });
    await terminal.readWhile(t.run('seq 1 200000'));
    const lines = Array.from({ length: 200_000 }, (_line, index) => `${index + 1}\r\n`).join('');
    expect(terminal.read()).toContain(`\x1b]133;C\x07${lines}\x1b]133;D;0`);
  });

  test('a full-screen program gets its keys, edits its file and leaves no trace in the record', async () => {
    using terminal = new SlowTerminal();
    await using t = openTestShell(program, { terminal: terminal.fd });
    const running = t.run('vim -u NONE -N file');
    await until(
      { what: 'the screen of the program' },
      () => terminal.read(),
      (shown) => shown.includes('\x1b[?1049h'),
    );
    t.shell.write(new TextEncoder().encode('ihello\x1b:wq\r'));
    const record = await terminal.readWhile(running);
    expect({ exit: record.exit, output: record.output.includes('hello') }).toEqual({ exit: 0, output: false });
    expect(readFileSync(join(t.home, 'file'), 'utf8')).toBe('hello\n');
    expect(terminal.read()).toContain('\x1b[?1049l');
  });

  test('bytes pass untouched in both directions', async () => {
    using terminal = new SlowTerminal();
    await using t = openTestShell(program, { terminal: terminal.fd });
    const all = Uint8Array.from({ length: 256 }, (_byte, index) => index);
    writeFileSync(join(t.home, 'all'), all);
    const running = t.run('stty raw -echo; printf ready; head -c 256 > back; cat all');
    await until(
      { what: 'the program' },
      () => terminal.read(),
      (shown) => shown.includes('ready'),
    );
    t.shell.write(all);
    await terminal.readWhile(running);
    expect(new Uint8Array(readFileSync(join(t.home, 'back')))).toEqual(all);
    expect(terminal.read()).toContain(Buffer.from(all).toString('latin1'));
  });

  test('when aish is killed the shell ends by itself', async () => {
    const home = mkdtempSync(join(tmpdir(), 'shell-killed-'));
    const script = `
      const { Shell } = await import('${join(import.meta.dir, 'shell.ts')}');
      const shell = Shell.open({ program: '${program}', cwd: '${home}', env: { PATH: process.env.PATH, HOME: '${home}' }, size: { columns: 80, rows: 24 }, runtimeDir: '${home}/run', terminal: null });
      const record = await shell.run('echo $$', { driver: 'user' });
      console.log('shell=' + record.output.trim() + '.');
      await shell.run('sleep 62', { driver: 'user' });`;
    await using t = openTerminal({
      command: process.execPath,
      args: ['-e', script],
      env: { PATH: process.env.PATH ?? '' },
    });
    const screen = await t.waitFor(/shell=\d+\./);
    const pid = Number(/shell=(\d+)/.exec(screen)?.[1]);
    process.kill(t.pid, 'SIGKILL');
    await t.ended();
    expect(await survivors([pid])).toEqual([]);
    rmSync(home, { recursive: true });
  });
});
