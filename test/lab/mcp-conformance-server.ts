import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ContentBlock,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  type PromptMessage,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { createMcpApp } from '../../src/hosts/daemon/app.ts';
import { HttpConnections } from '../../src/hosts/mcp/serve-mcp.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';

/*
 * The fixtures that the server scenarios of the conformance tool call, behind the endpoint of `aish mcp serve`: its connections of both
 * eras, and its checks of Host and Origin. The tool knows no token, so the server writes one into each request.
 */

const TOKEN = 'conformance';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

type Answers = Readonly<Record<string, JsonObject>>;
type Requests = Readonly<Record<string, InputRequest>>;
type Run = (
  args: JsonObject,
  context: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

const states = createRequestStateCodec<number>({ key: crypto.getRandomValues(new Uint8Array(32)) });

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, value: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});
const result = (...content: ContentBlock[]): CallToolResult => ({ content });
const gives =
  (...content: ContentBlock[]): Run =>
  () =>
    result(...content);

function form(message: string, properties: JsonObject, required = Object.keys(properties)): InputRequest {
  return {
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } as never },
  };
}

const sampling = (question: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });

/** Asks in rounds until every request of each round has an answer; then `finish` gets those of the last one. */
function asks(rounds: readonly Requests[], finish: (answers: Answers) => string, { keepsState = false } = {}): Run {
  return async (_, context) => {
    const { inputResponses = {} } = context.mcpReq;
    const round = context.mcpReq.requestState<number>() ?? 0;
    const asked = rounds[round] ?? {};
    const answers = Object.fromEntries(Object.entries(inputResponses).filter(isAnswer));
    const isAnswered = Object.keys(asked).every((key) => answers[key] !== undefined);
    const next = isAnswered ? round + 1 : round;
    const inputRequests = rounds[next];
    if (inputRequests === undefined) return result(text(finish(answers)));
    const requestState = keepsState ? { requestState: await states.mint(next) } : {};
    return inputRequired({ inputRequests: { ...inputRequests }, ...requestState });
  };
}

function isAnswer(entry: [string, unknown]): entry is [string, JsonObject] {
  return isJsonObject(entry[1]);
}

const name: Requests = { user_name: form('What is your name?', { name: { type: 'string' } }) };
const ok: Requests = { confirm: form('Please confirm', { ok: { type: 'boolean' } }) };
const hello: (answers: Answers) => string = ({ user_name: { content } = {} }) =>
  `Hello, ${isJsonObject(content) ? String(content.name) : 'stranger'}!`;
const completed: (answers: Answers) => string = ({ form: answer = {} }) =>
  `Elicitation completed: action=${String(answer.action)}, content=${JSON.stringify(answer.content ?? {})}`;

const DEFAULTS: JsonObject = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const titled = (of: string): JsonObject[] =>
  ['First', 'Second', 'Third'].map((which, at) => ({ const: `value${at + 1}`, title: `${which} ${of}` }));
const OPTIONS = ['option1', 'option2', 'option3'];
const ENUMS: JsonObject = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled('Choice') } },
};

/** One request for each capability that the client of this call declares. */
const asksWhatTheClientCan: Run = (args, context) => {
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
  const can = isJsonObject(declared) ? declared : {};
  const known: Requests = { elicitation: form('Go on?', { ok: { type: 'boolean' } }), sampling: sampling('Go on?') };
  const requests = Object.fromEntries(Object.entries(known).filter(([capability]) => can[capability] !== undefined));
  return asks([requests], () => 'done')(args, context);
};

const logs: Run = async (_, { mcpReq }) => {
  for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
    await mcpReq.log('info', line);
  return result(text('Tool with logging executed successfully'));
};

const reportsProgress: Run = async (_, { mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken ?? 0;
  for (const progress of [0, 50, 100])
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
  return result(text(String(progressToken)));
};

const fails: Run = () => {
  throw new Error('This tool intentionally returns an error for testing');
};

const TOOLS: Readonly<Record<string, Run>> = {
  test_simple_text: gives(text('This is a simple text response for testing.')),
  test_image_content: gives(image),
  test_audio_content: gives({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: gives(
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: gives(
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
  ),
  test_tool_with_logging: logs,
  test_logging_tool: logs,
  test_tool_with_progress: reportsProgress,
  test_error_handling: fails,
  test_sampling: ({ prompt }, context) =>
    asks([{ answer: sampling(String(prompt)) }], ({ answer: { content } = {} }) =>
      isJsonObject(content) ? `LLM response: ${String(content.text)}` : 'No response',
    )({}, context),
  test_elicitation: ({ message }, context) =>
    asks(
      [{ form: form(String(message), { response: { type: 'string' } }) }],
      ({ form: answer = {} }) =>
        `User response: action=${String(answer.action)}, content=${JSON.stringify(answer.content ?? {})}`,
    )({}, context),
  test_streaming_elicitation: asks([name], hello),
  test_elicitation_sep1034_defaults: asks([{ form: form('Please review the defaults', DEFAULTS, []) }], completed),
  test_elicitation_sep1330_enums: asks([{ form: form('Please select options', ENUMS, []) }], completed),
  test_missing_capability: asks([{ answer: sampling('Who are you?') }], () => 'done'),
  test_input_required_result_elicitation: asks([name], hello),
  test_input_required_result_sampling: asks(
    [{ capital_question: sampling('What is the capital of France?') }],
    ({ capital_question }) => JSON.stringify(capital_question),
  ),
  test_input_required_result_list_roots: asks([{ client_roots: inputRequired.listRoots() }], ({ client_roots }) =>
    JSON.stringify(client_roots),
  ),
  test_input_required_result_request_state: asks([ok], () => 'state-ok', { keepsState: true }),
  test_input_required_result_tampered_state: asks([ok], () => 'state-ok', { keepsState: true }),
  test_input_required_result_multiple_inputs: asks(
    [{ ...name, greeting: sampling('Generate a greeting'), client_roots: inputRequired.listRoots() }],
    hello,
    { keepsState: true },
  ),
  test_input_required_result_multi_round: asks(
    [
      { step1: form('Step 1: What is your name?', { name: { type: 'string' } }) },
      { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
    ],
    () => 'done',
    { keepsState: true },
  ),
  test_input_required_result_capabilities: asksWhatTheClientCan,
};

/** The arguments of tools that have some; all are texts. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  test_sampling: ['prompt'],
  test_elicitation: ['message'],
};

function toSchema(names: readonly string[] = []) {
  const properties = Object.fromEntries(names.map((one) => [one, { type: 'string', description: `The ${one}` }]));
  return fromJsonSchema<JsonObject>({ type: 'object', properties, required: [...names] });
}

/** A server with all fixtures. */
function createServer(): McpServer {
  const server = new McpServer(
    { name: 'aish-conformance', version: '1' },
    {
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
        logging: {},
        completions: {},
      },
      requestState: { verify: states.verify },
    },
  );
  for (const [tool, run] of Object.entries(TOOLS))
    server.registerTool(tool, { description: `Fixture ${tool}`, inputSchema: toSchema(ARGUMENTS[tool]) }, run);
  addResources(server);
  addPrompts(server);
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}

function addResources(server: McpServer): void {
  const add = (id: string, mimeType: string, content: { text: string } | { blob: string }) => {
    const uri = `test://${id}`;
    const config = { description: `Fixture ${id}`, mimeType };
    server.registerResource(id, uri, config, () => ({ contents: [{ uri, mimeType, ...content }] }));
  };
  add('static-text', 'text/plain', { text: 'This is the content of the static text resource.' });
  add('static-binary', 'image/png', { blob: PNG });
  add('watched-resource', 'text/plain', { text: 'Watched resource content' });
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const mimeType = 'application/json';
  server.registerResource('template', template, { description: 'Fixture template', mimeType }, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType, text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }],
  }));
  server.server.registerCapabilities({ resources: { subscribe: true } });
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    server.server.setRequestHandler(method, () => ({}));
}

function addPrompts(server: McpServer): void {
  const add = (id: string, names: readonly string[], toContent: (args: JsonObject) => readonly ContentBlock[]) => {
    const config = { description: `Fixture ${id}`, argsSchema: toSchema(names) };
    server.registerPrompt(id, config, (args) => ({ messages: toContent(args).map(toMessage) }));
  };
  add('test_simple_prompt', [], () => [text('This is a simple prompt for testing.')]);
  add('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ]);
  add('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri }) => [
    embedded(String(resourceUri), 'text/plain', 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ]);
  add('test_prompt_with_image', [], () => [image, text('Please analyze the image above.')]);
  const config = { description: 'Fixture with a question', argsSchema: toSchema() };
  server.registerPrompt('test_input_required_result_prompt', config, (_, { mcpReq }) => {
    if (isJsonObject(mcpReq.inputResponses?.user_context)) return { messages: [toMessage(text('With your context.'))] };
    const user_context = form('What context should the prompt use?', { context: { type: 'string' } });
    return inputRequired({ inputRequests: { user_context } });
  });
}

function toMessage(content: ContentBlock): PromptMessage {
  return { role: 'user', content };
}

/** Serves the fixtures on a port of loopback. */
export function serveFixtures(port: number): { readonly url: string; close(): Promise<void> } {
  const connections = new HttpConnections(() => ({ createServer, close: async () => {} }));
  const guard = { token: TOKEN, port: () => server.port ?? 0 };
  const app = createMcpApp({ guard, onFault: console.error }, (request) => connections.answer(request));
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 0,
    fetch: (request) => {
      request.headers.set('authorization', `Bearer ${TOKEN}`);
      return app.fetch(request, { keepOpen: () => {}, upgrade: () => false });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    close: async () => {
      await connections.close();
      await server.stop(true);
    },
  };
}

if (import.meta.main) console.log(serveFixtures(Number(process.argv[2] ?? 0)).url);
