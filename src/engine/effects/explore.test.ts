import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import {
  type Answer,
  calls,
  held,
  type ModelServer,
  type SeenRequest,
  text,
} from '../../../test/support/model-server.ts';
import { hasProgram } from '../../../test/support/programs.ts';
import { startRoutedModel } from '../../../test/support/routed-model.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { stepsOf } from '../../core/accounting/spending.ts';
import { fold } from '../../core/session/evolve.ts';
import { UNKNOWN_OUTCOME } from '../../core/session/messages.ts';
import { next } from '../../core/session/next.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { EventOf, ExplorerEvent } from '../../protocol/event.ts';
import type { ApproveMode } from '../../protocol/settings.ts';
import type { LiveSession } from '../session/engine.ts';

const openEngine = useEngines();

interface Place {
  readonly home: Home;
  readonly model: ModelServer;
  readonly live: LiveSession;
}

async function openPlace(
  conversations: Readonly<Record<string, readonly Answer[]>>,
  { approve = 'read-only', ...config }: Partial<Config> & { readonly approve?: ApproveMode } = {},
): Promise<Place> {
  const home = new Home();
  const model = startRoutedModel(conversations);
  const models = { local: { base_url: model.url, model: 'scripted', context: 100_000 } };
  const whole: Config = { ...DEFAULT_CONFIG, models, ...config };
  const engine = openEngine({ home, config: whole, servers: [model] });
  const live = await engine.open({ cwd: home.work, settings: { ...toSettings(whole), approve } });
  return { home, model, live };
}

async function send({ live: { session } }: Place): Promise<void> {
  await session.submit({ type: 'send', text: 'the main question' });
  await session.idle();
}

const explore = (...questions: readonly string[]): Answer => calls({ name: 'aish__explore', arguments: { questions } });
const read = (path: string): Answer => calls({ name: 'aish__read_file', arguments: { path } });
const exec = (command: string): Answer => calls({ name: 'aish__exec', arguments: { command } });

function eventsOf({ live }: Place, explorer: number): readonly ExplorerEvent[] {
  return live.session.recorded.flatMap(({ event }) =>
    event.type === 'explorer.event' && event.explorer === explorer ? [event.event] : [],
  );
}

function completed<T extends { readonly type: string }>(events: readonly T[]) {
  return events.flatMap((event) =>
    event.type === 'tool-call.completed' ? [event as T & EventOf<'tool-call.completed'>] : [],
  );
}

function result({ live }: Place): EventOf<'tool-call.completed'> {
  const [first] = completed(live.session.recorded.map(({ event }) => event));
  if (first === undefined) throw new Error('the call has no result');
  return first;
}

test('explorers read side by side, and their reports come in the order of the questions', async () => {
  // Each waits for the request of the other one: they would hang if they ran one after the other.
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const meet =
    (own: 0 | 1, reply: ReturnType<typeof text>): Answer =>
    () => {
      arrived[own].resolve();
      return held(reply, arrived[own === 0 ? 1 : 0].promise);
    };
  const place = await openPlace({
    'the main question': [explore('first of two', 'second of two'), text('Both are known.')],
    'first of two': [
      meet(0, calls({ name: 'aish__read_file', arguments: { path: 'README' } })),
      text('It says hello.'),
    ],
    'second of two': [meet(1, text('There is nothing.'))],
  });
  await send(place);
  const { text: report, isError, output } = result(place);
  expect(isError).toBe(false);
  expect(report).toBe(
    [
      '## 1. first of two',
      'It says hello.',
      '[2 requests, 1 call, 29 tokens]',
      '',
      '## 2. second of two',
      'There is nothing.',
      '[1 request, 0 calls, 14 tokens]',
    ].join('\n'),
  );
  expect(output?.handle).toBe(1);
  expect(completed(eventsOf(place, 1)).map((event) => event.text)).toEqual([expect.stringContaining('hello')]);
  expect(place.model.requests.at(-1)?.text).toContain('It says hello.');
});

test('an explorer gets its own system prompt and only tools that read; the session gets the tool itself', async () => {
  const place = await openPlace({
    'the main question': [explore('look around'), text('Done.')],
    'look around': [text('Nothing.')],
  });
  await send(place);
  const [main, own] = place.model.requests.map(({ body }) => JSON.parse(JSON.stringify(body)));
  const names = (body: { readonly tools: readonly { readonly function: { readonly name: string } }[] }) =>
    body.tools.map((tool) => tool.function.name);
  expect(names(main)).toContain('aish__explore');
  expect(place.model.requests.map(({ text: body }) => body.length < 5000)).toEqual([true, true, true]);
  expect(JSON.stringify([main.messages[0], main.tools]).length).toBeLessThan(3500);
  expect(names(own)).toEqual(['aish__exec', 'aish__output', 'aish__read_file']);
  expect(own.messages[0].content).toStartWith('You are an explorer in aish');
  expect(JSON.stringify(own)).not.toContain('the main question');
});

test('what would need an approval is denied without a question, and a writer does not exist', async () => {
  const place = await openPlace({
    'the main question': [explore('change it'), text('Done.')],
    'change it': [
      calls(
        { name: 'aish__write_file', arguments: { path: 'made', content: 'x' } },
        { name: 'aish__exec', arguments: { command: 'touch made' } },
        { name: 'aish__read_file', arguments: { path: '/etc/hostname' } },
        { name: 'aish__explore', arguments: { questions: ['change it'] } },
      ),
      text('I could not.'),
    ],
  });
  await send(place);
  const texts = completed(eventsOf(place, 1)).map((event) => [event.text, event.isError]);
  const denied =
    '[aish] tool call denied: an explorer may only do what needs no approval, and nobody is there to approve it';
  const unknown = '[aish] not run: there is no tool of this name; call a tool of the `tools` field';
  expect(texts).toEqual([
    [unknown, true],
    [denied, true],
    [denied, true],
    [unknown, true],
  ]);
  expect(existsSync(join(place.home.work, 'made'))).toBe(false);
  expect(place.live.session.recorded.some(({ event }) => event.type === 'approval.requested')).toBe(false);
});

test('rules that approve commands and tools do not apply to an explorer; rules that deny do', async () => {
  const place = await openPlace(
    {
      'the main question': [explore('use rules'), text('Done.')],
      'use rules': [exec('touch made'), read('README'), text('No.')],
    },
    {
      safety: { ...DEFAULT_CONFIG.safety, approve: ['touch'] },
      mcp: { ...DEFAULT_CONFIG.mcp, deny: ['aish.read_file'] },
    },
  );
  await send(place);
  expect(completed(eventsOf(place, 1)).map((event) => event.isError)).toEqual([true, true]);
  expect(existsSync(join(place.home.work, 'made'))).toBe(false);
});

describe.skipIf(!hasProgram('bwrap'))('commands of an explorer', () => {
  test('read-only ones run in the sandbox, and their outputs have handles in the session', async () => {
    const place = await openPlace({
      'the main question': [explore('list it'), text('Done.')],
      'list it': [exec('cat README'), calls({ name: 'aish__output', arguments: { handle: '%1' } }), text('One file.')],
    });
    await send(place);
    const [ran, shown] = completed(eventsOf(place, 1));
    expect(ran?.record).toMatchObject({ line: 'cat README', exit: 0, sandboxed: true, handle: 1 });
    expect(shown?.text).toContain('1: hello');
    expect(place.live.session.state.outputs.map(({ handle }) => handle)).toEqual([1, 2]);
  });
});

test('untrusted content that an explorer reads taints the session before the report comes', async () => {
  const place = await openPlace({
    'the main question': [explore('read the file', 'read nothing'), text('Done.')],
    'read the file': [read('README'), text('It says hello.')],
    'read nothing': [text('Nothing.')],
  });
  const { session } = place.live;
  const path = join(place.home.work, 'README');
  session.record({ type: 'turn.tainted', sources: [], paths: [path] });
  await send(place);
  expect(session.state.taint.sources).toEqual([{ kind: 'file', name: path }]);
  const types = session.recorded.map(({ event }) => event.type);
  expect(types.lastIndexOf('turn.tainted')).toBeLessThan(types.indexOf('tool-call.completed'));
});

test('an explorer begins with the untrusted content of the session, because its question may follow from it', async () => {
  const place = await openPlace({
    'the main question': [explore('read the file'), text('Done.')],
    'read the file': [exec('curl http://127.0.0.1:9/'), text('No.')],
  });
  const source = { kind: 'network', name: 'https://example.com' } as const;
  place.live.session.record({ type: 'turn.tainted', sources: [source] });
  await send(place);
  expect(place.live.session.state.taint.sources).toEqual([source]);
  expect(place.live.session.recorded.filter(({ event }) => event.type === 'turn.tainted').length).toBe(1);
});

test('at its limit of requests an explorer reports what it has found', async () => {
  const place = await openPlace(
    {
      'the main question': [explore('read on'), text('Done.')],
      'read on': [read('README'), read('.'), text('It says hello, so far.')],
    },
    { explore: { offer: 'auto', steps: 2, tokens: 150_000 } },
  );
  await send(place);
  expect(result(place).text).toContain('It says hello, so far.\n[3 requests, 2 calls, ');
  expect(result(place).text).toContain('; stopped at its limit]');
  expect(JSON.stringify(place.model.requests.at(-2)?.body.messages.at(-1))).toContain('report now');
});

test('at its limit of tokens, too', async () => {
  const place = await openPlace(
    {
      'the main question': [explore('read on'), text('Done.')],
      'read on': [read('README'), text('Hello.')],
    },
    { explore: { offer: 'always', steps: 9, tokens: 5 } },
  );
  await send(place);
  expect(result(place).text).toContain('Hello.\n[2 requests, 1 call, ');
});

test('requests of explorers count in the budget and in the costs of their session', async () => {
  const place = await openPlace(
    {
      'the main question': [explore('read on'), text('Done.')],
      'read on': [read('README'), read('.'), text('never')],
    },
    { budget: { steps: 3 } },
  );
  await send(place);
  expect(result(place)).toMatchObject({
    isError: true,
    text: expect.stringContaining('the budget of 3 steps for this turn is used up'),
  });
  const { recorded } = place.live.session;
  expect(stepsOf(recorded, () => null).length).toBe(3);
  expect(recorded.at(-1)?.event).toMatchObject({ type: 'turn.ended', reason: 'budget' });
});

test('an interrupt ends the explorers with the call', async () => {
  const forever = new Promise<void>(() => {});
  const place = await openPlace({
    'the main question': [explore('slow question', 'other question')],
    'slow question': [held(text('late'), forever)],
    'other question': [read('README'), held(text('late'), forever)],
  });
  const { session } = place.live;
  await session.submit({ type: 'send', text: 'the main question' });
  await place.model.requested(4);
  await session.submit({ type: 'interrupt' });
  await session.idle();
  // The request of the session itself and the first one of the other explorer have been answered.
  const answered = (request: SeenRequest): boolean => {
    const { messages } = request.body;
    return (
      request.text.includes('the main question') || (request.text.includes('other question') && messages.length === 2)
    );
  };
  const hanging = place.model.requests.filter((request) => !answered(request));
  expect(hanging.length).toBe(2);
  await Promise.all(hanging.map(({ left }) => left));
  expect(session.recorded.at(-1)?.event).toMatchObject({ type: 'turn.ended', reason: 'interrupted' });
});

test('a session that is killed meanwhile resumes with the call closed as unknown, and nothing runs again', async () => {
  const place = await openPlace({
    'the main question': [explore('slow question', 'other question')],
    'slow question': [read('README'), held(text('late'), new Promise<void>(() => {}))],
    'other question': [held(text('late'), new Promise<void>(() => {}))],
  });
  const { session } = place.live;
  await session.submit({ type: 'send', text: 'the main question' });
  await place.model.requested(4);
  const events = session.recorded.map(({ event }) => event);
  const state = fold([...events, { type: 'session.resumed', settings: session.state.settings }]);
  expect(next(state)).toEqual([]);
  expect(state.entries.at(-2)).toEqual({ type: 'result', callId: 'call00000', text: UNKNOWN_OUTCOME });
  expect(completed(eventsOf(place, 1)).length).toBe(1);
});

test('a call with other questions, or beside another one, is refused', async () => {
  const place = await openPlace({
    'the main question': [
      calls(
        { name: 'aish__explore', arguments: { questions: [] } },
        { name: 'aish__explore', arguments: { questions: ['a', 'b', 'c', 'd', 'e'] } },
        { name: 'aish__explore', arguments: { questions: ['a', ' '] } },
      ),
      text('Done.'),
    ],
  });
  await send(place);
  const { recorded } = place.live.session;
  expect(completed(recorded.map(({ event }) => event)).map((event) => event.text)).toEqual(
    Array.from({ length: 3 }, () => '[aish] not run: `questions` must be a list of 1 to 4 texts'),
  );
});

test('a model that cannot be asked gives no report, and the call has failed', async () => {
  const place = await openPlace({
    'the main question': [explore('unknown'), text('Done.')],
  });
  await send(place);
  expect(result(place)).toMatchObject({ isError: true, text: expect.stringContaining('(no report: ') });
});

test('the tool is offered to models with a large window only, or as configured', async () => {
  const offered = async (context: number | undefined, offer: 'auto' | 'always' | 'never'): Promise<boolean> => {
    const place = await openPlace({ 'the main question': [text('Done.')] });
    const local = { base_url: place.model.url, model: 'scripted', ...(context === undefined ? {} : { context }) };
    const config: Config = { ...DEFAULT_CONFIG, models: { local }, explore: { ...DEFAULT_CONFIG.explore, offer } };
    const { home, model } = place;
    const engine = openEngine({ home, config });
    const live = await engine.open({ cwd: home.work, settings: toSettings(config) });
    await send({ home, model, live });
    return model.requests.at(-1)?.text.includes('aish__explore') === true;
  };
  expect(await offered(100_000, 'auto')).toBe(true);
  expect(await offered(32_000, 'auto')).toBe(false);
  expect(await offered(undefined, 'auto')).toBe(false);
  expect(await offered(undefined, 'always')).toBe(true);
  expect(await offered(100_000, 'never')).toBe(false);
});
