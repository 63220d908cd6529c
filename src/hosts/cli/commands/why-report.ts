import { sanitizeLine } from '../../../core/sanitize.ts';
import { type Block, toBlocks } from '../../../core/session-export/blocks.ts';
import { cutHead, truncateMiddle } from '../../../core/truncate.ts';
import type { SentRequest } from '../../../engine/requests/sent-requests.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';

const MOST_MESSAGE = 200;
const MOST_RESULT = 2000;

/** A turn as people read it: each request with what was new in it, what came back, and what became of the calls. */
export function formatWhy(
  turn: number,
  facts: readonly Recorded[],
  requests: readonly SentRequest[],
  hint: string,
): string {
  const lines: string[] = [`turn ${turn}`];
  for (const one of facts) {
    const at = requests.findIndex(({ seq }) => seq === one.seq);
    const request = one.event.type === 'request.sent' ? requests[at] : undefined;
    if (request !== undefined) lines.push('', ...formatRequest(request, at + 1, requests[at - 1] ?? null));
    else lines.push(...toBlocks([one]).flatMap(formatBlock));
  }
  if (requests.length === 0) return [...lines, '  what was sent is not in the log'].join('\n');
  const others = requests.length > 1 ? ` … ${hint}.${requests.length}` : '';
  return [...lines, '', `the bytes of a request: ${hint}.1${others}`].join('\n');
}

function formatRequest(request: SentRequest, number: number, before: SentRequest | null): readonly string[] {
  const { frame, bytes, sha256, isExact } = request;
  const model = frame.model === null ? '' : ` (${frame.model})`;
  const exact = isExact
    ? 'made again from the log, byte for byte'
    : 'not the bytes that were sent: something in them became known as a secret since, or another release sent them';
  const messages = messagesOf(request);
  const known = before === null ? 0 : sharedMessages(messagesOf(before), messages);
  return [
    `request ${number} to ${frame.endpoint}${model} at ${frame.host}: ${bytes} bytes, sha256 ${sha256}`,
    `  ${exact}`,
    ...(known === 0 ? [] : [`  the first ${known} messages of the request before, then:`]),
    ...messages.slice(known).map(formatMessage),
    `  tools: ${frame.tools.map(({ name }) => sanitizeLine(name)).join(', ') || 'none'}`,
  ];
}

function messagesOf({ body }: SentRequest): readonly JsonObject[] {
  const parsed: unknown = JSON.parse(body);
  const messages: Json | undefined = isJsonObject(parsed) ? parsed.messages : undefined;
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
}

function sharedMessages(before: readonly JsonObject[], after: readonly JsonObject[]): number {
  const other = before.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(after[at]));
  return other === -1 ? before.length : other;
}

function formatMessage(message: JsonObject): string {
  const { role, content, tool_calls: calls } = message;
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  const called = Array.isArray(calls) ? ` and ${calls.length} ${calls.length === 1 ? 'call' : 'calls'}` : '';
  return `  ${String(role)}, ${text.length} characters${called}: ${toLine(text)}`;
}

function toLine(text: string): string {
  const flat = sanitizeLine(text.replace(/\s+/g, ' ')).trim();
  return flat.length <= MOST_MESSAGE ? flat : `${cutHead(flat, MOST_MESSAGE)}…`;
}

/** What came back, and what became of it. */
function formatBlock(block: Block): readonly string[] {
  switch (block.type) {
    case 'message':
      return [`  the person: ${toLine(block.text)}`, ...block.attached.map((file) => `  attached ${file}`)];
    case 'answer':
      return [`answer of ${block.model}:`, indent(truncateMiddle(block.text, MOST_RESULT), '  ')];
    case 'call':
      return [`call of ${block.name} ${toLine(JSON.stringify(block.arguments))}`];
    case 'result':
      return [
        block.isError ? '  failed with:' : '  returned:',
        indent(truncateMiddle(block.text, MOST_RESULT), '  | '),
      ];
    case 'note':
      return block.lines.map((line) => `  ${line}`);
    case 'session':
    case 'command':
      return [];
  }
}

function indent(text: string, lead: string): string {
  return text.replace(/\n$/, '').replaceAll(/^/gm, lead);
}
