import { isJsonObject } from '../protocol/json.ts';
import type { Message, MessageToolCall } from '../protocol/message.ts';
import type { ModelRequest, OfferedTool } from '../protocol/model.ts';
import { type Cover, concealObject } from './session/conceal-event.ts';

/**
 * A request without secrets in any of its texts, whoever wrote them: the last look before it leaves, also over what an older log holds. Ids,
 * pictures and what a server signed stay as they are. Of what was covered before nothing changes, so a server can go on with what it read.
 */
export function concealRequest({ messages, tools }: ModelRequest, cover: Cover): ModelRequest {
  return {
    messages: messages.map((message) => concealMessage(message, cover)),
    tools: tools.map((tool) => concealTool(tool, cover)),
  };
}

function concealMessage(message: Message, cover: Cover): Message {
  const content = cover.text(message.content);
  if (message.role !== 'assistant') return { ...message, content };
  const { toolCalls, reasoning } = message;
  return {
    ...message,
    content,
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map((call) => concealCall(call, cover)) }),
    ...(reasoning === undefined ? {} : { reasoning: cover.text(reasoning) }),
  };
}

/** Values are looked at as they are meant, so nothing that is put in their place can break the JSON around them. */
function concealCall(call: MessageToolCall, { known }: Cover): MessageToolCall {
  const found: unknown = JSON.parse(call.arguments);
  return isJsonObject(found) ? { ...call, arguments: JSON.stringify(concealObject(found, known)) } : call;
}

/** A tool as it may be offered. */
export function concealTool({ name, description, parameters }: OfferedTool, { text, known }: Cover): OfferedTool {
  return { name, description: text(description), parameters: concealObject(parameters, known) };
}
