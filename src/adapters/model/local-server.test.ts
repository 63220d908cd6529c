import { afterEach, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from '../../../test/support/free-port.ts';
import { useFolder } from '../../../test/support/test-folder.ts';
import { until } from '../../../test/support/until.ts';
import { isListening, LocalServer } from './local-server.ts';

const folder = useFolder('local-server');
const SCRIPT = resolve(import.meta.dir, '../../../test/support/slow-server.ts');
const open: LocalServer[] = [];

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

function plan(port: number, args: readonly string[], command = process.execPath) {
  const env = { PATH: process.env.PATH, HOME: folder, OPENAI_API_KEY: 'sk-canary' };
  return { name: 'slow', command, args, baseUrl: `http://127.0.0.1:${port}/v1`, log: join(folder, 'slow.log'), env };
}

function serverAt(port: number, args = [SCRIPT, String(port), '300'], command?: string): LocalServer {
  const server = new LocalServer(plan(port, args, command));
  open.push(server);
  return server;
}

const signal = new AbortController().signal;

test('a server starts at its first use, is waited for while it loads, and ends with aish', async () => {
  const port = freePort();
  const server = serverAt(port);
  let waits = 0;
  const onWait = (): void => {
    waits += 1;
  };
  await server.ensure(signal, onWait);
  expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(200);
  await server.ensure(signal, onWait);
  expect(waits).toBe(1);
  expect(readFileSync(join(folder, 'slow.log'), 'utf8')).not.toContain('OPENAI_API_KEY');
  server.close();
  await until({ what: 'the end of the server' }, async () => !(await isListening(new URL(`http://127.0.0.1:${port}`))));
});

test('a server that runs already is left alone', async () => {
  const port = freePort();
  const first = serverAt(port);
  await first.ensure(signal, () => {});
  const second = serverAt(port, ['-e', 'throw 1']);
  await second.ensure(signal, () => expect.unreachable());
  second.close();
  expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(200);
});

test('a server that ends, or that does not exist, is an error that names the log or the program', async () => {
  const ends = serverAt(freePort(), ['-e', 'console.log("no such option"); process.exit(7)']);
  await expect(ends.ensure(signal, () => {})).rejects.toMatchObject({
    code: 'model.not-started',
    message: 'the server of model "slow" ended with status 7',
    hint: `read its log: ${join(folder, 'slow.log')}`,
  });
  const missing = serverAt(freePort(), [], 'no-such-server');
  await expect(missing.ensure(signal, () => {})).rejects.toMatchObject({ code: 'model.not-started' });
});

test('an abort ends the wait, and the next use waits again', async () => {
  const port = freePort();
  const server = serverAt(port);
  const stop = new AbortController();
  await server.ensure(stop.signal, () => stop.abort());
  await server.ensure(signal, () => {});
  expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(200);
});

test('a server ends with an aish that is killed', async () => {
  const port = freePort();
  const driver = join(folder, 'driver.ts');
  const module = resolve(import.meta.dir, 'local-server.ts');
  writeFileSync(
    driver,
    `import { LocalServer } from ${JSON.stringify(module)};
     await new LocalServer(${JSON.stringify(plan(port, [SCRIPT, String(port), '0']))}).ensure(new AbortController().signal, () => {});
     await Bun.write(${JSON.stringify(join(folder, 'up'))}, 'up');
     await new Promise(() => {});`,
  );
  const aish = Bun.spawn([process.execPath, driver], { stdio: ['ignore', 'ignore', 'ignore'] });
  await until({ what: 'the server' }, () => existsSync(join(folder, 'up')));
  expect(await isListening(new URL(`http://127.0.0.1:${port}`))).toBe(true);
  aish.kill('SIGKILL');
  await until({ what: 'the end of the server' }, async () => !(await isListening(new URL(`http://127.0.0.1:${port}`))));
});
