/** One message as it came over the wire, unparsed beyond JSON. */
export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** The body of a chat-completions request as a test reads it. */
export interface WireBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly {
    readonly type: string;
    readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
  }[];
}

/** All that the strictest servers would refuse about a request; empty for a good one. */
export function findFaults(body: WireBody): string[] {
  if (!Array.isArray(body.messages) || body.messages.length === 0) return ['messages are missing'];
  return [
    ...checkOrder(body.messages),
    ...body.messages.flatMap(checkMessage),
    ...checkPairs(body.messages),
    ...checkTools(body),
  ];
}

function checkOrder(messages: readonly WireMessage[]): string[] {
  const faults: string[] = [];
  messages.forEach(({ role }, index) => {
    const before = index === 0 ? 'nothing' : (messages[index - 1]?.role ?? 'nothing');
    if (!allowedAfter(before, messages[index - 1]).includes(role))
      faults.push(`message ${index}: ${role} after ${before}`);
  });
  if (messages.at(-1)?.role === 'assistant') faults.push('the last message is the assistant’s');
  if (messages.at(-1)?.role === 'system') faults.push('there is only a system message');
  return faults;
}

function allowedAfter(role: string, message: WireMessage | undefined): readonly string[] {
  if (role === 'nothing') return ['system', 'user'];
  if (role === 'system') return ['user'];
  if (role === 'user') return ['assistant'];
  if (role === 'tool') return ['tool', 'assistant'];
  return (message?.tool_calls ?? []).length > 0 ? ['tool'] : ['user'];
}

function checkMessage(message: WireMessage, index: number): string[] {
  const faults: string[] = [];
  const calls = message.tool_calls ?? [];
  const mayBeEmpty = message.role === 'assistant' || message.role === 'tool';
  if (Array.isArray(message.content) && message.role === 'user') faults.push(...checkParts(message.content, index));
  else if (typeof message.content !== 'string') faults.push(`message ${index}: content is not text`);
  else if (message.content === '' && !mayBeEmpty) faults.push(`message ${index}: empty ${message.role} message`);
  else if (message.content === '' && message.role === 'assistant' && calls.length === 0)
    faults.push(`message ${index}: says nothing`);
  if (message.tool_calls !== undefined && calls.length === 0) faults.push(`message ${index}: empty tool_calls`);
  for (const call of calls) {
    if (!/^[a-zA-Z0-9]{9}$/.test(call.id))
      faults.push(`message ${index}: id "${call.id}" is not nine letters and digits`);
    if (call.type !== 'function') faults.push(`message ${index}: call of type "${call.type}"`);
    if (!isWireName(call.function?.name)) faults.push(`message ${index}: call of "${call.function?.name}"`);
    if (!isObjectText(call.function?.arguments))
      faults.push(`message ${index}: arguments ${JSON.stringify(call.function?.arguments)}`);
  }
  return faults;
}

/** Text first, then snapshots as data. */
function checkParts(parts: readonly unknown[], index: number): string[] {
  const [first, ...snapshots] = parts.map((part) => JSON.stringify(part));
  const faults = /^{"type":"text","text":".+"}$/.test(first ?? '')
    ? []
    : [`message ${index}: no text before its snapshots`];
  const snapshot =
    /^{"type":"image_url","image_url":{"url":"data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*"}}$/;
  if (snapshots.length === 0) faults.push(`message ${index}: parts without a snapshot`);
  return [
    ...faults,
    ...snapshots.filter((part) => !snapshot.test(part)).map(() => `message ${index}: a broken snapshot`),
  ];
}

/** Each call is answered once, right behind the message that made it, and nothing else is. */
function checkPairs(messages: readonly WireMessage[]): string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  const used = new Set<string>();
  const closeAll = (index: number): void => {
    for (const id of open) faults.push(`message ${index}: call ${id} was never answered`);
    open = new Set();
  };
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? ''))
        faults.push(`message ${index}: result for unknown call "${message.tool_call_id}"`);
      return;
    }
    closeAll(index);
    for (const { id } of message.tool_calls ?? []) {
      if (used.has(id)) faults.push(`message ${index}: id ${id} is used twice`);
      used.add(id);
      open.add(id);
    }
  });
  closeAll(messages.length);
  return faults;
}

function checkTools(body: WireBody): string[] {
  if (body.tools === undefined) return [];
  if (!Array.isArray(body.tools) || body.tools.length === 0) return ['tools are present but empty'];
  const names = body.tools.map((tool) => tool.function?.name);
  const faults = names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `tool ${name} is offered twice`);
  for (const tool of body.tools) {
    const { name, description, parameters } = tool.function ?? {};
    if (tool.type !== 'function') faults.push(`tool ${name}: type "${tool.type}"`);
    if (!isWireName(name)) faults.push(`tool name "${name}"`);
    if (typeof description !== 'string' || description.trim() === '') faults.push(`tool ${name}: no description`);
    if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
      faults.push(`tool ${name}: no parameters`);
  }
  return faults;
}

function isWireName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function isObjectText(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
