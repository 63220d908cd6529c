import type { Cover } from '../../../core/secrets/redact-event.ts';
import { type Block, toBlocks } from '../../../core/session-export/blocks.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import { countBytes, cutHead, truncateMiddle } from '../../../core/text/truncate.ts';
import { rebuildRequests, type SentRequest } from '../../../engine/requests/sent-requests.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';

/** What explaining a turn works with. */
export interface WhyPlace {
  readonly cover: Cover;
  /** What brings out the bytes of a request, without the number of the turn. */
  readonly hint: string;
}

/** A turn explained, or the bytes of one of its requests. */
export interface Explained {
  readonly type: 'text' | 'bytes';
  readonly text: string;
}

/**
 * What a turn came of: the requests that were sent, the rules and users that decided its calls, and what the calls returned. `which` is the
 * number of a turn, or with a dot and another one the body of one of its requests and nothing else; the last turn without it.
 */
export function explainTurn(recorded: readonly Recorded[], which: string | undefined, place: WhyPlace): Explained {
  const { turn, request } = parseWhich(which, () => lastTurn(recorded));
  const facts = factsOf(recorded, turn);
  if (facts.length === 0) throw unknownTurn(turn, lastTurn(recorded));
  const requests = rebuildRequests(recorded, turn, place.cover);
  if (request === null) {
    const before = lastRequestBefore(recorded, turn, place.cover);
    return { type: 'text', text: formatWhy({ turn, facts, requests, before, hint: `${place.hint} ${turn}` }) };
  }
  const sent = requests[request - 1];
  if (sent !== undefined) return { type: 'bytes', text: sent.body };
  throw new AishError('why.none', `turn ${turn} has no request ${request}`, {
    hint: requests.length === 0 ? 'none was sent, or the log is of an older release' : `it has ${requests.length}`,
  });
}

function parseWhich(
  which: string | undefined,
  last: () => number,
): { readonly turn: number; readonly request: number | null } {
  if (which === undefined) return { turn: last(), request: null };
  const [, turn, request] = /^(\d{1,7})(?:\.(\d{1,4}))?$/.exec(which) ?? [];
  if (turn !== undefined) return { turn: Number(turn), request: request === undefined ? null : Number(request) };
  throw new AishError('usage', `"${which}" is not the number of a turn`, {
    hint: 'such as 3, or 3.2 for the bytes of its second request',
  });
}

/** What the first request of a turn is compared with: turns that failed at once sent none. */
function lastRequestBefore(recorded: readonly Recorded[], turn: number, cover: Cover): SentRequest | null {
  const begin = recorded.findIndex(({ event }) => event.type === 'turn.started' && event.turn === turn);
  const earlier = recorded.slice(0, begin);
  const sent = earlier.findLastIndex(({ event }) => event.type === 'request.sent');
  const started = earlier.slice(0, Math.max(0, sent)).findLast(({ event }) => event.type === 'turn.started')?.event;
  if (sent === -1 || started?.type !== 'turn.started') return null;
  return rebuildRequests(earlier, started.turn, cover).at(-1) ?? null;
}

function lastTurn(recorded: readonly Recorded[]): number {
  const last = recorded.findLast(({ event }) => event.type === 'turn.started')?.event;
  if (last?.type === 'turn.started') return last.turn;
  throw new AishError('why.none', 'the model was asked nothing in this session', { hint: 'ask it something first' });
}

/** The facts of a turn, its end included. */
function factsOf(recorded: readonly Recorded[], turn: number): readonly Recorded[] {
  const begin = recorded.findIndex(({ event }) => event.type === 'turn.started' && event.turn === turn);
  if (begin === -1) return [];
  const after = recorded.slice(begin + 1);
  const end = after.findIndex(({ event }) => event.type === 'turn.ended' || event.type === 'turn.started');
  if (end === -1) return recorded.slice(begin);
  return recorded.slice(begin, begin + 1 + end + (after[end]?.event.type === 'turn.ended' ? 1 : 0));
}

function unknownTurn(turn: number, last: number): AishError {
  return new AishError('why.none', `there is no turn ${turn}`, { hint: `turns go from 1 to ${last}` });
}

const MOST_MESSAGE = 200;
const MOST_RESULT = 2000;

/** What a turn is explained from. */
interface WhyGround {
  readonly turn: number;
  readonly facts: readonly Recorded[];
  readonly requests: readonly SentRequest[];
  /** The last request of an earlier turn; null where there was none. */
  readonly before: SentRequest | null;
  /** What brings out the bytes of a request. */
  readonly hint: string;
}

/** A turn as users read it: each request with what was new in it, what came back, and what became of the calls. */
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
      return [`  the user: ${toLine(block.text)}`, ...block.attached.map((file) => `  attached ${file}`)];
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
