import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { FetchLike } from '@modelcontextprotocol/client';
import { toShownUrl } from '../../core/model/server-fault.ts';
import { type Attempt, Connection, type ConnectionOptions, type ServerTransport } from './connection.ts';
import { isSafeForToken, type ServerConfig, toToken } from './credentials.ts';
import { createSseTransport, HttpTransport } from './http-transport.ts';
import { formatUnencrypted, unencrypted } from './messages.ts';
import type { OAuthSession } from './oauth-session.ts';
import type { ServerProcesses } from './server-processes.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { Era } from './tool-cache.ts';

interface DialOptions extends Omit<ConnectionOptions, 'createTransport' | 'attempts'> {
  readonly config: ServerConfig;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly running: ServerProcesses;
  /** True when a user wrote this host into the configuration, so that a token may go to it in clear text. */
  readonly trustsHost: boolean;
  /** The login to the server; null for one with a token of the configuration, or without an address. */
  readonly oauth: OAuthSession | null;
  /** The era the server spoke last time, if that is known and recent. */
  readonly knownEra: Era | null;
  onWarning(line: string): void;
}

type Launch = ReturnType<typeof import('../../core/commands/guarded-launch.ts').toGuardedLaunch>;

/** Time to end by itself, and again after SIGTERM. */
const GRACE_MS = 2000;

/** Opens a connection to a server as its configuration says. */
export async function dial(options: DialOptions): Promise<Connection> {
  const token = toToken(options.alias, options.config, options.env);
  guardToken(options, token !== null || options.oauth?.isLoggedIn === true);
  const launch = await toLaunch(options);
  return Connection.open({
    ...options,
    attempts: toAttempts(options),
    createTransport: (attempt) => createTransport(options, token, attempt, launch),
  });
}

/** A configured folder is meant, with its code. The folder in which aish starts may be that of anybody. */
async function toLaunch({ config: { command, args = [], cwd: own }, cwd, env }: DialOptions): Promise<Launch> {
  const { HOME: home = '', PATH: path = '' } = env;
  if (command === undefined || own !== undefined || !home.startsWith('/')) return { args, env: {} };
  const { toGuardedLaunch } = await import('../../core/commands/guarded-launch.ts');
  return toGuardedLaunch(command, args, { home: holdsPackage(cwd, home) ? home : null, path });
}

/** Whether npm takes a folder, or one above it up to the user's home, for a package, or reads settings there. */
function holdsPackage(folder: string, home: string): boolean {
  if (folder === home || folder === dirname(folder)) return false;
  const isPackage = ['package.json', 'node_modules', '.npmrc'].some((name) => existsSync(join(folder, name)));
  return isPackage || holdsPackage(dirname(folder), home);
}

/**
 * Which handshake first. Asking a child process which one it speaks can end it (many exit on an unknown first request), so it gets the
 * common one first and is only started again when it says it does not know it. Over HTTP asking is one cheap request.
 */
function toAttempts({ config, knownEra }: DialOptions): readonly Attempt[] {
  if (config.url === undefined) return knownEra === 'modern' ? ['auto', 'legacy'] : ['legacy', 'auto'];
  if (knownEra === 'sse') return ['sse', 'auto', 'legacy'];
  return knownEra === 'legacy' ? ['legacy', 'auto', 'sse'] : ['auto', 'legacy', 'sse'];
}

function createTransport(
  options: DialOptions,
  token: string | null,
  attempt: Attempt,
  launch: Launch,
): ServerTransport {
  const { url, command = '', env = {}, cwd = '.', headers = {} } = options.config;
  const { maxMessageBytes } = options.limits;
  if (url !== undefined) {
    const auth = token === null ? (options.oauth?.toAuthProvider(options.sdk) ?? null) : { token: async () => token };
    const { oauth, sdk } = options;
    const wrapFetch =
      token !== null || oauth === null ? {} : { wrapFetch: (plain: FetchLike) => oauth.toFetch(sdk, plain) };
    const place = { url: new URL(url), auth, headers, maxMessageBytes, ...wrapFetch };
    return attempt === 'sse' ? createSseTransport(options.sdk, place) : new HttpTransport(options.sdk, place);
  }
  return new StdioTransport({
    command,
    args: launch.args,
    cwd: resolve(options.cwd, cwd),
    env: toServerEnvironment(options.env, { ...launch.env, ...env }),
    maxMessageBytes,
    graceMs: GRACE_MS,
    running: options.running,
  });
}

function guardToken({ alias, config, trustsHost, onWarning }: DialOptions, hasToken: boolean): void {
  const { url } = config;
  if (url === undefined || !hasToken || isSafeForToken(new URL(url))) return;
  const shown = toShownUrl(url);
  if (!trustsHost) throw unencrypted(alias, shown);
  onWarning(formatUnencrypted(alias, shown));
}

const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];

/**
 * The environment a server starts with: a short list of harmless names and what its configuration adds. Secrets of other programs stay
 * here.
 */
function toServerEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited))
    if (value !== undefined && (INHERITED.includes(name) || name.startsWith('LC_'))) environment[name] = value;
  return { ...environment, ...configured };
}
