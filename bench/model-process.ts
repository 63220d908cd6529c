// A model server on loopback that answers at once and notes when each request came; a process of its own, so that it does not slow what is
// measured.
import { writeSync } from 'node:fs';
import { now } from './clock.ts';
import { LONG_ANSWER } from './long-answer.ts';
import type { SeenRequest } from './model.ts';

/** The parts of a request that this server reads. */
interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly tools?: unknown;
}

const encoder = new TextEncoder();

function chunk(delta: object, finish: string | null): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function textAnswer(): string {
  return `${chunk({ role: 'assistant', content: 'answer-' }, null)}${chunk({ content: 'shown' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;
}

/** A call by a model: the name of a tool as it is sent, and its arguments as JSON. */
interface NamedCall {
  readonly name: string;
  readonly arguments: string;
}

function toolAnswer(count: number, named: NamedCall): string {
  const call = { index: 0, id: `call${String(count).padStart(5, '0')}`, type: 'function', function: named };
  return `${chunk({ role: 'assistant', tool_calls: [call] }, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
}

/** A slow answer: so many pieces, one every five milliseconds (`stream=400`). */
function slowAnswer(pieces: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (let piece = 0; piece < pieces; piece += 1) {
        controller.enqueue(encoder.encode(chunk({ content: `piece ${piece} ` }, null)));
        await Bun.sleep(5);
      }
      controller.enqueue(encoder.encode(`${chunk({}, 'stop')}data: [DONE]\n\n`));
      controller.close();
    },
  });
}

/** A text as a model streams it: tokens of about four letters, some every five milliseconds. */
function streamText(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (const [at, token] of (text.match(/[\s\S]{1,4}/g) ?? []).entries()) {
        controller.enqueue(encoder.encode(chunk({ content: token }, null)));
        if (at % 2 === 1) await Bun.sleep(5);
      }
      controller.enqueue(encoder.encode(`${chunk({}, 'stop')}data: [DONE]\n\n`));
      controller.close();
    },
  });
}

/** A stream of these pieces, with a pause before some of them. */
function streamOf(
  pieces: Iterable<{ readonly text: () => string; readonly pauseMs?: number }>,
): ReadableStream<Uint8Array> {
  const left = pieces[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = left.next();
      if (next.done === true) return controller.close();
      if (next.value.pauseMs !== undefined) await Bun.sleep(next.value.pauseMs);
      controller.enqueue(encoder.encode(next.value.text()));
    },
  });
}

const sentNow = (): string => chunk({ content: `\n\nsent=${now().toFixed(3)};` }, null);
const END = { text: () => `${chunk({}, 'stop')}data: [DONE]\n\n` };

/** One token, which is the time at which it is sent, after a pause. */
const FIRST_TOKEN = [
  { text: () => chunk({ role: 'assistant', content: '' }, null) },
  { text: sentNow, pauseMs: 50 },
  END,
];

/** So many tokens, 2,000 a second, and the time at which the last one is due. */
function* fastAnswer(tokens: number) {
  const startedAt = now();
  for (let at = 0; at < tokens; at += 10) {
    const dueAt = startedAt + at / 2;
    const text = Array.from({ length: 10 }, (_, more) => chunk({ content: `w${at + more} ` }, null)).join('');
    yield { text: () => text, pauseMs: Math.max(0, dueAt - now()) };
  }
  yield { text: () => chunk({ content: `\n\nsent=${(startedAt + tokens / 2).toFixed(3)};` }, null) };
  yield END;
}

/** So many chunks of 10 kB, each with one token. */
function* fatAnswer(chunks: number) {
  const beside = 'x'.repeat(9850);
  const fat = `data: ${JSON.stringify({ logprobs: beside, choices: [{ index: 0, delta: { content: 'w ' }, finish_reason: null }] })}\n\n`;
  for (let at = 0; at < chunks; at += 1) yield { text: () => fat };
  yield END;
}

/** The calls that a message requests of this server before it answers in text. */
interface Wish {
  /** So many calls. */
  readonly calls: number;
  readonly call: NamedCall;
  /** So many milliseconds pass before each answer. */
  readonly pauseMs: number;
}

/**
 * Reads a question: `calls=3` reads a file three times, `run=ls` runs a command, and `play=3 pause=50 TOOL {"path":"f@"}` calls a tool
 * three times, with the number of the call for `@`, and thinks before each answer.
 */
function wishOf(question: string, done: number): Wish {
  const [, played, pause, tool = '', args = ''] = /^play=(\d+) pause=(\d+) (\S+) (\{.*\})/m.exec(question) ?? [];
  if (played !== undefined) {
    const call = { name: tool, arguments: args.replaceAll('@', String(done)) };
    return { calls: Number(played), call, pauseMs: Number(pause) };
  }
  const command = /run=(.*)/.exec(question)?.[1];
  if (command !== undefined) {
    return { calls: 1, call: { name: 'aish__exec', arguments: JSON.stringify({ command }) }, pauseMs: 0 };
  }
  const calls = Number(/calls=(\d+)/.exec(question)?.[1] ?? 0);
  return { calls, call: { name: 'aish__read_file', arguments: '{"path":"note.txt"}' }, pauseMs: 0 };
}

async function answerTo(asked: Asked): Promise<string> {
  const turn = asked.messages.slice(asked.messages.findLastIndex(({ role }) => role === 'user'));
  const done = turn.filter(({ role }) => role === 'tool').length;
  const { calls, call, pauseMs } = wishOf(turn[0]?.content ?? '', done);
  if (pauseMs > 0) await Bun.sleep(pauseMs);
  return done < calls ? toolAnswer(done, call) : textAnswer();
}

async function chooseAnswer(asked: Asked): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>> {
  const question = asked.messages.at(-1)?.content ?? '';
  if (question.endsWith('long answer')) return streamText(LONG_ANSWER);
  if (question.endsWith('first token')) return streamOf(FIRST_TOKEN);
  const [, kind, count] = /(fast|fat)=(\d+)$/.exec(question) ?? [];
  if (kind !== undefined) return streamOf(kind === 'fast' ? fastAnswer(Number(count)) : fatAnswer(Number(count)));
  const pieces = Number(/stream=(\d+)/.exec(question)?.[1] ?? 0);
  return pieces > 0 ? slowAnswer(pieces) : encoder.encode(await answerTo(asked));
}

/** The text that a server reads first, as one text that the next request can go on with. */
function toReading({ tools, messages }: Asked): string {
  return JSON.stringify([tools ?? [], messages]).slice(0, -2);
}

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

function serve(): void {
  const seen: SeenRequest[] = [];
  let before = '';
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const at = now();
      const { pathname } = new URL(request.url);
      if (pathname === '/seen') return Response.json(seen.splice(0));
      if (pathname === '/v1/models') return Response.json({ object: 'list', data: [{ id: 'bench', object: 'model' }] });
      if (pathname !== '/v1/chat/completions') return new Response('File Not Found', { status: 404 });
      const body = await request.text();
      const asked: Asked = JSON.parse(body);
      const answer = await chooseAnswer(asked);
      const [first] = asked.messages;
      const systemBytes = first?.role === 'system' ? encoder.encode(first.content ?? '').length : 0;
      const answeredAt = now();
      const reading = toReading(asked);
      const told = { length: reading.length, shared: sharedLength(before, reading) };
      before = reading;
      seen.push({ at, answeredAt, bytes: encoder.encode(body).length, systemBytes, ...told });
      return new Response(answer, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  writeSync(1, `${server.port}\n`);
}

serve();
