import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { answered, ask, filesystemServer, fixtureServer, learnTools, stdioServer } from '../support/conversation.ts';
import { calls, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { commandLine, descendants, HAS_PROCESS_TABLE, survivors } from '../support/processes.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { written } from '../support/until.ts';

const LONG = 120_000;

/** Two servers: the official one behind no wrapper, and one that has a helper process and does not obey SIGTERM. */
function configure(home: Home, server: ModelServer, habits: readonly string[]): void {
  const watched = stdioServer('watched', fixtureServer('hostile.ts', join(home.root, 'server-log'), ...habits));
  const rules = '[mcp.auto_approve]\n"watched.*" = true\n';
  home.useModel(server.url, `${filesystemServer(home.work)}${watched}${rules}`);
}

/** Opens aish with both servers running, and tells every process it started. */
async function openWithServers(home: Home): Promise<{ terminal: TestTerminal; pids: number[] }> {
  const terminal = home.open();
  await prompted(terminal);
  await terminal.waitForHistory('server "fs" connected', PATIENCE);
  await terminal.waitForHistory('server "watched" connected', PATIENCE);
  const pids = descendants(terminal.pid);
  const lines = pids.map(commandLine);
  for (const part of ['mcp-server-filesystem', 'hostile.ts']) expect(lines.join('\n')).toContain(part);
  return { terminal, pids };
}

const obedient: readonly string[] = [];
const stubborn = ['grandchild', 'ignore-term'];

describe.skipIf(!HAS_PROCESS_TABLE)('no process stays behind', () => {
  test(
    '[mcp.no-orphans] after :quit',
    async () => {
      using home = new Home();
      await using server = startModelServer();
      configure(home, server, stubborn);
      const { terminal, pids } = await openWithServers(home);
      terminal.type(':quit\n');
      expect(await terminal.ended()).toBe(0);
      expect(await survivors(pids)).toEqual([]);
      await terminal.close();
    },
    LONG,
  );

  test(
    '[mcp.no-orphans] after Ctrl-D',
    async () => {
      using home = new Home();
      await using server = startModelServer();
      configure(home, server, obedient);
      const { terminal, pids } = await openWithServers(home);
      terminal.press('ctrl-d');
      expect(await terminal.ended()).toBe(0);
      expect(await survivors(pids)).toEqual([]);
      await terminal.close();
    },
    LONG,
  );

  test.each([
    ['SIGTERM', 143, stubborn],
    ['SIGHUP', 129, obedient],
  ] as const)(
    '[mcp.no-orphans] after %s',
    async (signal, status, habits) => {
      using home = new Home();
      await using server = startModelServer();
      configure(home, server, habits);
      const { terminal, pids } = await openWithServers(home);
      process.kill(terminal.pid, signal);
      expect(await terminal.ended()).toBe(status);
      expect(await survivors(pids)).toEqual([]);
      await terminal.close();
    },
    LONG,
  );

  test(
    '[mcp.no-orphans] after kill -9 the servers end too, with their daemons and whether they obey or not',
    async () => {
      using home = new Home();
      await using server = startModelServer();
      configure(home, server, [...stubborn, 'daemon']);
      const { terminal, pids: below } = await openWithServers(home);
      const started = readFileSync(join(home.root, 'server-log'), 'utf8').match(/(?<=^child )\d+/gm) ?? [];
      const pids = [...new Set([...below, ...started.map(Number)])];
      expect(started).toHaveLength(2);
      process.kill(terminal.pid, 'SIGKILL');
      await terminal.ended();
      expect(await survivors(pids)).toEqual([]);
      await terminal.close();
    },
    LONG,
  );

  test(
    '[mcp.no-orphans] after SIGTERM while a server is still starting',
    async () => {
      using home = new Home();
      await using server = startModelServer();
      configure(home, server, ['slow-start']);
      await using terminal = home.open();
      await terminal.waitForHistory('server "fs" connected', PATIENCE);
      const pids = descendants(terminal.pid);
      process.kill(terminal.pid, 'SIGTERM');
      expect(await terminal.ended()).toBe(143);
      expect(await survivors(pids)).toEqual([]);
    },
    LONG,
  );

  test(
    '[mcp.no-orphans] [cli.interrupt] after an interrupt and a SIGTERM during a call of a one-shot',
    async () => {
      using home = new Home();
      const hang = calls({ name: 'watched__hang', arguments: {} });
      await using server = startModelServer({ script: [hang, hang] });
      configure(home, server, obedient);
      await learnTools(home);
      for (const [before, signal, status] of [
        [0, 'SIGINT', 130],
        [1, 'SIGTERM', 143],
      ] as const) {
        const program = home.start(['-p', 'wait']);
        const pids = await whileCalling(home, program.pid, before);
        program.kill(signal);
        expect(await program.exited).toBe(status);
        expect(await survivors(pids)).toEqual([]);
      }
    },
    LONG,
  );

  test(
    '[mcp.no-orphans] [mcp.meta] :mcp disconnect ends the server',
    async () => {
      using home = new Home();
      await using server = startModelServer({ script: [text('Hello.')] });
      configure(home, server, obedient);
      const { terminal, pids } = await openWithServers(home);
      const own = pids.filter((pid) => commandLine(pid).includes('hostile.ts'));
      terminal.type(':mcp disconnect watched\n');
      await answered(terminal, 'server "watched" disconnected');
      expect(await survivors(own)).toEqual([]);
      await ask(terminal, 'hello');
      await answered(terminal, 'Hello.');
      await terminal.close();
    },
    LONG,
  );
});

/** Settles with every process of a run when its server has the call, the next one after so many. */
async function whileCalling(home: Home, pid: number, before: number): Promise<number[]> {
  await written(join(home.root, 'server-log'), new RegExp(`(?:^call [^]*?){${before + 1}}`, 'm'));
  return descendants(pid);
}
