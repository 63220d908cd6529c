import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

const ADDRESS = 'http://127.0.0.1:9/mcp';

test('every message', () => {
  const all = printMessages(messages, {
    formatExit: [
      [3, null],
      [null, 'SIGSEGV'],
    ],
    formatBrokenOff: [[undefined], ['the socket was closed']],
    withoutAdvice: [['Closed. For more information, pass `verbose: true` in the second argument to fetch()']],
    formatDropped: [['a part that is not a schema']],
    formatBadAddress: [['ftp://example.com']],
    formatTaken: [['fs']],
    formatNamelessTool: [['fs']],
    formatListedTwice: [['fs.read']],
    formatChangedDefinition: [['fs.read']],
    formatNewTools: [['fs', 'read, write']],
    formatGoneTools: [['fs', 'read, write']],
    formatBadStructure: [[''], ['data/n must be number']],
    formatBadHeaderMark: [['fs.read']],
    formatCutList: [['fs', 10_000]],
    formatRetryIn: [[300], [4200]],
    loginNeeded: [['fs']],
    scopeNeeded: [['fs', 'files:write']],
    scopeRefused: [['fs', 'files:write']],
    loginFailed: [['fs', 'access_denied']],
    loginStopped: [['fs']],
    loginLocked: [[]],
    noLogin: [['fs']],
    unsafeEndpoint: [['http://auth.example']],
    notAResult: [[]],
    formatResourceChanged: [['fs', 'file:///a.txt']],
    tookTooLong: [['fs']],
    noTool: [['fs.read']],
    noToolName: [['fs']],
    disabled: [['fs']],
    otherPin: [['fs.read', 'abc123']],
    notAnAnswer: [['resources/read']],
    notSampled: [[]],
    notAList: [['tools/list', 'tools']],
    formatConnected: [
      [{ alias: 'fs', toolCount: 1, review: 'none' }, false],
      [{ alias: 'fs', toolCount: 2, review: 'none' }, true],
    ],
    formatDisconnected: [['fs']],
    formatOldTools: [['server "fs" did not respond in time']],
    formatNotCached: [['fs', 'the disk is full']],
    formatHeld: [
      ['fs', { tools: 1, all: 1 }, 'read has changed'],
      ['fs', { tools: 2, all: 3 }, 'mail is new, read has changed and 1 more'],
      ['fs', { tools: 0, all: 1 }, 'the instructions have changed'],
    ],
    formatHeldItem: [
      ['read', true],
      ['mail', false],
      ['', true],
      ['', false],
    ],
    formatChangedInstructions: [['fs']],
    formatUnencrypted: [['fs', ADDRESS]],
    serversClosed: [[]],
    notAdded: [['aish', messages.RESERVED_ALIAS]],
    unknownServer: [
      ['fs', ['notes', 'web']],
      ['fs', []],
    ],
    disconnected: [['fs']],
    notReviewed: [['fs.read', 'fs']],
    changedSince: [['fs.read', 'fs']],
    stoppedEarly: [['fs']],
    stopped: [['fs']],
    serverGone: [['its process ended with status 3']],
    lost: [['fs', messages.CONNECTION_CLOSED]],
    lostWhile: [
      ['fs', 'calling', messages.CONNECTION_CLOSED, ADDRESS],
      ['fs', 'listing', messages.CONNECTION_CLOSED, ADDRESS],
    ],
    timedOut: [
      ['fs', 'calling', '', 'fs-server'],
      ['fs', 'connecting', '; still loading', 'fs-server .'],
    ],
    brokeProtocol: [
      ['fs', 'listing', 'no list of tools'],
      ['fs', 'calling', 'no result'],
    ],
    formatRefusal: [['fs', 'the disk is on fire', -32603]],
    tokenNotSet: [['fs', 'FS_TOKEN']],
    documentTooLarge: [['https://example.com']],
    unauthorized: [['fs', ADDRESS, 401]],
    tokenLacksScope: [
      ['fs', ADDRESS, ''],
      ['fs', ADDRESS, 'files:write'],
    ],
    unencrypted: [['fs', 'http://example.com/mcp']],
    httpFailed: [
      ['fs', ADDRESS, 500, 'oops'],
      ['fs', ADDRESS, 503, ''],
      ['fs', ADDRESS, 302, 'moved'],
    ],
    unreachable: [['fs', ADDRESS, 'connection refused']],
    cannotStart: [
      ['fs-server', '/w', 'no such program', null, new Error()],
      ['fs-server', '/w', 'too many processes', 'end other programs', new Error()],
    ],
    tooLarge: [[32 * 1_048_576], [10]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    an alias has at most 40 letters, digits, - and _
    the connection was closed
    [empty resource]
    [the tool failed and did not say why]
    You are logged in. You can close this page and go back to aish.
    mcp.login
    This address does not belong to a login of aish that is open.
    connection refused | connection refused | no such host | cannot look up the host name | the server closed the connection
    [the tool returned nothing]
    its response does not answer this request
    the authorization server granted nothing
    its response is not JSON-RPC
    has an input schema of another type than object
    it asked for something that aish does not offer
    it needs either url or command
    the result lacks the structured content that the tool promises
    has no input schema
    "aish" is the name of aish's own tools
    its response is nested too deeply
    of unknown type
    aish cannot check the structured content: the output schema of the tool is invalid
    the pasted address does not belong to this login
    server "fs" broke the MCP protocol while listing its tools: no list of tools
      check that [mcp.servers.fs] names an MCP server
    server "fs" broke the MCP protocol during the call: no result; the tool may have run
      check what the tool did before you call it again
    cannot start "fs-server" in /w: no such program
      check command, cwd and PATH of this server in the configuration
    cannot start "fs-server" in /w: too many processes
      end other programs
    fs.read changed after you allowed the call; aish sent nothing
      :mcp review fs shows the changes
    server "fs" is disabled in the configuration
      set enabled = true in [mcp.servers.fs]
    server "fs" was disconnected
    https://example.com sent more than 1 MB for a login
      ask the owner of the server
    "ftp://example.com" is not an http or https address
    aish dropped fs.read: its x-mcp-header marks are invalid
    the structured content does not match the output schema of the tool
    the structured content does not match the output schema of the tool: data/n must be number
    its response ended early
    its response ended early (the socket was closed)
    the server changed the definition of fs.read; review it with :mcp tool fs.read
    the server changed its instructions; review them with :mcp review fs
    server "fs" connected, 1 tool
    server "fs" connected, 2 tools; some of your rules do not apply until you review its tools: :mcp review fs, or aish mcp approve fs
    fs: the list is longer than aish takes; aish uses the first 10000
    server "fs" disconnected
    has a part that is not a schema in its input schema; aish dropped it
    its process ended with status 3
    SIGSEGV ended its process
    fs no longer has these tools: read, write
    fs: the model does not get one tool until you review it: read has changed; :mcp review fs
    fs: the model does not get 2 tools and the instructions until you review them: mail is new, read has changed and 1 more; :mcp review fs
    fs: the model does not get the instructions until you review them: the instructions have changed; :mcp review fs
    read has changed
    mail is new
    the instructions have changed
    the instructions are new
    fs.read is listed twice; aish uses the first one
    fs: aish dropped a tool without a usable name
    fs has new tools: read, write
    cannot save the list of tools of server "fs" for the next start: the disk is full
    server "fs" did not respond in time; aish keeps the tools that it knows
    server "fs" refused the request: the disk is on fire (JSON-RPC -32603)
    file:///a.txt has changed since you attached it; @fs:file:///a.txt attaches it again
    aish tries again in 1 s
    aish tries again in 5 s
    the session already has a server "fs"
    aish sends the token of server "fs" to http://127.0.0.1:9/mcp unencrypted; use https if you can
    server "fs" at http://127.0.0.1:9/mcp answered HTTP 500: oops
      ask the owner of the server
    server "fs" at http://127.0.0.1:9/mcp answered HTTP 503
      try again later
    server "fs" at http://127.0.0.1:9/mcp answered HTTP 302: moved
      aish sends no credentials after a redirect; configure the final address
    the login to server "fs" failed: access_denied
      :mcp login fs tries again
    another process of aish holds the tokens of this server
      try again in a while
    it needs a login
      log in with :mcp login fs, or set auth_env in [mcp.servers.fs]
    the login to server "fs" was stopped
    the connection to server "fs" was lost: the connection was closed
    the connection to server "fs" was lost during the call: the connection was closed; the tool may have run
      check what the tool did before you call it again
    the connection to server "fs" was lost while listing its tools: the connection was closed
      check http://127.0.0.1:9/mcp
    server "fs" has no login: it has a token of the configuration, or no address
    there is no tool fs.read
    fs is a server; name one of its tools, such as fs.NAME
      aish mcp tools lists the tools
    the server's answer to tools/list has no list of tools
    the server's answer is not the result of a tool; the tool may have run
      check what the tool did before you call it again
    cannot add server "aish": "aish" is the name of aish's own tools
      type :mcp connect URL ALIAS
    the server's answer to resources/read is not of the form that the protocol demands
    fs.read differs from the tool that you reviewed; aish sent nothing
      :mcp review fs shows the changes
    the model answers requests during a call only
    fs.read is not what you approve: its fingerprint is abc123
      review it, then approve it with this fingerprint
    server "fs" needs a login with more rights: files:write
      log in again with :mcp login fs
    server "fs" keeps asking for rights that the login did not get: files:write
      ask the owner of the server which rights your account has
    the server is not running: its process ended with status 3
    the servers of this session are closed
    server "fs": the request was stopped; its outcome is unknown
    server "fs": the request was stopped; aish sent nothing
    server "fs" did not respond in time during the call; the tool may have run
      if it needs more time, raise timeout_ms in [mcp.servers.fs]
    server "fs" did not respond in time while connecting; still loading
      check that this is an MCP server: fs-server .
    server "fs" at http://127.0.0.1:9/mcp demands more rights than the token has (HTTP 403)
      get a token with these rights for [mcp.servers.fs]
    server "fs" at http://127.0.0.1:9/mcp demands more rights than the token has (HTTP 403)
      get a token with the scope "files:write" for [mcp.servers.fs]
    server "fs" takes its token from FS_TOKEN, which is not set
      export FS_TOKEN before you start aish, or remove auth_env from [mcp.servers.fs]
    the server sent a message larger than 32 MB
      request less data, for example with a filter or a page size
    the server sent a message larger than 10 bytes
      request less data, for example with a filter or a page size
    the call did not end within its time limit; the tool may have run
      if it needs more time, raise total_timeout_ms in [mcp.servers.fs]
    server "fs" at http://127.0.0.1:9/mcp refused the credentials (HTTP 401)
      set auth_env or auth_token in [mcp.servers.fs]
    aish does not send the token to http://example.com/mcp unencrypted
      use https; aish sends the token over http only to a server in your configuration, under [mcp.servers.fs]
    there is no server "fs"
      known servers: notes, web
    there is no server "fs"
      no server is configured; add one with :mcp connect
    cannot reach server "fs" at http://127.0.0.1:9/mcp: connection refused
      check the address, and that the server is running
    aish does not log in at http://auth.example: the address is not safe for secrets
      an authorization server needs https, answers without a redirect, and is not in a private network
    Closed
    "
  `);
});
