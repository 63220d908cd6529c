import type { EndpointProfile, Message, ModelRequest, OfferedTool } from '../../protocol/model.ts';
import { toPlainSchema } from './plain-schema.ts';

/** A request in the form that a server takes, by its profile. */
export function projectRequest(request: ModelRequest, profile: EndpointProfile): ModelRequest {
  const tools = projectTools(request.tools, profile);
  const isText = profile.toolTurns === 'text' || profile.tools === 'none';
  const spoken = isText ? toTextTurns(request.messages) : request.messages;
  return { messages: profile.system === 'user' ? foldSystem(spoken) : spoken, tools };
}

function projectTools(tools: readonly OfferedTool[], { tools: taken, mostTools, schema }: EndpointProfile): readonly OfferedTool[] {
  if (taken === 'none') return [];
  const some = mostTools === undefined ? tools : tools.slice(0, mostTools);
  return schema === 'plain' ? some.map((tool) => ({ ...tool, parameters: toPlainSchema(tool.parameters) })) : some;
}

/** The messages with calls and results as text, for servers that know no such turns. Roles still alternate. */
export function toTextTurns(messages: readonly Message[]): readonly Message[] {
  const names = new Map<string, string>();
  const spoken: Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    join(spoken, toTextTurn(message, names));
  }
  return spoken;
}

function toTextTurn(message: Message, names: ReadonlyMap<string, string>): Message {
  if (message.role === 'tool') return { role: 'user', content: `[tool: ${names.get(message.toolCallId) ?? 'unknown'}] ${message.content}` };
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
  const calls = message.toolCalls.map((call) => `[calls ${call.name} ${call.arguments}]`);
  return { role: 'assistant', content: [message.content, ...calls].filter((part) => part !== '').join('\n') };
}

function join(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (last?.role !== 'user' || message.role !== 'user') {
    messages.push(message);
    return;
  }
  const images = [...(last.images ?? []), ...(message.images ?? [])];
  const joined = { role: 'user', content: `${last.content}\n\n${message.content}` } as const;
  messages[messages.length - 1] = images.length === 0 ? joined : { ...joined, images };
}

/** The system text in front of the first message of the user. */
function foldSystem(messages: readonly Message[]): readonly Message[] {
  const [system, first, ...rest] = messages;
  if (system?.role !== 'system') return messages;
  if (first?.role !== 'user') return [{ role: 'user', content: system.content }, ...messages.slice(1)];
  return [{ ...first, content: `${system.content}\n\n${first.content}` }, ...rest];
}
