import { expect, test } from 'bun:test';
import { Home } from '../../../../test/support/aish.ts';
import { type Answer, startModelServer, status, text } from '../../../../test/support/model-server.ts';
import { useEngines } from '../../../../test/support/test-engine.ts';
import { toPaths } from '../../../adapters/config/paths.ts';
import { toSettings } from '../../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../../protocol/config.ts';
import { SessionNamer } from './session-namer.ts';

const openEngine = useEngines();

async function openPlace(script: readonly Answer[], quietMs: number, beginsAt = '') {
  const home = new Home();
  const model = startModelServer({ script: [text('One.'), text('Two.')] });
  const fast = startModelServer({ script });
  const models = { local: { base_url: model.url }, small: { base_url: fast.url, role: 'fast' as const } };
  const config: Config = { ...DEFAULT_CONFIG, models };
  const engine = openEngine({ home, config, servers: [model, fast] });
  const live = await engine.open({ cwd: home.work, settings: toSettings(config) });
  const ending = new AbortController();
  const namer = new SessionNamer({
    fastModel: 'small',
    engine: async () => engine,
    ending: ending.signal,
    setup: {
      loaded: { config, file: null, warnings: [], origins: new Map() },
      paths: toPaths(home.env),
      env: home.env,
    },
    quietMs,
  });
  const follow = async (): Promise<void> => {
    for await (const recorded of live.session.events(0)) {
      namer.take(recorded, live);
      if (recorded.event.type === beginsAt) namer.begin(live);
    }
  };
  void follow();
  const say = async (words: string): Promise<void> => {
    await live.session.submit({ type: 'send', text: words });
    await live.session.idle();
  };
  const named = async (): Promise<string> => {
    for await (const { event } of live.session.events(0)) if (event.type === 'session.named') return event.name;
    throw new Error('the session ended without a name');
  };
  return { live, fast, say, named };
}

test('a title is one line without quotes and a full stop', async () => {
  const { live, say, named } = await openPlace([text('**"Colours of the sky."**\nI hope that helps')], 1);
  await say('why is the sky blue?');
  expect(await named()).toBe('Colours of the sky');
  const counted = live.session.recorded.filter(({ event }) => event.type === 'request.counted');
  expect(counted).toMatchObject([{ event: { model: 'small', usage: {} } }]);
});

test.each(['turn.started', 'turn.ended'])(
  'the name comes also if the session is said to begin at %s',
  async (beginsAt) => {
    const { say, named, fast } = await openPlace([text('Colours')], 1, beginsAt);
    await say('why is the sky blue?');
    expect([await named(), fast.requests.length]).toEqual(['Colours', 1]);
  },
);

test('a message that comes first calls it off for good', async () => {
  const { live, fast, say } = await openPlace([text('Too late')], 60_000);
  await say('one');
  await say('two');
  expect([fast.requests.length, live.session.state.named]).toEqual([0, undefined]);
});

test('the name that a user gave meanwhile stays', async () => {
  const gate = Promise.withResolvers<void>();
  const { live, fast, say } = await openPlace([{ ...text('Of the model'), after: gate.promise }], 1);
  await say('one');
  await fast.requested(1);
  await live.session.submit({ type: 'rename', name: 'mine' });
  gate.resolve();
  await live.session.idle();
  expect(live.session.state.named).toEqual({ name: 'mine', by: 'user' });
});

test('a model that fails names nothing, and nobody is told', async () => {
  const { live, fast, say } = await openPlace([status(400, { error: { message: 'no' } })], 1);
  await say('one');
  await fast.requested(1);
  await say('two');
  const told = live.session.recorded.map(({ event }) => event.type);
  expect([told.includes('session.named'), fast.requests.length]).toEqual([false, 1]);
});
