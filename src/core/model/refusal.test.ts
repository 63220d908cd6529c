import { describe, expect, test } from 'bun:test';
import type { EndpointProfile } from '../../protocol/endpoint-profile.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { applyLesson, type Lesson } from './endpoint-profile.ts';
import { guessLessons, readLesson, wantsStream } from './refusal.ts';
import { readServerFault } from './server-fault.ts';

const tool = (name: string, parameters: JsonObject = { type: 'object', properties: {} }): JsonObject => ({
  type: 'function',
  function: { name, description: name, parameters },
});

const CALL = { id: 'call00000', type: 'function', function: { name: 'a', arguments: '{}' }, extra_content: { x: 1 } };

/** A request with all that a server may refuse. */
const BODY: JsonObject = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'go' },
    { role: 'assistant', content: '', reasoning_content: 'hm', tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'call00000', content: 'done' },
  ],
  tools: ['a', 'b', 'c', 'd', 'e'].map((name) => tool(name)),
  stream: true,
  stream_options: { include_usage: true },
};

const FIRST: JsonObject = {
  ...BODY,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'go' },
  ],
};
const TYPE_LIST: JsonObject = { ...FIRST, tools: [tool('a', { type: 'object', properties: { x: { type: ['string', 'integer'] } } })] };

const openai = (message: string, param?: string): Json => ({
  error: { message, type: 'invalid_request_error', code: null, ...(param === undefined ? {} : { param }) },
});
const pydantic = (loc: readonly (string | number)[], msg: string, type = 'extra_forbidden'): Json => ({
  detail: [{ type, loc: [...loc], msg, input: {} }],
});
const google = (message: string): Json => [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }];
const plain = (message: string): Json => message;

const IMAGE: JsonObject = { ...FIRST, messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] };
const PARTS: Lesson = { type: 'content', form: 'parts' };
const TEXT: Lesson = { type: 'content', form: 'text' };
const OMITTED: Lesson = { type: 'omit', field: 'stream_options' };

const learned = (answer: Json, body: JsonObject = BODY, profile: EndpointProfile = {}, status = 400): Lesson | null =>
  readLesson({ ...readServerFault(answer), status }, body, profile);

describe('a refusal that names something that was sent', () => {
  test.each<[title: string, answer: Json, lesson: Lesson, body?: JsonObject]>([
    ['OpenAI', openai('Unrecognized request argument supplied: stream_options'), { type: 'omit', field: 'stream_options' }],
    ['OpenAI by param', openai('Unsupported value', 'stream_options'), { type: 'omit', field: 'stream_options' }],
    ['FastAPI', pydantic(['body', 'stream_options'], 'Extra inputs are not permitted'), { type: 'omit', field: 'stream_options' }],
    [
      'FastAPI, inside',
      pydantic(['body', 'stream_options', 'include_usage'], 'Extra inputs are not permitted'),
      { type: 'omit', field: 'stream_options' },
    ],
    [
      'FastAPI, in a message',
      pydantic(['body', 'messages', 2, 'AssistantMessage', 'reasoning_content'], 'Extra inputs are not permitted'),
      { type: 'omit', field: 'messages.reasoning_content' },
    ],
    [
      'Google',
      google('Invalid JSON payload received. Unknown name "stream_options": Cannot find field.'),
      { type: 'omit', field: 'stream_options' },
    ],
    [
      'Google, inside',
      google('Invalid JSON payload received. Unknown name "extra_content" at \'messages[2].tool_calls[0]\': Cannot find field.'),
      { type: 'omit', field: 'messages.tool_calls.extra_content' },
    ],
    ['plain text', plain('json: unknown field "stream_options"'), { type: 'omit', field: 'stream_options' }],
    [
      'DeepSeek',
      openai('The reasoning_content is an intermediate result that must not be included in the input messages'),
      { type: 'omit', field: 'messages.reasoning_content' },
    ],
    ['Ollama', { error: 'registry.ollama.ai/library/gemma:2b does not support tools' }, { type: 'no-tools' }],
    ['vLLM', openai('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'), { type: 'no-tools' }],
    ['llama.cpp', openai('tools param requires --jinja flag'), { type: 'no-tools' }],
    ['OpenRouter', openai('No endpoints found that support tool use'), { type: 'no-tools' }],
    ['tools by name', pydantic(['body', 'tools'], 'Extra inputs are not permitted'), { type: 'no-tools' }],
    ['function calling', openai('Function calling is not enabled for this model'), { type: 'no-tools' }],
    ['tools in words', openai('tools are not supported by this model'), { type: 'no-tools' }],
    ['tools as a parameter', openai("Unsupported parameter: 'tools' is not supported with this model."), { type: 'no-tools' }],
    ['tool limit', openai('Too many tools: at most 4 are allowed, got 5'), { type: 'most-tools', count: 4 }],
    [
      'tool limit of FastAPI',
      pydantic(['body', 'tools'], 'List should have at most 4 items after validation, not 5', 'too_long'),
      { type: 'most-tools', count: 4 },
    ],
    ['tool limit without a number', openai('too many functions'), { type: 'most-tools', count: 2 }],
    ['system role', openai('System role not supported'), { type: 'fold-system' }, FIRST],
    ['system role of a template', openai('Jinja Exception: System role not supported'), { type: 'fold-system' }],
    [
      'system role of FastAPI',
      pydantic(['body', 'messages', 0, 'role'], "Input should be 'user' or 'assistant'", 'enum'),
      { type: 'fold-system' },
      FIRST,
    ],
    ['system message', openai("This model doesn't support system messages"), { type: 'fold-system' }, FIRST],
    ['developer instruction', google('Developer instruction is not enabled for models/gemma-3'), { type: 'fold-system' }, FIRST],
    ['tool role', openai("messages[3]: role 'tool' is not supported"), { type: 'text-tool-turns' }],
    [
      'tool role of FastAPI',
      pydantic(['body', 'messages', 3, 'role'], "Input should be 'system', 'user' or 'assistant'", 'enum'),
      { type: 'text-tool-turns' },
    ],
    ['tool role of a template', openai('Jinja Exception: Conversation roles must alternate user/assistant'), { type: 'text-tool-turns' }],
    ['calls in plain words', openai('unknown variant `tool_calls`'), { type: 'text-tool-turns' }],
    ['calls in a message', pydantic(['body', 'messages', 2, 'tool_calls'], 'Extra inputs are not permitted'), { type: 'text-tool-turns' }],
    ['token limit', openai('max_tokens is required'), { type: 'token-limit', field: 'max_tokens', tokens: 4096 }],
    [
      'token limit of FastAPI',
      pydantic(['body', 'max_tokens'], 'Field required', 'missing'),
      { type: 'token-limit', field: 'max_tokens', tokens: 4096 },
    ],
    [
      'another name',
      openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
      { type: 'token-limit', field: 'max_completion_tokens', tokens: 4096 },
      { ...BODY, max_tokens: 4096 },
    ],
    [
      'a lower limit',
      openai('max_tokens is too large: 4096. This model supports at most 2048 completion tokens'),
      { type: 'token-limit', field: 'max_tokens', tokens: 2048 },
      { ...BODY, max_tokens: 4096 },
    ],
    ['no stream', openai('Streaming is not supported'), { type: 'no-stream' }],
    ['no stream, by value', openai('stream must be false'), { type: 'no-stream' }],
    ['no stream, by path', pydantic(['body', 'stream'], 'Input should be False', 'literal_error'), { type: 'no-stream' }],
    ['parts of FastAPI', pydantic(['body', 'messages', 0, 'content'], 'Input should be a valid list', 'list_type'), PARTS],
    ['parts', openai("Invalid type for 'messages[0].content': expected an array of content parts, but got a string instead."), PARTS],
    ['parts of serde', plain('messages[1].content: invalid type: string "go", expected a sequence at line 1 column 9'), PARTS],
    ['parts of Go', openai('json: cannot unmarshal string into Go struct field Message.messages.content of type []Part'), PARTS],
    ['text', openai("Invalid type for 'messages[0].content': expected a string, but got an array instead."), TEXT, IMAGE],
    ['text of FastAPI', pydantic(['body', 'messages', 0, 'content'], 'Input should be a valid string', 'string_type'), TEXT, IMAGE],
    ['text of Go', openai('cannot unmarshal array into Go struct field Message.messages.content of type string'), TEXT, IMAGE],
    ['a demanded field', pydantic(['body', 'temperature'], 'Field required', 'missing'), { type: 'add', field: 'temperature' }],
    ['a demanded field in words', plain('missing field `user`'), { type: 'add', field: 'user' }],
    ['a demanded choice', openai('tool_choice is required when tools are provided'), { type: 'add', field: 'tool_choice' }],
    [
      'a demanded field of a tool',
      pydantic(['body', 'tools', 0, 'function', 'strict'], 'Field required', 'missing'),
      { type: 'add', field: 'tools.function.strict' },
    ],
    [
      'a demanded field of a schema',
      openai("Invalid schema for function 'a': In context=(), 'additionalProperties' is required to be supplied and to be false."),
      { type: 'add', field: 'tools.function.parameters.additionalProperties' },
    ],
    ['empty content', openai('messages.2: content must not be empty'), { type: 'empty-content', form: 'null' }],
    [
      'empty content of FastAPI',
      pydantic(['body', 'messages', 2, 'content'], 'String should have at least 1 character', 'string_too_short'),
      { type: 'empty-content', form: 'null' },
    ],
    [
      'a list of types',
      google("Invalid value at 'tools[0].function_declarations[0].parameters.properties[0].value.type' (TYPE_ENUM)"),
      { type: 'plain-schema' },
      TYPE_LIST,
    ],
    [
      'schema by param',
      openai("Invalid schema for function 'a': type must be a string", 'tools[0].function.parameters'),
      { type: 'plain-schema' },
      TYPE_LIST,
    ],
    ['Spring', { status: 400, error: 'Bad Request', message: 'Unrecognized field "stream_options"' }, OMITTED],
    ['NestJS', { statusCode: 400, message: ['property stream_options should not exist'], error: 'Bad Request' }, OMITTED],
    ['Express', { errors: [{ msg: 'Unknown field(s)', param: 'stream_options', location: 'body' }] }, OMITTED],
    ['zod', { error: { issues: [{ path: [], message: "Unrecognized key(s) in object: 'stream_options'" }], name: 'ZodError' } }, OMITTED],
    ['OAuth', { error: 'invalid_request', error_description: 'stream_options: unknown field' }, OMITTED],
    ['msg', { code: 400, msg: 'illegal parameter: stream_options' }, OMITTED],
    ['tools as an unknown field', { error: 'json: unknown field "tools"' }, { type: 'no-tools' }],
    ['tools as an unrecognized argument', openai('Unrecognized request argument supplied: tools'), { type: 'no-tools' }],
    ['no template for tools', { error: 'This tokenizer has no tool calling template' }, { type: 'no-tools' }],
    ['tools not yet', openai('Function calling is not currently supported for this model'), { type: 'no-tools' }],
    ['tools not implemented', openai('tools are not implemented'), { type: 'no-tools' }],
    ['tools in a stream', openai("This model doesn't support tool use in streaming mode."), { type: 'no-stream' }],
    ['a stream with tools', openai('Cannot use stream with tools'), { type: 'no-stream' }],
    ['one tool', openai('Only a single tool is supported'), { type: 'most-tools', count: 1 }],
    ['alternation without calls', openai('Conversation roles must alternate user/assistant'), { type: 'fold-system' }, FIRST],
    ['a first message', openai('First message must be from user'), { type: 'fold-system' }, FIRST],
    ['system of a list', openai("'system' is not one of ['user', 'assistant', 'tool']"), { type: 'fold-system' }, FIRST],
    ['tool of a list', openai("'tool' is not one of ['system', 'user', 'assistant']"), { type: 'text-tool-turns' }],
    ['tool as a variant', plain('messages[3]: unknown variant `tool`, expected one of `system`, `user`'), { type: 'text-tool-turns' }],
    ['tool as a value', openai("Invalid value: 'tool'. Supported values are: 'system', 'user'."), { type: 'text-tool-turns' }],
    ['a token limit to provide', openai('You must provide max_tokens'), { type: 'token-limit', field: 'max_tokens', tokens: 4096 }],
  ])('%s', (...[, answer, lesson, body]) => {
    expect(learned(answer, body)).toEqual(lesson);
  });
});

describe('nothing is learned', () => {
  test.each<[title: string, answer: Json, body?: JsonObject]>([
    ['from a field that was not sent', openai('Unrecognized request argument supplied: temperature')],
    ['about roles of tools where there are none', openai("role 'tool' is not supported"), { ...FIRST, tools: [] }],
    ['about tools where none are offered', openai('tools are not supported'), { ...FIRST, tools: [] }],
    ['about content that is text already', openai('content must be a string'), FIRST],
    ['about content that may be either', openai('messages.0.content should be a string or a list'), FIRST],
    ['from words about content and a list', openai('The content violates our policy; see the list of allowed topics'), FIRST],
    ['from a value that is not taken', openai("tool_choice 'required' is not supported in thinking mode"), { ...FIRST, tools: [] }],
    ['from a value that is wanted', openai('tool_choice must be set to auto, required or none'), FIRST],
    ['from a role that is missing', openai("A 'user' message is required"), { ...FIRST, messages: [] }],
    ['from words of something else', openai('The image is too small')],
    ['from a schema that is plain already', openai('Invalid schema for function', 'tools[0].function.parameters'), FIRST],
  ])('%s', (...[, answer, body]) => {
    expect(learned(answer, body)).toBeNull();
  });

  test('from faults that are no refusals', () => {
    for (const status of [401, 403, 429, 502, 503]) {
      expect(learned(openai('tools are not supported'), BODY, {}, status)).toBeNull();
    }
  });
});

test('empty content goes through all its forms, and then calls go as text', () => {
  let profile: EndpointProfile = {};
  const forms: unknown[] = [];
  for (;;) {
    const lesson = learned(openai('content must be a non-empty string'), BODY, profile);
    const next = lesson === null ? null : applyLesson(profile, lesson);
    if (next === null) break;
    profile = next;
    forms.push(profile.toolTurns ?? profile.emptyContent);
  }
  expect(forms).toEqual(['null', 'space', 'omitted', 'text']);
});

test('a lesson that is known already changes nothing', () => {
  const lesson: Lesson = { type: 'omit', field: 'stream_options' };
  const profile = applyLesson({}, lesson);
  expect([profile, applyLesson(profile ?? {}, lesson)]).toEqual([{ omit: ['stream_options'] }, null]);
});

test('unknown words lead to guesses, the least harmful first', () => {
  const types = (answer: Json, body: JsonObject, status: number) =>
    guessLessons({ ...readServerFault(answer), status }, body, {}).map((lessons) => lessons.map(({ type }) => type).join('+'));
  const { tools: _, ...untooled } = FIRST;
  const all = 'plainest+text-tool-turns+fold-system+no-tools';
  expect(types('so nicht', BODY, 400)).toEqual(['plainest', 'text-tool-turns', 'fold-system', 'no-tools', all]);
  expect(types('so nicht', { ...TYPE_LIST, messages: [{ role: 'user', content: 'go' }] }, 422)).toEqual([
    'plainest',
    'plain-schema',
    'no-tools',
    'plainest+plain-schema',
    'plainest+plain-schema+no-tools',
  ]);
  expect(types('so nicht', untooled, 400)).toEqual(['plainest', 'fold-system', 'plainest+fold-system']);
  const long = { ...FIRST, messages: [{ role: 'user', content: 'x'.repeat(12_000) }] };
  expect(types('so nicht', long, 400)).toEqual(['plainest']);
  expect(types("KeyError: 'tool'", BODY, 500)).toEqual(['text-tool-turns']);
  expect(types('CUDA out of memory', FIRST, 500)).toEqual([]);
  expect(types('gone', BODY, 404)).toEqual([]);
});

test.each<[words: string, wanted: boolean]>([
  ["The 'stream_options' parameter is only allowed when 'stream' is enabled.", true],
  ['Stream options can only be defined when `stream=True`.', true],
  ['Unrecognized request argument supplied: stream_options', false],
  ['So nicht.', false],
])('a refusal of stream_options may only say that they belong to a stream: %s', (words, wanted) => {
  expect(wantsStream(words)).toBe(wanted);
});
