import { describe, expect, test } from 'bun:test';
import type { SessionClient } from '../../src/protocol/client.ts';
import type { Recorded, SessionEvent } from '../../src/protocol/event.ts';
import { calls, held, type ModelServer, text } from './model-server.ts';
import { until } from './until.ts';

/** A session to try a client on. */
export interface ClientPlace {
  readonly client: SessionClient;
  /** The model its session asks. */
  readonly model: ModelServer;
  /** How many readers the session has now. */
  followers(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What every `SessionClient` must do, in process or far away. */
export function sessionClientSuite(name: string, open: () => Promise<ClientPlace>): void {
  describe(name, () => {
    test('a message is answered by events up to the end of its turn', async () => {
      await using place = await open();
      place.model.play(text('Hello there.'));
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'hi' });
      const seen = await events.until('turn.ended');
      const deltas = seen.flatMap(({ event }) => (event.type === 'text.delta' ? [event.text] : []));
      expect(deltas.join('')).toBe('Hello there.');
      expect(durableTypes(seen)).toEqual([
        'session.created',
        'turn.started',
        'request.framed',
        'request.sent',
        'step.completed',
        'turn.ended',
      ]);
    });

    test('a refusal comes as an event and changes nothing', async () => {
      await using place = await open();
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: '  ' });
      const [{ event } = { event: null }] = (await events.until('op.rejected')).slice(-1);
      expect(event).toMatchObject({ type: 'op.rejected', op: 'send', error: { code: 'op.empty' } });
    });

    test('a reader who comes later reads all from the beginning, or what follows a number', async () => {
      await using place = await open();
      place.model.play(text('one'));
      const first = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'hi' });
      const seen = (await first.until('turn.ended')).filter(({ event }) => !isTransient(event));
      expect(await follow(place.client, 0).until('turn.ended')).toEqual(seen);
      expect(await follow(place.client, 2).until('turn.ended')).toEqual(seen.slice(2));
    });

    test('a reader sees first what is stored and then what happens', async () => {
      await using place = await open();
      place.model.play(text('one'), text('two'));
      const first = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'first' });
      await first.until('turn.ended');
      const second = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'second' });
      await second.until('turn.ended');
      const seen = await second.until('turn.ended');
      expect(durableTypes(seen)).toEqual(['turn.started', 'request.sent', 'step.completed', 'turn.ended']);
      expect(seen.find(({ event }) => event.type === 'turn.started')?.event).toMatchObject({ text: 'second' });
    });

    test('a call is asked, allowed by one of two clients, and the second answer is refused', async () => {
      await using place = await open();
      const refused = Promise.withResolvers<void>();
      place.model.play(
        calls({ name: 'aish__read_file', arguments: { path: 'README' } }),
        held(text('read'), refused.promise),
      );
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'read it' });
      const [asked] = (await events.until('approval.requested')).slice(-1);
      const callId = asked?.event.type === 'approval.requested' ? asked.event.callId : '';
      const decision = { type: 'decide', callId, decision: { type: 'allow' }, by: 'person' } as const;
      await place.client.submit(decision);
      await place.client.submit(decision);
      const before = await events.until('op.rejected');
      refused.resolve();
      const seen = [...before, ...(await events.until('turn.ended'))];
      expect(seen.map(({ event }) => event.type)).toEqual(
        expect.arrayContaining(['approval.decided', 'tool-call.completed', 'op.rejected', 'turn.ended']),
      );
      expect(seen.filter(({ event }) => event.type === 'approval.decided')).toHaveLength(1);
    });

    test('what a call would touch comes after its question, also to a client that joins while it is open', async () => {
      await using place = await open();
      place.model.play(calls({ name: 'aish__exec', arguments: { command: 'rm README' } }));
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'tidy up' });
      await events.until('approval.requested');
      const told = await lastMeasured(events);
      expect(told).toMatchObject({ question: 1, blast: { effects: [{ kind: 'deletes', files: 1 }], unknown: [] } });
      expect(await lastMeasured(follow(place.client, 0))).toEqual(told);
      await place.client.submit({ type: 'interrupt' });
      await events.until('turn.ended');
    });

    test('an interrupt ends the turn and lets the model go', async () => {
      await using place = await open();
      const gate = Promise.withResolvers<void>();
      place.model.play(held(text('never all of this'), gate.promise, 2));
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'hi' });
      await events.until('text.delta');
      await place.client.submit({ type: 'interrupt' });
      const [last] = (await events.until('turn.ended')).slice(-1);
      expect(last?.event).toMatchObject({ type: 'turn.ended', reason: 'interrupted' });
      await (await place.model.requested(1)).left;
      gate.resolve();
    });

    test('a reader who leaves is forgotten', async () => {
      await using place = await open();
      const iterator = place.client.events(0)[Symbol.asyncIterator]();
      const waiting = iterator.next();
      await until(
        { what: 'one reader' },
        () => place.followers(),
        (count) => count === 1,
      );
      await iterator.return?.();
      expect((await waiting).done).toBe(true);
      await until(
        { what: 'the reader to be forgotten' },
        () => place.followers(),
        (count) => count === 0,
      );
      expect((await iterator.next()).done).toBe(true);
    });

    test('a close ends every reader', async () => {
      await using place = await open();
      place.model.play(text('one'));
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'hi' });
      await events.until('turn.ended');
      await place.client.close();
      expect(await events.rest()).toEqual([]);
    });
  });
}

/** Reads events up to one of a type, which is the last of the answer. */
function follow(client: SessionClient, seq: number) {
  const iterator = client.events(seq)[Symbol.asyncIterator]();
  const until = async (type: SessionEvent['type']): Promise<Recorded[]> => {
    const seen: Recorded[] = [];
    while (seen.at(-1)?.event.type !== type) {
      const { done, value } = await iterator.next();
      if (done) throw new Error(`the events ended before ${type}`);
      seen.push(value);
    }
    return seen;
  };
  const rest = async (): Promise<Recorded[]> => {
    const seen: Recorded[] = [];
    for (let step = await iterator.next(); !step.done; step = await iterator.next()) seen.push(step.value);
    return seen;
  };
  return { until, rest };
}

/** What a call would touch when all is counted: on a busy machine an answer that goes on comes first. */
async function lastMeasured({ until: next }: Pick<ReturnType<typeof follow>, 'until'>): Promise<SessionEvent> {
  for (;;) {
    const event = (await next('call.measured')).at(-1)?.event;
    if (event?.type === 'call.measured' && event.blast.counting !== true) return event;
  }
}

const TRANSIENT = ['text.delta', 'reasoning.delta', 'tool-call.delta', 'op.rejected', 'notice'];

function isTransient(event: SessionEvent): boolean {
  return TRANSIENT.includes(event.type);
}

function durableTypes(seen: readonly Recorded[]): string[] {
  return seen.filter(({ event }) => !isTransient(event)).map(({ event }) => event.type);
}
