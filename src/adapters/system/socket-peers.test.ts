import { afterEach, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { asOtherUser } from '../../../test/support/other-user.ts';
import { SocketPeers } from './socket-peers.ts';

const OTHER = asOtherUser();
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A server that anybody may reach, and how many strangers it found with each request. */
function openToAll(options: { readonly allowed?: readonly number[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'aish-peers-'));
  folders.push(folder);
  chmodSync(folder, 0o755);
  const path = join(folder, 'a.sock');
  const peers = options.allowed === undefined ? new SocketPeers(path) : new SocketPeers(path, options.allowed);
  const found: number[] = [];
  const server = Bun.serve({
    unix: path,
    fetch: () => {
      found.push(peers.cutStrangers());
      return new Response('welcome');
    },
  });
  chmodSync(path, 0o666);
  return { path, found, server, [Symbol.asyncDispose]: () => server.stop(true) };
}

test('a request of ours is no stranger’s', async () => {
  await using open = openToAll();
  const said = await Promise.all([1, 2].map(() => fetch('http://aish/', { unix: open.path })));
  expect([said.map(({ status }) => status), open.found]).toEqual([
    [200, 200],
    [0, 0],
  ]);
});

test.skipIf(process.platform !== 'linux')('who is not allowed is cut off before there is an answer', async () => {
  await using open = openToAll({ allowed: [4711] });
  expect(await fetch('http://aish/', { unix: open.path }).catch(() => 'cut')).toBe('cut');
  expect(open.found).toEqual([1]);
});

test.skipIf(OTHER === null)('another user is cut off, and who else is connected is not', async () => {
  await using open = openToAll();
  await using own = openToAll();
  const script = `fetch('http://aish/', { unix: ${JSON.stringify(open.path)} }).then((r) => r.text(), () => 'cut').then(console.log)`;
  const other = Bun.spawn([...(OTHER ?? []), '-e', script], { cwd: '/', env: {}, stdout: 'pipe' });
  expect(await new Response(other.stdout).text()).toBe('cut\n');
  expect(await (await fetch('http://aish/', { unix: open.path })).text()).toBe('welcome');
  expect(await (await fetch('http://aish/', { unix: own.path })).text()).toBe('welcome');
  expect([open.found, own.found]).toEqual([[1, 0], [0]]);
});

test.skipIf(OTHER === null)(
  'who came while the folder was open for a moment is found when it is shut again',
  async () => {
    await using open = openToAll();
    const folder = dirname(open.path);
    chmodSync(folder, 0o700);
    const ask = async () => (await fetch('http://aish/', { unix: open.path })).text();
    expect([await ask(), await ask()]).toEqual(['welcome', 'welcome']);
    chmodSync(folder, 0o755);
    const script = `require('node:net').connect(${JSON.stringify(open.path)}, () => console.log('in')).on('close', () => process.exit())`;
    const other = Bun.spawn([...(OTHER ?? []), '-e', script], { cwd: '/', env: {}, stdout: 'pipe' });
    await other.stdout.getReader().read();
    chmodSync(folder, 0o700);
    expect(await ask()).toBe('welcome');
    expect([open.found, await other.exited]).toEqual([[0, 0, 1], 0]);
  },
);
