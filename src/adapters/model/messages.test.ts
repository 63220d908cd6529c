import { expect, test } from 'bun:test';
import type { Lesson } from '../../core/model/endpoint-profile.ts';
import { AishError, formatError } from '../../protocol/error.ts';
import * as messages from './messages.ts';

const SERVER = 'http://127.0.0.1:8080/v1';
const SAID = 'slow down';

const LESSONS: readonly Lesson[] = [
  { type: 'omit', field: 'stream_options' },
  { type: 'text-tool-turns' },
  { type: 'no-tools' },
  { type: 'most-tools', count: 4 },
  { type: 'fold-system' },
  { type: 'empty-content', form: 'null' },
  { type: 'empty-content', form: 'space' },
  { type: 'empty-content', form: 'omitted' },
  { type: 'empty-content', form: 'text' },
  { type: 'content', form: 'parts' },
  { type: 'content', form: 'text' },
  { type: 'add', field: 'tool_choice' },
  { type: 'token-limit', field: 'max_tokens', tokens: 4096 },
  { type: 'no-stream' },
  { type: 'plain-schema' },
  { type: 'plainest' },
];

test('the room reports these texts', () => {
  const all = [
    ...Object.values(messages).filter((value) => typeof value === 'string'),
    messages.formatNoContent(204),
    messages.formatNoAnswer('id, created'),
    messages.formatNoAnswer(''),
    messages.formatPage('Router login'),
    messages.aborted(),
    messages.refusedConnection(SERVER, true),
    messages.refusedConnection('https://models.example/v1', false),
    messages.unknownHost('models.example'),
    messages.insecure(SERVER, 'certificate has expired'),
    messages.connectionClosed(SERVER),
    messages.unreachable(SERVER, 'no route'),
    messages.timedOut('local', SERVER, 'first-byte', 600_000),
    messages.timedOut('local', SERVER, 'idle', 30),
    messages.timedOut('local', SERVER, 'barren', 600_000),
    messages.tooLarge(SERVER, messages.RESPONSE_TOO_LARGE),
    messages.stillLoading(SERVER),
    messages.templateRefused('no tools'),
    messages.rateLimited(SERVER, SAID, 8000),
    messages.rateLimited(SERVER, SAID, undefined),
    messages.quotaReached(SERVER, SAID),
    messages.noCredit(SERVER, 402, SAID),
    messages.regionRefused(SERVER, 403, SAID),
    messages.forbidden(SERVER, 'Access denied', undefined),
    messages.forbidden(SERVER, 'Access denied', 'KEY'),
    messages.requestFiltered(SERVER, SAID),
    messages.redirected(SERVER, 307),
    messages.serverFailed(SERVER, 500, 'boom'),
    messages.requestRefused(SERVER, 400, 'bad'),
    messages.streamFailed(SERVER, 'boom'),
    messages.unauthorized({ name: 'cloud', keyEnv: 'KEY', hasKey: true }, SERVER, 403, 'bad'),
    messages.unauthorized({ name: 'cloud', keyEnv: undefined, hasKey: false }, SERVER, 401, 'bad'),
    messages.modelNotFound(SERVER, 'qwen', { status: 404, said: 'none' }, { names: ['qwen3', 'phi'], more: 4 }),
    messages.modelNotFound(SERVER, 'qwen', { status: 404, said: 'none' }, { names: [], more: 0 }),
    messages.modelNotLoaded(SERVER, 'qwen', 404, 'none'),
    messages.pathMissing(SERVER, 404, '404 page not found'),
    messages.contextTooLong('local', 'too long', {}),
    messages.contextTooLong('local', 'too long', { promptTokens: 9000, windowTokens: 8192 }),
    messages.noContent(SERVER, messages.formatNoContent(204)),
    messages.notAModelServer(SERVER, messages.NOT_JSON),
    messages.responseEnded(SERVER),
    messages.responseDamaged(SERVER, 'bad chunk'),
    messages.serverNotStarted('local', 'llama-server', null, null),
    messages.serverNotStarted('local', 'llama-server', 'no permission', 'make it executable'),
    messages.serverEnded('local', 1, '/s/local.log'),
    messages.serverEnded('local', null, '/s/local.log'),
    ...LESSONS.map(messages.formatLesson),
  ];
  const shown = all.map((one) => (one instanceof AishError ? `${one.code}: ${formatError(one)}` : one));
  expect(shown.join('\n')).toMatchInlineSnapshot(`
    "the server sent an event that is too long to read
    the response is not HTTP
    the response is not valid JSON
    the server gave no reason
    the server keeps sending data that is not part of a response
    the response stream ended unexpectedly
    the server sent a response that is too long to read
    no readable text
    HTTP 204 without a body
    the response has no answer, only id, created
    the response is an empty object
    the server answered with a web page: Router login
    model.aborted: the request to the model was stopped
    model.unreachable: no server answers at http://127.0.0.1:8080/v1: connection refused
      start the model server, or correct base_url
    model.unreachable: no server answers at https://models.example/v1: connection refused
      check base_url, HTTP_PROXY and HTTPS_PROXY, and whether this machine can reach the server
    model.unknown-host: cannot find the host models.example
      check base_url, and that this machine is online
    model.tls: cannot make a secure connection to http://127.0.0.1:8080/v1: certificate has expired
      check http against https in base_url, and the certificate
    model.incomplete: http://127.0.0.1:8080/v1 closed the connection without a response
      ask again; if it fails again, look at the log of the server
    model.unreachable: cannot reach http://127.0.0.1:8080/v1: no route
      check base_url and the network
    model.timeout: http://127.0.0.1:8080/v1 did not start to respond within 600 s
      if the model is slow, raise timeout_ms in [models.local]
    model.timeout: http://127.0.0.1:8080/v1 stopped in the middle of a response and sent nothing for 30 ms
      if the model is slow, raise timeout_ms in [models.local]
    model.timeout: http://127.0.0.1:8080/v1 kept the connection open for 600 s without sending any part of a response
      if the model is slow, raise timeout_ms in [models.local]
    model.too-large: http://127.0.0.1:8080/v1: the server sent a response that is too long to read
      ask for less at a time, or look at the log of the server
    model.loading: the server at http://127.0.0.1:8080/v1 is still loading its model
      ask again in a moment
    model.template: the model's chat template refused the conversation: no tools
      start the server with a chat template that supports tools, or use another model
    model.rate-limited: rate limit reached at http://127.0.0.1:8080/v1: slow down; it accepts requests again in 8 s
      wait, or switch with :model
    model.rate-limited: rate limit reached at http://127.0.0.1:8080/v1: slow down
      wait, or switch with :model
    model.quota: the account at http://127.0.0.1:8080/v1 has used up its quota: slow down
      look at the plan and the billing of the account, or switch with :model; waiting does not help
    model.no-credit: the account at http://127.0.0.1:8080/v1 has no credit left (402): slow down
      add credit to the account, or switch with :model
    model.region: http://127.0.0.1:8080/v1 does not serve this region (403): slow down
      the key is not the reason; use another provider, or a proxy that the provider permits
    model.unauthorized: http://127.0.0.1:8080/v1 refuses access (403): Access denied
      check whether the server needs a key (key_env); a firewall or a proxy may also refuse the request
    model.unauthorized: http://127.0.0.1:8080/v1 refuses access (403): Access denied
      check that the key in KEY may use this model; a firewall or a proxy may also refuse the request
    model.filtered: the content filter of http://127.0.0.1:8080/v1 refused the request: slow down
      ask in other words, or choose another model with :model
    model.redirected: http://127.0.0.1:8080/v1 redirects to another address (307); aish does not send your key there
      put the final address into base_url, often https instead of http
    model.server-error: http://127.0.0.1:8080/v1 failed (500): boom
      ask again; if it fails again, look at the log of the server
    model.refused: http://127.0.0.1:8080/v1 refused the request (400): bad
      aish found nothing in the request that it could leave out; look at the log of the server, or use another model
    model.server-error: http://127.0.0.1:8080/v1 reported an error in its response: boom
      ask again, or use another model
    model.unauthorized: http://127.0.0.1:8080/v1 does not accept this API key (403): bad
      check that the key in KEY is right and may use this model
    model.unauthorized: http://127.0.0.1:8080/v1 wants an API key (401): bad
      set key_env in [models.cloud] to the environment variable that holds the key
    model.not-found: http://127.0.0.1:8080/v1 does not know model "qwen" (404): none
      it has qwen3, phi and 4 more
    model.not-found: http://127.0.0.1:8080/v1 does not know model "qwen" (404): none
      check base_url (it usually ends in /v1) and the name in model
    model.not-found: http://127.0.0.1:8080/v1 lists model "qwen" but cannot use it (404): none
      load the model on the server, or look at the log of the server
    model.not-found: http://127.0.0.1:8080/v1 has no chat completions at this path (404): 404 page not found
      check base_url: it usually ends in /v1
    model.context-too-long: the conversation is too long for model "local": too long
      begin a new session with :new, or give the server a larger context
    model.context-too-long: the conversation has 9000 tokens, but the context of model "local" holds 8192
      begin a new session with :new, or give the server a larger context
    model.no-content: http://127.0.0.1:8080/v1 answered nothing: HTTP 204 without a body
      ask again; if it fails again, look at the log of the server, and check base_url
    model.not-json: http://127.0.0.1:8080/v1 did not answer as a model server does: the response is not valid JSON
      check base_url: another program may listen there
    model.incomplete: the response stream of http://127.0.0.1:8080/v1 ended unexpectedly; aish ran nothing of this response
      ask again; the conversation so far is kept
    model.malformed: cannot read the response of http://127.0.0.1:8080/v1: bad chunk; aish ran nothing of this response
      ask again; a proxy in between may have damaged it
    model.not-started: cannot start the server of model "local": there is no program llama-server
      check command in [models.local]; llama-server is part of llama.cpp
    model.not-started: cannot start the server of model "local": no permission
      make it executable
    model.not-started: the server of model "local" ended with status 1
      read its log: /s/local.log
    model.not-started: the server of model "local" was ended by a signal
      read its log: /s/local.log
    refuses stream_options, so aish leaves it out
    refuses messages of tools, so aish sends calls and results as text
    takes no tools, so the model can only talk and propose commands
    takes at most 4 tools, so aish offers only the first 4
    refuses a system message, so aish puts it in front of your first message
    refuses empty content beside calls, so aish sends null
    refuses empty content beside calls, so aish sends a blank
    refuses empty content beside calls, so aish leaves it out
    refuses empty content beside calls, so aish sends calls and results as text
    takes the text of a message only as a list of parts, so aish sends lists
    takes only text, so aish leaves images out
    demands tool_choice, so aish sends it
    wants a token limit, so aish sends max_tokens = 4096
    does not stream, so an answer appears when it is complete
    refuses a part of the schema of tools, so aish sends simpler schemas
    refuses a part that it does not name, so aish leaves out every optional field"
  `);
});
