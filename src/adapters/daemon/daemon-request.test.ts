import { expect, test } from 'bun:test';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import type { Recorded } from '../../protocol/event.ts';
import { EventFollower } from './daemon-request.ts';

const folder = useFolder('follower');
const fact = (seq: number): Recorded => ({ seq, at: 1, event: { type: 'tool-call.started', callId: `c${seq}` } });
const delta: Recorded = { seq: 2, at: 1, event: { type: 'text.delta', text: 'a' } };
const line = (recorded: Recorded): string => `data: ${JSON.stringify(recorded)}\n\n`;

/** A daemon that answers each connection with the next text and breaks it off behind that. */
function openDaemon(answers: readonly (string | Response)[]) {
  const asked: (string | null)[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const answer = answers[asked.length] ?? new Response(null, { status: 500 });
      asked.push(request.headers.get('last-event-id'));
      return typeof answer === 'string' ? new Response(answer) : answer;
    },
  });
  const address = { type: 'url', url: `http://127.0.0.1:${server.port}`, token: 't' } as const;
  return { asked, address, port: Number(server.port), [Symbol.asyncDispose]: () => server.stop(true) };
}

async function readAll(follower: EventFollower): Promise<Recorded[]> {
  const seen: Recorded[] = [];
  for await (const recorded of follower) seen.push(recorded);
  return seen;
}

test('a stream that breaks off is taken up behind the last fact, and no fact is handed on twice', async () => {
  await using daemon = openDaemon([
    `: aish\n\n${line(fact(1))}${line(fact(2))}${line(delta)}data: {"seq":3,"at"`,
    `${line(fact(2))}${line(fact(3))}event: overflow\ndata: {}\n\n`,
    `${line(fact(4))}event: closed\ndata: {}\n\n`,
  ]);
  const seen = await readAll(new EventFollower(daemon.address, 's', 0, { ended: () => {} }));
  expect(seen).toEqual([fact(1), fact(2), delta, fact(3), fact(4)]);
  expect(daemon.asked).toEqual([null, '2.0', '3.0']);
});

test('a refusal that was handed on is named too, so that none is missed and none comes twice', async () => {
  const error = { code: 'op.dropped', message: 'called off' };
  const refusal: Recorded = { seq: 1, nth: 2, at: 1, event: { type: 'op.rejected', op: 'run', error } };
  await using daemon = openDaemon([
    `${line(fact(1))}${line(refusal)}`,
    `${line(fact(2))}`,
    `event: closed\ndata: {}\n\n`,
  ]);
  const seen = await readAll(new EventFollower(daemon.address, 's', 0, { ended: () => {} }));
  expect(seen).toEqual([fact(1), refusal, fact(2)]);
  expect(daemon.asked).toEqual([null, '1.2', '2.0']);
});

test('a first connection that breaks before it is answered is tried again', async () => {
  const path = join(folder, 'd.sock');
  await using daemon = openDaemon([`${line(fact(1))}event: closed\ndata: {}\n\n`]);
  let isBroken = true;
  const server = createServer((socket) => {
    if (isBroken) socket.destroy();
    else socket.pipe(connect(daemon.port)).pipe(socket);
    isBroken = false;
  });
  await new Promise<void>((listening) => void server.listen(path, listening));
  const follower = new EventFollower({ type: 'socket', path }, 's', 0, { ended: () => {} });
  expect(await readAll(follower)).toEqual([fact(1)]);
  expect(daemon.asked).toEqual(['0.0']);
  server.close();
});

test('a session that is gone ends the reading with the error of the daemon', async () => {
  const error = { code: 'session.not-found', message: 'no session "s" is open in this process' };
  await using daemon = openDaemon([line(fact(1)), Response.json({ error }, { status: 404 })]);
  let ended = 0;
  const follower = new EventFollower(daemon.address, 's', 0, { ended: () => ended++ });
  expect((await follower.next()).value).toEqual(fact(1));
  await expect(follower.next()).rejects.toMatchObject(error);
  await follower.opened();
  expect(await follower.next()).toEqual({ done: true, value: undefined });
  expect(ended).toBeGreaterThan(0);
});

test('a daemon that is not there is told with what to do', async () => {
  const daemon = openDaemon([]);
  await daemon[Symbol.asyncDispose]();
  const follower = new EventFollower(daemon.address, 's', 0, { ended: () => {} });
  await expect(follower.next()).rejects.toMatchObject({
    code: 'daemon.unreachable',
    hint: 'start one with: aish serve',
  });
});
