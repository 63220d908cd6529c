import { expect, test } from 'bun:test';
import { formatError } from '../../protocol/error.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const errors = [
    messages.noRoute('/x'),
    messages.wrongMethod('/chat', 'GET', 'POST'),
    messages.bodyTooLarge(8_000_000),
    messages.notJsonBody('text/plain'),
    messages.notJsonBody(undefined),
    messages.badBody('text: expected a string'),
    messages.invalidJson(new Error('unexpected end')),
    messages.badEventId('x'),
    messages.badDirectory('src'),
    messages.badSize(),
    messages.noWebSocket(),
    messages.foreignHost('example.com', 3000),
    messages.foreignHost('example.com', null),
    messages.foreignOrigin('https://example.com'),
    messages.wrongToken(),
    messages.strangerConnected(),
    messages.strangerReached('/run/a/aish.sock'),
    messages.sessionNotOpen('0abc'),
    messages.otherSession('0abc', '1def'),
    messages.tooManySessions(2000),
    messages.ownedSession('end it'),
    messages.closing(),
    messages.noSocket('EACCES'),
    messages.cannotListen({ type: 'socket', path: '/run/aish.sock' }, 'EACCES'),
    messages.cannotListen({ type: 'tcp', host: '127.0.0.1', port: 3000 }, 'EADDRINUSE'),
    messages.badToken(16),
    messages.daemonRunning('/run/aish.sock'),
    messages.longSocketPath('/long', 120, 107),
    messages.notASocket('/run/aish.sock'),
  ];
  const texts = [messages.OUTPUT_SKIPPED.trim(), messages.CLIENT_INSTRUCTIONS, messages.SOCKET_OR_PORT];
  expect(`\n${[...errors.map(formatError), ...texts].join('\n')}\n`).toMatchInlineSnapshot(`
    "
    /x is not a route
      the routes are /health, /halt, /chat, /sessions, /sessions/ID, /sessions/ID/ops, /sessions/ID/query, /sessions/ID/events and /sessions/ID/terminal
    /chat does not accept GET
      use POST
    the body has more than 8 MB
      send less; no model reads that much at once
    the Content-Type of the body is text/plain
      send JSON with the header Content-Type: application/json
    the Content-Type of the body is missing
      send JSON with the header Content-Type: application/json
    text: expected a string
      docs/protocol.md describes ops and bodies
    the body is not valid JSON: unexpected end
    "x" is not the id of an event
      send the id of the last event that you received as Last-Event-ID, or the number of a stored event as ?after=
    cwd: "src" is not a directory here
      send the absolute path of an existing directory
    columns and rows must be whole numbers from 1 to 10000
    this route needs a WebSocket
      connect to this route as a WebSocket
    the Host "example.com" is not this daemon
      use http://127.0.0.1:3000/
    the Host header "example.com" does not name this machine
      web pages must not use this daemon, and no program may forward their requests
    the daemon refuses requests from web pages of "https://example.com"
      web pages must not use this daemon, and no program may forward their requests
    the token is missing or wrong
      send "Authorization: Bearer TOKEN"; the token is in AISH_TOKEN, or in the file that aish serve prints
    another user was connected to this socket, and aish closed that connection
      send the request again
    another user connected to /run/a/aish.sock; aish closed the connection at once
      to keep other users out: chmod 700 /run/a
    no session "0abc" is open in this process
      to open a stored session: POST /sessions {"resume": "0abc"}
    this is the socket of session 0abc, not of "1def"
      each session that is open at a terminal has its own socket
    this daemon keeps at most 2000 sessions open
      close some with DELETE /sessions/ID
    this session is open at a terminal, so a client cannot end it
      for sessions of your own, start a daemon: aish serve
    the daemon is closing
    no other terminal can join this session: EACCES
      the session works all the same; XDG_RUNTIME_DIR sets the folder of its socket
    cannot listen on /run/aish.sock: EACCES
      choose another path with --socket
    cannot listen on 127.0.0.1:3000: EADDRINUSE
      choose another port with --port; 0 takes any free port
    AISH_TOKEN must have 16 or more visible ASCII characters
      to make a token: openssl rand -hex 32; without AISH_TOKEN, aish makes one
    another aish serve listens on /run/aish.sock
      use that daemon, end it first, or choose another path with --socket
    the socket path has 120 bytes, and the system allows 107: /long
      choose a shorter path with --socket
    /run/aish.sock exists and is not a socket
      choose another path with --socket
    [aish skipped some output because this terminal was too slow]
    [instructions from the client]
    use either --socket or --port
    "
  `);
});
