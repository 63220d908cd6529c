// A model server on loopback that answers at once and notes when each request came; a process of its own, so that it does not slow what is
// measured.
import { writeSync } from 'node:fs';
import { now } from './clock.ts';
import { LONG_ANSWER } from './long-answer.ts';
import type { SeenRequest } from './model.ts';

/** What this server reads of a request. */
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

function toolAnswer(count: number, command?: string): string {
  const reads = { name: 'aish__read_file', arguments: '{"path":"note.txt"}' };
  const runs = { name: 'aish__exec', arguments: JSON.stringify({ command }) };
  const call = {
    index: 0,
    id: `call${String(count).padStart(5, '0')}`,
    type: 'function',
    function: command === undefined ? reads : runs,
  };
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

/** Calls a tool as often as the question says (`calls=3`), or the command that it names (`run=ls`), then answers in text. */
function answerTo(asked: Asked): string {
  const turn = asked.messages.slice(asked.messages.findLastIndex(({ role }) => role === 'user'));
  const command = /run=(.*)/.exec(turn[0]?.content ?? '')?.[1];
  const wanted = command === undefined ? Number(/calls=(\d+)/.exec(turn[0]?.content ?? '')?.[1] ?? 0) : 1;
  const done = turn.filter(({ role }) => role === 'tool').length;
  return done < wanted ? toolAnswer(done, command) : textAnswer();
}

function chooseAnswer(asked: Asked): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> {
  const question = asked.messages.at(-1)?.content ?? '';
  if (question === 'long answer') return streamText(LONG_ANSWER);
  const pieces = Number(/stream=(\d+)/.exec(question)?.[1] ?? 0);
  return pieces > 0 ? slowAnswer(pieces) : encoder.encode(answerTo(asked));
}

/** What a server reads first, as one text that the next request can go on with. */
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
      const answer = chooseAnswer(asked);
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
