import { writeSync } from 'node:fs';
import type { McpServer } from '@modelcontextprotocol/server';
import type { LoadedConfig } from '../../adapters/config/load.ts';
import { openRuntimeFolder, type Paths } from '../../adapters/config/paths.ts';
import { once } from '../../core/text/memoize.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { openSecretStore } from '../../engine/secrets/process-secrets.ts';
import { Engine } from '../../engine/session/engine.ts';
import { LocalSessionClient } from '../../engine/session/local-session-client.ts';
import type { ApproveMode, Settings } from '../../protocol/settings.ts';
import { VERSION } from '../../protocol/version.ts';
import { CallSession, HostModel } from './call-session.ts';
import { createMcpServer, type OpenCalls, type WaitingCalls } from './mcp-server.ts';
import { formatSessionName } from './messages.ts';

/** The facts that a connection starts with. */
export interface ConnectionSetup {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly paths: Paths;
  readonly loaded: LoadedConfig;
  readonly settings: Settings;
  readonly approve?: ApproveMode;
}

/** A client with its session. */
export interface Connection {
  readonly createServer: () => McpServer;
  readonly close: () => Promise<void>;
}

/** The engine of one connection. The client is its only model, and it has no other servers. */
export function openConnection(setup: ConnectionSetup): Connection {
  const model = new HostModel();
  const { config } = setup.loaded;
  const engine = new Engine({
    ...setup,
    config: { ...config, models: {}, mcp: { ...config.mcp, servers: {} } },
    version: VERSION,
    source: model,
    runtimeFolder: () => openRuntimeFolder(setup.env),
  });
  const { models: _, ...settings } = setup.settings;
  const { approve } = setup;
  let name = '';
  const session = once(async () => {
    const live = await engine.open({
      cwd: setup.cwd,
      settings: { ...settings, model: null },
      ...(approve === undefined ? {} : { approve }),
    });
    for (const warning of live.warnings) report(warning);
    const client = new LocalSessionClient({ live });
    await client.submit({ type: 'rename', name: formatSessionName(name) });
    return new CallSession(client, model);
  });
  const openCalls: OpenCalls = (client) => {
    name ||= client;
    return session();
  };
  const waiting: WaitingCalls = new Map();
  const secrets = once(() => openSecretStore({ config, env: setup.env, cwd: setup.cwd }));
  return {
    createServer: () => createMcpServer(openCalls, waiting, { cwd: setup.cwd, paths: setup.paths, secrets }),
    close: async () => {
      await engine.halt('signal');
      await engine.close();
    },
  };
}

/** Standard output belongs to the protocol. */
export function report(line: string): void {
  writeSync(2, `aish: ${sanitizeText(line)}\n`);
}
