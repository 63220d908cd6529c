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

/*
 * Anthropic's Messages API, version 2023-06-01, as its documentation describes it: streaming of messages, extended thinking, tool use,
 * prompt caching, vision, errors.
 */

const BODY = [
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stream',
  'thinking',
  'output_config',
];

const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control'],
  image: ['type', 'source', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
};

/** A Messages server of Anthropic that refuses what the real one would refuse. */
export const ANTHROPIC: ProviderShape = {
  provider: 'anthropic',
  basePath: '/v1',
  model: 'claude-sonnet-4-5',
  isPath: (path) => path === '/v1/messages',
  keyOf: (headers) => headers.get('x-api-key'),
  faults: (body, headers, signatures) => [
    ...(headers.get('anthropic-version') === '2023-06-01' ? [] : ['anthropic-version: header is required']),
    ...(headers.get('authorization') === null ? [] : ['authorization: only one key may be sent']),
    ...unknownKeys('body', body, BODY),
    ...checkBody(body),
    ...checkMessages(objects(body.messages), signatures),
    ...checkThinking(body),
  ],
  events: toEvents,
  errorEvent: sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  errorBody: ({ type, message }) => ({ type: 'error', error: { type, message }, request_id: 'req_1' }),
  models: { data: [{ type: 'model', id: 'claude-sonnet-4-5', display_name: 'Claude' }], has_more: false },
};

function checkBody(body: JsonObject): string[] {
  const faults: string[] = [];
  if (typeof body.max_tokens !== 'number') faults.push('max_tokens: Field required');
  if (body.stream !== true) faults.push('stream: expected here');
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > 4) faults.push(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  for (const block of objects(body.system)) faults.push(...unknownKeys('system', block, BLOCKS.text ?? []));
  for (const tool of objects(body.tools)) {
    faults.push(...unknownKeys('tools', tool, ['name', 'description', 'input_schema', 'cache_control']));
    const schema = objects([tool.input_schema])[0];
    if (schema?.type !== 'object') faults.push('tools.input_schema.type: Field required');
  }
  return faults;
}

function checkMessages(messages: readonly JsonObject[], signatures: Signatures): string[] {
  if (messages[0]?.role !== 'user') return ['messages: first message must use the "user" role'];
  const ids = new Set<unknown>();
  return messages.flatMap((message, at) => {
    const faults = unknownKeys(`messages.${at}`, message, ['role', 'content']);
    if (at > 0 && messages[at - 1]?.role === message.role) faults.push(`messages.${at}: roles must alternate`);
    const content = objects(message.content);
    if (content.length === 0) faults.push(`messages.${at}: all messages must have non-empty content`);
    for (const block of content) faults.push(...checkBlock(`messages.${at}`, block, message.role, signatures));
    const calls = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    for (const id of calls) if (ids.has(id) || ids.add(id) === undefined) faults.push('`tool_use` ids must be unique');
    const results = objects(messages[at + 1]?.content)
      .slice(0, calls.length)
      .map((block) => block.tool_use_id);
    if (calls.some((id) => !results.includes(id)))
      faults.push(`messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`);
    const before = objects(messages[at - 1]?.content).map(({ id }) => id);
    for (const { type, tool_use_id: id } of content)
      if (type === 'tool_result' && !before.includes(id))
        faults.push('unexpected `tool_use_id` found in `tool_result` blocks');
    return faults;
  });
}

function checkBlock(where: string, block: JsonObject, role: unknown, signatures: Signatures): string[] {
  const known = BLOCKS[String(block.type)];
  if (known === undefined) return [`${where}: unknown block type ${block.type}`];
  const faults = unknownKeys(`${where}.${block.type}`, block, known);
  if (block.type === 'text' && String(block.text).trim() === '')
    faults.push(`${where}: text content blocks must contain non-whitespace text`);
  if (block.type === 'thinking' && signatures.textOf(block.signature) !== block.thinking)
    faults.push(`${where}: Invalid \`signature\` in \`thinking\` block`);
  if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(String(block.id))) faults.push(`${where}: bad tool_use id`);
  const isOfAssistant = ['thinking', 'redacted_thinking', 'tool_use'].includes(String(block.type));
  if (isOfAssistant !== (role === 'assistant') && block.type !== 'text')
    faults.push(`${where}: ${block.type} of ${role}`);
  return faults;
}

/** While Claude thinks, the last answer must begin with its thoughts if it called tools. */
function checkThinking(body: JsonObject): string[] {
  const [thinking] = objects([body.thinking]);
  if (thinking?.type !== 'enabled') return [];
  const faults: string[] = [];
  if (Number(thinking.budget_tokens) < 1024) faults.push('thinking.budget_tokens: must be at least 1024');
  if (Number(thinking.budget_tokens) >= Number(body.max_tokens))
    faults.push('max_tokens must be greater than budget_tokens');
  const messages = objects(body.messages);
  const last = messages.findLast(({ role }) => role === 'assistant');
  const followed = objects(messages.at(-1)?.content).some(({ type }) => type === 'tool_result');
  const first = objects(last?.content)[0]?.type;
  if (followed && !['thinking', 'redacted_thinking'].includes(String(first)))
    faults.push(`Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\``);
  return faults;
}

let answers = 0;

function toEvents(plan: AnswerPlan, signatures: Signatures): string[] {
  answers += 1;
  const cached = plan.cached ?? 0;
  const usage = { input_tokens: 10, cache_read_input_tokens: cached, cache_creation_input_tokens: 5, output_tokens: 1 };
  const head = { id: `msg_${answers}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [] };
  const blocks: { start: JsonObject; deltas: JsonObject[] }[] = [];
  if (plan.thinking !== undefined) {
    const deltas = pieces(plan.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: signatures.sign(plan.thinking) };
    blocks.push({ start: { type: 'thinking', thinking: '', signature: '' }, deltas: [...deltas, signature] });
  }
  if (plan.text !== undefined)
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: pieces(plan.text).map((text) => ({ type: 'text_delta', text })),
    });
  (plan.calls ?? []).forEach((call, at) => {
    const json = JSON.stringify(call.arguments).match(/.{1,7}/gs) ?? [];
    const deltas = ['', ...json].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    blocks.push({ start: { type: 'tool_use', id: `toolu_${answers}_${at}`, name: call.name, input: {} }, deltas });
  });
  const ends = { length: 'max_tokens', filter: 'refusal' };
  const end = plan.finish === undefined ? ((plan.calls ?? []).length > 0 ? 'tool_use' : 'end_turn') : ends[plan.finish];
  return [
    sse({ type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage } }),
    sse({ type: 'ping' }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      sse({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => sse({ type: 'content_block_delta', index, delta })),
      sse({ type: 'content_block_stop', index }),
    ]),
    sse({ type: 'message_delta', delta: { stop_reason: end, stop_sequence: null }, usage: { output_tokens: 7 } }),
    sse({ type: 'message_stop' }),
  ];
}
