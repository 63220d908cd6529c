import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toPaths } from '../../src/adapters/config/paths.ts';
import { type DaemonAddress, sendRequest } from '../../src/adapters/daemon/daemon-request.ts';
import { HttpSessionClient } from '../../src/adapters/daemon/http-client.ts';
import { toSettings } from '../../src/core/settings.ts';
import { Engine } from '../../src/engine/engine.ts';
import { type DaemonOptions, startDaemon } from '../../src/hosts/daemon/daemon.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import { isJsonObject } from '../../src/protocol/json.ts';
import { TestHome } from '../support/daemon.ts';
import { startModelServer } from '../support/model-server.ts';
import { type ClientPlace, sessionClientSuite } from '../support/session-client-suite.ts';

/** An engine in this process that asks a scripted model. */
function openEngine() {
  const home = new TestHome();
  writeFileSync(join(home.work, 'README'), 'a project\n');
  const model = startModelServer();
  const config: Config = { ...DEFAULT_CONFIG, models: { scripted: { base_url: model.url, model: 'scripted' } } };
  const engine = new Engine({
    config,
    paths: toPaths(home.env),
    env: home.env,
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
  const { session } = await engine.open({ cwd: home.work, settings });
  return { client: session, model, followers: async () => session.followers, [Symbol.asyncDispose]: close };
}

async function openOverHttp(listen: (home: TestHome) => DaemonOptions['listen']): Promise<ClientPlace> {
  const { engine, home, settings, config, model, close } = openEngine();
  const token = 'a token for the tests';
  const daemon = startDaemon({
    engine,
    config,
    settings,
    env: { AISH_TOKEN: token.replaceAll(' ', '-') },
    stateDir: toPaths(home.env).state,
    cwd: home.work,
    listen: listen(home),
    heartbeatMs: 5,
    onFault: (thrown) => {
      throw thrown;
    },
  });
  const address = toAddress(daemon.address, token.replaceAll(' ', '-'));
  const client = await HttpSessionClient.open(address);
  return {
    client,
    model,
    followers: () => countFollowers(address, client.sessionId),
    [Symbol.asyncDispose]: async () => {
      await client.detach();
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
sessionClientSuite('a session over a unix socket', () =>
  openOverHttp((home) => ({ type: 'socket', path: join(home.run, 'd.sock') })),
);
sessionClientSuite('a session over TCP', () => openOverHttp(() => ({ type: 'tcp', host: '127.0.0.1', port: 0 })));
