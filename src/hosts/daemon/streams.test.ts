import { expect, test } from 'bun:test';
import { EventQueue } from '../../engine/session/event-queue.ts';
import type { Recorded } from '../../protocol/event.ts';
import { formatEvent, Heartbeat, parseAfter, streamEvents } from './streams.ts';

const fact = (seq: number): Recorded => ({ seq, at: 1, event: { type: 'tool-call.started', callId: `c${seq}` } });
const delta: Recorded = { seq: 4, at: 1, event: { type: 'text.delta', text: 'a\nb' } };
const quiet = new Heartbeat(60_000);

test('a durable event has its number as id, a refusal its place behind one, a delta none', () => {
  expect(formatEvent(fact(3))).toBe(
    'id: 3\nevent: tool-call.started\ndata: {"seq":3,"at":1,"event":{"type":"tool-call.started","callId":"c3"}}\n\n',
  );
  expect(formatEvent(delta)).toBe(
    'event: text.delta\ndata: {"seq":4,"at":1,"event":{"type":"text.delta","text":"a\\nb"}}\n\n',
  );
  expect(formatEvent({ seq: 4, nth: 2, at: 1, event: { type: 'notice', level: 'info', text: 'a' } })).toStartWith(
    'id: 4.2\nevent: notice\n',
  );
});

test('the header of a returning reader goes before the query, and nonsense is refused', () => {
  expect([parseAfter('7.2', '3'), parseAfter('7', '3')]).toEqual([
    { seq: 7, nth: 2 },
    { seq: 7, nth: 0 },
  ]);
  expect([parseAfter(undefined, '3'), parseAfter(undefined, undefined)]).toEqual([{ seq: 3 }, { seq: 0 }]);
  expect(() => parseAfter('-1', undefined)).toThrow('not the id of an event');
});

test('a reader gets what waits, what comes, and the end', async () => {
  const queue = new EventQueue([fact(1)], () => {});
  const response = streamEvents(queue, quiet);
  queue.push(fact(2));
  queue.push(null);
  expect(await response.text()).toBe(
    `: aish\n\n${formatEvent(fact(1))}${formatEvent(fact(2))}event: closed\ndata: {}\n\n`,
  );
});

test('a reader who lets too much wait is given up at once and told so', async () => {
  let ended = 0;
  const queue = new EventQueue([fact(1)], () => ended++, 3);
  for (let seq = 2; seq < 10; seq += 1) queue.push(fact(seq));
  expect(ended).toBeGreaterThan(0);
  expect(await streamEvents(queue, quiet).text()).toBe(': aish\n\nevent: overflow\ndata: {}\n\n');
});

test('a reader who leaves frees its queue', async () => {
  const left = Promise.withResolvers<void>();
  const reader = streamEvents(new EventQueue([], left.resolve), quiet).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await left.promise;
});

test('[daemon.silence] a quiet stream is kept alive by comments', async () => {
  const queue = new EventQueue([], () => {});
  const reader = streamEvents(queue, new Heartbeat(1)).body?.getReader();
  const decoder = new TextDecoder();
  let seen = '';
  while (!seen.endsWith(':\n\n:\n\n')) seen += decoder.decode((await reader?.read())?.value);
  expect(seen.startsWith(': aish\n\n')).toBe(true);
  await reader?.cancel();
});
