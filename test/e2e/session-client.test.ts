import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toPaths } from '../../src/adapters/config/paths.ts';
import { type DaemonAddress, sendRequest } from '../../src/adapters/daemon/daemon-request.ts';
import { HttpSessionClient } from '../../src/adapters/daemon/http-client.ts';
import type { SessionClient } from '../../src/core/session/session-client.ts';
import { toSettings } from '../../src/core/session/settings.ts';
import { Engine } from '../../src/engine/session/engine.ts';
import { LocalSessionClient } from '../../src/engine/session/local-session-client.ts';
import { TerminalShare } from '../../src/engine/session/terminal-share.ts';
import { type DaemonOptions, startDaemon } from '../../src/hosts/daemon/serve.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import { isJsonObject } from '../../src/protocol/json.ts';
import { openBreakableSocket } from '../support/breakable-socket.ts';
import { TestHome } from '../support/daemon.ts';
import { startModelServer } from '../support/model-server.ts';
import { type ClientPlace, PLANTED, sessionClientSuite } from '../support/session-client-suite.ts';

/** An engine in this process that asks a scripted model. */
function openEngine() {
  const home = new TestHome();
  const env = { ...home.env, ...PLANTED };
  writeFileSync(join(home.work, 'README'), 'a project\n');
  const model = startModelServer();
  const config: Config = { ...DEFAULT_CONFIG, models: { scripted: { base_url: model.url, model: 'scripted' } } };
  const engine = new Engine({
    config,
    paths: toPaths(home.env),
    env,
    cwd: home.work,
    runtimeFolder: () => home.run,
  });
  const close = async (): Promise<void> => {
    await engine.close();
    await model.close();
    home[Symbol.dispose]();
  };
  return { home, model, config, engine, settings: toSettings(config), close };
}

async function openInProcess(): Promise<ClientPlace> {
  const { engine, home, settings, model, close } = openEngine();
  const live = await engine.open({ cwd: home.work, settings });
  const share = new TerminalShare({ ...live, owner: null });
  const another = (name: string): SessionClient => new LocalSessionClient({ live, name, share: () => share });
  return {
    client: another('one'),
    another,
    model,
    followers: async () => live.session.followers - 1, // One is the shared terminal.
    [Symbol.asyncDispose]: async () => {
      share.close();
      await close();
    },
  };
}

async function openOverHttp(listen: (home: TestHome) => DaemonOptions['listen']): Promise<ClientPlace> {
  const { engine, home, settings, config, model, close } = openEngine();
  const token = 'a-token-for-the-tests';
  const daemon = startDaemon({
    engine,
    config,
    settings,
    env: { AISH_TOKEN: token },
    stateDir: toPaths(home.env).state,
    cwd: home.work,
    listen: listen(home),
    heartbeatMs: 5,
    mostWaiting: 20,
    onFault: (thrown) => {
      throw thrown;
    },
  });
  const direct = toAddress(daemon.address, token);
  const proxy = direct.type === 'socket' ? openBreakableSocket(direct.path, join(home.run, 'proxy.sock')) : null;
  const address: DaemonAddress = proxy === null ? direct : { type: 'socket', path: proxy.path };
  const { sessionId } = await HttpSessionClient.open(address);
  const clients: SessionClient[] = [];
  const another = (name: string): SessionClient => {
    const client = HttpSessionClient.attach(address, sessionId, name);
    clients.push(client);
    return client;
  };
  return {
    client: another('one'),
    another,
    model,
    followers: () => countFollowers(direct, sessionId),
    ...(proxy === null ? {} : { cut: proxy.cut }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.detach()));
      proxy?.close();
      await daemon.close();
      await close();
    },
  };
}

function toAddress(address: string, token: string): DaemonAddress {
  if (address.startsWith('unix:')) return { type: 'socket', path: address.slice('unix:'.length) };
  return { type: 'url', url: address, token };
}

async function countFollowers(address: DaemonAddress, id: string): Promise<number> {
  const summary: unknown = await (await sendRequest(address, { path: `/sessions/${id}` })).json();
  return isJsonObject(summary) ? Number(summary.followers) : Number.NaN;
}

sessionClientSuite('a session in this process', openInProcess);
sessionClientSuite(
  'a session over a unix socket',
  () => openOverHttp((home) => ({ type: 'socket', path: join(home.run, 'd.sock') })),
  { canCut: true },
);
sessionClientSuite('a session over TCP', () => openOverHttp(() => ({ type: 'tcp', host: '127.0.0.1', port: 0 })));
