import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { type Answer, calls, startModelServer, text } from '../../../test/support/model-server.ts';
import { type Awaited, until } from '../../../test/support/until.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { HttpSessionClient } from '../../adapters/daemon/http-client.ts';
import { parseLog } from '../../adapters/store/log-line.ts';
import { logPath } from '../../adapters/store/sessions.ts';
import { fold } from '../../core/session/evolve.ts';
import { isIdle } from '../../core/session/state.ts';
import { toSettings } from '../../core/settings.ts';
import { Engine, type LiveSession } from '../../engine/engine.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import { isDurable, type Recorded } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import { openSessionDoor } from './session-door.ts';

/** So many operations of all seats; the bar is 1,000. */
const OPERATIONS = Number(process.env.AISH_SEATS_OPERATIONS ?? 150);
const SEED = Number(process.env.AISH_SEATS_SEED ?? 7);

/** Somebody who hands things in, sees what happens and answers what is asked. */
interface Person {
  readonly name: string | undefined;
  readonly seen: Recorded[];
  /** A line, which may wait. */
  enter(op: Extract<Op, { type: 'run' | 'send' }>): Promise<void>;
  submit(op: Op): Promise<void>;
}

/** The same numbers for the same seed, each in [0, 1). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A message that ends in "ask" comes to a call that is asked about; all others are answered in words. */
const answer: Answer = (request) => {
  const last = request.body.messages.at(-1);
  const said = JSON.stringify(last?.content ?? '');
  if (last?.role === 'user' && said.includes('ask')) {
    return calls({ name: 'aish__exec', arguments: { command: `echo call of ${/\d+/.exec(said)?.[0]}` } });
  }
  return text('All right.');
};

test(`[seats.one-history] ${OPERATIONS} operations of three seats make one history, and all see the same`, async () => {
  using home = new Home();
  await using model = startModelServer({ script: Array.from({ length: 4 * OPERATIONS }, () => answer) });
  const config: Config = { ...DEFAULT_CONFIG, models: { local: { base_url: model.url } } };
  const paths = toPaths(home.env);
  const runtimeFolder = (): string => join(home.root, 'run');
  const engine = new Engine({ config, paths, env: home.env, cwd: home.work, version: '9.9.9', runtimeFolder });
  const live = await engine.open({ cwd: home.work, settings: { ...toSettings(config), checkpointMode: 'off' } });
  const owner = { size: () => ({ columns: 80, rows: 24 }), asked() {}, unasked() {}, keyboard() {}, told() {} };
  const door = openSessionDoor({ live, path: join(home.root, 'run', 'x.sock'), owner, models: [], onFault: fail });
  const people = [ownerOf(live), ...['one', 'two'].map((name) => seatOf(name, door.path, live.session.sessionId))];
  try {
    const entered = await play(people, live, numbers(SEED));
    await until(
      awaited('all that was entered has run'),
      () => live.session.queue.size === 0 && isIdle(live.session.state),
    );
    const history = [...live.session.recorded];
    await until(awaited('everybody has seen all of it'), () =>
      people.every(({ seen }) => seen.filter(({ event }) => isDurable(event)).length >= history.length),
    );
    for (const { seen } of people) expect(seen.filter(({ event }) => isDurable(event))).toEqual(history);
    checkHistory(history, entered, people);
    expect(model.failures).toEqual([]);
    const stored = parseLog(readFileSync(logPath(paths.state, live.session.sessionId))).recorded;
    expect(stored).toEqual(history);
    expect(fold(stored.map(({ event }) => event))).toEqual(live.session.state);
  } finally {
    door.withdraw();
    await engine.close();
    await door.close();
  }
}, 120_000);

/** Everybody does something at random, none waiting for the others. What each entered, in their order. */
async function play(
  people: readonly Person[],
  live: LiveSession,
  random: () => number,
): Promise<Map<Person, string[]>> {
  const entered = new Map<Person, string[]>(people.map((person) => [person, []]));
  const answering = people.map((person) => answerAll(person, live, random));
  for (let number = 1; number <= OPERATIONS; number += 1) {
    const person = people[Math.floor(random() * people.length)] ?? people[0];
    if (person === undefined) break;
    const kind = random();
    const line = kind < 0.4 ? `echo ${number}` : kind < 0.45 ? `sleep 0.05; echo ${number}` : `${number} say`;
    if (kind >= 0.9) await person.submit({ type: kind < 0.99 ? 'interrupt' : 'halt' });
    else if (kind < 0.45) await enter(person, { type: 'run', line });
    else await enter(person, { type: 'send', text: kind < 0.75 ? line : `${number} ask` });
    // Neither is always far ahead of what runs, nor always behind it.
    if (random() < 0.3) await until(awaited('few lines wait'), () => live.session.queue.size < 3);
  }
  void answering;
  return entered;

  async function enter(person: Person, op: Extract<Op, { type: 'run' | 'send' }>): Promise<void> {
    entered.get(person)?.push(op.type === 'run' ? op.line : op.text);
    await person.enter(op);
  }
}

/** Says yes or no to each question as soon as it is seen; the others may be faster. */
async function answerAll(person: Person, live: LiveSession, random: () => number): Promise<void> {
  let at = 0;
  while (!live.session.isBroken) {
    await until(
      awaited('more is seen', Number.POSITIVE_INFINITY),
      () => person.seen.length > at || live.session.isBroken,
    );
    const event = person.seen[at]?.event;
    at += 1;
    if (event?.type !== 'approval.requested') continue;
    const decision = { type: random() < 0.7 ? 'allow' : 'deny' } as const;
    await person.submit({ type: 'decide', callId: event.callId, decision, by: 'person' }).catch(() => {});
  }
}

function ownerOf({ session }: LiveSession): Person {
  const seen: Recorded[] = [];
  void collect(session.events(0), seen);
  const enter: Person['enter'] = async (op) => void session.queue.submit(op);
  return { name: undefined, seen, enter, submit: (op) => session.submit(op) };
}

function seatOf(name: string, path: string, id: string): Person {
  const client = HttpSessionClient.attach({ type: 'socket', path }, id, name);
  const seen: Recorded[] = [];
  void collect(client.events(0), seen);
  return { name, seen, enter: async (op) => void (await client.submitInTurn(op)), submit: (op) => client.submit(op) };
}

async function collect(events: AsyncIterable<Recorded>, seen: Recorded[]): Promise<void> {
  for await (const recorded of events) seen.push(recorded);
}

/** One thing at a time, each to its end; and each line of a person once, in their order, or not at all and they were told so. */
function checkHistory(
  history: readonly Recorded[],
  entered: ReadonlyMap<Person, string[]>,
  people: readonly Person[],
): void {
  expect(history.map(({ seq }) => seq)).toEqual(history.map((_, index) => index + 1));
  let running: string | null = null;
  const began = new Map<string | undefined, string[]>();
  const asked = new Map<string, number>();
  for (const { event } of history) {
    if (event.type === 'turn.started' || event.type === 'command.started') {
      expect(running).toBeNull();
      running = event.type === 'turn.started' ? 'turn' : event.line;
      const text = event.type === 'turn.started' ? event.text : event.line;
      began.set(event.seat, [...(began.get(event.seat) ?? []), text]);
    } else if (event.type === 'turn.ended') {
      expect(running).toBe('turn');
      running = null;
    } else if (event.type === 'command.completed') {
      expect(running).toBe(event.record.line);
      // A Ctrl-C makes the terminal drop what is on its way; but nothing of another line is in it.
      const printed = event.record.output.match(/^\d+$/gm) ?? [];
      expect(printed.filter((number) => number !== /\d+$/.exec(event.record.line)?.[0])).toEqual([]);
      running = null;
    } else if (event.type === 'approval.requested') asked.set(event.callId, 0);
    else if (event.type === 'approval.decided' && event.by === 'person')
      asked.set(event.callId, (asked.get(event.callId) ?? 9) + 1);
  }
  expect(running).toBeNull();
  expect([...asked.values()].filter((times) => times > 1)).toEqual([]);
  for (const person of people) {
    const lines = entered.get(person) ?? [];
    const ran = began.get(person.name) ?? [];
    expect(ran).toEqual(lines.filter((line) => ran.includes(line)));
    const told = person.seen.filter(({ event }) => event.type === 'op.rejected' && event.seat === person.name);
    const dropped = told.filter(({ event }) => event.type === 'op.rejected' && event.error.code === 'op.dropped');
    if (person.name !== undefined) expect(lines.length - ran.length).toBe(dropped.length);
  }
}

function fail(thrown: unknown): never {
  throw thrown;
}

/** A line takes some milliseconds; where nothing comes of one for so long, nothing will. */
function awaited(what: string, limitMs = 60_000): Awaited {
  return { what, limitMs, lookMs: 1 };
}
