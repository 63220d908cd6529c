import { expect, test } from 'bun:test';
import type { ErrorFact } from '../../protocol/error.ts';
import type { Op } from '../../protocol/op.ts';
import { OpQueue } from './event-queue.ts';

/** A session that stays busy with each request until the test ends it. */
function busySession() {
  const taken: string[] = [];
  let rest: PromiseWithResolvers<void> | null = null;
  return {
    taken,
    take: (op: Op, client?: string) => {
      taken.push(`${client ?? 'owner'} ${op.type === 'run' ? op.line : op.type}`);
      rest = Promise.withResolvers();
      return null;
    },
    refuse: (_op: Op, error: ErrorFact, client?: string) => {
      taken.push(`${client ?? 'owner'} ${error.code}`);
      return error;
    },
    get isAtRest() {
      return rest === null;
    },
    atRest: () => rest?.promise ?? Promise.resolve(),
    end: async () => {
      const ended = rest;
      rest = null;
      ended?.resolve();
      await new Promise((done) => setImmediate(done));
    },
  };
}

const run = (line: string): Op => ({ type: 'run', line });

test('what is entered while something runs begins in the order of entering, one after the other', async () => {
  const session = busySession();
  const queue = new OpQueue(session);
  const outcomes = [
    queue.submit(run('1')),
    queue.submit(run('2'), { client: 'b' }),
    queue.submit(run('3')),
    queue.submit(run('4'), { client: 'b' }),
  ];
  const seen: string[][] = [];
  for (let ends = 0; ends < 4; ends += 1) {
    seen.push([...session.taken]);
    await session.end();
  }
  expect(seen.map((taken) => taken.at(-1))).toEqual(['owner 1', 'b 2', 'owner 3', 'b 4']);
  expect(await Promise.all(outcomes)).toEqual([null, null, null, null]);
});

test('an attached client calls off only what it entered itself, and a halt all of it', async () => {
  const session = busySession();
  const queue = new OpQueue(session);
  const outcomes = [
    queue.submit(run('1')),
    queue.submit(run('2')),
    queue.submit(run('3'), { client: 'b' }),
    queue.submit(run('4'), { client: 'c' }),
  ];
  expect(queue.drop({ client: 'b' })).toBe(1);
  expect(queue.drop('all')).toBe(2);
  await session.end();
  expect(await Promise.all(outcomes)).toEqual([null, 'dropped', 'dropped', 'dropped']);
  expect(session.taken).toEqual(['owner 1', 'b op.dropped', 'c op.dropped']);
});

test('more than a bound do not wait', async () => {
  const session = busySession();
  const queue = new OpQueue(session);
  for (let line = 0; line <= 200; line += 1) void queue.submit(run(String(line)));
  expect(await queue.submit(run('one more'))).toMatchObject({ code: 'session.queue-full' });
});

test('a line for which there is no room is refused, and its attached client is told', async () => {
  const session = busySession();
  const queue = new OpQueue(session);
  for (let number = 0; number <= 200; number += 1) void queue.submit(run(String(number)));
  expect(await queue.submit(run('one too many'), { client: 'b' })).toMatchObject({ code: 'session.queue-full' });
  expect(session.taken).toEqual(['owner 0', 'b session.queue-full']);
});
