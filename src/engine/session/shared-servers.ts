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
  readonly version?: string;
  /** Announces a change of a server; `line` is null without news. */
  readonly onServerStatus?: (status: ServerStatus, line: string | null) => void;
}

interface SharedServersDeps {
  /** Knows what their lines may not hold. */
  readonly secretStore: () => Promise<SecretStore>;
  /** Rules about these tools hold no longer. */
  readonly onReplaced: (isMeant: (name: string) => boolean) => void;
}

/** The MCP servers that all sessions share, loaded when first needed. */
export class SharedServers {
  readonly #context: ServersContext;
  readonly #deps: SharedServersDeps;
  #servers: Promise<McpServers> | null = null;
  /** Settles when all lines of the servers are told. */
  #told: Promise<unknown> = Promise.resolve();
  /** For an end that waits for nothing. */
  #kill: () => void = () => {};

  constructor(context: ServersContext, deps: SharedServersDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** Null before anybody needs one. */
  get loaded(): Promise<McpServers> | null {
    return this.#servers;
  }

  /** The servers; null when none is configured and none was connected. */
  async get(): Promise<McpServers | null> {
    if (Object.keys(this.#context.config.mcp.servers).length > 0) this.#servers ??= this.#create();
    return this.#servers;
  }

  /** Connects a server at run time. */
  async connect(alias: string | null, config: McpServerConfig): Promise<ServerStatus> {
    this.#servers ??= this.#create();
    return (await this.#servers).connect(alias, config);
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

  /** No server waits for its line to be told. */
  async #tell(status: ServerStatus, line: string | null): Promise<void> {
    const store = await this.#deps.secretStore();
    const redact = (text: string): string => store.redact(text);
    this.#context.onServerStatus?.(redactStatus(status, redact), line === null ? null : redact(line));
  }
}
