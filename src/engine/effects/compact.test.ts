import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import {
  type Answer,
  calls,
  countTokens,
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
  status,
  text,
} from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { LiveSession } from '../session/engine.ts';
import { COMPACTION_PAUSED } from './messages.ts';

const openEngine = useEngines();

interface Place {
  readonly home: Home;
  readonly model: ModelServer;
  readonly live: LiveSession;
  readonly seen: SessionEvent[];
  /** Submits an op and settles when all it began has ended. */
  readonly run: (op: Op) => Promise<void>;
}

async function openPlace(
  script: readonly Answer[],
  options: ModelServerOptions = {},
  more: Partial<Config['models'][string]> = {},
  models: Config['models'] = {},
): Promise<Place> {
  const home = new Home();
  const model = startModelServer({ script, ...options });
  const config: Config = {
    ...DEFAULT_CONFIG,
    models: { local: { base_url: model.url, model: 'scripted', ...more }, ...models },
  };
  const engine = openEngine({ home, config, servers: [model] });
  const live = await engine.open({ cwd: home.work, settings: { ...toSettings(config), approve: 'all' } });
  const seen: SessionEvent[] = [];
  void (async () => {
    for await (const { event } of live.session.events(0)) seen.push(event);
  })();
  const run = async (op: Op): Promise<void> => {
    await live.session.submit(op);
    await live.session.idle();
  };
  return { home, model, live, seen, run };
}

const read = (path: string): Answer => calls({ name: 'aish__read_file', arguments: { path } });
const send = (words: string): Op => ({ type: 'send', text: words });
const of = <T extends SessionEvent['type']>(events: readonly SessionEvent[], type: T) =>
  events.filter((event): event is EventOf<T> => event.type === type);

function contentsOf(model: ModelServer, at: number): string {
  return JSON.stringify(model.requests.at(at)?.body.messages);
}

describe('a conversation that fills the window', () => {
  test('is summarised by the model and goes on, the newest turn whole', async () => {
    const long = 'x'.repeat(3000);
    const { model, run, seen } = await openPlace(
      [text('first'), text('second'), text('## Goal\nSHORT NOTES'), text('third')],
      { window: { tokens: 3000 } },
      { context: 3000 },
    );
    await run(send(`one ${long}`));
    await run(send('two'));
    await run(send(`and now? ${long}`));
    const [compacted] = of(seen, 'context.compacted');
    expect(model.failures).toEqual([]);
    expect(compacted).toMatchObject({ model: 'local', compaction: { summary: '## Goal\nSHORT NOTES' } });
    expect(compacted?.tokensAfter).toBeLessThan(compacted?.tokensBefore ?? 0);
    expect(contentsOf(model, -1)).toContain('SHORT NOTES');
    expect(contentsOf(model, -1)).toContain('and now?');
    expect(of(seen, 'turn.ended').map(({ reason }) => reason)).toEqual(['completed', 'completed', 'completed']);
  });

  test('is summarised by the model for small work where there is one', async () => {
    await using fast = startModelServer({ script: [text('FAST NOTES')] });
    const { run, seen } = await openPlace(
      [text('first'), text('second')],
      {},
      { context: 3000 },
      { quick: { base_url: fast.url, model: 'scripted', role: 'fast' } },
    );
    await run(send('x'.repeat(3000)));
    await run(send('y'.repeat(3000)));
    expect(of(seen, 'context.compacted')).toMatchObject([{ model: 'quick', compaction: { summary: 'FAST NOTES' } }]);
    expect(of(seen, 'request.counted')).toMatchObject([{ model: 'quick', served: 'scripted', host: '127.0.0.1' }]);
  });

  test('goes on without a summary where no model can write one', async () => {
    const broken = status(401, { error: { message: 'broken' } });
    const { model, run, seen } = await openPlace(
      [text('first'), broken, broken, text('second')],
      {},
      { context: 3000 },
    );
    await run(send(`keep tabs ${'x'.repeat(3000)}`));
    await run(send('y'.repeat(3000)));
    const [compacted] = of(seen, 'context.compacted');
    expect([compacted?.model, compacted?.compaction.summary]).toEqual([undefined, '']);
    expect(contentsOf(model, -1)).toContain('keep tabs');
    expect(of(seen, 'turn.ended').at(-1)?.reason).toBe('completed');
  });
});

describe('a request that the server refuses as too long', () => {
  test('teaches how much fits, and is made again from a shorter conversation', async () => {
    const { home, model, run, seen } = await openPlace([read('big'), text('NOTES'), text('done')], {
      window: { tokens: 2600, silent: true },
    });
    writeFileSync(join(home.work, 'big'), 'line of a log\n'.repeat(1000));
    await run(send('look at it'));
    expect(of(seen, 'context.window').at(-1)?.window).toEqual({ model: 'local', tokens: 2600, origin: 'refusal' });
    expect(of(seen, 'turn.ended').map(({ reason }) => reason)).toEqual(['completed']);
    expect(countTokens(model.requests.at(-1)?.body ?? { messages: [] })).toBeLessThan(2600);
    expect(model.failures).toEqual([]);
  });

  test('ends the turn where nothing makes it fit, and the next one can be tried', async () => {
    const { run, seen, live } = await openPlace([text('never')], { window: { tokens: 200, silent: true } });
    await run(send('hello'));
    const ended = of(seen, 'turn.ended').at(-1);
    expect([ended?.reason, ended?.error?.code, live.session.ended]).toEqual(['failed', 'model.context-too-long', null]);
    // The fixed part alone does not fit, so nothing is compacted.
    expect(ended?.error?.hint).toMatch(/^the system prompt and the tools alone need about \d+ of 200 tokens; .*-c/);
    expect(of(seen, 'compaction.started')).toEqual([]);
  });
});

test('a window that the server tells of is asked for behind the first call, and a result is cut by it', async () => {
  const { home, run, seen, live } = await openPlace([read('big'), read('big'), text('done')], {
    window: { tokens: 4096, silent: false },
  });
  writeFileSync(join(home.work, 'big'), 'line of a log\n'.repeat(2000));
  const told = (async () => {
    for await (const { event } of live.session.events(0)) if (event.type === 'context.window') return event.window;
    return null;
  })();
  await run(send('look'));
  expect(await told).toEqual({ model: 'local', tokens: 4096, origin: 'server' });
  expect(of(seen, 'turn.ended').at(-1)?.reason).toBe('completed');
});

test('a fixed part that fills the window is reported once with its size and the setting, and nothing is compacted', async () => {
  const { run, seen, model } = await openPlace(
    Array.from({ length: 12 }, (_, at) => text(`answer ${at}`)),
    {},
    { context: 900 },
  );
  for (let at = 0; at < 6; at += 1) await run(send(`question ${at}`));
  const notices = of(seen, 'notice').filter(({ text: told }) => told.includes('alone need about'));
  expect(notices.map(({ text: told }) => /of 900 tokens; .*-c, .*num_ctx/.test(told))).toEqual([true]);
  expect(of(seen, 'compaction.started')).toEqual([]);
  expect(of(seen, 'turn.ended').every(({ reason }) => reason === 'completed')).toBe(true);
  expect(model.failures).toEqual([]);
});

test('a compaction that each next turn brings again stops after two, and says so once', async () => {
  const talk: Answer = ({ body }) =>
    String(body.messages[0]?.content).includes('Write the notes')
      ? text(`## Goal\n${'a note on this '.repeat(150)}`)
      : text('so it is '.repeat(20));
  const { run, seen, model } = await openPlace(
    Array.from({ length: 60 }, () => talk),
    {},
    { context: 1500 },
  );
  for (let at = 0; at < 14; at += 1) await run(send(`question ${at}: ${'tell me more '.repeat(20)}`));
  const notices = of(seen, 'notice').filter(({ text: told }) => told === COMPACTION_PAUSED);
  const tried = of(seen, 'compaction.started').length;
  expect([notices.length, tried <= 5, model.failures]).toEqual([1, true, []]);
});

test('a user has it made shorter, with what they want kept told to the model', async () => {
  const { run, seen, model } = await openPlace([text('one '.repeat(900)), text('two'), text('NOTES'), text('three')]);
  await run(send('first question'));
  await run(send('second question'));
  await run({ type: 'compact', focus: 'the tests' });
  await run(send('third question'));
  expect(contentsOf(model, 2)).toContain('Above all, keep what the user asked for: the tests');
  const last = contentsOf(model, 3);
  expect([last.includes('NOTES'), last.includes('- first question'), last.includes('second question')]).toEqual([
    true,
    true,
    true,
  ]);
  expect(of(seen, 'context.compacted')).toHaveLength(1);
});

test('secrets in a summary are covered as everywhere', async () => {
  const { run, seen, model } = await openPlace([
    text('one '.repeat(900)),
    text('the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD'),
    text('two'),
  ]);
  await run(send('first question'));
  await run({ type: 'compact' });
  expect(of(seen, 'context.compacted')).toHaveLength(1);
  await run(send('second question'));
  expect(JSON.stringify(seen)).not.toContain('sk-proj-abcdefghijklmnopqrstuvwxyz');
  expect(contentsOf(model, -1)).not.toContain('sk-proj-abcdefghijklmnopqrstuvwxyz');
});

test('notes of a project go with each request only once their exact content is trusted; the own ones always do', async () => {
  const { home, model, run, live } = await openPlace([text('one'), text('two')]);
  writeFileSync(join(home.work, 'AGENTS.md'), 'use tabs\n');
  mkdirSync(join(home.root, 'config', 'aish'), { recursive: true });
  writeFileSync(join(home.root, 'config', 'aish', 'AGENTS.md'), 'answer in verse\n');
  await run(send('hello'));
  const { TrustStore } = await import('../../adapters/config/trust.ts');
  new TrustStore(toPaths(home.env).state).trust(join(home.work, 'AGENTS.md'), 'use tabs\n');
  await run(send('again'));
  const held = [0, 1].map((at) => ['answer in verse', 'use tabs'].map((note) => contentsOf(model, at).includes(note)));
  expect([held, live.notes.shares.map(({ share }) => share)]).toEqual([
    [
      [true, false],
      [true, true],
    ],
    ['16 B', '9 B'],
  ]);
});
