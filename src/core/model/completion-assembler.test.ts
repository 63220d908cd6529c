import { expect, test } from 'bun:test';
import type { CompletionDelta } from '../../protocol/model.ts';
import { ANSWER_LIMIT, type AnswerReading, CompletionAssembler } from './completion-assembler.ts';
import { CALL_LIMIT } from './open-calls.ts';

/** Events of a stream: objects are chunks, texts are the data as it stands. */
function read(...events: readonly (object | string)[]): AnswerReading {
  return fold(events).read;
}

function fold(events: readonly (object | string)[]): { read: AnswerReading; deltas: CompletionDelta[] } {
  let made = 0;
  const assembler = new CompletionAssembler(() => {
    made += 1;
    return `made0000${made}`;
  });
  const deltas = events.flatMap((event) =>
    assembler.acceptEvent({
      type: '',
      data: typeof event === 'string' ? event : JSON.stringify(event),
      error: null,
      finished: true,
    }),
  );
  return { read: assembler.end(), deltas };
}

const delta = (value: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: value, finish_reason: finish }],
});
const call = (value: object) => delta({ tool_calls: [value] });
const fn = (name?: unknown, args?: unknown) => ({ function: { name, arguments: args } });
const done = '[DONE]';
const callsOf = (...events: readonly object[]) => read(...events, done).toolCalls.map(({ id, name, arguments: text }) => [id, name, text]);

test('text and reasoning are kept apart and announced as they come', () => {
  expect(fold([delta({ reasoning_content: 'Hm' }), delta({ content: 'A' }), delta({ content: 'B' }, 'stop'), done])).toEqual({
    read: {
      text: 'AB',
      reasoning: 'Hm',
      toolCalls: [],
      finish: 'stop',
      reasoningSource: { field: 'reasoning_content' },
      fault: null,
    },
    deltas: [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ],
  });
});

test('reasoning sent under two names at once is taken once', () => {
  expect(read(delta({ reasoning_content: 'a', reasoning: 'a' }), done).reasoning).toBe('a');
});

test('the field of the reasoning is known, and its signed items are put together', () => {
  const detail = (text: string, more: object = {}) => ({
    reasoning: text,
    reasoning_details: [{ type: 'reasoning.text', index: 0, text, ...more }],
  });
  const encrypted = { type: 'reasoning.encrypted', index: 1, data: 'c2VjcmV0' };
  const events = [delta(detail('H')), delta(detail('m', { signature: 'sig' })), delta({ reasoning_details: [encrypted] }), done];
  expect(read(...events).reasoningSource).toEqual({
    field: 'reasoning',
    details: [{ type: 'reasoning.text', index: 0, text: 'Hm', signature: 'sig' }, encrypted],
  });
  expect(read(delta({ content: [{ type: 'thinking', thinking: 'a' }] }), done).reasoningSource).toEqual({ field: 'content' });
  expect(read(delta({ reasoning_content: 'a', reasoning: 'a' }), done).reasoningSource).toEqual({ field: 'reasoning_content' });
});

test('calls are told apart by index', () => {
  const events = [
    call({ index: 0, id: 'a', ...fn('f', '{"x"') }),
    call({ index: 1, id: 'b', ...fn('g', '{}') }),
    call({ index: 0, ...fn(undefined, ':1}') }),
  ];
  expect(callsOf(...events)).toEqual([
    ['a', 'f', '{"x":1}'],
    ['b', 'g', '{}'],
  ]);
});

test('another id at the same index is another call, and the same id is the same call', () => {
  const events = [
    call({ index: 0, id: 'a', ...fn('f', '{}') }),
    call({ index: 0, id: 'b', ...fn('f', '{"x"') }),
    call({ index: 0, id: 'b', ...fn('f', ':1}') }),
  ];
  expect(callsOf(...events)).toEqual([
    ['a', 'f', '{}'],
    ['b', 'f', '{"x":1}'],
  ]);
});

test('an id that comes late at an index names the call that is open', () => {
  expect(callsOf(call({ index: 0, ...fn('f', '{"x"') }), call({ index: 0, id: 'late', ...fn('', ':1}') }))).toEqual([
    ['late', 'f', '{"x":1}'],
  ]);
});

test('without index, pieces without id continue the last call', () => {
  const events = [
    call({ id: 'a', ...fn('f', '{') }),
    call({ id: '', ...fn('', '"x"') }),
    call({ id: null, ...fn(null, ':1}') }),
    call({ id: 'b', ...fn('g') }),
  ];
  expect(callsOf(...events)).toEqual([
    ['a', 'f', '{"x":1}'],
    ['b', 'g', '{}'],
  ]);
});

test('without index and id, a new name with new arguments behind whole ones is another call', () => {
  expect(callsOf(delta({ tool_calls: [fn('f', '{"x":1}'), fn('f', '{"x":2}')] }))).toEqual([
    ['made00001', 'f', '{"x":1}'],
    ['made00002', 'f', '{"x":2}'],
  ]);
});

test('named calls side by side in one list are several, whatever they lack', () => {
  const tool_calls = [fn('f'), fn('g', '')];
  const whole = { choices: [{ message: { content: null, tool_calls }, finish_reason: 'tool_calls' }] };
  expect([callsOf(delta({ tool_calls })), callsOf(whole)].map((list) => list.map(([, name]) => name))).toEqual([
    ['f', 'g'],
    ['f', 'g'],
  ]);
});

test('a name that is repeated is no longer name, one that goes on is', () => {
  expect(callsOf(call({ index: 0, id: 'a', ...fn('read', '') }), call({ index: 0, ...fn('read', '{}') }))).toEqual([['a', 'read', '{}']]);
  expect(callsOf(call({ index: 0, id: 'a', ...fn('re') }), call({ index: 0, ...fn('ad', '{}') }))).toEqual([['a', 'read', '{}']]);
});

test('arguments may be an object, nothing, or blanks', () => {
  const values = [{ x: [1] }, {}, null, '', ' \n', undefined];
  expect(values.map((value) => callsOf(call({ index: 0, id: 'a', ...fn('f', value) }))[0]?.[2])).toEqual([
    '{"x":[1]}',
    '{}',
    '{}',
    '{}',
    '{}',
    '{}',
  ]);
});

test('an empty object may be followed by the arguments as text', () => {
  expect(callsOf(call({ index: 0, id: 'a', ...fn('f', {}) }), call({ index: 0, ...fn(null, '{"x":1}') }))).toEqual([['a', 'f', '{"x":1}']]);
});

test('a call without id, name and arguments is none', () => {
  expect(read(call({ index: 0, id: '' }), delta({}, 'stop'), done).toolCalls).toEqual([]);
});

test('only the first choice counts', () => {
  expect(
    read(
      {
        choices: [
          { index: 1, delta: { content: 'no' } },
          { index: 0, delta: { content: 'yes' } },
        ],
      },
      done,
    ).text,
  ).toBe('yes');
});

test('missing, empty and null parts are passed over', () => {
  const events = [
    {},
    { choices: null },
    { choices: [] },
    { choices: [null] },
    { choices: [{ index: 0, delta: null }] },
    delta({ content: null, tool_calls: null }),
    '',
    '  ',
    delta({ content: 'x' }, ''),
  ];
  expect(read(...events, done)).toEqual({ text: 'x', reasoning: '', toolCalls: [], finish: 'stop', fault: null });
});

test('the last word about the end counts, and silence takes none back', () => {
  const finishes = [
    [delta({}, 'length'), delta({}), done],
    [delta({}, ''), delta({}, 'stop')],
    [delta({}, 'stop'), delta({}, 'length'), done],
    [delta({ content: 'a' }), done],
    [call({ index: 0, id: 'a', ...fn('f', '{}') }), delta({}, 'stop'), done],
    [call({ index: 0, id: 'a', ...fn('f', '{') }), delta({}, 'length'), done],
    [delta({}, 'function_call')],
    [delta({}, 'MAX_TOKENS')],
    [delta({}, 'eos')],
  ];
  expect(finishes.map((events) => read(...events).finish)).toEqual([
    'length',
    'stop',
    'length',
    'stop',
    'tool_calls',
    'length',
    'tool_calls',
    'length',
    'stop',
  ]);
});

test('an answer that only stops coming is incomplete, with what came before', () => {
  expect(read(delta({ content: 'half' }), call({ index: 0, id: 'a', ...fn('f', '{"x') }))).toEqual({
    text: 'half',
    reasoning: '',
    toolCalls: [{ id: 'a', name: 'f', arguments: '{"x' }],
    finish: null,
    fault: { kind: 'incomplete_stream', message: 'the response stream ended unexpectedly' },
  });
});

test('what is not a JSON object is a fault, and nothing after it counts', () => {
  const bad = ['{oops', '5', '"text"', '[]', '[{},{}]'];
  expect(
    bad.map(
      (text) => [read(delta({ content: 'a' }), text, delta({ content: 'b' }, 'stop'), done)].map((got) => [got.text, got.fault?.kind])[0],
    ),
  ).toEqual(bad.map(() => ['a', 'malformed_chunk']));
});

test('an empty event between two pieces is a sign of life', () => {
  expect(read(delta({ content: 'a' }), 'null', delta({ content: 'b' }, 'stop'), done)).toMatchObject({ text: 'ab', fault: null });
});

test('arguments under another number belong to the call that has none', () => {
  const begin = { index: 0, id: 'x', function: { name: 'read', arguments: '' } };
  const rest = { index: 1, function: { arguments: '{"a":1}' } };
  const { toolCalls } = read(delta({ tool_calls: [begin] }), delta({ tool_calls: [rest] }, 'tool_calls'), done);
  expect(toolCalls).toEqual([{ id: 'x', name: 'read', arguments: '{"a":1}' }]);
});

test('an error is a fault wherever a server puts it', () => {
  const faults = [
    { error: { message: 'm', code: 500 } },
    { error: 'm' },
    { object: 'error', message: 'm', code: 500 },
    { error: { message: 'm', code: 'word', type: 't' } },
    { error: { message: '' }, message: 'm' },
    [{ error: { message: 'm', status: 'INVALID' } }],
    { error: { detail: 'm' }, choices: [] },
  ];
  expect(faults.map((fault) => read(delta({ content: 'a' }), fault, done).fault)).toEqual([
    { kind: 'server', message: 'm', code: 500 },
    { kind: 'server', message: 'm' },
    { kind: 'server', message: 'm', code: 500 },
    { kind: 'server', message: 'm', code: 'word', type: 't' },
    { kind: 'server', message: 'm' },
    { kind: 'server', message: 'm', type: 'INVALID' },
    { kind: 'server', message: 'm' },
  ]);
});

test('an error of null, false, nothing or success is none', () => {
  const none = [null, false, '', {}, { code: 0, message: '' }, { code: '0', message: 'success' }, { type: null }];
  expect(none.map((error) => read({ ...delta({ content: 'a' }, 'stop'), error }).fault)).toEqual(none.map(() => null));
});

test('a server that says it failed has failed', () => {
  expect(read(delta({ content: 'a' }, 'error'), done)).toMatchObject({ finish: null, fault: { kind: 'server' } });
});

test('usage is found in its three places, and a chunk without it erases nothing', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 2 } };
  const places = [{ usage }, { choices: [{ index: 0, delta: {}, usage }] }, { x_groq: { usage } }];
  const expected = { promptTokens: 3, completionTokens: 4, cachedTokens: 2 };
  expect(places.map((place) => read(place, { usage: null, choices: [] }, done).usage)).toEqual([expected, expected, expected]);
});

test('a whole message counts where nothing was streamed, and not behind what was', () => {
  const whole = { choices: [{ index: 0, message: { content: 'all' }, finish_reason: 'stop' }] };
  expect([read(whole).text, read(delta({ content: 'all' }), whole).text]).toEqual(['all', 'all']);
});

test('an event named error is one, even in plain words', () => {
  const assembler = new CompletionAssembler(() => 'x');
  assembler.acceptEvent({ type: 'error', data: 'out of memory', error: null, finished: true });
  expect(assembler.end().fault).toEqual({ kind: 'server', message: 'out of memory' });
});

test('an unfinished event that is no JSON is a cut, one that is counts', () => {
  const end = (data: string) => {
    const assembler = new CompletionAssembler(() => 'x');
    assembler.acceptEvent({ type: '', data, error: null, finished: false });
    return assembler.end();
  };
  expect([end('{"choices":[{"de').fault?.kind, end(JSON.stringify(delta({ content: 'a' }, 'stop'))).text]).toEqual([
    'incomplete_stream',
    'a',
  ]);
});

test('an answer has a largest size', () => {
  const big = delta({ content: 'x'.repeat(ANSWER_LIMIT + 1) });
  expect(read(big, done).fault?.kind).toBe('too_large');
});

test('an answer has a largest number of calls', () => {
  const calls = Array.from({ length: CALL_LIMIT + 1 }, (_, at) => call({ index: at, id: `c${at}`, ...fn('f', '{}') }));
  const whole = read(...calls.slice(1), done);
  const tooMany = read(...calls, done);
  expect([whole.fault, whole.toolCalls.length]).toEqual([null, CALL_LIMIT]);
  expect(tooMany.fault).toEqual({ kind: 'too_large', message: `the answer has more than ${CALL_LIMIT} tool calls` });
});

test('what came beside a call is kept with it', () => {
  const extra = { google: { thought_signature: 'c2ln' } };
  const events = [call({ id: 'a', ...fn('f', '{}'), extra_content: extra }), call({ id: 'b', ...fn('g', '{}') }), done];
  expect(read(...events).toolCalls).toEqual([
    { id: 'a', name: 'f', arguments: '{}', extra },
    { id: 'b', name: 'g', arguments: '{}' },
  ]);
});

test('what came beside no call in particular goes with the first', () => {
  const extra = { google: { thought_signature: 'c2ln' } };
  const calls = [call({ id: 'a', ...fn('f', '{}') }), call({ id: 'b', ...fn('g', '{}') })];
  expect(read(...calls, delta({ extra_content: extra }), done).toolCalls).toEqual([
    { id: 'a', name: 'f', arguments: '{}', extra },
    { id: 'b', name: 'g', arguments: '{}' },
  ]);
});

const WHOLE = '{"path":"a"}';

test.each<[title: string, ...events: object[]]>([
  [
    'arguments that come whole behind their pieces',
    call({ index: 0, id: 'c1', ...fn('read', '{"pa') }),
    call({ index: 0, ...fn('', 'th":"a"}') }),
    call({ index: 0, id: 'c1', ...fn('read', WHOLE) }),
  ],
  ['arguments so far in each piece', ...['{', '{"path":', WHOLE].map((text) => call({ index: 0, id: 'c1', ...fn('read', text) }))],
  [
    'an id of its own in each piece',
    call({ index: 0, id: 'c1', ...fn('read', '{"pa') }),
    call({ index: 0, id: 'c2', ...fn(null, 'th":"a"}') }),
  ],
  ['arguments under another name', call({ id: 'c1', function: { name: 'read', parameters: { path: 'a' } } })],
  ['input beside a name', call({ id: 'c1', name: 'read', input: { path: 'a' } })],
  ['a message behind an empty delta', { choices: [{ delta: {}, message: { tool_calls: [{ id: 'c1', ...fn('read', WHOLE) }] } }] }],
  ['a part of the content', delta({ content: [{ type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } }] })],
])('%s are one call', (_, ...events) => {
  expect(callsOf(...events)).toEqual([['c1', 'read', WHOLE]]);
});

test('null as arguments stands for none', () => {
  expect(callsOf(call({ id: 'c1', ...fn('now', 'null') }))).toEqual([['c1', 'now', '{}']]);
});

test('text that comes again with each piece is taken once', () => {
  const texts = (...pieces: readonly string[]) => read(...pieces.map((content) => delta({ content })), done).text;
  expect(texts('The', 'The note', 'The note says', '.')).toBe('The note says.');
  expect(texts('It', 'It says ', 'It says so', '.')).toBe('It says so.');
  expect([texts('crip', 'cription'), texts('ha', 'ha ha'), texts('Hm', ' Hm', ' Hm, hm')]).toEqual([
    'cripcription',
    'haha ha',
    'Hm Hm Hm, hm',
  ]);
});

test.each([
  ['two chunks in one line', `${JSON.stringify(delta({ content: 'A' }))}${JSON.stringify(delta({ content: 'B' }, 'stop'))}`],
  ['a missing line break', `${JSON.stringify(delta({ content: 'A' }))} data: ${JSON.stringify(delta({ content: 'B' }, 'stop'))}`],
  ['written-out line breaks', `${JSON.stringify(delta({ content: 'AB' }, 'stop'))}\\n\\n`],
  ['numbers of Python', JSON.stringify(delta({ content: 'AB', p: 0 }, 'stop')).replace('"p":0', '"p":[NaN, -Infinity]')],
])('%s are mended', (_, line) => {
  expect([read(line).text, read(line).fault]).toEqual(['AB', null]);
});

test('an error in plain words, in a choice or in another word for the end is told', () => {
  const faults = [
    read('error: worker exited'),
    read({ choices: [{ delta: { content: '' }, finish_reason: 'error', error: { code: 502, message: 'idle timeout' } }] }),
    read({ choices: [{ delta: {}, finish_reason: 'stop', native_finish_reason: 'MALFORMED_FUNCTION_CALL' }] }),
    read(delta({ content: 'The' }, 'engine_overloaded')),
  ].map(({ fault }) => [fault?.kind, fault?.message]);
  expect(faults).toEqual([
    ['server', 'error: worker exited'],
    ['server', 'idle timeout'],
    ['server', 'the server gave up on the answer (finish_reason "MALFORMED_FUNCTION_CALL")'],
    ['server', 'the server gave up on the answer (finish_reason "engine_overloaded")'],
  ]);
  expect(read(delta({ content: 'The' }, 'blocked')).finish).toBe('content_filter');
});
