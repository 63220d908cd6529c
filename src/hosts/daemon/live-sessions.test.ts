import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TestHome } from '../../../test/support/daemon.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { toSettings } from '../../core/session/settings.ts';
import { Engine } from '../../engine/session/engine.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import { LiveSessions } from './live-sessions.ts';

/** Sessions of a daemon in a home of its own. */
function open(most = 10) {
  const home = new TestHome();
  const paths = toPaths(home.env);
  const parts = { config: DEFAULT_CONFIG, paths, env: home.env, cwd: home.work, runtimeFolder: () => home.run };
  const engine = new Engine(parts);
  const settings = toSettings(DEFAULT_CONFIG);
  const sessions = new LiveSessions({ engine, settings, models: [], stateDir: paths.state, cwd: home.work, most });
  const close = async (): Promise<void> => {
    await engine.close();
    home[Symbol.dispose]();
  };
  return { home, sessions, [Symbol.asyncDispose]: close };
}

test('more sessions than the daemon holds are refused until one is closed', async () => {
  await using place = open(1);
  const { live } = await place.sessions.open({});
  await expect(place.sessions.open({})).rejects.toMatchObject({ status: 429, code: 'session.too-many' });
  await place.sessions.close(live.session.sessionId);
  expect((await place.sessions.open({})).fresh).toBe(true);
});

test('a stored session is opened once however many ask for it, and where it was begun', async () => {
  await using place = open();
  const cwd = join(place.home.work, 'inner');
  mkdirSync(cwd);
  const { live } = await place.sessions.open({ cwd });
  const id = live.session.sessionId;
  live.session.take({ type: 'configure', settings: { maxSteps: 3 } });
  await place.sessions.close(id);
  const both = await Promise.all([place.sessions.open({ resume: id }), place.sessions.open({ resume: id })]);
  expect(both.map(({ live: found }) => found.session)).toEqual([both[0].live.session, both[0].live.session]);
  expect(both[0].live.sharedShell.cwd).toBe(cwd);
});

test('a session nobody used yet is listed, and so is one that is closed', async () => {
  await using place = open();
  const { live } = await place.sessions.open({});
  const id = live.session.sessionId;
  const unused = {
    name: null,
    firstText: null,
    firstCommand: null,
    turns: 0,
    openedAt: expect.any(Number),
    pid: process.pid,
  };
  expect(await place.sessions.list()).toEqual([{ id, cwd: place.home.work, ...unused, live: true }]);
  live.session.take({ type: 'configure', settings: { maxSteps: 3 } });
  await place.sessions.close(id);
  expect(await place.sessions.list()).toMatchObject([{ id, cwd: place.home.work, live: false }]);
});
