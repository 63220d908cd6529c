import { toWireBody } from '../../src/adapters/model/chat-wire.ts';
import { toMessages } from '../../src/core/context/request-messages.ts';
import { toWireName } from '../../src/core/model/tool-name.ts';
import type { SessionState } from '../../src/core/session/state.ts';
import type { EndpointProfile } from '../../src/protocol/endpoint-profile.ts';
import { findFaults, type WireBody, type WireMessage } from './request-check.ts';

/** The refusals of one family of servers beyond those of all. */
interface Dialect {
  readonly name: string;
  readonly baseUrl: string;
  readonly find: (body: WireBody) => readonly string[];
}

/** The families that requests are held to; each as strict as the strictest server of it that is known. */
export const DIALECTS: readonly Dialect[] = [
  { name: 'openai', baseUrl: 'https://api.openai.com/v1', find: findOpenAiFaults },
  { name: 'mistral', baseUrl: 'https://api.mistral.ai/v1', find: findMistralFaults },
  { name: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', find: findAnthropicFaults },
  { name: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', find: findGeminiFaults },
  { name: 'deepseek', baseUrl: 'https://api.deepseek.com/v1', find: findDeepSeekFaults },
  { name: 'template', baseUrl: 'http://127.0.0.1:8080/v1', find: findTemplateFaults },
];

/** Forms that servers demand. Each of them is one that every dialect takes. */
const PROFILES: readonly EndpointProfile[] = [{}, { toolTurns: 'text' }, { toolTurns: 'text', system: 'user' }];

/** The faults of the next request of a state, for every dialect and every way to write it. */
export function faultsOfRequest(state: SessionState): string[] {
  const frame = { os: 'linux', shell: 'bash', cwd: '/w' };
  const written = PROFILES.flatMap((profile) => [true, false].map((images) => ({ profile, images })));
  return written.flatMap(({ profile, images }) => {
    const messages = toMessages(state, { images, outputBudget: 1000, frame, wireName: toWireName });
    return DIALECTS.flatMap(({ name, baseUrl, find }) => {
      const body = throughJson(toWireBody({ baseUrl, model: 'm', profile }, { messages, tools: [] }));
      const faults = [...findFaults(body), ...find(body)];
      return faults.map((fault) => `${name}, ${JSON.stringify(profile)}: ${fault}`);
    });
  });
}

function throughJson(body: object): WireBody {
  return JSON.parse(JSON.stringify(body));
}

const COMMON = ['role', 'content', 'tool_calls', 'tool_call_id'];
const CALL = ['id', 'type', 'function'];

/** Fields that a server which refuses unknown ones would refuse. */
function unknownFields(messages: readonly WireMessage[], call: readonly string[] = CALL): string[] {
  return messages.flatMap((message, at) => {
    const fields = Object.keys(message).filter((key) => !COMMON.includes(key));
    const beside = callsOf(message).flatMap((one) => Object.keys(one).filter((key) => !call.includes(key)));
    return [...fields, ...beside].map((key) => `message ${at}: unknown field ${key}`);
  });
}

function callsOf({ tool_calls: list = [] }: WireMessage) {
  return list;
}

function isBlank(content: unknown): boolean {
  return typeof content === 'string' && content.trim() === '';
}

function findOpenAiFaults({ messages }: WireBody): string[] {
  const long = messages.flatMap(callsOf).filter(({ id }) => id.length > 40);
  return [...unknownFields(messages), ...long.map(({ id }) => `id ${id} is longer than 40`)];
}

/** Those servers send the usage anyway, and refuse a request for it. */
function findMistralFaults(body: WireBody): string[] {
  const asked = 'stream_options' in body ? ['unknown field stream_options'] : [];
  const silent = body.messages.filter((message) => message.role === 'assistant' && saysNothing(message));
  return [...unknownFields(body.messages), ...asked, ...silent.map(() => 'an assistant message says nothing')];
}

function saysNothing(message: WireMessage): boolean {
  return callsOf(message).length === 0 && isBlank(message.content);
}

/** A relay makes blocks of the messages: all results of one round go into one message of the user, right behind the calls. */
function findAnthropicFaults({ messages }: WireBody): string[] {
  const faults = [...unknownFields(messages)];
  const merged: { role: string; uses: string[]; results: string[]; text: boolean }[] = [];
  for (const message of messages.filter(({ role }) => role !== 'system')) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const uses = callsOf(message).map(({ id }) => id);
    const results = message.role === 'tool' ? [message.tool_call_id ?? ''] : [];
    const text = message.role !== 'tool' && !isBlank(message.content);
    if (!text && uses.length === 0 && results.length === 0) faults.push(`${role}: text must hold more than blanks`);
    const last = merged.at(-1);
    if (last?.role !== role) merged.push({ role, uses, results, text });
    else {
      if (results.length > 0 && last.text) faults.push('a result behind text of the user');
      last.uses.push(...uses);
      last.results.push(...results);
      last.text ||= text;
    }
  }
  merged.forEach(({ uses }, at) => {
    const answered = merged[at + 1]?.results ?? [];
    for (const id of uses) if (!answered.includes(id)) faults.push(`${id} has no result in the next message`);
    for (const id of answered) if (!uses.includes(id)) faults.push(`the result ${id} has no call before it`);
  });
  if (merged[0]?.role !== 'user') faults.push('the first message is not the user’s');
  return faults;
}

/** As many responses as calls, at once behind a turn of calls that itself follows the user or responses. */
function findGeminiFaults({ messages }: WireBody): string[] {
  const faults = unknownFields(messages, [...CALL, 'extra_content']);
  messages.forEach((message, at) => {
    const calls = callsOf(message);
    if (calls.length === 0) return;
    const before = messages[at - 1]?.role;
    if (before !== 'user' && before !== 'tool') faults.push(`message ${at}: calls behind ${before}`);
    const rest = messages.slice(at + 1);
    const end = rest.findIndex(({ role }) => role !== 'tool');
    const responses = end === -1 ? rest.length : end;
    if (responses !== calls.length) faults.push(`message ${at}: ${calls.length} calls, ${responses} responses`);
    for (const call of calls)
      if (!/^[a-zA-Z_][\w.-]{0,63}$/.test(call.function.name)) faults.push(`function name ${call.function.name}`);
  });
  return faults;
}

/** Thinking goes back with the calls it led to, never empty, and never with an answer. */
function findDeepSeekFaults({ messages }: WireBody): string[] {
  return messages.flatMap((message, at) => {
    if (message.reasoning_content === undefined) return [];
    const faults = message.role === 'assistant' && callsOf(message).length > 0 ? [] : [`message ${at}: thinking alone`];
    return message.reasoning_content === '' ? [...faults, `message ${at}: empty thinking`] : faults;
  });
}

/** Templates as llama.cpp has them: without calls and results, user and assistant take turns, and arguments are read as an object. */
function findTemplateFaults({ messages }: WireBody): string[] {
  const spoken = messages.filter((message) => message.role === 'user' || isSpoken(message));
  const wrong = spoken.filter(({ role }, at) => role !== (at % 2 === 0 ? 'user' : 'assistant'));
  return wrong.map(({ role }) => `roles must alternate: ${role}`);
}

function isSpoken(message: WireMessage): boolean {
  return message.role === 'assistant' && callsOf(message).length === 0;
}
