import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { describeStartFault } from './start-fault.ts';

function faultOf(command: string): unknown {
  try {
    Bun.spawn([command]);
    return null;
  } catch (thrown) {
    return describeStartFault(thrown);
  }
}

test('a program that is missing and one that may not run are told apart', () => {
  expect([faultOf(join(import.meta.dir, 'no-such-program')), faultOf('/etc/passwd')]).toEqual([
    { isMissing: true, why: 'no such program or working directory', hint: null },
    { isMissing: false, why: 'you have no permission to run it', hint: null },
  ]);
});

test('what is no fault of the system is told in its own words', () => {
  expect(describeStartFault(new Error('odd'))).toEqual({ isMissing: false, why: 'odd', hint: null });
  expect(describeStartFault('odd')).toEqual({ isMissing: false, why: 'odd', hint: null });
});

test('where no file can be opened any more, nobody is told to install git, or that the shell is missing', () => {
  const folder = import.meta.dir;
  const script = `
    import { openSync } from 'node:fs';
    import { runGit } from ${JSON.stringify(join(folder, '../git/process/git-process.ts'))};
    import { startChild } from ${JSON.stringify(join(folder, '../sandbox/run-child.ts'))};
    import { Pty } from ${JSON.stringify(join(folder, '../shell/pty.ts'))};
    import { ServerProcesses } from ${JSON.stringify(join(folder, '../mcp/server-processes.ts'))};
    import { StdioTransport } from ${JSON.stringify(join(folder, '../mcp/stdio-transport.ts'))};
    const tell = (thrown) => console.log(thrown.code + ' | ' + thrown.message + ' | ' + thrown.hint);
    const call = { command: ['/bin/sh'], cwd: '/', env: {} };
    const server = new StdioTransport({ command: '/bin/sh', args: [], cwd: '/', env: {}, running: new ServerProcesses(), maxMessageBytes: 1000, graceMs: 100 });
    try { for (;;) openSync('/dev/null', 'r'); } catch {}
    await runGit({ cwd: '/', args: ['--version'] }).catch(tell);
    try { startChild(call); } catch (thrown) { tell(thrown); }
    try { new Pty({ ...call, size: { columns: 80, rows: 24 }, onData() {} }); } catch (thrown) { tell(thrown); }
    await server.start().catch(tell);
  `;
  const said = Bun.spawnSync(['/bin/sh', '-c', 'ulimit -n 60; exec "$@"', 'sh', process.execPath, '-e', script], {
    stderr: 'inherit',
  });
  const rest = 'aish has too many open files | raise the limit: ulimit -n 1024';
  expect(said.stdout.toString().trim().split('\n')).toEqual([
    `git.not-started | cannot start git: ${rest}`,
    `sandbox.failed | cannot start /bin/sh: ${rest}`,
    `shell.not-started | cannot start /bin/sh in /: ${rest}`,
    `mcp.unreachable | cannot start "/bin/sh" in /: ${rest}`,
  ]);
});
