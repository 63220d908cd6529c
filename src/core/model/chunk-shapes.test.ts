import { expect, test } from 'bun:test';
import { CompletionAssembler } from './completion-assembler.ts';

const CALL = { name: 'read', arguments: '{"path":"a"}' };
const part = (delta: unknown, finish: string | null = null) => ({ index: 0, delta, finish_reason: finish });
const message = (content: unknown) => ({ role: 'assistant', content });

function read(chunks: readonly unknown[], isDone = true) {
  const assembler = new CompletionAssembler(() => 'made');
  const streamed = chunks.flatMap((chunk) => assembler.acceptChunk(chunk));
  if (isDone) assembler.acceptEvent({ type: '', data: '[DONE]', error: null, finished: true });
  const { text, reasoning, toolCalls, finish, fault, usage } = assembler.end();
  const shown = streamed.flatMap((delta) => (delta.type === 'text' ? [delta.text] : [])).join('');
  return { text, shown, reasoning, calls: toolCalls.map(({ name, arguments: given }) => [name, given]), finish, fault, usage };
}

/** Streams that say "It is blue." */
const TEXTS: Readonly<Record<string, readonly unknown[]>> = {
  'a choice with the number 1': [
    { choices: [{ index: 1, delta: { content: 'It is' } }] },
    { choices: [{ index: 1, delta: { content: ' blue.' }, finish_reason: 'stop' }] },
  ],
  'a choice instead of a list': [{ choices: part({ content: 'It is blue.' }, 'stop') }],
  'choices by number': [{ choices: { 0: part({ content: 'It is blue.' }, 'stop') } }],
  'choices of text': [{ choices: ['It is blue.'] }],
  'a choice with a text list': [{ payload: { choices: { status: 2, text: [{ content: 'It is blue.', role: 'assistant', index: 0 }] } } }],
  'everything under data': [
    { data: { choices: [part({ content: 'It is' })] } },
    { data: { choices: [part({ content: ' blue.' }, 'stop')] } },
  ],
  'everything under response': [{ response: { choices: [part({ content: 'It is blue.' }, 'stop')] } }],
  'everything under result': [{ success: true, errors: [], result: { response: 'It is blue.' } }],
  'everything under output': [{ output: { choices: [{ message: message([{ text: 'It is blue.' }]), finish_reason: 'stop' }] } }],
  'a wrapper in a wrapper': [{ code: 0, data: { result: { choices: [part({ content: 'It is blue.' }, 'stop')] } } }],
  'JSON in a string': [JSON.stringify({ choices: [part({ content: 'It is blue.' }, 'stop')] })],
  'a list of chunks': [[{ choices: [part({ content: 'It is' })] }, { choices: [part({ content: ' blue.' }, 'stop')] }]],
  'a delta without a choice': [{ delta: { content: 'It is' } }, { delta: { content: ' blue.' }, finish_reason: 'stop' }],
  'a delta that is a text': [{ delta: 'It is' }, { choices: [{ delta: ' blue.' }] }],
  'a stream of messages': [
    { choices: [{ message: message('It is') }] },
    { choices: [{ message: message(' blue.'), finish_reason: 'stop' }] },
  ],
  'messages that grow': [
    { choices: [{ message: message('It is') }] },
    { choices: [{ message: message('It is blue.'), finish_reason: 'stop' }] },
  ],
  'a message that repeats the deltas': [
    { choices: [part({ content: 'It is blue.' })] },
    { choices: [{ message: message('It is blue.'), finish_reason: 'stop' }] },
  ],
  'the completions of old': [{ choices: [{ text: 'It is' }] }, { choices: [{ text: ' blue.', finish_reason: 'stop' }] }],
  'the word null as a finish': [{ choices: [part({ content: 'It is' }, 'null')] }, { choices: [part({ content: ' blue.' }, 'stop')] }],
  'a content that is an object': [{ choices: [part({ content: { type: 'text', text: 'It is blue.' } }, 'stop')] }],
  'a bare message': [message('It is blue.')],
  'Ollama chat': [
    { model: 'm', message: message('It is'), done: false },
    { message: message(' blue.'), done: true, done_reason: 'stop' },
  ],
  'Ollama generate': [
    { response: 'It is', done: false },
    { response: ' blue.', done: true },
  ],
  'llama.cpp completion': [
    { content: 'It is', stop: false },
    { content: ' blue.', stop: true, stop_type: 'eos' },
  ],
  TGI: [
    { token: { text: 'It is', special: false }, generated_text: null },
    { token: { text: ' blue.', special: false }, generated_text: null },
    { token: { text: '</s>', special: true }, generated_text: 'It is blue.', details: { finish_reason: 'eos_token' } },
  ],
  'generated text': [[{ generated_text: 'It is blue.' }]],
  watsonx: [{ results: [{ generated_text: 'It is blue.', stop_reason: 'eos_token' }] }],
  'a list of predictions': [{ predictions: ['It is blue.'] }],
  'pieces in a list': [{ output: ['It is', ' blue.'] }],
  Triton: [{ model_name: 'm', text_output: 'It is blue.' }],
  ERNIE: [
    { result: 'It is', is_end: false },
    { result: ' blue.', is_end: true },
  ],
  'events of Messages': [
    { type: 'message_start', message: { role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'It is blue.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ],
  'a whole answer of Messages': [{ type: 'message', ...message([{ type: 'text', text: 'It is blue.' }]), stop_reason: 'end_turn' }],
  'events of Responses': [
    { type: 'response.created', response: { output: [] } },
    { type: 'response.output_text.delta', delta: 'It is blue.' },
    { type: 'response.output_text.done', text: 'It is blue.' },
    { type: 'response.completed', response: { output: [{ type: 'message', content: [{ type: 'output_text', text: 'It is blue.' }] }] } },
  ],
  'a whole answer of Responses': [
    { object: 'response', status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'It is blue.' }] }] },
  ],
  Gemini: [
    { candidates: [{ content: { parts: [{ text: 'It is' }] } }] },
    { candidates: [{ content: { parts: [{ text: ' blue.' }] }, finishReason: 'STOP' }] },
  ],
  Cohere: [
    { type: 'content-delta', index: 0, delta: { message: { content: { text: 'It is blue.' } } } },
    { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
  ],
  Converse: [{ output: { message: message([{ text: 'It is blue.' }]) }, stopReason: 'end_turn' }],
};

test.each(Object.entries(TEXTS))('%s is read', (_, chunks) => {
  const { text, shown, finish, fault } = read(chunks);
  expect({ text, shown, finish, fault }).toEqual({ text: 'It is blue.', shown: 'It is blue.', finish: 'stop', fault: null });
});

const INPUT = { path: 'a' };

/** Streams with one call. */
const CALLS: Readonly<Record<string, readonly unknown[]>> = {
  Ollama: [{ message: { ...message(''), tool_calls: [{ function: { name: 'read', arguments: INPUT } }] }, done: true }],
  Cloudflare: [{ success: true, result: { response: null, tool_calls: [{ name: 'read', arguments: INPUT }] } }],
  'a message that comes twice': Array.from({ length: 2 }, () => ({
    choices: [{ message: { ...message(null), tool_calls: [{ id: 'a', function: CALL }] }, finish_reason: 'tool_calls' }],
  })),
  Messages: [
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'read', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"path"' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':"a"}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ],
  'a whole answer of Messages': [{ ...message([{ type: 'tool_use', id: 'a', name: 'read', input: INPUT }]), stop_reason: 'tool_use' }],
  Responses: [
    { type: 'response.output_item.done', item: { type: 'function_call', call_id: 'a', ...CALL } },
    { type: 'response.completed', response: { output: [{ type: 'function_call', call_id: 'a', ...CALL }] } },
  ],
  'a whole answer of Responses': [{ status: 'completed', output: [{ type: 'function_call', call_id: 'a', ...CALL }] }],
  Gemini: [{ candidates: [{ content: { parts: [{ functionCall: { name: 'read', args: INPUT } }] }, finishReason: 'STOP' }] }],
  Converse: [{ output: { message: message([{ toolUse: { toolUseId: 'a', name: 'read', input: INPUT } }]) }, stopReason: 'tool_use' }],
};

test.each(Object.entries(CALLS))('a call of %s is read', (_, chunks) => {
  const { calls, finish, fault } = read(chunks);
  expect({ calls, finish, fault }).toEqual({ calls: [['read', '{"path":"a"}']], finish: 'tool_calls', fault: null });
});

test('tokens are counted under their other names', () => {
  expect(read([{ response: 'Yes', done: true, prompt_eval_count: 7, eval_count: 2 }]).usage).toEqual({
    promptTokens: 7,
    completionTokens: 2,
  });
  expect(read([{ data: { choices: [part({ content: 'Yes' }, 'stop')] }, usage: { input_tokens: 7, output_tokens: 2 } }]).usage).toEqual({
    promptTokens: 7,
    completionTokens: 2,
  });
});

test('an answer of an unknown form fails, and its fields are named', () => {
  expect(read([{ id: 1, foo: 'It is blue.' }]).fault?.message).toBe('the response has no answer, only id, foo');
  expect(read([{ id: 1, choices: [part({}, 'stop')] }]).fault).toBeNull();
});

test.each([
  [{ status: 'error', data: 'quota used' }],
  [{ code: 500, result: 'no such model' }],
  [{ success: false, result: 'no such model' }],
  [{ detail: 'no such model', text: '' }],
  [{ message: 'maintenance' }],
])('%j is no answer', (chunk) => {
  expect(read([chunk])).toMatchObject({ text: '', finish: null });
});

test('an empty answer that ended with an error of the provider behind a gateway fails', () => {
  const end = { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop', native_finish_reason: 'network_error' }] };
  expect(read([end]).fault?.message).toContain('network_error');
});

test('another choice that comes first or alone does not mix with the first one', () => {
  const of = (index: number, content: string, finish: string | null = null) => ({
    choices: [{ index, delta: { content }, finish_reason: finish }],
  });
  expect(read([of(1, 'no'), of(0, 'yes'), of(1, 'no', 'stop'), of(0, '.', 'stop')]).text).toBe('yes.');
  expect(read([of(1, 'one'), of(2, 'two'), of(2, 'two', 'stop'), of(1, '.', 'stop')]).text).toBe('one.');
  expect(read([of(1, 'one', 'stop'), of(0, 'nil', 'stop')]).text).toBe('one');
});

const piece = (content: string, finish: string | null = null) => ({ choices: [part({ content }, finish)] });
const callPiece = (text: string) => ({
  choices: [part({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: text } }] })],
});

test('a last piece or a whole text that comes again with the end is taken once', () => {
  const texts = (pieces: readonly string[], end: string) => read([...pieces.map((one) => piece(one)), piece(end, 'stop')]).text;
  expect(texts(['The sea ', 'is blue.'], 'is blue.')).toBe('The sea is blue.');
  expect(texts(['The sea ', 'is blue.'], 'The sea is blue.')).toBe('The sea is blue.');
  expect(texts(['The sea is ', 'blue.', 'The sea is blue.'], '')).toBe('The sea is blue.');
  // A model that says one line again and again repeats itself, and the server does not.
  expect(texts(Array(5).fill('All work and no play. '), '')).toBe('All work and no play. '.repeat(5));
  // Single letters and digits may follow themselves.
  expect([texts(['1', '0'], '0'), texts(['Hm', '.', '.'], '.'), texts(['ha', 'ha'], 'ha')]).toEqual(['100', 'Hm...', 'hahaha']);
});

test('a last piece of arguments that comes twice is taken once, if that makes them whole', () => {
  const given = (...pieces: readonly string[]) => read(pieces.map(callPiece)).calls[0]?.[1];
  expect(given('{"a":', '"b"}', '"b"}')).toBe('{"a":"b"}');
  expect(given('{"a":"', 'b', 'b', '"}')).toBe('{"a":"bb"}');
});

test('chunks without blank lines between, and calls in a text or without a list, are read', () => {
  const lines = [piece('The sea '), piece('is blue.')].map((one) => JSON.stringify(one));
  const lined = (last: string) => {
    const assembler = new CompletionAssembler(() => 'made');
    assembler.acceptEvent({ type: '', data: [...lines, last].join('\n'), error: null, finished: false });
    return assembler.end();
  };
  expect(lined('[DONE]')).toMatchObject({ text: 'The sea is blue.', fault: null });
  expect(lined('{"cho').fault).not.toBeNull();
  const call = { index: 0, id: 'a', function: CALL };
  for (const delta of [{ tool_calls: JSON.stringify([call]) }, { tool_call: call }])
    expect(read([{ choices: [part(delta)] }]).calls).toEqual([[CALL.name, CALL.arguments]]);
});
