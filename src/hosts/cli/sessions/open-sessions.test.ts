import { expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Home } from '../../../../test/support/aish.ts';
import { asOtherUser } from '../../../../test/support/other-user.ts';
import { openRuntimeFolder, toPaths } from '../../../adapters/config/paths.ts';
import { findOpenById, toAddress } from './open-sessions.ts';

const OTHER = asOtherUser();
const context = { env: { AISH_TOKEN: 'token-of-a-daemon' }, paths: { state: '/nowhere' } };
const codeOf = (url: string): unknown => {
  try {
    return toAddress(url, context).type;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown ? thrown.code : thrown;
  }
};

test('the token of a daemon goes only to this machine', () => {
  const addresses = [
    'http://127.0.0.1:1/',
    'http://localhost:1',
    'http://[::1]:1',
    'https://127.0.0.1:1',
    'http://example.com:1',
  ];
  expect(addresses.map(codeOf)).toEqual(['url', 'url', 'url', 'usage', 'usage']);
});

test.skipIf(OTHER === null)('the token of a daemon goes to no other user who listens at its port', async () => {
  const script = 'console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json({}) }).port)';
  await using other = Bun.spawn([...(OTHER ?? []), '-e', script], { cwd: '/', env: {}, stdout: 'pipe' });
  const { value } = await other.stdout.getReader().read();
  expect(codeOf(`http://127.0.0.1:${Number(new TextDecoder().decode(value))}`)).toBe('daemon.stranger');
});

test('a session that is named by its id is found while another one hangs', async () => {
  using home = new Home({ repository: false });
  const folder = openRuntimeFolder(home.env);
  const [id, other] = ['aaaabbbbcccc', 'ddddeeeeffff'];
  const told = { id, live: true, cwd: home.work };
  const answering = Bun.serve({ unix: join(folder, `${id}.sock`), fetch: () => Response.json({ sessions: [told] }) });
  const hanging = createServer();
  await new Promise<void>((listening) => hanging.listen(join(folder, `${other}.sock`), listening));
  const setup = { env: home.env, cwd: home.work, paths: toPaths(home.env) };
  try {
    expect(await findOpenById(id, setup as never)).toMatchObject({ id, isAtTerminal: true, told: { cwd: home.work } });
  } finally {
    await answering.stop(true);
    hanging.close();
  }
});
