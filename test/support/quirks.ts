import { type Asked, always, failed, gap, LOOP, once, type Quirk, strict, usual } from './quirk-kinds.ts';
import { answer, CALL, callPart, event, openStream, part, refuse, refuseField, say, stream } from './quirk-replies.ts';
import { REPORTED } from './reported-quirks.ts';
import type { WireBody, WireMessage } from './request-check.ts';
import { TEXT_FORMS } from './text-forms.ts';

const messagesWith = ({ messages }: WireBody, is: (message: WireMessage) => boolean): boolean => messages.some(is);
const toolAt = ({ messages }: WireBody): number => messages.findIndex(({ role }) => role === 'tool');
const never = (): Promise<Response> => new Promise(() => {});
const list = (...ids: readonly string[]): Response =>
  Response.json({ object: 'list', data: ids.map((id) => ({ id })) });

const USAGE = { prompt_tokens: 800, completion_tokens: 512, total_tokens: 1312 };

const SILENT: Readonly<Record<string, Quirk>> = {
  'empty-first': { expected: gap('empty'), chat: () => answer([]) },
  'invisible-answer': {
    expected: gap('empty'),
    chat: (asked) => (asked.hasResult ? say('\u200b<|im_end|>') : usual(asked)),
  },
  'empty-answer': { expected: gap('empty'), chat: (asked) => (asked.hasResult ? answer([]) : usual(asked)) },
  'empty-once': {
    expected: LOOP,
    chat: (asked) => (asked.nth === 2 ? answer([]) : usual({ ...asked, hasResult: asked.nth > 1 })),
  },
  'reason-only': { expected: gap('reasoning-only'), chat: () => answer([{ reasoning_content: 'Let me see.' }]) },
  'reason-only-length': {
    expected: gap('token-limit'),
    chat: () => answer([{ reasoning_content: 'Let me' }], 'length'),
  },
  'length-text': { expected: gap('token-limit'), chat: () => say('It says that', 'length') },
  'length-counted': {
    expected: gap('token-limit'),
    chat: () => stream([part({ content: 'It' }, 'length'), event({ choices: [], usage: USAGE }), event('[DONE]')]),
  },
  'length-other-word': { expected: gap('token-limit'), chat: () => say('It says that', 'max_output_tokens') },
  'content-filter': { expected: gap('filtered'), chat: () => say('It says', 'content_filter') },
  refusal: { expected: gap('refused'), chat: () => answer([{ refusal: 'I cannot help with that.' }]) },
  'length-half-call': {
    expected: { end: 'repeated-failure' },
    chat: () => answer([callPart({ ...CALL, arguments: '{"path":"no' })], 'length'),
  },
  'loop-same-call': { expected: { end: 'repeated-call' }, chat: () => answer([callPart()], 'tool_calls') },
  'loop-same-failure': {
    expected: { end: 'repeated-failure' },
    chat: () => answer([callPart({ ...CALL, arguments: '{"path":"gone.txt"}' })], 'tool_calls'),
  },
};

const TEXT: Readonly<Record<string, Quirk>> = Object.fromEntries(
  Object.entries(TEXT_FORMS).map(([name, form]) => [
    `t-${name}`,
    { expected: LOOP, chat: (asked: Asked) => (asked.hasResult ? usual(asked) : say(form)) },
  ]),
);

const thoughtful = (open: string, close: string): Quirk => ({
  expected: LOOP,
  chat: (asked) =>
    asked.hasResult
      ? answer([...`${open}I know it now.${close}It says that the sea is blue.`].map((content) => ({ content })))
      : answer([{ content: `${open}I should look.${close}` }, callPart()], 'tool_calls'),
});

const REASONING: Readonly<Record<string, Quirk>> = {
  'r-think-tags': thoughtful('<think>', '</think>'),
  'r-thinking-tags': thoughtful('<thinking>', '</thinking>'),
  'r-call-in-reasoning': {
    expected: LOOP,
    chat: (asked) =>
      asked.hasResult ? usual(asked) : answer([{ reasoning_content: `I look.\n${TEXT_FORMS.hermes}` }]),
  },
  'r-must-not-return': {
    expected: LOOP,
    chat: (asked) => {
      const isBack = messagesWith(asked.body, (message) => 'reasoning_content' in message);
      if (isBack) return refuse(400, 'reasoning_content must not be included in the input messages');
      return asked.hasResult ? usual(asked) : answer([{ reasoning_content: 'I look.' }, callPart()], 'tool_calls');
    },
  },
};

const FIELDS = new Set(['model', 'messages', 'tools', 'stream']);

const STRICT: Readonly<Record<string, Quirk>> = {
  's-no-stream_options': strict(({ stream_options }) =>
    stream_options === undefined ? null : refuse(400, 'Unrecognized request argument supplied: stream_options'),
  ),
  's-strict-fields': strict((body) => {
    const extra = Object.keys(body).filter((name) => !FIELDS.has(name));
    return extra.length === 0 ? null : refuseField([extra[0] ?? ''], 'Extra inputs are not permitted');
  }),
  'err-array': strict(({ stream_options }) =>
    stream_options === undefined
      ? null
      : Response.json(
          [
            {
              error: {
                code: 400,
                message: 'Invalid JSON payload received. Unknown name "stream_options": Cannot find field.',
              },
            },
          ],
          { status: 400 },
        ),
  ),
  'err-plain': strict(({ stream_options }) =>
    stream_options === undefined ? null : new Response('json: unknown field "stream_options"\n', { status: 400 }),
  ),
  's-type-list': strict(({ tools = [] }) =>
    /"type":\[/.test(JSON.stringify(tools)) ? refuse(400, 'Invalid schema: "type" must be a string') : null,
  ),
  's-no-system': strict((body) =>
    body.messages[0]?.role === 'system' ? refuse(500, 'Jinja Exception: System role not supported') : null,
  ),
  's-no-system-openai': strict((body) =>
    body.messages[0]?.role === 'system' ? refuse(400, "This model doesn't support system messages") : null,
  ),
  's-no-tool-role': strict((body) =>
    toolAt(body) < 0 ? null : refuse(400, 'Jinja Exception: Only user and assistant roles are supported!'),
  ),
  's-no-tool-role-pydantic': strict((body) =>
    toolAt(body) < 0
      ? null
      : refuseField(
          ['messages', toolAt(body), 'role'],
          "Input should be 'system', 'user' or 'assistant'",
          'literal_error',
        ),
  ),
  's-need-max_tokens': strict(({ max_tokens }) =>
    max_tokens === undefined ? refuseField(['max_tokens'], 'Field required', 'missing') : null,
  ),
  's-need-less-tokens': strict(({ max_tokens }) => {
    if (max_tokens === undefined) return refuse(400, 'max_tokens is required');
    return Number(max_tokens) > 2048
      ? refuse(400, `max_tokens is too large: ${max_tokens}. This model supports at most 2048`)
      : null;
  }),
  's-no-tools': strict(
    ({ tools }) => (tools === undefined ? null : refuse(400, 'tools are not supported by this model')),
    { end: 'talk' },
  ),
  'err-ollama-tools': strict(
    ({ tools }) =>
      tools === undefined
        ? null
        : Response.json({ error: 'registry.ollama.ai/library/gemma:2b does not support tools' }, { status: 400 }),
    { end: 'talk' },
  ),
  's-auto-tool-vllm': strict(
    ({ tools }) =>
      tools === undefined
        ? null
        : refuse(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    { end: 'talk' },
  ),
  's-tool-count-4': strict(({ tools = [] }) =>
    tools.length > 4 ? refuse(400, `Too many tools: at most 4 are allowed, got ${tools.length}`) : null,
  ),
  's-no-stream': {
    expected: LOOP,
    chat: ({ body, hasResult }) => {
      if (body.stream === true) return refuse(400, 'Streaming is not supported by this deployment');
      const message = hasResult
        ? { role: 'assistant', content: 'It says that the sea is blue.' }
        : { role: 'assistant', content: null, ...callPart() };
      return Response.json({ choices: [{ index: 0, message, finish_reason: hasResult ? 'stop' : 'tool_calls' }] });
    },
  },
  's-content-null': strict((body) =>
    messagesWith(body, ({ content, tool_calls }) => tool_calls !== undefined && content !== null)
      ? refuse(400, 'messages.2.content must be null when tool_calls are present')
      : null,
  ),
  's-no-empty-content': strict((body) =>
    messagesWith(
      body,
      ({ content }) => content === '' || content === null || (Array.isArray(content) && content.length === 0),
    )
      ? refuse(400, 'message content must be a non-empty string')
      : null,
  ),
  's-content-parts': strict((body) =>
    messagesWith(body, ({ content }) => typeof content === 'string')
      ? refuse(400, "Invalid type for 'messages[0].content': expected an array of content parts, but got a string")
      : null,
  ),
  's-needs-tool_choice': strict(({ tools, tool_choice }) =>
    tools === undefined || tool_choice !== undefined ? null : refuseField(['tool_choice'], 'Field required', 'missing'),
  ),
  'err-spring': strict(({ stream_options }) =>
    stream_options === undefined
      ? null
      : Response.json(
          { status: 400, error: 'Bad Request', message: 'JSON parse error: Unrecognized field "stream_options"' },
          { status: 400 },
        ),
  ),
  's-unnamed': strict(({ stream_options }) => (stream_options === undefined ? null : refuse(400, 'So nicht.'))),
  's-no-tools-unnamed': strict(({ tools }) => (tools === undefined ? null : refuse(400, 'So nicht (id 7f31).')), {
    end: 'talk',
  }),
  's-no-tools-in-stream': strict(({ tools, stream: isStream }) =>
    tools === undefined || isStream === false ? null : refuse(400, 'Cannot use tools with stream'),
  ),
  's-tool-role-unnamed': strict((body) => (toolAt(body) < 0 ? null : refuse(400, 'So nicht.'))),
  's-tool-role-500': strict((body) => (toolAt(body) < 0 ? null : refuse(500, "KeyError: 'tool'"))),
  's-one-tool': strict(({ tools = [] }) => (tools.length > 1 ? refuse(400, 'Only a single tool is supported') : null)),
  's-user-first': strict((body) =>
    body.messages[0]?.role === 'system' ? refuse(400, 'Conversation roles must alternate user/assistant') : null,
  ),
  's-mute': strict(({ stream_options }) => (stream_options === undefined ? null : new Response('', { status: 400 }))),
  's-unknown': always('model.refused', () => refuse(400, 'The moon is in the wrong place')),
};

const NOT_READY: Readonly<Record<string, Quirk>> = {
  '500-once': once(() => refuse(500, 'internal error')),
  '502-once': once(() => new Response('<html><title>502 Bad Gateway</title></html>', { status: 502 })),
  '503-once': once(() => new Response('', { status: 503 })),
  '503-retry-after': once(() => new Response('busy', { status: 503, headers: { 'retry-after': '1' } })),
  '504-once': once(() => new Response('', { status: 504 })),
  '529-once': once(() => refuse(529, 'Overloaded', { type: 'overloaded_error' })),
  '408-once': once(() => refuse(408, 'Request timeout')),
  '429-once-noheader': once(() => refuse(429, 'Rate limit reached. Please try again in 0.2s.')),
  '429-retry-ms': once(() => new Response('', { status: 429, headers: { 'retry-after-ms': '100' } })),
  '429-retry-1': once(() => new Response('', { status: 429, headers: { 'retry-after': '1' } })),
  'err-code-first': once(() => stream([event({ error: { code: 502, message: 'Provider disconnected' } })])),
  'reset-once': once(() => openStream([], 'cut')),
  '409-once': once(() => refuse(409, 'The model is being swapped')),
  'overloaded-in-stream-once': once(() =>
    stream([event({ error: { type: 'overloaded_error', message: 'Overloaded' } })]),
  ),
  '503-loading-3': {
    expected: LOOP,
    chat: (asked) => (asked.nth <= 3 ? refuse(503, 'Loading model') : usual(asked)),
  },
};

const FAULTS: Readonly<Record<string, Quirk>> = {
  'reset-before': always('model.incomplete', () => openStream([], 'cut')),
  'html-502': {
    ...always('model.server-error', () => new Response('<html><title>502 Bad Gateway</title></html>', { status: 502 })),
    limitMs: 8000,
  },
  '429-retry-300': always(
    'model.rate-limited',
    () => new Response('', { status: 429, headers: { 'retry-after': '300' } }),
  ),
  '429-quota': always('model.quota', () =>
    refuse(429, 'You exceeded your current quota', { code: 'insufficient_quota' }),
  ),
  '402-credit': always('model.no-credit', () => refuse(402, 'Insufficient credits')),
  '403-region': always('model.region', () =>
    refuse(403, 'Country, region, or territory not supported', { code: 'unsupported_country_region_territory' }),
  ),
  '400-billing': always('model.no-credit', () => refuse(400, 'Your credit balance is too low')),
  '400-filter': always('model.filtered', () => refuse(400, 'rejected', { code: 'content_policy_violation' })),
  '403-page': always(
    'model.unauthorized',
    () => new Response('<html><title>Attention Required!</title></html>', { status: 403 }),
  ),
  '405': always('model.not-found', () => new Response('Method Not Allowed', { status: 405 })),
  'text-200': always('model.not-json', () => new Response('upstream connect error')),
  '401': always('model.unauthorized', () => refuse(401, 'Incorrect API key provided')),
  '404-model': always('model.not-found', () => refuse(404, "The model 'm' does not exist")),
  'html-404': always(
    'model.not-found',
    () => new Response('<html><title>404 Not Found</title></html>', { status: 404 }),
  ),
  'err-ollama-404': always('model.not-found', () =>
    Response.json({ error: 'model "m" not found, try pulling it first' }, { status: 404 }),
  ),
  'empty-200': always('model.no-content', () => new Response('')),
  'empty-204': always('model.no-content', () => new Response(null, { status: 204 })),
  'html-200': always('model.not-json', () => new Response('<html><title>Sign in</title></html>')),
  redirect: always(
    'model.redirected',
    () => new Response(null, { status: 308, headers: { location: 'http://127.0.0.1:9/v1' } }),
  ),
  'err-mid-200': always('model.server-error', () =>
    stream([part({ content: 'It' }), event({ error: { message: 'CUDA out of memory' } })]),
  ),
  'bad-json-chunk': always('model.malformed', () => stream([part({ content: 'It' }), event('{oops')])),
  'no-finish-no-done': always('model.incomplete', () => stream([part({ content: 'It' })])),
  'reset-mid': always('model.incomplete', () => stream([part({ content: 'It' })])),
  'first-late': { ...always('model.timeout', never), limitMs: 1000 },
  'idle-mid': { ...always('model.timeout', () => openStream([part({ content: 'It' })], 'hang')), limitMs: 1000 },
  'ctx-400': always('model.context-too-long', () =>
    refuse(400, "This model's maximum context length is 512 tokens. However, you requested 2064 tokens", {
      code: 'context_length_exceeded',
    }),
  ),
  '413': always('model.context-too-long', () => new Response('Request Entity Too Large', { status: 413 })),
};

const eventsOf = ({ hasResult }: Asked): readonly string[] =>
  hasResult
    ? [part({ content: 'It says that the sea is blue.' }), part({}, 'stop')]
    : [part(callPart()), part({}, 'tool_calls')];

const FORMS: Readonly<Record<string, Quirk>> = {
  ndjson: {
    expected: LOOP,
    chat: ({ hasResult }) => {
      const deltas = hasResult ? [{ content: 'It says that the sea is blue.' }] : [callPart()];
      const chunks = [...deltas, {}].map((delta, at) => ({
        choices: [{ index: 0, delta, finish_reason: at === deltas.length ? 'stop' : null }],
      }));
      return stream([`${chunks.map((chunk) => JSON.stringify(chunk)).join('\n')}\n`], 'application/x-ndjson');
    },
  },
  'last-twice': {
    expected: LOOP,
    chat: (asked) =>
      asked.hasResult
        ? stream([
            part({ content: 'The sea ' }),
            part({ content: 'is blue.' }),
            part({ content: 'is blue.' }, 'stop'),
            event('[DONE]'),
          ])
        : usual(asked),
  },
  'no-done': {
    expected: LOOP,
    chat: ({ hasResult }) =>
      stream(hasResult ? [part({ content: 'The sea is blue.' }, 'stop')] : [part(callPart(), 'stop')]),
  },
  'ping-events': {
    expected: LOOP,
    chat: (asked) =>
      stream(['event: ping\ndata: 12:00\n\n', 'data: keep-alive\n\n', ...eventsOf(asked), event('"[DONE]"')]),
  },
  'double-data': {
    expected: LOOP,
    chat: (asked) => stream([...eventsOf(asked).map((one) => `data: ${one}`), event('[DONE]')]),
  },
  'name-marks': {
    expected: LOOP,
    chat: (asked) => {
      const name = 'functions.aish__read_file:0<|channel|>commentary';
      return asked.hasResult ? usual(asked) : answer([callPart({ ...CALL, name })], 'tool_calls');
    },
  },
  'm-ok': { expected: LOOP, chat: usual, models: () => list('nomic-embed-text', 'm') },
  'm-404': {
    expected: failed('model.no-list'),
    chat: usual,
    models: () => new Response('404 page not found', { status: 404 }),
  },
  'm-html': { expected: failed('model.not-json'), chat: usual, models: () => new Response('<html></html>') },
  'm-empty': { expected: failed('model.none'), chat: usual, models: () => list() },
  'm-401': { expected: failed('model.unauthorized'), chat: usual, models: () => refuse(401, 'No key') },
  'm-slow': { expected: failed('model.timeout'), chat: usual, models: never, limitMs: 1000 },
};

/** Time enough for every answer. */
export const LONG_LIMIT_MS = 60_000;

/** Servers that differ in one thing each, by name. */
export const QUIRKS: Readonly<Record<string, Quirk>> = {
  ...SILENT,
  ...TEXT,
  ...REASONING,
  ...STRICT,
  ...NOT_READY,
  ...FAULTS,
  ...FORMS,
  ...REPORTED,
};
