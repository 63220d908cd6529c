import { describe, expect, test } from 'bun:test';
import { type SessionClient, untilState } from '../../src/core/session/session-client.ts';
import { isIdle } from '../../src/core/session/state.ts';
import { isDurable } from '../../src/protocol/durable-event.ts';
import type { Recorded, SessionEvent } from '../../src/protocol/event.ts';
import { calls, held, type ModelServer, text } from './model-server.ts';
import { until } from './until.ts';

/** A session to try a client on. */
export interface ClientPlace {
  readonly client: SessionClient;
  /** The model its session asks. */
  readonly model: ModelServer;
  /** One more client of the same session. */
  another(name: string): SessionClient;
  /** How many readers the session has now. */
  followers(): Promise<number>;
  /** Breaks all connections of the clients off; absent where there are none to break. */
  readonly cut?: () => void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A variable of the shell's environment that is a secret. */
export const PLANTED = { PLANTED_TOKEN: 'sk-planted-4711-abcdefgh' };

/** The behaviour that every `SessionClient` must have, in process or far away. */
export function sessionClientSuite(
  name: string,
  open: () => Promise<ClientPlace>,
  { canCut = false }: { readonly canCut?: boolean } = {},
): void {
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
        'request.prefixed',
        'request.sent',
        'step.completed',
        'turn.ended',
      ]);
    });

    test('a refusal is the outcome, comes as an event too, and changes nothing', async () => {
      await using place = await open();
      const events = follow(place.client, 0);
      const outcome = await place.client.submit({ type: 'send', text: '  ' });
      expect(outcome).toMatchObject({ type: 'refused', error: { code: 'op.empty' } });
      const [{ event } = { event: null }] = (await events.until('op.rejected')).slice(-1);
      expect(event).toMatchObject({ type: 'op.rejected', op: 'send', error: { code: 'op.empty' } });
    });

    test('the state holds each event that its reader was handed', async () => {
      await using place = await open();
      place.model.play(text('one'), text('two'));
      const events = follow(place.client, 0);
      expect(await place.client.submit({ type: 'send', text: 'first' })).toEqual({ type: 'recorded' });
      const [last] = (await events.until('turn.ended')).slice(-1);
      expect(place.client.state).toMatchObject({ id: place.client.sessionId, turn: null, turns: 1 });
      expect(place.client.seq).toBeGreaterThanOrEqual(last?.seq ?? Number.NaN);
      await events.leave();
      await untilState(place.client, isIdle);
      const again = follow(place.client, place.client.seq);
      await place.client.submit({ type: 'send', text: 'second' });
      await again.until('turn.ended');
      expect(place.client.state).toMatchObject({ turn: null, turns: 2 });
    });

    test('lines of all clients wait in the order in which they were entered', async () => {
      await using place = await open();
      const gate = Promise.withResolvers<void>();
      place.model.play(held(text('slow'), gate.promise), text('third'));
      const [one, two] = [place.client, place.another('two')];
      const [seen, alsoSeen] = [follow(one, 0), follow(two, 0)];
      expect(await one.submit({ type: 'send', text: 'first' }, { inTurn: true })).toEqual({ type: 'recorded' });
      expect(await two.submit({ type: 'run', line: 'echo two' }, { inTurn: true })).toEqual({ type: 'waits' });
      expect(await one.submit({ type: 'send', text: 'third' }, { inTurn: true })).toEqual({ type: 'waits' });
      gate.resolve();
      const all = [...(await seen.until('turn.ended')), ...(await seen.until('turn.ended'))].filter(isKept);
      expect(all.flatMap(({ event }) => begunLine(event))).toEqual(['first', 'echo two', 'third']);
      const others = [...(await alsoSeen.until('turn.ended')), ...(await alsoSeen.until('turn.ended'))];
      expect(others.filter(isKept)).toEqual(all);
    });

    test('a reader that lags misses no durable event, and gets each of them once and in order', async () => {
      await using place = await open();
      const turns = 4;
      place.model.play(...Array.from({ length: turns }, () => text('word '.repeat(400))));
      const slow = place.another('slow').events(0)[Symbol.asyncIterator]();
      const events = follow(place.client, 0);
      for (let turn = 0; turn < turns; turn += 1) {
        await place.client.submit({ type: 'send', text: `${turn}` }, { inTurn: true });
        await events.until('turn.ended');
      }
      await events.leave();
      await untilState(place.client, isIdle);
      const seen: number[] = [];
      while ((seen.at(-1) ?? 0) < place.client.seq) {
        const { value } = await slow.next();
        if (isKept(value)) seen.push(value.seq);
      }
      expect(seen).toEqual(Array.from({ length: place.client.seq }, (_, at) => at + 1));
    });

    test.skipIf(!canCut)('a reader whose connection breaks goes on behind the last durable event', async () => {
      await using place = await open();
      const gate = Promise.withResolvers<void>();
      place.model.play(held(text('before and after'), gate.promise, 2));
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'hi' });
      const before = await events.until('text.delta');
      place.cut?.();
      gate.resolve();
      const all = [...before, ...(await events.until('turn.ended'))].filter(isKept);
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
      expect(place.client.state.turns).toBe(1);
    });

    test('a query tells where the shell is and what it knows, and nothing secret', async () => {
      await using place = await open();
      const { client } = place;
      expect(await client.query({ type: 'names' })).toBeNull();
      expect(await client.query({ type: 'words', words: ['ls'] })).toBeNull();
      const events = follow(client, 0);
      await client.submit({ type: 'run', line: `alias greet=echo push='curl -H ${PLANTED.PLANTED_TOKEN}'; cd /` });
      await events.until('command.completed');
      expect(await client.query({ type: 'place' })).toEqual({ cwd: '/', jobs: [] });
      const names = await until(
        { what: 'the alias among the names' },
        () => client.query({ type: 'names' }),
        (told) => told?.commands.get('greet') === 'alias',
      );
      expect(names?.aliases.get('push')).toBe('curl -H ⟨secret:PLANTED_TOKEN⟩');
      expect(await client.query({ type: 'words', words: ['greet', 'cd', 'nonsense'] })).toEqual(
        new Set(['greet', 'cd']),
      );
      const request = { line: ':sandbox', columns: 80 };
      await expect(client.query({ type: 'show', request })).rejects.toMatchObject({ code: 'query.none' });
    });

    test('no event and no output of the terminal has a secret that a command printed', async () => {
      await using place = await open();
      const events = follow(place.client, 0);
      const terminal = joinTerminal(place.client);
      await terminal.stream.opened();
      await place.client.submit({ type: 'run', line: 'echo "=$PLANTED_TOKEN="' });
      const seen = JSON.stringify(await events.until('command.completed'));
      await terminal.saw('=⟨secret:PLANTED_TOKEN⟩=');
      expect(seen + terminal.shown()).not.toContain(PLANTED.PLANTED_TOKEN);
    });

    test('one client at most has the keyboard, and only its keys reach the program', async () => {
      await using place = await open();
      const [one, two] = [joinTerminal(place.client), joinTerminal(place.another('two'))];
      await Promise.all([one.stream.opened(), two.stream.opened()]);
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'run', line: 'echo begin; read word; echo "got $word"' });
      await two.saw('begin');
      one.stream.ask();
      await one.saw('keyboard ours');
      await two.saw('keyboard one');
      two.stream.ask();
      await two.saw('refused');
      two.stream.write(Buffer.from('wrong\n'));
      one.stream.write(Buffer.from('right\n'));
      await events.until('command.completed');
      await Promise.all([one.saw('got right'), two.saw('got right')]);
      one.stream.close();
      await two.saw('keyboard owner');
      two.stream.ask();
      await two.saw('keyboard ours');
    });

    test('who has closed the terminal hears no more of it', async () => {
      await using place = await open();
      const terminal = joinTerminal(place.client);
      await terminal.stream.opened();
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'run', line: 'echo begin; seq 100000' });
      await terminal.saw('begin');
      terminal.stream.close();
      const untrusted = terminal.shown();
      await events.until('command.completed');
      expect(terminal.shown()).toBe(untrusted);
    });

    test('what a client that has left let wait is called off', async () => {
      await using place = await open();
      const gate = Promise.withResolvers<void>();
      place.model.play(held(text('slow'), gate.promise));
      const leaving = place.another('leaving');
      const terminal = joinTerminal(leaving);
      await terminal.stream.opened();
      const events = follow(place.client, 0);
      await place.client.submit({ type: 'send', text: 'first' });
      expect(await leaving.submit({ type: 'run', line: 'echo never' }, { inTurn: true })).toEqual({ type: 'waits' });
      await leaving.detach();
      const [last] = (await events.until('op.rejected')).slice(-1);
      expect(last?.event).toMatchObject({ client: 'leaving', error: { code: 'op.dropped' } });
      gate.resolve();
      await events.until('turn.ended');
      await events.leave();
      await untilState(place.client, isIdle);
      expect(place.client.state.outputs).toEqual([]);
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
      const decision = { type: 'decide', callId, decision: { type: 'allow' }, by: 'user' } as const;
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
      expect(told).toMatchObject({ prompt: 1, report: { effects: [{ kind: 'deletes', files: 1 }], unknown: [] } });
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
  const leave = async (): Promise<void> => void (await iterator.return?.());
  return { until, rest, leave };
}

/** Joins the terminal, and notes what comes. */
function joinTerminal(client: SessionClient) {
  let shown = '';
  let wake = Promise.withResolvers<void>();
  const note = (words: string): void => {
    shown += words;
    wake.resolve();
    wake = Promise.withResolvers();
  };
  const decoder = new TextDecoder();
  const stream = client.terminal(
    { columns: 80, rows: 24 },
    {
      output: (bytes) => note(decoder.decode(bytes, { stream: true })),
      keyboard: (holder, isOurs) => note(`keyboard ${isOurs ? 'ours' : (holder ?? 'owner')}\n`),
      refused: () => note('refused\n'),
      closed: () => note('closed\n'),
    },
  );
  /** Settles when these words have come, and goes on behind them. */
  const saw = async (words: string): Promise<void> => {
    while (!shown.includes(words)) await wake.promise;
    shown = shown.slice(shown.indexOf(words) + words.length);
  };
  return { stream, saw, shown: () => shown };
}

function isKept({ event }: Recorded): boolean {
  return isDurable(event);
}

function begunLine(event: SessionEvent): string[] {
  if (event.type === 'turn.started') return [event.text];
  return event.type === 'command.started' ? [event.line] : [];
}

/** The final estimate of a call: on a busy machine an unfinished answer comes first. */
async function lastMeasured({ until: next }: Pick<ReturnType<typeof follow>, 'until'>): Promise<SessionEvent> {
  for (;;) {
    const event = (await next('impact.estimated')).at(-1)?.event;
    if (event?.type === 'impact.estimated' && event.report.counting !== true) return event;
  }
}

const TRANSIENT = [
  'text.delta',
  'reasoning.delta',
  'tool-call.delta',
  'request.delayed',
  'request.progress',
  'op.rejected',
  'notice',
];

function isTransient(event: SessionEvent): boolean {
  return TRANSIENT.includes(event.type);
}

function durableTypes(seen: readonly Recorded[]): string[] {
  return seen.filter(({ event }) => !isTransient(event)).map(({ event }) => event.type);
}
