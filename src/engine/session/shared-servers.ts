import { join } from 'node:path';
import type { McpServers, ServerStatus } from '../../adapters/mcp/servers.ts';
import type { Config, McpServerConfig } from '../../protocol/config.ts';
import { redactStatus } from '../secrets/process-secrets.ts';
import type { SecretStore } from '../secrets/secret-store.ts';

/** The context in which MCP servers start. */
export interface ServersContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: { readonly state: string };
  readonly cwd: string;
  /** Version of the program, told to MCP servers. */
  readonly version?: string;
  /** Announces what the MCP servers do, one line each. */
  readonly onServerStatus?: (status: ServerStatus, line: string | null) => void;
}

interface SharedServersDeps {
  /** Knows what their lines may not hold. */
  readonly secretStore: () => Promise<SecretStore>;
  /** A server is another one by now: rules that allow its tools hold no longer. */
  readonly onReplaced: (isMeant: (name: string) => boolean) => void;
}

/** The MCP servers that all sessions share, loaded when first needed. */
export class SharedServers {
  readonly #context: ServersContext;
  readonly #deps: SharedServersDeps;
  #servers: Promise<McpServers> | null = null;
  /** Settles when all messages of the servers are delivered. */
  #told: Promise<unknown> = Promise.resolve();
  /** For an end that waits for nothing, such as an error nobody caught. */
  #kill: () => void = () => {};

  constructor(context: ServersContext, deps: SharedServersDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** Those that were loaded; null where nobody needed one yet. */
  get loaded(): Promise<McpServers> | null {
    return this.#servers;
  }

  /** The servers; null when none is configured and none was connected. */
  async get({ create }: { readonly create: boolean } = { create: false }): Promise<McpServers | null> {
    const configured = Object.keys(this.#context.config.mcp.servers).length > 0;
    if (this.#servers === null && (configured || create)) this.#servers = this.#create();
    return this.#servers;
  }

  /** Connects a server at run time. */
  async connect(alias: string | null, config: McpServerConfig): Promise<ServerStatus> {
    const servers = await this.get({ create: true });
    if (servers === null) throw new Error('the servers were just made');
    return servers.connect(alias, config);
  }

  async close(): Promise<void> {
    await (await this.#servers)?.close();
    await this.#told;
    process.off('exit', this.#kill);
  }

  async #create(): Promise<McpServers> {
    const { McpServers } = await import('../../adapters/mcp/servers.ts');
    const { config, paths, cwd, env, version = 'dev' } = this.#context;
    const servers = new McpServers({
      servers: config.mcp.servers,
      approved: config.mcp.auto_approve,
      stateDir: join(paths.state, 'mcp'),
      cwd,
      env,
      version,
      asksUser: true,
      onStatus: (status, line) => {
        this.#told = Promise.all([this.#told, this.#tell(status, line)]);
      },
      onReplaced: this.#deps.onReplaced,
    });
    this.#kill = () => servers.killAllNow();
    process.once('exit', this.#kill);
    servers.start();
    return servers;
  }

  /** Most say nothing. No server waits for it: only what they say does, in its order. */
  async #tell(status: ServerStatus, line: string | null): Promise<void> {
    const secretStore = await this.#deps.secretStore();
    const redact = (text: string): string => secretStore.redact(text);
    this.#context.onServerStatus?.(redactStatus(status, redact), line === null ? null : redact(line));
  }
}
