/** Texts about MCP servers and their tools. `alias` is the name of a server in the configuration. */

import { AishError } from '../../protocol/error.ts';

export const NOTHING_RETURNED = '[the tool returned nothing]';
export const FAILED_SILENTLY = '[the tool failed and did not say why]';
export const NOT_STRUCTURED = 'the result lacks the structured content that the tool promises';
export const UNREADABLE_SCHEMA = 'aish cannot check the structured content: the output schema of the tool is invalid';
export const formatBadStructure = (why: string) =>
  `the structured content does not match the output schema of the tool${why === '' ? '' : `: ${why.slice(0, 300)}`}`;
export const EMPTY_RESOURCE = '[empty resource]';
export const UNKNOWN_TYPE = 'of unknown type';
export const CONNECTION_CLOSED = 'the connection was closed';
export const NOT_ANSWERED = 'its response does not answer this request';
export const NOT_ONE_ADDRESS = 'it needs either url or command';
export const BAD_ALIAS = 'an alias has at most 40 letters, digits, - and _';
export const RESERVED_ALIAS = `"aish" is the name of aish's own tools`;
export const NO_SCHEMA = 'has no input schema';
export const NOT_OBJECT_SCHEMA = 'has an input schema of another type than object';
/** Why the network refused a connection, by the code of the error. */
export const NETWORK: Readonly<Record<string, string>> = {
  ConnectionRefused: 'connection refused',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'cannot look up the host name',
  ECONNRESET: 'the server closed the connection',
};

export type Doing = 'connecting' | 'listing' | 'calling' | 'reading';
const WHILE: Readonly<Record<Doing, string>> = {
  connecting: 'while connecting',
  listing: 'while listing its tools',
  calling: 'during the call',
  reading: 'during the request',
};
const MAY_HAVE_RUN = '; the tool may have run';
const afterwards = (doing: Doing) => (doing === 'calling' ? MAY_HAVE_RUN : '');
const CHECK_FIRST = { hint: 'check what the tool did before you call it again' };
const REDIRECTED = { hint: 'aish sends no credentials after a redirect; configure the final address' };
export const formatExit = (status: number | null, signal: string | null) =>
  signal === null ? `its process ended with status ${status}` : `${signal} ended its process`;
export const formatBrokenOff = (why: string | undefined) =>
  `its response ended early${why === undefined ? '' : ` (${withoutAdvice(why)})`}`;
/** The text of an error of Bun without its advice to programmers. */
export const withoutAdvice = (text: string) => text.replace(/\.? For more information, pass `verbose.*/, '');
export const formatDropped = (part: string) => `has ${part} in its input schema; aish dropped it`;
export const formatBadAddress = (url: string) => `"${url}" is not an http or https address`;
export const formatTaken = (alias: string) => `the session already has a server "${alias}"`;
export const formatNamelessTool = (alias: string) => `${alias}: aish dropped a tool without a usable name`;
export const formatListedTwice = (tool: string) => `${tool} is listed twice; aish uses the first one`;
export const formatBadHeaderMark = (tool: string) => `aish dropped ${tool}: its x-mcp-header marks are invalid`;
export const formatCutList = (alias: string, count: number) =>
  `${alias}: the list is longer than aish takes; aish uses the first ${count}`;
export const formatChangedDefinition = (tool: string) =>
  `the server changed the definition of ${tool}; review it with :mcp tool ${tool}`;
export const formatNewTools = (alias: string, names: string) => `${alias} has new tools: ${names}`;
export const formatGoneTools = (alias: string, names: string) => `${alias} no longer has these tools: ${names}`;
/** Descriptions without a review limit the rules of a user who has some. */
export const formatConnected = (
  { alias, toolCount, review }: { readonly alias: string; readonly toolCount: number; readonly review?: string },
  hasRules: boolean,
) => {
  const line = `server "${alias}" connected, ${toolCount} ${toolCount === 1 ? 'tool' : 'tools'}`;
  if (!hasRules || toolCount === 0 || review !== 'none') return line;
  return `${line}; some of your rules do not apply until you review its tools: :mcp review ${alias}, or aish mcp approve ${alias}`;
};
export const formatDisconnected = (alias: string) => `server "${alias}" disconnected`;
export const formatRetryIn = (ms: number) => `aish tries again in ${Math.max(1, Math.ceil(ms / 1000))} s`;
export const formatOldTools = (why: string) => `${why}; aish keeps the tools that it knows`;
export const formatNotCached = (alias: string, why: string) =>
  `cannot save the list of tools of server "${alias}" for the next start: ${why}`;
/** One line for all that waits for a review. `list`: the names and states. */
export const formatHeld = (alias: string, count: { readonly tools: number; readonly all: number }, list: string) => {
  const tools = count.tools === 1 ? 'one tool' : `${count.tools} tools`;
  const parts = [...(count.tools === 0 ? [] : [tools]), ...(count.all > count.tools ? ['the instructions'] : [])];
  const them = count.tools === 1 && count.all === 1 ? 'it' : 'them';
  return `${alias}: the model does not get ${parts.join(' and ')} until you review ${them}: ${list}; :mcp review ${alias}`;
};
/** `name`: empty for the instructions. */
export const formatHeldItem = (name: string, hasChanged: boolean) =>
  name === ''
    ? `the instructions ${hasChanged ? 'have changed' : 'are new'}`
    : `${name} ${hasChanged ? 'has changed' : 'is new'}`;
export const formatResourceChanged = (alias: string, uri: string) =>
  `${uri} has changed since you attached it; @${alias}:${uri} attaches it again`;
export const formatChangedInstructions = (alias: string) =>
  `the server changed its instructions; review them with :mcp review ${alias}`;
export const formatUnencrypted = (alias: string, address: string) =>
  `aish sends the token of server "${alias}" to ${address} unencrypted; use https if you can`;
export const serversClosed = () => new AishError('mcp.closed', 'the servers of this session are closed');
export const notAdded = (alias: string, why: string) =>
  new AishError('mcp.config', `cannot add server "${alias}": ${why}`, { hint: 'type :mcp connect URL ALIAS' });
export const unknownServer = (alias: string, known: readonly string[]) =>
  new AishError('mcp.unknown-server', `there is no server "${alias}"`, {
    hint:
      known.length > 0 ? `known servers: ${known.join(', ')}` : 'no server is configured; add one with :mcp connect',
  });
export const disconnected = (alias: string) => new AishError('mcp.closed', `server "${alias}" was disconnected`);
export const notReviewed = (tool: string, alias: string) =>
  new AishError('mcp.held', `${tool} differs from the tool that you reviewed; aish sent nothing`, {
    hint: reviewHint(alias),
  });
export const changedSince = (tool: string, alias: string) =>
  new AishError('mcp.held', `${tool} changed after you allowed the call; aish sent nothing`, {
    hint: reviewHint(alias),
  });
export const noTool = (tool: string) => new AishError('tool.unknown', `there is no tool ${tool}`);
export const noToolName = (alias: string) =>
  new AishError('tool.unknown', `${alias} is a server; name one of its tools, such as ${alias}.NAME`, {
    hint: 'aish mcp tools lists the tools',
  });
export const disabled = (alias: string) =>
  new AishError('mcp.disabled', `server "${alias}" is disabled in the configuration`, {
    hint: `set enabled = true in [mcp.servers.${alias}]`,
  });
export const otherPin = (name: string, now: string) =>
  new AishError('mcp.pin', `${name} is not what you approve: its fingerprint is ${now}`, {
    hint: 'review it, then approve it with this fingerprint',
  });
const reviewHint = (alias: string) => `:mcp review ${alias} shows the changes`;
export const stoppedEarly = (alias: string) =>
  new AishError('mcp.cancelled', `server "${alias}": the request was stopped; aish sent nothing`);
export const stopped = (alias: string) =>
  new AishError('mcp.cancelled', `server "${alias}": the request was stopped; its outcome is unknown`);
export const notAResult = () =>
  new AishError('mcp.protocol', `the server's answer is not the result of a tool${MAY_HAVE_RUN}`, CHECK_FIRST);
export const tookTooLong = (alias: string) =>
  new AishError('mcp.timeout', `the call did not end within its time limit${MAY_HAVE_RUN}`, {
    hint: `if it needs more time, raise total_timeout_ms in [mcp.servers.${alias}]`,
  });
export const notAnAnswer = (method: string) =>
  new AishError('mcp.protocol', `the server's answer to ${method} is not of the form that the protocol demands`);
export const notSampled = () => new AishError('mcp.sampling', 'the model answers requests during a call only');
export const notAList = (method: string, key: string) =>
  new AishError('mcp.protocol', `the server's answer to ${method} has no list of ${key}`);
export const serverGone = (why: string) => new AishError('mcp.closed', `the server is not running: ${why}`);
export const lost = (alias: string, why: string) =>
  new AishError('mcp.closed', `the connection to server "${alias}" was lost: ${why}`);
export const lostWhile = (alias: string, doing: Doing, why: string, address: string) =>
  doing === 'calling'
    ? new AishError(
        'mcp.closed',
        `the connection to server "${alias}" was lost ${WHILE[doing]}: ${why}${MAY_HAVE_RUN}`,
        CHECK_FIRST,
      )
    : new AishError('mcp.closed', `the connection to server "${alias}" was lost ${WHILE[doing]}: ${why}`, {
        hint: `check ${address}`,
      });
export const timedOut = (alias: string, doing: Doing, said: string, place: string) =>
  new AishError('mcp.timeout', `server "${alias}" did not respond in time ${WHILE[doing]}${afterwards(doing)}${said}`, {
    hint:
      doing === 'calling'
        ? `if it needs more time, raise timeout_ms in [mcp.servers.${alias}]`
        : `check that this is an MCP server: ${place}`,
  });
export const NOT_JSON_RPC = 'its response is not JSON-RPC';
export const NOT_OFFERED = 'it asked for something that aish does not offer';
export const TOO_DEEP = 'its response is nested too deeply';
export const brokeProtocol = (alias: string, doing: Doing, said: string) =>
  new AishError(
    'mcp.protocol',
    `server "${alias}" broke the MCP protocol ${WHILE[doing]}: ${said}${afterwards(doing)}`,
    doing === 'calling' ? CHECK_FIRST : { hint: `check that [mcp.servers.${alias}] names an MCP server` },
  );
/** `said`: the words of the server. */
export const formatRefusal = (alias: string, said: string, code: number) =>
  `server "${alias}" refused the request: ${said} (JSON-RPC ${code})`;
export const tokenNotSet = (alias: string, variable: string) =>
  new AishError('mcp.auth', `server "${alias}" takes its token from ${variable}, which is not set`, {
    hint: `export ${variable} before you start aish, or remove auth_env from [mcp.servers.${alias}]`,
  });
/** The code of an error that a login cures. */
export const LOGIN_NEEDED = 'mcp.login';
export const LOGIN_DONE = 'You are logged in. You can close this page and go back to aish.';
export const LOGIN_NOT_OURS = 'This address does not belong to a login of aish that is open.';
export const NOT_GRANTED = 'the authorization server granted nothing';
export const WRONG_PASTE = 'the pasted address does not belong to this login';
export const loginNeeded = (alias: string) =>
  new AishError(LOGIN_NEEDED, 'it needs a login', {
    hint: `log in with :mcp login ${alias}, or set auth_env in [mcp.servers.${alias}]`,
  });
export const scopeNeeded = (alias: string, scope: string) =>
  new AishError(LOGIN_NEEDED, `server "${alias}" needs a login with more rights: ${scope}`, {
    hint: `log in again with :mcp login ${alias}`,
  });
export const scopeRefused = (alias: string, scope: string) =>
  new AishError('mcp.auth', `server "${alias}" keeps asking for rights that the login did not get: ${scope}`, {
    hint: 'ask the owner of the server which rights your account has',
  });
export const loginFailed = (alias: string, why: string) =>
  new AishError('mcp.auth', `the login to server "${alias}" failed: ${why}`, {
    hint: `:mcp login ${alias} tries again`,
  });
export const loginStopped = (alias: string) =>
  new AishError('mcp.cancelled', `the login to server "${alias}" was stopped`);
export const loginLocked = () =>
  new AishError('mcp.auth', 'another process of aish holds the tokens of this server', {
    hint: 'try again in a while',
  });
export const noLogin = (alias: string) =>
  new AishError('mcp.config', `server "${alias}" has no login: it has a token of the configuration, or no address`);
export const unsafeEndpoint = (address: string) =>
  new AishError('mcp.auth', `aish does not log in at ${address}: the address is not safe for secrets`, {
    hint: 'an authorization server needs https, answers without a redirect, and is not in a private network',
  });
export const documentTooLarge = (address: string) =>
  new AishError('mcp.too-large', `${address} sent more than 1 MB for a login`, { hint: ASK_OWNER });
export const unauthorized = (alias: string, address: string, status: number) =>
  new AishError('mcp.auth', `server "${alias}" at ${address} refused the credentials (HTTP ${status})`, {
    hint: `set auth_env or auth_token in [mcp.servers.${alias}]`,
  });
export const unencrypted = (alias: string, address: string) =>
  new AishError('mcp.auth', `aish does not send the token to ${address} unencrypted`, {
    hint: `use https; aish sends the token over http only to a server in your configuration, under [mcp.servers.${alias}]`,
  });
export const tokenLacksScope = (alias: string, address: string, scope: string) =>
  new AishError('mcp.auth', `server "${alias}" at ${address} demands more rights than the token has (HTTP 403)`, {
    hint: `get a token with ${scope === '' ? 'these rights' : `the scope "${scope}"`} for [mcp.servers.${alias}]`,
  });
const BUSY = 'try again later';
const ASK_OWNER = 'ask the owner of the server';
const HTTP_HINTS: Readonly<Record<number, string>> = {
  404: 'check the address',
  405: 'check the address',
  429: BUSY,
  502: BUSY,
  503: BUSY,
  504: BUSY,
};
export const httpFailed = (alias: string, address: string, status: number, said: string) =>
  new AishError(
    'mcp.http',
    `server "${alias}" at ${address} answered HTTP ${status}${said === '' ? '' : `: ${said}`}`,
    status >= 300 && status < 400 ? REDIRECTED : { hint: HTTP_HINTS[status] ?? ASK_OWNER },
  );
export const unreachable = (alias: string, address: string, why: string) =>
  new AishError('mcp.unreachable', `cannot reach server "${alias}" at ${address}: ${why}`, {
    hint: 'check the address, and that the server is running',
  });
export const cannotStart = (command: string, cwd: string, why: string, hint: string | null, cause: Error) =>
  new AishError('mcp.unreachable', `cannot start "${command}" in ${cwd}: ${why}`, {
    hint: hint ?? 'check command, cwd and PATH of this server in the configuration',
    cause,
  });
export const tooLarge = (limitBytes: number) => {
  const limit = limitBytes >= 1_048_576 ? `${Math.round(limitBytes / 1_048_576)} MB` : `${limitBytes} bytes`;
  return new AishError('mcp.too-large', `the server sent a message larger than ${limit}`, {
    hint: 'request less data, for example with a filter or a page size',
  });
};
