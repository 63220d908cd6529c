import { expect, onTestFinished, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { startPostOnlyMcpServer } from '../../../test/support/mcp-server.ts';
import {
  type Answer,
  calls,
  startModelServer,
  status,
  text,
  textAndCalls,
} from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { logPath, readLog } from '../../adapters/store/event-log.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { Op } from '../../protocol/op.ts';
import type { LiveSession } from '../session/engine.ts';
import { rebuildRequests } from './sent-requests.ts';

const openEngine = useEngines();

const PLAIN = { text: (text: string) => text, known: (text: string) => text };

async function openPlace(script: readonly Answer[], config: Partial<Config> = {}) {
  const home = new Home();
  const model = startModelServer({ script, lenient: true });
  const whole: Config = { ...DEFAULT_CONFIG, models: { local: { base_url: model.url, images: true } }, ...config };
  const engine = openEngine({ home, config: whole, servers: [model] });
  const settings = { ...toSettings(whole), approve: 'all' as const };
  const live = await engine.open({ cwd: home.work, settings });
  return { home, config: whole, model, engine, live, settings };
}

async function done(live: LiveSession, op: Op): Promise<void> {
  await live.session.submit(op);
  await live.session.idle();
}

/** The requests that the server got, and those rebuilt from the log on the disk. */
async function both(home: Home, id: string, seen: readonly { readonly text: string }[], turns: number) {
  const recorded = readLog(logPath(toPaths(home.env).state, id));
  const again = (
    await Promise.all(
      Array.from({ length: turns }, (_, at) => Array.fromAsync(rebuildRequests(recorded, at + 1, PLAIN))),
    )
  ).flat();
  return {
    sent: seen.map(({ text }) => text),
    again: again.map(({ body }) => body),
    exact: again.map((one) => one.isExact),
  };
}

test('each request of a session is made again from its log byte for byte, tools included', async () => {
  const { home, model, live } = await openPlace([
    textAndCalls('Let me see.', { name: 'aish__read_file', arguments: { path: 'README' } }),
    calls({ name: 'aish__write_file', arguments: { path: 'ü.txt', content: 'naïve \u2028 "quotes"\n' } }),
    text('Done.\n\nCMD: echo hi', { reasoning: 'hm' }),
    text('Second.'),
  ]);
  await done(live, { type: 'run', line: 'printf "a\\nb\\n"; false' });
  const image = { type: 'image', path: 'p.png', about: '1 × 1', mediaType: 'image/png', data: 'AAAA' } as const;
  await done(live, { type: 'send', text: 'look', attachment: 'piped \ud800 half', files: [image] });
  await done(live, { type: 'send', text: 'and now?' });
  await live.session.close();
  const { sent, again, exact } = await both(home, live.session.sessionId, model.requests, 2);
  expect(again).toEqual(sent);
  expect(exact).toEqual([true, true, true, true]);
});

test('a template that refuses tool turns, an answer that is cut and a turn that is stopped leave exact requests', async () => {
  const refused = status(400, { error: { message: 'Only user and assistant roles are supported!' } });
  const { home, model, live } = await openPlace([
    calls({ name: 'aish__read_file', arguments: { path: 'README' } }),
    refused,
    text('As text.'),
    status(400, { error: { message: 'no' } }),
    text('Again.'),
  ]);
  await done(live, { type: 'send', text: 'one' });
  await done(live, { type: 'send', text: 'two' });
  await done(live, { type: 'send', text: 'three' });
  await live.session.close();
  const { sent, again, exact } = await both(home, live.session.sessionId, model.requests, 3);
  expect(again).toEqual(sent);
  expect(exact.every((one) => one)).toBe(true);
});

test('what shapes requests is written once, and again only where it changed', async () => {
  const server = await startPostOnlyMcpServer({ token: 'let-me-in' });
  const { home, model, live, engine } = await openPlace([text('One.'), text('Two.'), text('Three.')]);
  onTestFinished(() => server.close());
  await done(live, { type: 'send', text: 'one' });
  await done(live, { type: 'send', text: 'two' });
  await engine.connectServer('more', {
    url: server.url,
    enabled: true,
    timeout_ms: 5000,
    auth_token: 'let-me-in',
  });
  await done(live, { type: 'send', text: 'three' });
  await live.session.close();
  const recorded = readLog(logPath(toPaths(home.env).state, live.session.sessionId));
  const frames = recorded.filter(({ event }) => event.type === 'request.prefixed').length;
  const { sent, again } = await both(home, live.session.sessionId, model.requests, 3);
  expect([frames, again]).toEqual([2, sent]);
});

test('a session that goes on in another process goes on exact, with the frame it had', async () => {
  const { home, config, model, live, settings } = await openPlace([text('One.'), text('Two.')]);
  await done(live, { type: 'send', text: 'one' });
  await live.session.close();
  const engine = openEngine({ home, config });
  const resumed = await engine.open({ cwd: home.work, settings, resume: live.session.sessionId });
  await done(resumed, { type: 'send', text: 'two' });
  await resumed.session.close();
  const recorded = readLog(logPath(toPaths(home.env).state, live.session.sessionId));
  expect(recorded.filter(({ event }) => event.type === 'request.prefixed')).toHaveLength(1);
  const { sent, again } = await both(home, live.session.sessionId, model.requests, 2);
  expect(again).toEqual(sent);
});

test('requests after the conversation was compacted are exact too, and the one for the summary is none of a turn', async () => {
  const long = 'word '.repeat(3000);
  const { home, model, live } = await openPlace([text(long), text(long), text('GOAL: a summary'), text('On.')]);
  await done(live, { type: 'send', text: `one ${long}` });
  await done(live, { type: 'send', text: 'two' });
  await done(live, { type: 'compact' });
  await done(live, { type: 'send', text: 'three' });
  await live.session.close();
  const recorded = readLog(logPath(toPaths(home.env).state, live.session.sessionId));
  expect(recorded.some(({ event }) => event.type === 'context.compacted')).toBe(true);
  const turns = model.requests.filter(({ body }) => body.tools !== undefined);
  const { sent, again } = await both(home, live.session.sessionId, turns, 3);
  expect([again.length, again]).toEqual([3, sent]);
});

test('a turn that is called off as it begins takes nothing from the ones after it', async () => {
  const { home, live } = await openPlace([text('One.'), text('Two.'), text('Three.')]);
  for (const words of ['one', 'two']) {
    await live.session.submit({ type: 'send', text: words });
    for (let turns = 0; turns < (words === 'one' ? 0 : 6); turns += 1) await Promise.resolve();
    await live.session.submit({ type: 'interrupt' });
    await live.session.idle();
  }
  await done(live, { type: 'send', text: 'three' });
  await live.session.close();
  const { again, exact } = await both(home, live.session.sessionId, [], 3);
  expect([again.length > 0, exact.every((one) => one)]).toEqual([true, true]);
});

test('what became known as a secret since is covered, and the request is told to be another one', async () => {
  const { home, live } = await openPlace([text('One.')]);
  writeFileSync(join(home.work, 'x'), '');
  await done(live, { type: 'send', text: 'the word is xyzzy-plugh' });
  await live.session.close();
  const recorded = readLog(logPath(toPaths(home.env).state, live.session.sessionId));
  const hide = (text: string): string => text.replaceAll('xyzzy-plugh', '⟨secret:WORD⟩');
  const [request] = await Array.fromAsync(rebuildRequests(recorded, 1, { text: hide, known: hide }));
  expect([request?.isExact, request?.body.includes('xyzzy'), request?.body.includes('⟨secret:WORD⟩')]).toEqual([
    false,
    false,
    true,
  ]);
});
