import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import { projectRequest, withProfile } from '../../core/model/endpoint-profile.ts';
import { opensReasoning, placeFor, splitThoughts, ThinkSplitter, toChatOrigin } from '../../core/model/reasoning.ts';
import { memoize } from '../../core/text/memoize.ts';
import { isJsonObject, type Json, type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { CompletionDelta, Message, MessageToolCall, ModelRequest, OfferedTool } from '../../protocol/model.ts';
import type { Wire } from './connection.ts';
import { type ModelEndpoint, toResourceUrl } from './models.ts';
import { readResponse } from './response.ts';

/** Chat completions: the wire of every local server and of most hosted ones. */
export const chatWire: Wire = {
  async answer(request, { endpoint, open, onDelta, onGrowth, onSign, isBroken }) {
    const body = toWireText(toWireBody(endpoint, request));
    const response = await open({ url: toResourceUrl(endpoint.baseUrl, 'chat/completions'), body });
    const model = endpoint.model ?? '';
    const isOpen = opensReasoning(request.messages, model);
    const thoughts = new LiveThoughts(isOpen, onDelta);
    const reading = await readResponse(response, (delta) => thoughts.take(delta), { onGrowth, onSign, isBroken });
    thoughts.end();
    return splitReading(reading, model, isOpen);
  },
};

/** Splits reasoning in tags from the pieces of an answer while they come. */
class LiveThoughts {
  readonly #splitter: ThinkSplitter;
  readonly #onDelta: (delta: CompletionDelta) => void;

  constructor(isOpen: boolean, onDelta: (delta: CompletionDelta) => void) {
    this.#splitter = new ThinkSplitter({ isOpen });
    this.#onDelta = onDelta;
  }

  take(delta: CompletionDelta): void {
    if (delta.type === 'reasoning') this.#splitter.setApart();
    if (delta.type === 'text') this.#pass(this.#splitter.push(delta.text));
    else this.#onDelta(delta);
  }

  end(): void {
    this.#pass(this.#splitter.end());
  }

  #pass(pieces: ReturnType<ThinkSplitter['push']>): void {
    for (const piece of pieces) if (piece.type !== 'retract') this.#onDelta(piece);
  }
}

/** The complete answer with its reasoning apart, and the place where the reasoning stood. */
function splitReading(reading: AnswerReading, model: string, isOpen: boolean): AnswerReading {
  const { reasoningSource, ...answer } = reading;
  const split = splitThoughts(answer.text, { isOpen, isApart: answer.reasoning !== '' });
  const whole = { ...answer, text: split.text, reasoning: answer.reasoning + split.reasoning };
  const tagged = split.tags === null ? null : { field: 'content' as const, tags: split.tags };
  const place = reasoningSource ?? tagged;
  return place === null ? whole : { ...whole, origin: toChatOrigin(whole, place, model) };
}

/** Hosts that answer 400 to a message field they do not know, and never send reasoning of their own there. */
const STRICT_HOSTS = /(^|\.)(mistral\.ai|googleapis\.com|openai\.com|anthropic\.com|groq\.com)$/;

/** The strict host that signs its thoughts, and wants the signature back beside the call. */
const SIGNING_HOSTS = /(^|\.)googleapis\.com$/;

/** Hosts that tell usage without asking and refuse the request for it. */
const SENDS_USAGE_ANYWAY = /(^|\.)mistral\.ai$/;

/** The body of a chat-completions request. Optional fields are left out rather than sent empty: some servers refuse them. */
export function toWireBody(
  endpoint: Pick<ModelEndpoint, 'baseUrl' | 'model' | 'profile'>,
  request: ModelRequest,
): JsonObject {
  const { profile = {} } = endpoint;
  const { messages, tools } = projectRequest(request, profile);
  const { hostname } = new URL(endpoint.baseUrl);
  const isStrict = STRICT_HOSTS.test(hostname);
  const model = endpoint.model ?? '';
  const taken = { reasoning: !isStrict, extra: !isStrict || SIGNING_HOSTS.test(hostname), model };
  const key = `${taken.reasoning} ${taken.extra} ${model}`;
  const body = {
    ...(endpoint.model === null ? {} : { model: endpoint.model }),
    messages: messages.map((message) => toWireMessage(message, key, taken)),
    ...(tools.length === 0 ? {} : { tools: tools.map(toWireTool) }),
    stream: true,
    ...(SENDS_USAGE_ANYWAY.test(hostname) ? {} : { stream_options: { include_usage: true } }),
  };
  return withProfile(body, profile);
}

interface TakenFields {
  readonly reasoning: boolean;
  readonly extra: boolean;
  /** The server's name for the model: reasoning goes back only to the model that it came from. */
  readonly model: string;
}

/** The forms of a message by the fields that a server takes. */
const formsOf = memoize((_: Message) => new Map<string, JsonObject>());

function toWireMessage(message: Message, key: string, taken: TakenFields): JsonObject {
  const forms = formsOf(message);
  const known = forms.get(key);
  if (known !== undefined) return known;
  const form = toForm(message, taken);
  forms.set(key, form);
  return form;
}

const messageText = memoize((message: JsonObject) => JSON.stringify(message));

/** The body as JSON. Each message is written once, because a long session sends it with each call. */
export function toWireText(body: JsonObject): string {
  let fields = '';
  for (const [name, value] of Object.entries(body)) {
    fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${fieldText(name, value)}`;
  }
  return `{${fields}}`;
}

function fieldText(name: string, value: Json): string {
  if (name !== 'messages' || !Array.isArray(value)) return JSON.stringify(value);
  return `[${value.map((one: Json) => (isJsonObject(one) ? messageText(one) : JSON.stringify(one))).join(',')}]`;
}

function toForm(message: Message, taken: TakenFields): JsonObject {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: toWellFormed(message.content) };
    case 'user':
      return { role: 'user', content: toUserContent(message) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: toWellFormed(message.content) };
    case 'assistant':
      return toAssistantMessage(message, taken);
  }
}

/** Plain text unless there are images: many servers accept no content in parts. */
function toUserContent({ content, images = [] }: Extract<Message, { role: 'user' }>): string | JsonObject[] {
  const text = toWellFormed(content);
  if (images.length === 0) return text;
  const parts = images.map(({ mediaType, data }) => ({
    type: 'image_url',
    image_url: { url: `data:${mediaType};base64,${data}` },
  }));
  return [{ type: 'text', text }, ...parts];
}

function toAssistantMessage(message: Extract<Message, { role: 'assistant' }>, taken: TakenFields): JsonObject {
  const { content, toolCalls = [] } = message;
  // Blanks at the end, as some templates leave them, are refused by some servers, and mean nothing to any.
  const spoken = { role: 'assistant', content: toWellFormed(content).trimEnd() };
  // Thinking goes back only where it led to calls: without them it is refused by some, and of no use to any.
  if (toolCalls.length === 0) return spoken;
  return {
    ...spoken,
    ...toReasoning(message, taken),
    tool_calls: toolCalls.map((call) => toWireCall(call, taken)),
  };
}

/** The reasoning of a message under the name and in the place it came. A server that gets it elsewhere drops it, or refuses the request. */
function toReasoning(message: Extract<Message, { role: 'assistant' }>, taken: TakenFields): JsonObject {
  const { content, origin, reasoning = '' } = message;
  const place = origin === undefined ? { field: 'reasoning_content' as const } : placeFor(origin, taken.model);
  const text = toWellFormed(reasoning);
  if (place === null) return {};
  if (place.tags !== undefined) {
    const open = place.tags.open === '' ? place.tags.close.replace('/', '') : place.tags.open;
    return { content: `${open}${text}${place.tags.close}\n\n${toWellFormed(content)}` };
  }
  if (place.field === 'content') {
    const said = content === '' ? [] : [{ type: 'text', text: toWellFormed(content) }];
    return { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }, ...said] };
  }
  if (!taken.reasoning) return {};
  return {
    ...(reasoning === '' ? {} : { [place.field]: text }),
    ...(place.details === undefined ? {} : { reasoning_details: place.details }),
  };
}

/** Broken or empty arguments anywhere in a history make some servers refuse every later request; `{}` never does. */
function toWireCall(call: MessageToolCall, taken: TakenFields): JsonObject {
  const text = parseJsonObject(call.arguments) !== null ? toWellFormed(call.arguments) : '{}';
  const wire = { id: call.id, type: 'function', function: { name: call.name, arguments: text } };
  return taken.extra && call.extra !== undefined ? { ...wire, extra_content: call.extra } : wire;
}

function toWireTool(tool: OfferedTool): JsonObject {
  const { name, description, parameters } = tool;
  return {
    type: 'function',
    function: { name, description: description.trim() === '' ? name : description, parameters },
  };
}

/** Half a character, as a cut can leave one, makes strict JSON readers refuse the whole request. */
export function toWellFormed(text: string): string {
  return text.toWellFormed();
}
