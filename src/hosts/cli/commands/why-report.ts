import { countBytes } from '../../../core/byte-size.ts';
import { sanitizeLine } from '../../../core/sanitize.ts';
import { type Block, toBlocks } from '../../../core/session-export/blocks.ts';
import { cutHead, truncateMiddle } from '../../../core/truncate.ts';
import type { SentRequest } from '../../../engine/requests/sent-requests.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';

const MOST_MESSAGE = 200;
const MOST_RESULT = 2000;

/** What a turn is explained from. */
export interface WhyGround {
  readonly turn: number;
  readonly facts: readonly Recorded[];
  readonly requests: readonly SentRequest[];
  /** The last request of an earlier turn; null where there was none. */
  readonly before: SentRequest | null;
  /** What brings out the bytes of a request. */
  readonly hint: string;
}

/** A turn as people read it: each request with what was new in it, what came back, and what became of the calls. */
export function formatWhy({ turn, facts, requests, before, hint }: WhyGround): string {
  const lines: string[] = [`turn ${turn}`];
  for (const one of facts) {
    const at = requests.findIndex(({ seq }) => seq === one.seq);
    const request = one.event.type === 'request.sent' ? requests[at] : undefined;
    if (request !== undefined) lines.push('', ...formatRequest(request, at + 1, requests[at - 1] ?? before));
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
  return [
    `request ${number} to ${frame.endpoint}${model} at ${frame.host}: ${countBytes(bytes)}, sha256 ${sha256}`,
    `  ${exact}`,
    ...formatMessages(messagesOf(request), before === null ? [] : messagesOf(before)),
    `  tools: ${frame.tools.map(({ name }) => sanitizeLine(name)).join(', ') || 'none'}`,
  ];
}

function messagesOf({ body }: SentRequest): readonly JsonObject[] {
  const parsed: unknown = JSON.parse(body);
  const messages: Json | undefined = isJsonObject(parsed) ? parsed.messages : undefined;
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
}

/** What was not in the request before. The system message stands before all others, and may change alone. */
function formatMessages(messages: readonly JsonObject[], before: readonly JsonObject[]): readonly string[] {
  const own = isSame(messages[0], before[0]) ? 0 : 1;
  const known = countShared(messages.slice(own), before.slice(own));
  const which = own === 1 ? 'the next' : 'the first';
  const count = known === 1 ? 'message' : `${known} messages`;
  return [
    ...messages.slice(0, own).map(formatMessage),
    ...(known === 0 ? [] : [`  ${which} ${count} as in the request before`]),
    ...messages.slice(own + known).map(formatMessage),
  ];
}

/** How many messages at the beginning are the same. */
function countShared(messages: readonly JsonObject[], before: readonly JsonObject[]): number {
  const other = messages.findIndex((message, at) => !isSame(message, before[at]));
  return other === -1 ? messages.length : other;
}

function isSame(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  return one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

function formatMessage(message: JsonObject): string {
  const { role, content, tool_calls: calls } = message;
  const text =
    typeof content === 'string' ? content : content === undefined || content === null ? '' : JSON.stringify(content);
  const called = Array.isArray(calls) && calls.length > 0 ? formatCalls(calls.filter(isJsonObject)) : '';
  const said = text === '' ? '' : `: ${toLine(text)}`;
  return `  ${String(role)}, ${text.length} characters${called}${said}`;
}

/** ` and 1 call: aish.exec`: on the wire the first two underscores stand for the dot. */
function formatCalls(calls: readonly JsonObject[]): string {
  const names = calls.flatMap(({ function: called }) =>
    isJsonObject(called) && typeof called.name === 'string' ? [sanitizeLine(called.name.replace('__', '.'))] : [],
  );
  return ` and ${calls.length} ${calls.length === 1 ? 'call' : 'calls'}: ${names.join(', ')}`;
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
