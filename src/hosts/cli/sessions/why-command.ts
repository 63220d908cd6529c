import type { Cover } from '../../../core/secrets/redact-event.ts';
import { type Block, toBlocks } from '../../../core/session-export/blocks.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import { countBytes, cutHead, truncateMiddle } from '../../../core/text/truncate.ts';
import { rebuildRequests, type SentRequest } from '../../../engine/requests/sent-requests.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { Message } from '../../../protocol/model.ts';
import * as messages from './messages.ts';

/** Dependencies of `explainTurn`. */
interface WhyContext {
  readonly cover: Cover;
  /** The command that shows the bytes of a request, without the number of the turn. */
  readonly hint: string;
}

type RebuiltRequest = Omit<SentRequest, 'body'>;

/** A turn explained, or the bytes of one of its requests. */
interface Explained {
  readonly type: 'text' | 'bytes';
  readonly text: string;
}

/**
 * Explains a turn: its requests, the decisions about its calls, and the results of the calls. `which` is the
 * number of a turn, or with a dot and another one the body of one of its requests and nothing else; the last turn without it.
 */
export async function explainTurn(
  recorded: readonly Recorded[],
  which: string | undefined,
  context: WhyContext,
): Promise<Explained> {
  const { turn, request } = parseWhich(which, () => lastTurn(recorded));
  const facts = factsOf(recorded, turn);
  if (facts.length === 0)
    throw new AishError('why.none', messages.formatNoTurn(turn), {
      hint: messages.formatTurnRange(lastTurn(recorded)),
    });
  const requests: RebuiltRequest[] = [];
  for await (const { body, ...rebuilt } of rebuildRequests(recorded, turn, context.cover))
    if (requests.push(rebuilt) === request) return { type: 'bytes', text: body };
  if (request === null) {
    const before = await lastRequestBefore(recorded, turn, context.cover);
    return { type: 'text', text: formatWhy({ turn, facts, requests, before, hint: `${context.hint} ${turn}` }) };
  }
  throw new AishError('why.none', messages.formatNoRequest(turn, request), {
    hint: requests.length === 0 ? explainMissing(facts) : messages.formatRequestCount(requests.length),
  });
}

function parseWhich(
  which: string | undefined,
  last: () => number,
): { readonly turn: number; readonly request: number | null } {
  if (which === undefined) return { turn: last(), request: null };
  const [, turn, request] = /^(\d{1,7})(?:\.(\d{1,4}))?$/.exec(which) ?? [];
  if (turn !== undefined) return { turn: Number(turn), request: request === undefined ? null : Number(request) };
  throw new AishError('usage', messages.formatNotTurn(which), { hint: messages.TURN_HINT });
}

/** The request to compare the first request of a turn with: turns that failed at once sent none. */
async function lastRequestBefore(
  recorded: readonly Recorded[],
  turn: number,
  cover: Cover,
): Promise<RebuiltRequest | null> {
  const begin = recorded.findIndex(({ event }) => event.type === 'turn.started' && event.turn === turn);
  const earlier = recorded.slice(0, begin);
  const sent = earlier.findLastIndex(({ event }) => event.type === 'request.sent');
  const started = earlier.slice(0, Math.max(0, sent)).findLast(({ event }) => event.type === 'turn.started')?.event;
  if (sent === -1 || started?.type !== 'turn.started') return null;
  let last: SentRequest | null = null;
  for await (const request of rebuildRequests(earlier, started.turn, cover)) last = request;
  return last;
}

function lastTurn(recorded: readonly Recorded[]): number {
  const last = recorded.findLast(({ event }) => event.type === 'turn.started')?.event;
  if (last?.type === 'turn.started') return last.turn;
  throw new AishError('why.none', messages.NO_TURN_YET, { hint: messages.NO_TURN_YET_HINT });
}

function factsOf(recorded: readonly Recorded[], turn: number): readonly Recorded[] {
  const begin = recorded.findIndex(({ event }) => event.type === 'turn.started' && event.turn === turn);
  if (begin === -1) return [];
  const after = recorded.slice(begin + 1);
  const end = after.findIndex(({ event }) => event.type === 'turn.ended' || event.type === 'turn.started');
  if (end === -1) return recorded.slice(begin);
  return recorded.slice(begin, begin + 1 + end + (after[end]?.event.type === 'turn.ended' ? 1 : 0));
}

const MOST_MESSAGE = 200;
const MOST_RESULT = 2000;

interface WhyFacts {
  readonly turn: number;
  readonly facts: readonly Recorded[];
  readonly requests: readonly RebuiltRequest[];
  /** The last request of an earlier turn; null where there was none. */
  readonly before: RebuiltRequest | null;
  /** The command that shows the bytes of a request. */
  readonly hint: string;
}

/** A turn as users read it: each request with what was new in it, what came back, and what became of the calls. */
export function formatWhy({ turn, facts, requests, before, hint }: WhyFacts): string {
  const lines: string[] = [messages.formatTurn(turn), ...describeChoice(facts)];
  let known = before?.messages ?? [];
  for (const one of facts) {
    const at = requests.findIndex(({ seq }) => seq === one.seq);
    const request = one.event.type === 'request.sent' ? requests[at] : undefined;
    if (request !== undefined) {
      lines.push('', ...describeRequest(request, at + 1, known));
      known = request.messages;
    } else lines.push(...toBlocks([one]).flatMap(formatBlock));
  }
  if (requests.length === 0) return [...lines, `  ${explainMissing(facts)}`].join('\n');
  const last = requests.length > 1 ? `${hint}.${requests.length}` : null;
  return [...lines, '', messages.formatBytesHint(`${hint}.1`, last)].join('\n');
}

/** The reason why a turn has a model of its own. */
function describeChoice(facts: readonly Recorded[]): readonly string[] {
  const started = facts.map(({ event }) => event).find((event) => event.type === 'turn.started');
  if (started?.type !== 'turn.started') return [];
  const { model, choice, command } = started;
  if (command !== undefined) return [`  ${messages.formatCommandOf(command, model ?? null)}`];
  if (choice !== undefined) return [`  ${messages.formatChoice(choice, model ?? null)}`];
  return model === undefined ? [] : [`  ${messages.formatAddressed(model)}`];
}

/** Why a turn shows no request. A turn that got an answer sent one, so its log comes from a release that did not record requests. */
function explainMissing(facts: readonly Recorded[]): string {
  return facts.some(({ event }) => event.type === 'step.completed') ? messages.NOT_LOGGED : messages.NOTHING_SENT;
}

function describeRequest(request: RebuiltRequest, number: number, known: readonly Message[]): readonly string[] {
  const { frame, bytes, sha256, isExact } = request;
  const { endpoint, model, host } = frame;
  return [
    messages.formatRequest({ number, endpoint, model, host, bytes: countBytes(bytes), sha256 }),
    `  ${isExact ? messages.EXACT : messages.NOT_EXACT}`,
    ...formatMessages(request.messages, known),
    ...(frame.memory === undefined ? [] : [`  ${messages.formatFactsSent(frame.memory.map(({ id }) => id))}`]),
    ...(frame.instructed === undefined ? [] : [`  ${messages.formatInstructed(frame.instructed)}`]),
    `  ${messages.formatTools(frame.tools.map(({ name }) => sanitizeLine(name)))}`,
  ];
}

/** The messages that were not in the request before. The system message precedes all others, and may change alone. */
function formatMessages(all: readonly Message[], before: readonly Message[]): readonly string[] {
  const own = isSame(all[0], before[0]) ? 0 : 1;
  const other = all.slice(own).findIndex((message, at) => !isSame(message, before[own + at]));
  const known = other === -1 ? all.length - own : other;
  return [
    ...all.slice(0, own).map(describeMessage),
    ...(known === 0 ? [] : [`  ${messages.formatSameMessages(known, own === 0)}`]),
    ...all.slice(own + known).map(describeMessage),
  ];
}

function isSame(one: Message | undefined, other: Message | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function describeMessage(message: Message): string {
  const { role, content } = message;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  // On the wire, the first two underscores stand for the dot.
  const names = calls.map(({ name }) => sanitizeLine(name.replace('__', '.')));
  return `  ${messages.formatMessage(role, content.length, names)}${content === '' ? '' : `: ${toLine(content)}`}`;
}

function toLine(text: string): string {
  const flat = sanitizeLine(text.replace(/\s+/g, ' ')).trim();
  return flat.length <= MOST_MESSAGE ? flat : `${cutHead(flat, MOST_MESSAGE)}…`;
}

/** The answer, and its outcome. */
function formatBlock(block: Block): readonly string[] {
  switch (block.type) {
    case 'message':
      return [
        `  ${(block.isOwn ? messages.formatOwn : messages.formatUser)(toLine(block.text))}`,
        ...block.attached.map((file) => `  ${messages.formatAttached(file)}`),
      ];
    case 'answer':
      return [messages.formatAnswer(block.model), indent(truncateMiddle(block.text, MOST_RESULT), '  ')];
    case 'call':
      return [messages.formatCall(block.name, toLine(JSON.stringify(block.arguments)))];
    case 'result':
      return [
        `  ${block.isError ? messages.FAILED : messages.RETURNED}`,
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
