import type { JsonObject } from '../../src/protocol/json.ts';
import {
  type AnswerPlan,
  objects,
  type ProviderShape,
  pieces,
  type Signatures,
  sse,
  unknownKeys,
} from './provider-server.ts';

/* OpenAI's Responses API without storage, as its documentation describes it: streaming events, function calling, encrypted reasoning. */

const BODY = [
  ...['model', 'input', 'stream', 'store', 'include', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning'],
  ...['max_output_tokens', 'instructions', 'prompt_cache_key', 'text'],
];

const ITEMS: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'role', 'content', 'id', 'phase'],
  function_call: ['type', 'call_id', 'name', 'arguments', 'id', 'status'],
  function_call_output: ['type', 'call_id', 'output'],
  reasoning: ['type', 'id', 'encrypted_content', 'summary'],
};

/** A Responses server of OpenAI that refuses what the real one would refuse. */
export const RESPONSES: ProviderShape = {
  provider: 'openai',
  basePath: '/v1',
  model: 'gpt-5-mini',
  isPath: (path) => path === '/v1/responses',
  keyOf: (headers) => headers.get('authorization')?.replace(/^Bearer /, '') ?? null,
  faults: (body, _, signatures) => [
    ...unknownKeys('body', body, BODY),
    ...(body.store === false ? [] : ['store: aish must store nothing']),
    ...(body.stream === true ? [] : ['stream: expected here']),
    ...(objects(body.input).length > 0 ? [] : ['input: missing']),
    ...checkTools(body),
    ...checkInput(objects(body.input), signatures),
  ],
  events: toEvents,
  errorEvent: sse({
    type: 'error',
    sequence_number: 9,
    error: { type: 'server_error', code: 'server_is_overloaded', message: 'The server is overloaded', param: null },
  }),
  errorBody: ({ type, message }) => ({ error: { message, type, param: null, code: null } }),
  models: { object: 'list', data: [{ id: 'gpt-5-mini', object: 'model' }] },
};

function checkTools(body: JsonObject): string[] {
  const tools = objects(body.tools).flatMap((tool) => [
    ...unknownKeys('tools', tool, ['type', 'name', 'description', 'parameters', 'strict']),
    ...(tool.type === 'function' ? [] : [`tools: type ${tool.type}`]),
  ]);
  const includes = Array.isArray(body.include) && body.include.includes('reasoning.encrypted_content');
  return includes ? tools : [...tools, 'include: encrypted reasoning is lost without storage'];
}

function checkInput(items: readonly JsonObject[], signatures: Signatures): string[] {
  const called = new Set<unknown>();
  const answered = new Set<unknown>();
  const ids = new Set<unknown>();
  const faults = items.flatMap((item, at) => {
    const type = String(item.type ?? 'message');
    const known = ITEMS[type];
    if (known === undefined) return [`input[${at}]: unknown type ${type}`];
    const own = unknownKeys(`input[${at}]`, item, known);
    if (item.id !== undefined && (ids.has(item.id) || ids.add(item.id) === undefined))
      own.push(`Duplicate item ${item.id}`);
    if (type === 'message') own.push(...checkContent(at, item));
    if (type === 'function_call') called.add(item.call_id);
    if (type === 'function_call_output') {
      if (!called.has(item.call_id))
        own.push(`No tool call found for function call output with call_id ${item.call_id}.`);
      answered.add(item.call_id);
    }
    if (type === 'reasoning') own.push(...checkReasoning(item, items[at + 1], signatures));
    return own;
  });
  for (const id of called) if (!answered.has(id)) faults.push(`No tool output found for function call ${id}.`);
  return faults;
}

function checkContent(at: number, { role, content }: JsonObject): string[] {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    user: ['input_text', 'input_image'],
    assistant: ['output_text'],
  };
  if (role === 'system' || role === 'developer')
    return typeof content === 'string' ? [] : [`input[${at}]: system content`];
  const known = kinds[String(role)];
  if (known === undefined || objects(content).length === 0) return [`input[${at}]: bad message of ${role}`];
  return objects(content).flatMap((part) =>
    known.includes(String(part.type))
      ? unknownKeys(`input[${at}].content`, part, ['type', 'text', 'image_url', 'detail', 'annotations', 'logprobs'])
      : [`input[${at}]: ${part.type} of ${role}`],
  );
}

/** Encrypted reasoning must be the server's own, and the item that it led to must follow. */
function checkReasoning(item: JsonObject, next: JsonObject | undefined, signatures: Signatures): string[] {
  const summary = objects(item.summary)
    .map(({ text }) => text)
    .join('');
  const isOwn = signatures.textOf(item.encrypted_content) === summary;
  const follows =
    next !== undefined && (next.type === 'function_call' || next.role === 'assistant' || next.type === 'reasoning');
  return [
    ...(isOwn ? [] : ['The encrypted content could not be verified.']),
    ...(follows ? [] : [`Item '${item.id}' of type 'reasoning' was provided without its required following item.`]),
  ];
}

let answers = 0;

function toEvents(plan: AnswerPlan, signatures: Signatures): string[] {
  answers += 1;
  const response = {
    id: `resp_${answers}`,
    object: 'response',
    created_at: 1,
    model: 'gpt-5-mini',
    status: 'in_progress',
  };
  let index = 0;
  let number = 0;
  const event = (data: JsonObject & { type: string }): string => {
    number += 1;
    return sse({ ...data, sequence_number: number });
  };
  const events = [
    event({ type: 'response.created', response: { ...response, output: [] } }),
    event({ type: 'response.in_progress', response: { ...response, output: [] } }),
  ];
  const item = (opened: JsonObject, inside: JsonObject[], closed: JsonObject): void => {
    const at = { output_index: index };
    events.push(event({ type: 'response.output_item.added', ...at, item: opened }));
    for (const one of inside) events.push(event({ type: String(one.type), ...one, ...at }));
    events.push(event({ type: 'response.output_item.done', ...at, item: closed }));
    index += 1;
  };
  if (plan.thinking !== undefined) {
    const id = `rs_${answers}`;
    const text = plan.thinking;
    const part = { item_id: id, summary_index: 0 };
    const summary = [{ type: 'summary_text', text }];
    item(
      { type: 'reasoning', id, summary: [], encrypted_content: '' },
      [
        { type: 'response.reasoning_summary_part.added', ...part, part: { type: 'summary_text', text: '' } },
        ...pieces(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...part, delta })),
        { type: 'response.reasoning_summary_text.done', ...part, text },
        { type: 'response.reasoning_summary_part.done', ...part, part: { type: 'summary_text', text } },
      ],
      { type: 'reasoning', id, summary, encrypted_content: signatures.sign(text) },
    );
  }
  if (plan.text !== undefined) {
    const id = `msg_${answers}`;
    const head = { type: 'message', id, role: 'assistant' };
    const part = { item_id: id, content_index: 0 };
    const whole = { type: 'output_text', text: plan.text, annotations: [], logprobs: [] };
    item(
      { ...head, status: 'in_progress', content: [] },
      [
        { type: 'response.content_part.added', ...part, part: { ...whole, text: '' } },
        ...pieces(plan.text).map((delta) => ({ type: 'response.output_text.delta', ...part, delta, logprobs: [] })),
        { type: 'response.output_text.done', ...part, text: plan.text, logprobs: [] },
        { type: 'response.content_part.done', ...part, part: whole },
      ],
      { ...head, status: 'completed', content: [whole] },
    );
  }
  (plan.calls ?? []).forEach((call, at) => {
    const text = JSON.stringify(call.arguments);
    const id = `fc_${answers}_${at}`;
    const head = { type: 'function_call', id, call_id: `call_${answers}_${at}`, name: call.name };
    item(
      { ...head, arguments: '', status: 'in_progress' },
      [
        ...(text.match(/.{1,7}/gs) ?? []).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          item_id: id,
          delta,
        })),
        { type: 'response.function_call_arguments.done', item_id: id, arguments: text },
      ],
      { ...head, arguments: text, status: 'completed' },
    );
  });
  const why = plan.finish === 'length' ? 'max_output_tokens' : 'content_filter';
  const type = plan.finish === undefined ? 'response.completed' : 'response.incomplete';
  const usage = {
    input_tokens: 10 + (plan.cached ?? 0),
    input_tokens_details: { cached_tokens: plan.cached ?? 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 17 + (plan.cached ?? 0),
  };
  const ended: JsonObject = { ...response, status: type.slice(9), output: [], usage };
  const whole: JsonObject = {
    ...ended,
    ...(plan.finish === undefined ? null : { incomplete_details: { reason: why } }),
  };
  return [...events, event({ type, response: whole })];
}
