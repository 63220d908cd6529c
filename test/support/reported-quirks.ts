import { type Asked, always, gap, LOOP, once, type Quirk, strict, usual } from './quirk-kinds.ts';
import { answer, CALL, callPart, type Delta, event, openStream, part, refuse, say, stream } from './quirk-replies.ts';
import type { WireBody } from './request-check.ts';

/*
 * Quirks that users of servers and gateways reported in public. The comment names the thread.
 */

const SEA = 'It says that the sea is blue.';

/** A call in these chunks; the answer is usual. */
const calls = (...events: readonly string[]): Quirk => ({
  expected: LOOP,
  chat: (asked) => (asked.hasResult ? usual(asked) : stream([...events, event('[DONE]')])),
});

/** The call and the answer, each in chunks of this form. */
const both = (form: (delta: Delta, finish: string | null) => readonly string[]): Quirk => ({
  expected: LOOP,
  chat: ({ hasResult }) => stream(hasResult ? form({ content: SEA }, 'stop') : form(callPart(), 'tool_calls')),
});

const withArguments = (text: string): Quirk =>
  calls(part(callPart({ name: CALL.name, arguments: text })), part({}, 'tool_calls'));
const withName = (name: string): Quirk => calls(part(callPart({ ...CALL, name })), part({}, 'tool_calls'));
const choice = (one: object): string => event({ choices: [{ index: 0, ...one }] });

const STREAMS: Readonly<Record<string, Quirk>> = {
  // NousResearch/hermes-agent#80822
  'v-null-events': both((delta, finish) => [
    event('null'),
    part(delta),
    event('null'),
    part({}, finish),
    event('[DONE]'),
  ]),
  // cline/cline#8518
  'v-null-choices': both((delta, finish) => [
    part(delta),
    part({}, finish),
    event({ choices: null, usage: { prompt_tokens: 1, completion_tokens: 1 } }),
    event('[DONE]'),
  ]),
  // ml-explore/mlx-lm#782
  'v-finish-tool_call': calls(part(callPart()), part({}, 'tool_call')),
  // sgl-project/sglang#8417
  'v-finish-twice': both((delta, finish) => [part(delta, finish), part({}, finish), event('[DONE]')]),
  // ModelTC/LightLLM#130
  'v-finish-never': both((delta) => [part(delta), part({}), event('[DONE]')]),
  // ollama/ollama#4357
  'v-finish-empty-text': both((delta) => [part(delta, ''), part({}, ''), event('[DONE]')]),
  // googleapis/python-genai#2868
  'v-finish-stop-with-call': calls(part(callPart()), part({}, 'stop')),
  // danny-avila/LibreChat#13987
  'v-call-index-jumps': calls(
    part({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: CALL.name, arguments: '' } }] }),
    part({ tool_calls: [{ index: 1, function: { arguments: CALL.arguments } }] }),
    part({}, 'tool_calls'),
  ),
  // lmstudio-ai/lmstudio-bug-tracker#649
  'v-call-empty-names': calls(
    part({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: CALL.name, arguments: '' } }] }),
    ...['{"path"', ':"note', '.txt"}'].map((text) =>
      part({ tool_calls: [{ index: 0, type: 'function', function: { name: '', arguments: text } }] }),
    ),
    part({}, 'tool_calls'),
  ),
  // BerriAI/litellm#37792
  'v-call-same-index': calls(
    part({ tool_calls: [{ index: 0, id: 'a', function: { name: CALL.name, arguments: { path: 'note.txt' } } }] }),
    part({ tool_calls: [{ index: 0, id: 'b', function: { name: CALL.name, arguments: { path: 'note.txt' } } }] }),
    part({}, 'stop'),
  ),
  // vllm-project/vllm#9693
  'v-call-null-arguments': calls(
    part({ tool_calls: [{ index: 0, id: 'a', function: { name: CALL.name, arguments: null } }] }),
    part({ tool_calls: [{ index: 0, id: null, function: { name: null, arguments: CALL.arguments } }] }),
    part({}, 'tool_calls'),
  ),
  // agentuniverse-ai/agentUniverse#772
  'v-delta-null': both((delta, finish) => [
    part(delta),
    choice({ delta: null, finish_reason: finish }),
    event('[DONE]'),
  ]),
  // jjang-ai/vmlx#219
  'v-call-generating': calls(
    ...Array.from({ length: 3 }, () => part({ tool_call_generating: true })),
    part(callPart()),
    part({}, 'tool_calls'),
  ),
  // experientiallabs/experiential#962
  'v-filter-without-done': {
    expected: gap('filtered'),
    chat: () => stream([part({ content: 'It says' }), part({}, 'content_filter')]),
  },
  // earendil-works/pi#8511
  'v-native-network-error': always('model.server-error', () =>
    stream([
      choice({ delta: { content: '' }, finish_reason: 'stop', native_finish_reason: 'network_error' }),
      event('[DONE]'),
    ]),
  ),
  // genkit-ai/genkit#6259
  'v-choice-error': always('model.server-error', () =>
    stream([
      part({ content: 'Partial' }),
      choice({ delta: {}, finish_reason: 'error', error: { message: 'upstream timed out', code: 504 } }),
      event('[DONE]'),
    ]),
  ),
  // EricLBuehler/mistral.rs#1874
  'v-plain-error-event': always('model.malformed', () =>
    openStream([event('Number of choices must be greater than 0.')], 'hang'),
  ),
  // ollama/ollama#11781
  'v-error-as-key': always('model.not-json', () =>
    stream([event({ 'error parsing tool call': "invalid character 'c'" })]),
  ),
  // zendev-sh/goai#110
  'v-error-and-message': always('model.server-error', () =>
    stream([part({ content: 'It' }), event({ error: { message: 'Compute error.' }, message: 'Compute error.' })]),
  ),
  // BerriAI/litellm#6629
  'v-context-in-stream': always('model.context-too-long', () =>
    stream([
      event({
        error: {
          message: 'ContextWindowExceededError: prompt is too long: 215000 tokens > 200000 maximum',
          code: '400',
        },
      }),
    ]),
  ),
  // azrtydxb/Fastllm-proxy#28
  'v-502-in-200': once(() => Response.json({ error: { message: 'Upstream error: ResourceExhausted', code: 502 } })),
  // Gemini over chat completions: google-gemini/gemini-cli and others
  'v-malformed-function-call': once(() =>
    stream([part({}, 'function_call_filter: MALFORMED_FUNCTION_CALL'), event('[DONE]')]),
  ),
  // cita-777/metapi and others: an answer without choices
  'v-no-choices-document': {
    expected: gap('empty'),
    chat: () => Response.json({ id: 'x', object: 'chat.completion', choices: [] }),
  },
  // langchain-ai/langchain#35236
  'v-null-choices-document': always('model.not-json', () => Response.json({ id: 'x', choices: null, usage: null })),
  // NousResearch/hermes-agent and others: reasoning as an object
  'v-reasoning-object': both((delta, finish) => [
    part({ reasoning: { content: 'I look.' } }),
    part(delta),
    part({}, finish),
    event('[DONE]'),
  ]),
};

const CALLS: Readonly<Record<string, Quirk>> = {
  // tailcallhq/forgecode#2764, quarkiverse/quarkus-langchain4j#2642
  'v-arguments-encoded-twice': withArguments(JSON.stringify(CALL.arguments)),
  // ollama/ollama#17638
  'v-arguments-in-list': withArguments(`[${CALL.arguments}]`),
  // langgenius/dify#9775 and others: an empty object in front
  'v-arguments-after-empty': withArguments(`{}${CALL.arguments}`),
  // cecli-dev/cecli#536 and others: a code block around the arguments
  'v-arguments-fenced': withArguments(`\`\`\`json\n${CALL.arguments}\n\`\`\``),
  // vercel/ai and others: the arguments once more under their own name
  'v-arguments-nested': withArguments(`{"arguments":${CALL.arguments}}`),
  // langgenius/dify and others: blanks and line ends around
  'v-arguments-blanks': withArguments(`\n  ${CALL.arguments}\n\n`),
  // google-gemini over chat completions: askimo-ai/askimo#543
  'v-name-default_api': withName(`default_api:${CALL.name}`),
  'v-name-default_api-dot': withName(`default_api.${CALL.name}`),
  // ollama/ollama#11704 and others
  'v-name-blank': withName(` ${CALL.name}\n`),
  'v-name-quoted': withName(`"${CALL.name}"`),
  'v-name-tools-dot': withName(`tools.${CALL.name}`),
};

/** A refusal of what aish sent, by the role and place of a message. */
const refuseIf = (is: (body: WireBody) => boolean, reply: () => Response): Quirk =>
  strict((body) => (is(body) ? reply() : null));
const hasToolTurn = ({ messages }: WireBody): boolean => messages.some(({ role }) => role === 'tool');
const noTools = (reply: () => Response): Quirk =>
  strict(({ tools }) => (tools === undefined ? null : reply()), { end: 'talk' });
const noStreamOptions = (body: unknown, status = 400): Quirk =>
  strict(({ stream_options }) => (stream_options === undefined ? null : Response.json(body, { status })));

const twoCalls = ({ hasResult }: Asked): Response => {
  const [one] = [callPart().tool_calls].flat();
  const more = [0, 1].map((index) => ({ ...Object(one), index, id: `call_${index}` }));
  return hasResult ? say(SEA) : answer([{ tool_calls: more }], 'tool_calls');
};

const REFUSALS: Readonly<Record<string, Quirk>> = {
  // abhigyanpatwari/GitNexus#43
  'v-needs-reasoning_content': refuseIf(
    ({ messages }) => messages.some((one) => one.tool_calls !== undefined && !('reasoning_content' in one)),
    () => refuse(400, 'Missing `reasoning_content` field in the assistant message at message index 2.'),
  ),
  // esengine/DeepSeek-Reasonix#6173
  'v-needs-reasoning-litellm': refuseIf(
    ({ messages }) => messages.some((one) => one.tool_calls !== undefined && !('reasoning_content' in one)),
    () => refuse(400, 'messages[2]: assistant message with tool_calls must include reasoning_content'),
  ),
  // securo-finance/securo#884
  'v-thought_signature': refuseIf(hasToolTurn, () =>
    Response.json(
      [
        {
          error: {
            code: 400,
            message: 'Function call is missing a thought_signature in functionCall parts.',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      { status: 400 },
    ),
  ),
  // ggml-org/llama.cpp#17040
  'v-content-and-thinking': {
    expected: LOOP,
    chat: (asked) => {
      const isBoth = asked.body.messages.some(
        (one) => 'reasoning_content' in one && one.content !== '' && one.content !== null,
      );
      if (isBoth) return refuse(500, 'Cannot pass both content and thinking in an assistant message with tool calls!');
      return asked.hasResult
        ? usual(asked)
        : answer([{ reasoning_content: 'Hm.' }, { content: 'I look.' }, callPart()], 'tool_calls');
    },
  },
  // anomalyco/opencode#43371
  'v-schema-bounds': strict(({ tools = [] }) =>
    /"minimum"/.test(JSON.stringify(tools))
      ? refuse(400, 'tool_count_limit: unsupported_keyword in tool schema')
      : null,
  ),
  // Joakimpalm-Zen/xyntetik-runner#4
  'v-schema-additional': strict(({ tools = [] }) =>
    /"additionalProperties":(true|\{)/.test(JSON.stringify(tools))
      ? refuse(400, 'unsupported tool schema: additionalProperties is only supported as false')
      : null,
  ),
  // nicobailon/pi-subagents#248
  'v-schema-kimi': strict(({ tools = [] }) =>
    /"(anyOf|oneOf|allOf|const)"/.test(JSON.stringify(tools))
      ? refuse(
          400,
          'Error from provider: JSON Schema not supported: could not understand the instance {required: [criteria]}',
        )
      : null,
  ),
  // anthropics/claude-code#6774, over a gateway
  'v-non-empty-content': refuseIf(
    ({ messages }) => messages.some(({ content }) => content === '' || content === null),
    () =>
      refuse(
        400,
        'messages.1: all messages must have non-empty content except for the optional final assistant message',
      ),
  ),
  // ggml-org/llama.cpp: templates of Llama 3
  'v-single-call-template': {
    expected: LOOP,
    chat: (asked) =>
      asked.body.messages.some((one) => (one.tool_calls ?? []).length > 1)
        ? refuse(500, 'This model only supports single tool-calls at once!')
        : twoCalls(asked),
  },
  // BerriAI/litellm and others: Perplexity
  'v-last-must-be-user': refuseIf(
    ({ messages }) => messages.at(-1)?.role !== 'user',
    () => refuse(400, 'Last message must have role `user`.', { type: 'invalid_message', code: 400 }),
  ),
  // OpenRouterTeam and others
  'v-no-endpoints-with-tools': noTools(() =>
    Response.json(
      { error: { message: 'No endpoints found that support tool use. To learn more, visit …', code: 404 } },
      { status: 404 },
    ),
  ),
  // siliconflow: langgenius/dify and others
  'v-function-call-unsupported': noTools(() =>
    Response.json(
      { code: 20037, message: 'Function call is not supported for this model.', data: null },
      { status: 400 },
    ),
  ),
  // ggml-org/llama.cpp#11866 and others
  'v-needs-jinja': noTools(() => refuse(500, 'tools param requires --jinja flag')),
  // ollama/ollama: cloud models
  'v-tools-capability': noTools(() => refuse(400, '"m" does not support tools', { type: 'api_error' })),
  // NVIDIA NIM
  'v-error-problem-json': noStreamOptions({
    type: 'about:blank',
    status: 400,
    title: 'Bad Request',
    detail: 'stream_options: unexpected field',
  }),
  // Databricks
  'v-error-databricks': noStreamOptions({
    error_code: 'BAD_REQUEST',
    message: '{"external_model_message":{"error":{"message":"stream_options: Extra inputs are not permitted"}}}',
  }),
  // BerriAI/litellm#8823
  'v-error-detail-object': noStreamOptions({ detail: { error: 'Unsupported parameter: stream_options' } }, 422),
  // a gateway in front of another: theopenco/llmgateway#1267
  'v-error-in-error': noStreamOptions(
    {
      error: {
        message: 'Error from provider: 400 Bad Request {"error":{"message":"Unknown name \\"stream_options\\""}}',
        type: 'gateway_error',
        param: null,
      },
    },
    500,
  ),
};

const FAILURES: Readonly<Record<string, Quirk>> = {
  // ollama/ollama#12884
  'v-error-parsing-tool-call': once(() =>
    Response.json(
      { error: "error parsing tool call: raw='{…', err=invalid character ']' after top-level value" },
      { status: 500 },
    ),
  ),
  // thedavc at ollama/ollama#3694
  'v-524-once': once(() => new Response('<html><title>m | 524: A timeout occurred</title></html>', { status: 524 })),
  'v-520-once': once(
    () => new Response('<html><title>Web server is returning an unknown error</title></html>', { status: 520 }),
  ),
  'v-522-once': once(() => new Response('error code: 522', { status: 522 })),
  // LostRuins/koboldcpp
  'v-503-detail-object': once(() =>
    Response.json(
      { detail: { msg: 'Server is busy; please try again later.', type: 'service_unavailable' } },
      { status: 503 },
    ),
  ),
  // BerriAI/litellm: OpenRouter, upstream limit
  'v-429-provider-raw': {
    ...always('model.rate-limited', () =>
      Response.json(
        {
          error: {
            message: 'Provider returned error',
            code: 429,
            metadata: { raw: 'm:free is temporarily rate-limited upstream' },
          },
        },
        { status: 429, headers: { 'retry-after': '600' } },
      ),
    ),
  },
  // OpenRouter, credits in a stream
  'v-402-in-stream': always('model.no-credit', () =>
    stream([event({ error: { message: 'Insufficient credits', code: 402 } })]),
  ),
  // huggingface/huggingface_hub
  'v-not-supported-by-provider': always('model.not-found', () =>
    Response.json(
      {
        error: {
          message: "The requested model 'm' is not supported by any provider you have enabled.",
          code: 'model_not_supported',
        },
      },
      { status: 400 },
    ),
  ),
  // BerriAI/litellm#27030
  'v-invalid-model-name': always('model.not-found', () =>
    Response.json(
      {
        error: {
          message:
            '/chat/completions: Invalid model name passed in model=m. Call `/v1/models` to view available models for your key.',
          type: 'None',
          code: '400',
        },
      },
      { status: 400 },
    ),
  ),
  // BerriAI/litellm#1554: a budget of a proxy
  'v-proxy-budget': always('model.no-credit', () =>
    Response.json(
      {
        error: {
          message: 'ExceededBudget: Key over budget. Spend=10.1, Budget=10.0',
          type: 'budget_exceeded',
          code: '400',
        },
      },
      { status: 400 },
    ),
  ),
  // Groq: langchain-ai and others. No wait helps, because the request alone is larger than the limit.
  'v-413-tokens-per-minute': always('model.context-too-long', () =>
    refuse(
      413,
      'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try again.',
      {
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    ),
  ),
  // Cloudflare Workers AI
  'v-errors-list': always('model.unauthorized', () =>
    Response.json(
      { success: false, errors: [{ code: 10000, message: 'Authentication error' }], result: null },
      { status: 401 },
    ),
  ),
  // langgenius/dify and others: Azure
  'v-azure-filter': always('model.filtered', () =>
    refuse(400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
      code: 'content_filter',
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    }),
  ),
  // Azure: a deployment that is not there
  'v-azure-deployment': always('model.not-found', () =>
    refuse(404, 'The API deployment for this resource does not exist.', { code: 'DeploymentNotFound' }),
  ),
  // groktopus/groktocrawl#262: a stream that ends before its first event
  'v-comment-only': always('model.incomplete', () => stream([': connected\n\n'])),
};

/** All of them, by name. */
export const REPORTED: Readonly<Record<string, Quirk>> = { ...STREAMS, ...CALLS, ...REFUSALS, ...FAILURES };
