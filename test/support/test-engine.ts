import { afterEach } from 'bun:test';
import { join } from 'node:path';
import { toPaths } from '../../src/adapters/config/paths.ts';
import { Engine } from '../../src/engine/session/engine.ts';
import type { Config } from '../../src/protocol/config.ts';
import type { Home } from './aish.ts';

interface EnginePlace {
  readonly home: Home;
  readonly config: Config;
  readonly env?: Readonly<Record<string, string>>;
  /** The servers that it speaks to. */
  readonly servers?: readonly { close(): Promise<void> }[];
}

/** Opens engines that close after each test, before their servers and their home. */
export function useEngines(): (place: EnginePlace) => Engine {
  const open: { close(): Promise<void> }[] = [];
  const homes = new Set<Home>();
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part.close();
    for (const home of homes) home[Symbol.dispose]();
    homes.clear();
  });
  return ({ home, config, env = home.env, servers = [] }) => {
    const runtimeFolder = () => join(home.root, 'run');
    const engine = new Engine({ config, paths: toPaths(env), env, cwd: home.work, version: '9.9.9', runtimeFolder });
    open.push(...servers, engine);
    homes.add(home);
    return engine;
  };
}
