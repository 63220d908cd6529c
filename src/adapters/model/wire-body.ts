import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import type { ModelRequest, OfferedTool } from '../../protocol/model.ts';
import type { ModelEndpoint } from './models.ts';

/** Hosts that answer 400 to a message field they do not know, and never send reasoning of their own there. */
const STRICT_HOSTS = /(^|\.)(mistral\.ai|googleapis\.com|openai\.com|anthropic\.com|groq\.com)$/;

/** Hosts that tell usage unasked and refuse the request for it. */
const UNASKED_USAGE_HOSTS = /(^|\.)mistral\.ai$/;

/** The body of a chat-completions request. Optional fields are left out rather than sent empty: some servers refuse them. */
export function toWireBody(endpoint: Pick<ModelEndpoint, 'baseUrl' | 'model'>, request: ModelRequest): JsonObject {
  const { hostname } = new URL(endpoint.baseUrl);
  const sendReasoning = !STRICT_HOSTS.test(hostname);
  return {
    ...(endpoint.model === null ? {} : { model: endpoint.model }),
    messages: request.messages.map((message) => toWireMessage(message, sendReasoning)),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toWireTool) }),
    stream: true,
    ...(UNASKED_USAGE_HOSTS.test(hostname) ? {} : { stream_options: { include_usage: true } }),
  };
}

function toWireMessage(message: Message, sendReasoning: boolean): JsonObject {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: toWellFormed(message.content) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: toWellFormed(message.content) };
    case 'assistant':
      return toAssistantMessage(message, sendReasoning);
  }
}

function toAssistantMessage(message: Extract<Message, { role: 'assistant' }>, sendReasoning: boolean): JsonObject {
  const { content, reasoning, toolCalls = [] } = message;
  return {
    role: 'assistant',
    content: toWellFormed(content),
    ...(sendReasoning && reasoning !== undefined && reasoning !== ''
      ? { reasoning_content: toWellFormed(reasoning) }
      : {}),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map((call) => toWireCall(call)) }),
  };
}

/** Broken or empty arguments anywhere in a history make some servers refuse every later request; `{}` never does. */
function toWireCall(call: { readonly id: string; readonly name: string; readonly arguments: string }): JsonObject {
  const text = isObjectText(call.arguments) ? toWellFormed(call.arguments) : '{}';
  return { id: call.id, type: 'function', function: { name: call.name, arguments: text } };
}

function toWireTool(tool: OfferedTool): JsonObject {
  const { name, description, parameters } = tool;
  return {
    type: 'function',
    function: { name, description: description.trim() === '' ? name : description, parameters },
  };
}

/** Half a character, as a cut can leave one, makes strict JSON readers refuse the whole request. */
function toWellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
