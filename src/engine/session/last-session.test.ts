import { expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { Home } from '../../../test/support/aish.ts';
import { type Answer, type ModelServer, startModelServer, text } from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { until } from '../../../test/support/until.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { logPath, readLog } from '../../adapters/store/event-log.ts';
import { MemoryStore } from '../../adapters/store/memory-store.ts';
import { isOpenSomewhere } from '../../adapters/store/sessions.ts';
import { priceOf, stepsOf } from '../../core/accounting/spending.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import { proposeFromLastSession } from './last-session.ts';

const TOKEN = 'ghp_zY8xW6vU4tS2zY8xW6vU4tS2zY8xW6vU4tS2';

const openEngine = useEngines();

interface PlaceOptions {
  readonly turns?: number;
  readonly budget?: Config['budget'];
  readonly cloud?: boolean;
  /** The address of the fast model, as the rules for clouds see it. */
  readonly address?: string;
}

/** A session that ended after some turns, and a model that is asked about it. */
async function openPlace(
  script: readonly Answer[],
  { turns = 3, budget = {}, cloud = false, address }: PlaceOptions = {},
) {
  const home = new Home();
  const main = startModelServer({ script: Array.from({ length: turns }, (_, at) => text(`Answer ${at}.`)) });
  const fast: ModelServer = startModelServer({ script });
  const models = { local: { base_url: main.url }, small: { base_url: fast.url, role: 'fast' as const } };
  const config: Config = { ...DEFAULT_CONFIG, models, budget };
  const paths = toPaths(home.env);
  const engine = openEngine({ home, config, servers: [main, fast] });
  const settings = { ...toSettings(config), cloud };
  const ended = await engine.open({ cwd: home.work, settings });
  for (let turn = 1; turn <= turns; turn += 1) {
    await ended.session.submit({ type: 'send', text: `message ${turn} with ${TOKEN}`, attachment: 'a page' });
    await ended.session.idle();
  }
  const { sessionId: id } = ended.session;
  await ended.session.close();
  // A process that was just being started may have the log open until it runs.
  await until({ what: 'the end of the session' }, () => !isOpenSomewhere(paths.state, id));
  const present = await engine.open({ cwd: home.work, settings });
  const { endpoints } = engine;
  const find = async (name: string | null): Promise<ModelEndpoint> => {
    const found = await endpoints.find(name);
    return address === undefined ? found : { ...found, baseUrl: address };
  };
  const complete: typeof endpoints.complete = (endpoint, ...rest) =>
    endpoints.complete({ ...endpoint, baseUrl: fast.url }, ...rest);
  const look = (cwd = home.work): Promise<string | null> =>
    proposeFromLastSession(
      {
        ...{ config, state: paths.state, home: home.home, cwd, sessionId: present.session.sessionId, now: Date.now() },
        ...{ fastModel: 'small', endpoints: { find, complete }, secrets: present.secrets },
      },
      new AbortController().signal,
    );
  const store = new MemoryStore({ state: paths.state, cwd: home.work, home: home.home });
  return { home, fast, id, look, store, present, log: logPath(paths.state, id) };
}

test('the fast model proposes facts of the last session for the inbox: once, counted, with their taint and without secrets', async () => {
  const answer = `REMEMBER: The tests need Docker.\nREMEMBER: The token is ${TOKEN}.`;
  const { home, fast, id, look, store, log, present } = await openPlace([text(answer)]);
  const before = statSync(log).mtimeMs;
  // Another project may have another model.
  expect(await look(home.home)).toBe(null);
  expect(await look()).toContain('The tests need Docker.');
  expect(await look()).toBe(null);
  expect(store.read().facts).toMatchObject([
    { text: 'The tests need Docker.', by: 'model', session: id, turn: 3, untrusted: ['piped text'] },
    { text: 'The token is ⟨secret:github-token⟩.', confirmed: undefined },
  ]);
  const [request] = fast.requests;
  expect([fast.requests.length, request?.text.includes('message 3'), request?.text.includes(TOKEN)]).toEqual([
    1,
    true,
    false,
  ]);
  const steps = stepsOf(readLog(log), priceOf({}));
  expect([steps.length, steps.at(-1)?.model, Math.trunc(statSync(log).mtimeMs)]).toEqual([
    4,
    'small',
    Math.trunc(before),
  ]);
  // A session that nothing happened in does not begin for it.
  expect([existsSync(logPath(home.state, present.session.sessionId)), present.session.recorded.length]).toEqual([
    false,
    0,
  ]);
});

test.each<readonly [string, PlaceOptions, number]>([
  ['a session of two turns holds hardly anything', { turns: 2 }, 0],
  ['a conversation with a local model does not go to a cloud', { address: 'https://api.example.com/v1' }, 0],
  ['unless the user allowed it', { address: 'https://api.example.com/v1', cloud: true }, 1],
  ['nothing is sent at a limit of the budget', { budget: { tokens: 1 } }, 0],
  ['the minutes of a turn that ended long ago are no limit', { budget: { minutes: 0.000001 } }, 1],
])('%s', async (_, options, requests) => {
  const { fast, look } = await openPlace([text('NONE')], options);
  expect([await look(), fast.requests.length]).toEqual([null, requests]);
});
