import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { RemoteTerminal } from '../../adapters/daemon/http-client.ts';
import { toSettings } from '../../core/session/settings.ts';
import { Engine } from '../../engine/session/engine.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import { startDaemon } from './serve.ts';
import { openSessionServer } from './session-server.ts';

/** Bun cuts quiet connections after 10 s where nothing tells it otherwise, and looks every four. */
const LONGER_THAN_BUN_WAITS_MS = 14_500;
const TOKEN = 'a-token-of-this-test-0123456789';

/** The address of a request, as `fetch` wants it. */
interface Place {
  readonly url: string;
  readonly init: BunFetchRequestInit;
}

/** Reads a stream of events until it ends or holds a text. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  const decoder = new TextDecoder();
  let seen = '';
  try {
    for await (const bytes of response.body ?? []) {
      seen += decoder.decode(bytes, { stream: true });
      if (seen.includes(wanted)) return wanted;
    }
  } catch (thrown) {
    return `cut: ${String(thrown)}`;
  }
  return 'ended';
}

// Anyone who beats while it waits hides the fault, so nothing beats here; a beat that comes as the limit passes loses the race.
test('a stream on which nothing happens stays, on each kind of server, and so does a terminal', async () => {
  using home = new Home({ repository: false });
  const paths = toPaths(home.env);
  const runtimeFolder = (): string => join(home.root, 'run');
  const config = DEFAULT_CONFIG;
  const settings = toSettings(config);
  const engine = new Engine({ config, paths, env: home.env, cwd: home.work, runtimeFolder });
  const common = {
    engine,
    config,
    settings,
    cwd: home.work,
    stateDir: paths.state,
    heartbeatMs: 600_000,
    onFault: fail,
  };
  const socket = join(home.root, 'run/d.sock');
  const onSocket = startDaemon({ ...common, env: {}, listen: { type: 'socket', path: socket } });
  const env = { AISH_TOKEN: TOKEN };
  const onPort = startDaemon({ ...common, env, listen: { type: 'tcp', host: '127.0.0.1', port: 0 } });
  const live = await engine.open({ cwd: home.work, settings });
  const owner = { size: () => ({ columns: 80, rows: 24 }), asked() {}, requestEnded() {}, keyboard() {}, told() {} };
  const path = join(home.root, 'run/s.sock');
  const sessionServer = openSessionServer({ live, path, owner, models: [], onFault: fail, beatMs: 600_000 });
  const daemons: readonly Place[] = [
    { url: 'http://aish', init: { unix: socket } },
    { url: onPort.address, init: { headers: { authorization: `Bearer ${TOKEN}` } } },
  ];
  try {
    const places: (Place & { readonly id: string })[] = [
      { url: 'http://aish', init: { unix: path }, id: live.session.sessionId },
    ];
    for (const place of daemons) places.push({ ...place, id: await openSession(place) });
    const streams = await Promise.all(
      places.map(({ url, init, id }) => fetch(`${url}/sessions/${id}/events?after=9`, { ...init, timeout: false })),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const closed: string[] = [];
    const terminals = places.map(({ init, url, id }) => joinQuietly(init, url, id, () => closed.push(id)));
    await Promise.all(terminals.map((terminal) => terminal.opened()));
    const ends = streams.map((stream) => readUntil(stream, 'settings.changed'));
    const early = await Promise.race([...ends, Bun.sleep(LONGER_THAN_BUN_WAITS_MS).then(() => 'quiet')]);
    expect([early, closed]).toEqual(['quiet', []]);
    for (const { url, init, id } of places) await post(`${url}/sessions/${id}/ops`, init);
    expect(await Promise.all(ends)).toEqual(['settings.changed', 'settings.changed', 'settings.changed']);
    for (const terminal of terminals) terminal.close();
  } finally {
    sessionServer.withdraw();
    await Promise.all([onSocket.close(), onPort.close()]);
    await engine.close();
    await sessionServer.close();
  }
}, 60_000);

test('all servers of aish with streams are opened in one place, beside the demo and the listener of a login', () => {
  const root = join(import.meta.dir, '../..');
  const files = [...new Bun.Glob('**/*.ts').scanSync(root)].filter((file) => !file.endsWith('.test.ts'));
  const opened = files.filter((file) =>
    /\b(?:Bun\.serve|Bun\.listen)\b|(?<!\.)\bcreateServer\(/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(opened.sort()).toEqual([
    'adapters/mcp/oauth-provider.ts',
    'hosts/cli/demo/scripted-model.ts',
    'hosts/daemon/serve-app.ts',
  ]);
});

async function openSession({ url, init }: Place): Promise<string> {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'content-type': 'application/json' };
  const response = await fetch(`${url}/sessions`, { ...init, method: 'POST', headers, body: '{}' });
  const { id }: { id: string } = JSON.parse(await response.text());
  return id;
}

async function post(url: string, init: BunFetchRequestInit): Promise<void> {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'configure', settings: { maxSteps: 3 } });
  const response = await fetch(url, { ...init, method: 'POST', headers, body });
  expect(response.status).toBe(202);
}

function joinQuietly(init: BunFetchRequestInit, url: string, id: string, closed: () => void): RemoteTerminal {
  const address =
    init.unix === undefined
      ? ({ type: 'url', url, token: TOKEN } as const)
      : ({ type: 'socket', path: init.unix } as const);
  const listener = { name: null, output() {}, keyboard() {}, refused() {}, closed };
  return new RemoteTerminal(address, `/sessions/${id}/terminal`, listener);
}

function fail(thrown: unknown): void {
  throw thrown;
}
