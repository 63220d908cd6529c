import { writeSync } from 'node:fs';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { LoadedConfig } from '../../adapters/config/load.ts';
import type { Paths } from '../../adapters/config/paths.ts';
import { openRuntimeFolder } from '../../adapters/config/runtime-folder.ts';
import { once } from '../../adapters/system/system-calls.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { Engine } from '../../engine/session/engine.ts';
import { LocalSessionClient } from '../../engine/session/local-session-client.ts';
import type { ApproveMode, Settings } from '../../protocol/settings.ts';
import { VERSION } from '../../protocol/version.ts';
import { CallSession } from './call-session.ts';
import { HostModel } from './host-model.ts';
import { createMcpServer, type OpenCalls } from './mcp-server.ts';
import { badArgument, formatSessionName } from './messages.ts';

/** The facts that the server starts with. */
interface ServeSetup {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly paths: Paths;
  readonly loaded: LoadedConfig;
  readonly settings: Settings;
  readonly approve?: ApproveMode;
}

/** `aish mcp serve`: answers one client until its input ends. The answer is the exit status. */
export async function serveMcp([extra]: readonly string[], setup: ServeSetup): Promise<number> {
  if (extra !== undefined) throw badArgument(extra);
  for (const warning of setup.loaded.warnings) report(warning);
  const ended = untilEnd();
  const connection = openConnection(setup);
  const transport = new StdioServerTransport();
  const serving = serveStdio(() => createMcpServer(connection.openCalls), {
    transport,
    onerror: ({ message }) => report(message),
  });
  await ended;
  await connection.close();
  await serving.close();
  return 0;
}

/** The engine of one connection. The client is its only model, and it has no other servers. */
function openConnection(setup: ServeSetup): { readonly openCalls: OpenCalls; readonly close: () => Promise<void> } {
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
  return {
    openCalls: (client) => {
      name ||= client;
      return session();
    },
    close: async () => {
      await engine.halt('signal');
      await engine.close();
    },
  };
}

/** Settles when the client closes its end, or at a signal. */
function untilEnd(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => done());
    process.stdin.once('end', () => done());
    process.stdin.once('close', () => done());
    process.stdout.once('error', () => done());
  });
}

/** Standard output belongs to the protocol. */
function report(line: string): void {
  writeSync(2, `aish: ${sanitizeText(line)}\n`);
}
