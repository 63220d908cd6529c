import { afterEach, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createMcpHost, failureOf, type TestMcpHost } from '../../../test/support/mcp-server.ts';
import { survivors } from '../../../test/support/processes.ts';
import { hasProgram } from '../../../test/support/programs.ts';
import { useFolder } from '../../../test/support/test-folder.ts';
import { written } from '../../../test/support/until.ts';
import type { ServerConfig } from './servers.ts';

const root = resolve(import.meta.dir, '../../..');
const hostile = join(root, 'test/fixtures/mcp/hostile.ts');
const program = (name: string): string => join(root, 'node_modules/.bin', name);
const signal = new AbortController().signal;
const base = useFolder('stdio');
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of open.splice(0)) await part.close();
});

function host(
  config: Readonly<Record<string, ServerConfig>>,
  options: Parameters<typeof createMcpHost>[1] = {},
): TestMcpHost {
  const made = createMcpHost(config, options);
  open.unshift(made.servers);
  return made;
}

/** A hostile server with the given habits, and the diary it keeps. */
function hostileServer(...habits: string[]): { config: ServerConfig; diary: string } {
  const diary = join(mkdtempSync(join(base, 'hostile-')), 'diary');
  writeFileSync(diary, '');
  return { diary, config: { command: process.execPath, args: [hostile, diary, ...habits] } };
}

function entries(diary: string, kind: string): number[] {
  const lines = readFileSync(diary, 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${kind} `)).map((line) => Number(line.split(' ')[1]));
}

/** Waits until the diary has an entry of this kind. */
async function entryOf(diary: string, kind: string): Promise<number> {
  await written(diary, new RegExp(`^${kind} \\d+\n`, 'm'));
  return entries(diary, kind)[0] ?? -1;
}

/** True for a process that is there and not merely waiting to be collected. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && readFileSync(path, 'utf8').split(') ').at(-1)?.startsWith('Z') === false;
}

test('the official file server writes a file', async () => {
  const folder = mkdtempSync(join(base, 'fs-'));
  const { servers } = host({ fs: { command: program('mcp-server-filesystem'), args: [folder] } });
  const { tools } = await servers.tools({ waitMs: 20_000, signal });
  const hints = Object.fromEntries(tools.map(({ name, effect, hint }) => [name, [effect, hint]]));
  expect([hints['fs.read_text_file'], hints['fs.write_file']]).toEqual([
    ['write', 'read'],
    ['write', undefined],
  ]);
  const path = join(folder, 'a.txt');
  const result = await servers.call('fs.write_file', { path, content: 'hello\n' }, signal);
  expect(result).toMatchObject({ text: `Successfully wrote to ${path}`, isError: false });
  expect(readFileSync(path, 'utf8')).toBe('hello\n');
});

test('the official example server answers over stdio with structured content and images', async () => {
  const { servers } = host({ every: { command: program('mcp-server-everything') } });
  const weather = await servers.call('every.get-structured-content', { location: 'Chicago' }, signal);
  expect(JSON.parse(weather.text)).toEqual({ temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 });
  expect((await servers.call('every.get-tiny-image', {}, signal)).text).toContain('[image image/png 4 kB]');
});

test('the official example server answers over streamable HTTP', async () => {
  const port = await freePort();
  const server = spawn(program('mcp-server-everything'), ['streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const listening = Promise.withResolvers<void>();
  server.stderr.on('data', (bytes: Buffer) => {
    if (bytes.toString().includes('listening')) listening.resolve();
  });
  open.push({ close: async () => void server.kill('SIGKILL') });
  await listening.promise;
  const { servers } = host({ every: { url: `http://127.0.0.1:${port}/mcp` } });
  expect((await servers.tools({ waitMs: 20_000, signal })).missing).toEqual([]);
  expect(await servers.call('every.echo', { message: 'hi' }, signal)).toMatchObject({
    text: 'Echo: hi',
    isError: false,
  });
});

test('no process is started before a tool is called once the tools are known', async () => {
  const { config, diary } = hostileServer();
  const first = host({ bad: config });
  const known = await first.servers.tools({ waitMs: 20_000, signal });
  await first.servers.close();
  const second = host({ bad: config }, { stateDir: first.stateDir });
  second.servers.start();
  expect(await second.servers.tools({ waitMs: 0, signal })).toEqual(known);
  expect(entries(diary, 'start').length).toBe(1);
  expect(await second.servers.call('bad.ok', {}, signal)).toMatchObject({ text: 'fine', isError: false });
  expect(entries(diary, 'start').length).toBe(2);
});

test('a slow server is reported missing in time and there the next time', async () => {
  const { config } = hostileServer('slow-start');
  const { servers, lineWith } = host({ bad: config });
  expect(await servers.tools({ waitMs: 50, signal })).toEqual({
    tools: [],
    held: [],
    instructions: [],
    missing: ['bad'],
  });
  expect(await lineWith('connected')).toBe('server "bad" connected, 5 tools');
  expect((await servers.tools({ waitMs: 0, signal })).missing).toEqual([]);
});

test('bad tools on a second page cost themselves only, and are named', async () => {
  const { config } = hostileServer('bad-tools');
  const { servers, lines } = host({ bad: config });
  const { tools } = await servers.tools({ waitMs: 20_000, signal });
  expect(tools.map(({ name }) => name)).toEqual([
    'bad.bare',
    'bad.dangling',
    'bad.die',
    'bad.environment',
    'bad.hang',
    'bad.huge',
    'bad.ok',
  ]);
  expect(servers.describe('bad.dangling')?.parameters).toEqual({ type: 'object', properties: { a: {}, b: {} } });
  expect(lines.filter((line) => line.includes('dropped a tool')).length).toBe(2);
});

test('a server that says its tools changed is asked again, and the difference is told', async () => {
  const { config } = hostileServer('announce');
  const { servers, lineWith } = host({ bad: config });
  await servers.call('bad.ok', {}, signal);
  expect(await lineWith('definition of bad.ok')).toBe(
    'the server changed the definition of bad.ok; review it with :mcp tool bad.ok',
  );
  expect(servers.describe('bad.ok')?.description).toBe('Something else');
});

test('a server that dies in a call is an unknown outcome with its last words, and is started again for the next call', async () => {
  const { config, diary } = hostileServer();
  const { servers } = host({ bad: config });
  const error = await failureOf(servers.call('bad.die', {}, signal));
  expect([error.code, error.message]).toEqual([
    'mcp.closed',
    'the connection to server "bad" was lost during the call: its process ended with status 139: segmentation fault; the tool may have run',
  ]);
  expect(await servers.call('bad.ok', {}, signal)).toMatchObject({ text: 'fine', isError: false });
  expect(entries(diary, 'start').length).toBe(2);
});

test('a server that dies at its start is told with its last words', async () => {
  const { config } = hostileServer('die-at-start');
  const { servers } = host({ bad: config });
  const error = await failureOf(servers.call('bad.ok', {}, signal));
  expect([error.code, error.message]).toEqual([
    'mcp.closed',
    'the connection to server "bad" was lost while connecting: its process ended with status 3: missing API_KEY',
  ]);
  expect(servers.statuses()[0]?.error).toBe(error.message);
});

test('a program that is not there is told as such', async () => {
  const { servers } = host({ none: { command: 'no-such-mcp-server' } });
  const error = await failureOf(servers.call('none.x', {}, signal));
  expect([error.code, error.message.includes('no such program')]).toEqual(['mcp.unreachable', true]);
});

test('a result past the byte limit ends the connection with the limit named', async () => {
  const { config } = hostileServer();
  const { servers } = host({ bad: config });
  const error = await failureOf(servers.call('bad.huge', {}, signal));
  expect(error.message).toContain('the server sent a message larger than 32 MB');
});

test('an answer with a wrong id is a timeout that says the tool may have run', async () => {
  const { config } = hostileServer('wrong-ids');
  const { servers } = host({ bad: { ...config, timeout_ms: 100 } });
  expect((await failureOf(servers.call('bad.ok', {}, signal))).code).toBe('mcp.timeout');
});

test('closing ends a server that ignores its end of input and SIGTERM, and its helper too', async () => {
  const { config, diary } = hostileServer('ignore-term', 'grandchild');
  const { servers } = host({ bad: config });
  await servers.call('bad.ok', {}, signal);
  const pids = [...entries(diary, 'start'), ...entries(diary, 'child')];
  expect(pids.map(isRunning)).toEqual([true, true]);
  await servers.close();
  expect(pids.map(isRunning)).toEqual([false, false]);
}, 60_000);

test('a server that ends by itself leaves no helper behind', async () => {
  const { config, diary } = hostileServer('grandchild');
  const { servers } = host({ bad: config });
  await failureOf(servers.call('bad.die', {}, signal));
  await servers.close();
  expect(entries(diary, 'child').map(isRunning)).toEqual([false]);
}, 60_000);

test.each(['daemon', 'bare-daemon'])(
  'a %s of a server ends with it',
  async (habit) => {
    const { config, diary } = hostileServer(habit);
    const { servers } = host({ bad: config });
    await servers.call('bad.ok', {}, signal);
    const [pid = 0] = entries(diary, 'child');
    expect(isRunning(pid)).toBe(true);
    await servers.disconnect('bad');
    expect(await survivors([pid])).toEqual([]);
  },
  60_000,
);

test('a daemon of a server that ends by itself, and one of a leaving program, end too', async () => {
  for (const end of ['die', 'kill']) {
    const { config, diary } = hostileServer('daemon');
    const { servers } = host({ bad: config });
    await servers.call('bad.ok', {}, signal);
    if (end === 'die') await failureOf(servers.call('bad.die', {}, signal));
    else servers.killAllNow();
    expect(await survivors(entries(diary, 'child'))).toEqual([]);
    await servers.close();
  }
}, 60_000);

test('closing while a server still starts leaves no process behind', async () => {
  const { config, diary } = hostileServer('slow-start', 'ignore-term');
  const { servers } = host({ bad: config });
  const { missing } = await servers.tools({ waitMs: 1, signal });
  const pid = await entryOf(diary, 'start');
  await servers.close();
  expect([missing, isRunning(pid)]).toEqual([['bad'], false]);
}, 60_000);

test('a leaving program kills every server at once', async () => {
  const { config, diary } = hostileServer('ignore-term', 'grandchild');
  const { servers } = host({ bad: config });
  await servers.call('bad.ok', {}, signal);
  const pids = [...entries(diary, 'start'), ...entries(diary, 'child')];
  servers.killAllNow();
  await servers.close();
  expect(pids.map(isRunning)).toEqual([false, false]);
});

test('a call after closing starts nothing', async () => {
  const { config, diary } = hostileServer();
  const { servers } = host({ bad: config });
  await servers.close();
  expect((await failureOf(servers.call('bad.ok', {}, signal))).code).toBe('mcp.cancelled');
  expect(entries(diary, 'start')).toEqual([]);
});

async function freePort(): Promise<number> {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

test('npx starts the program that its user has installed, not one of the folder by the same name unless the folder is configured', async () => {
  const home = mkdtempSync(join(base, 'home-'));
  const notes: ServerConfig = { command: 'npx', args: ['-y', 'notes-server'] };
  const PATH = `node_modules/.bin:${process.env.PATH}`;
  const { servers, folder } = host({ notes, own: { ...notes, cwd: '.' } }, { env: { HOME: home, PATH } });
  const ran = join(home, 'ran');
  for (const place of [home, folder]) {
    mkdirSync(join(place, 'node_modules/.bin'), { recursive: true });
    const script = join(place, 'node_modules/.bin/notes-server');
    writeFileSync(script, `#!/bin/sh\necho ${place} >> ${ran}\n`, { mode: 0o755 });
  }
  // The PATH leads to it before it leads to npx.
  copyFileSync(join(folder, 'node_modules/.bin/notes-server'), join(folder, 'node_modules/.bin/npx'));
  await failureOf(servers.call('notes.add', {}, signal));
  expect(new Set(readFileSync(ran, 'utf8').trim().split('\n'))).toEqual(new Set([home]));
  await failureOf(servers.call('own.add', {}, signal));
  expect(readFileSync(ran, 'utf8').trim().split('\n')).toContain(folder);
});

test('npx still finds what is installed for all projects, where no folder holds a package', async () => {
  const all = mkdtempSync(join(base, 'all-'));
  const env = { npm_config_prefix: all, npm_config_offline: 'true' };
  const { servers } = host({ notes: { command: 'npx', args: ['-y', 'notes-server'], env } });
  mkdirSync(join(all, 'bin'));
  const ran = join(all, 'ran');
  writeFileSync(join(all, 'bin/notes-server'), `#!/bin/sh\necho yes > ${ran}\n`, { mode: 0o755 });
  await failureOf(servers.call('notes.add', {}, signal));
  expect(existsSync(ran)).toBe(true);
});

test.skipIf(!hasProgram('python3'))(
  'python starts the module that its user has installed, and its own scripts find theirs',
  async () => {
    const installed = mkdtempSync(join(base, 'installed-'));
    const ran = join(installed, 'ran');
    const env = { PYTHONPATH: installed };
    const { servers, folder } = host({ notes: { command: 'python3', args: ['-u', '-m', 'notes_module', 'x'], env } });
    writeFileSync(join(folder, 'notes_module.py'), `open('${ran}', 'a').write('folder')`);
    writeFileSync(join(folder, 'runpy.py'), `open('${ran}', 'a').write('folder')`);
    const script = join(installed, 'scripts/run.py');
    mkdirSync(join(installed, 'scripts'));
    writeFileSync(join(installed, 'scripts/beside.py'), 'WORD = "found"');
    writeFileSync(script, 'import beside; print(beside.WORD, end="")');
    const code = [
      'import os, subprocess, sys',
      `said = subprocess.run([sys.executable, '${script}'], capture_output=True, text=True).stdout`,
      `open('${ran}', 'a').write(f'{__name__} {sys.argv} {os.getcwd()} {said}\\n')`,
    ];
    writeFileSync(join(installed, 'notes_module.py'), code.join('\n'));
    await failureOf(servers.call('notes.add', {}, signal));
    const [first] = readFileSync(ran, 'utf8').split('\n');
    expect(first).toBe(`__main__ ['${join(installed, 'notes_module.py')}', 'x'] ${folder} found`);
  },
);
