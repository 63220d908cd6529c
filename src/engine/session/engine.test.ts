import { expect, onTestFinished, test } from 'bun:test';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { startPostOnlyMcpServer } from '../../../test/support/mcp-server.ts';
import {
  type Answer,
  calls,
  type ModelServer,
  startModelServer,
  status,
  text,
} from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { timeline } from '../../adapters/git/snapshot/timeline.ts';
import { logPath } from '../../adapters/store/event-log.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { DurableEvent, EventOf, SessionEvent } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { Engine, LiveSession } from './engine.ts';

const openEngine = useEngines();

interface Place {
  readonly engine: Engine;
  readonly home: Home;
  readonly model: ModelServer;
  readonly live: LiveSession;
  /** Submits an op and gives what happened up to the first event of a type. */
  until<T extends SessionEvent['type']>(op: Op, type: T): Promise<EventOf<T>>;
}

/** A session whose model has no configured name. */
async function openPlace(
  script: readonly Answer[],
  { key, ...config }: Partial<Config> & { readonly key?: string } = {},
): Promise<Place> {
  const home = new Home();
  const model = startModelServer({ script });
  const local = { base_url: model.url, ...(key === undefined ? {} : { key_env: 'MODEL_KEY' }) };
  const whole: Config = { ...DEFAULT_CONFIG, models: { local }, ...config };
  const engine = openEngine({
    home,
    config: whole,
    env: { ...home.env, ...(key === undefined ? {} : { MODEL_KEY: key }) },
    servers: [model],
  });
  const live = await engine.open({ cwd: home.work, settings: { ...toSettings(whole), approve: 'all' } });
  const until: Place['until'] = async (op, type) => {
    const { session } = live;
    const events = session.events(session.seq);
    await session.submit(op);
    for await (const { event } of events) if (isOf(event, type)) return event;
    throw new Error(`no ${type} came`);
  };
  return { engine, home, model, live, until };
}

function isOf<T extends SessionEvent['type']>(event: SessionEvent, type: T): event is EventOf<T> {
  return event.type === type;
}

const send: Op = { type: 'send', text: 'go' };
const write = (path: string, content = 'new'): Answer =>
  calls({ name: 'aish__write_file', arguments: { path, content } });

test('a model without a configured name is named once', async () => {
  const { model, until } = await openPlace([write('a.txt'), text('Done.'), text('Again.')]);
  await until(send, 'turn.ended');
  await until(send, 'turn.ended');
  expect([model.requests.map(({ body }) => JSON.parse(JSON.stringify(body)).model), model.listings]).toEqual([
    ['scripted', 'scripted', 'scripted'],
    1,
  ]);
});

test('a name the server no longer knows is asked for anew the next time', async () => {
  const gone = status(404, { error: { message: 'model not found' } });
  const { model, until } = await openPlace([text('One.'), gone, text('Two.')]);
  await until(send, 'turn.ended');
  const failed = await until(send, 'turn.ended');
  expect(failed.error?.code).toBe('model.not-found');
  const before = model.listings;
  await until(send, 'turn.ended');
  expect(model.listings).toBe(before + 1);
});

test('a call that a rule allows records what it would do', async () => {
  const { home, until } = await openPlace([write('a.txt'), text('Done.')]);
  const decided = await until(send, 'approval.decided');
  expect(decided.preview).toMatchObject({ path: join(home.work, 'a.txt'), undoable: true });
});

test('a write whose directory becomes a link between the decision and the deed is asked once more', async () => {
  const { home, live, until } = await openPlace([write('made/a.txt'), text('I see.')]);
  const outside = join(home.root, 'outside');
  mkdirSync(outside);
  mkdirSync(join(home.work, 'made'));
  await live.session.submit({ type: 'configure', settings: { approve: 'ask' } });
  const asked = await until(send, 'approval.requested');
  renameSync(join(home.work, 'made'), join(home.work, 'moved'));
  symlinkSync(outside, join(home.work, 'made'));
  const decision: Op = { type: 'decide', callId: asked.callId, decision: { type: 'allow' }, by: 'user' };
  const again = await until(decision, 'approval.requested');
  expect([again.preview.path, again.preview.again, readdirSync(outside)]).toEqual([
    join(outside, 'a.txt'),
    `the path now leads to ${join(outside, 'a.txt')}; it led to ${join(home.work, 'made/a.txt')}`,
    [],
  ]);
});

const diffOf = (before: string, after: string): string => `@@ -1 +1 @@\n-${before}\n+${after}\n`;

for (const [name, call] of [
  ['write_file', { path: 'a.txt', content: 'model\n' }],
  ['edit_file', { path: 'a.txt', old: 'old', new: 'model', all: true }],
] as const) {
  test(`a yes to ${name} is for the file as it was shown: what was saved meanwhile is asked about with its own diff`, async () => {
    const { home, live, until } = await openPlace([calls({ name: `aish__${name}`, arguments: call }), text('I see.')]);
    const path = join(home.work, 'a.txt');
    writeFileSync(path, 'old\n');
    await live.session.submit({ type: 'configure', settings: { approve: 'ask' } });
    const asked = await until(send, 'approval.requested');
    writeFileSync(path, 'old and precious\n');
    const yes: Op = { type: 'decide', callId: asked.callId, decision: { type: 'allow' }, by: 'user' };
    const again = await until(yes, 'approval.requested');
    expect([asked.preview.diff, again.preview.diff, again.preview.again, readFileSync(path, 'utf8')]).toEqual([
      expect.stringContaining(diffOf('old', 'model')),
      expect.stringContaining(diffOf('old and precious', name === 'edit_file' ? 'model and precious' : 'model')),
      `${path} changed after aish showed the diff`,
      'old and precious\n',
    ]);
    await until({ ...yes, callId: again.callId }, 'turn.ended');
    expect(readFileSync(path, 'utf8')).toBe(name === 'edit_file' ? 'model and precious\n' : 'model\n');
    await until({ type: 'restore', checkpoint: null }, 'restore.completed');
    expect(readFileSync(path, 'utf8')).toBe('old and precious\n');
  });
}

test('a yes to a new file is not for one that is there by then, and one for a change not for a file that is gone', async () => {
  const { home, live, until } = await openPlace([write('a.txt'), text('I see.'), write('README'), text('I see.')]);
  await live.session.submit({ type: 'configure', settings: { approve: 'ask' } });
  const asked = await until(send, 'approval.requested');
  const path = join(home.work, 'a.txt');
  writeFileSync(path, 'precious\n');
  const yes: Op = { type: 'decide', callId: asked.callId, decision: { type: 'allow' }, by: 'user' };
  const again = await until(yes, 'approval.requested');
  const late = await until({ ...yes, callId: again.callId, prompt: 1 }, 'op.rejected');
  expect(late.error.code).toBe('call.asked-again');
  expect([again.preview.again, readFileSync(path, 'utf8')]).toEqual([
    `${path} was created after aish showed the diff`,
    'precious\n',
  ]);
  await until({ ...yes, callId: again.callId, decision: { type: 'deny' } }, 'turn.ended');
  const other = await until(send, 'approval.requested');
  rmSync(join(home.work, 'README'));
  const gone = await until({ ...yes, callId: other.callId }, 'approval.requested');
  expect(gone.preview.again).toBe(`${join(home.work, 'README')} was removed after aish showed the diff`);
});

test('a step that changes nothing leaves no checkpoint, and its event says so', async () => {
  const { until } = await openPlace([write('README', 'hello\n'), text('Done.')]);
  expect(await until(send, 'checkpoint.finalized')).toEqual({
    type: 'checkpoint.finalized',
    id: 'c1',
    discarded: true,
  });
});

test('an undo names the checkpoint that brings back what it took away', async () => {
  const { home, live, until } = await openPlace([write('README'), text('Done.')]);
  const read = (): string => readFileSync(join(home.work, 'README'), 'utf8');
  await until(send, 'checkpoint.finalized');
  // The turn may still run.
  await live.session.idle();
  const done = await until({ type: 'restore', checkpoint: null }, 'restore.completed');
  expect([read(), done.report?.restored, done.undo]).toEqual(['hello\n', ['README'], 'c2']);
  await until({ type: 'restore', checkpoint: done.undo ?? '' }, 'restore.completed');
  expect(read()).toBe('new');
});

test('an undo of what changed since asks, and left open it names no checkpoint', async () => {
  const { home, live, until } = await openPlace([write('README'), text('Done.')]);
  await until(send, 'checkpoint.finalized');
  // The turn may still run.
  await live.session.idle();
  writeFileSync(join(home.work, 'README'), 'by hand');
  const { prompt: question } = await until({ type: 'restore', checkpoint: 'c1' }, 'restore.conflicted');
  expect(question).toMatchObject({
    checkpoint: 'c1',
    direction: 'undo',
    free: 0,
    refused: [],
    conflicts: [
      {
        key: 'README',
        path: 'README',
        code: 'changed',
        why: 'it changed since',
        choices: ['mine', 'theirs'],
        mine: '1 line, 7 B',
        theirs: '1 line, 6 B',
        diff: '--- a/README\n+++ b/README\n@@ -1 +1 @@\n-by hand\n\\ No newline at end of file\n+hello\n',
      },
    ],
  });
  const done = await until({ type: 'resolve', choices: {} }, 'restore.completed');
  const expected: DurableEvent = {
    type: 'restore.completed',
    checkpoint: 'c1',
    label: 'before aish.write_file',
    report: { restored: [], refused: [{ path: 'README', why: 'it changed since' }] },
  };
  expect(done).toEqual({ ...expected, stepAt: expect.any(Number) });
});

/** Closes the session and opens it again. */
async function reopen({ engine, home, live }: Place): Promise<LiveSession> {
  const resume = live.session.sessionId;
  await live.session.close();
  return engine.open({ cwd: home.work, settings: toSettings(DEFAULT_CONFIG), resume });
}

test('a session goes on in the directory a command of the model left it in', async () => {
  const enter = calls({ name: 'aish__exec', arguments: { command: 'mkdir deep && cd deep' } });
  const place = await openPlace([enter, text('Done.')]);
  const asked = await place.until(send, 'approval.requested');
  await place.until({ type: 'decide', callId: asked.callId, decision: { type: 'allow' }, by: 'user' }, 'turn.ended');
  expect((await reopen(place)).sharedShell.cwd).toBe(join(place.home.work, 'deep'));
});

test('a session whose last directory is gone opens where it is asked for, and says so', async () => {
  const place = await openPlace([]);
  const gone = join(place.home.work, 'gone');
  await place.until({ type: 'run', line: 'mkdir gone && cd gone' }, 'command.completed');
  rmdirSync(gone);
  const { sharedShell, warnings } = await reopen(place);
  expect([sharedShell.cwd, warnings]).toEqual([
    place.home.work,
    [`the directory of the session, ${gone}, no longer exists; the shell starts in ${place.home.work}`],
  ]);
  expect((await sharedShell.run('pwd', 'user', new AbortController().signal)).output).toBe(`${place.home.work}\n`);
});

test('a session opens without a shell that can be found, and its first command says what is wrong', async () => {
  const { live, until } = await openPlace([text('Hello.')], {
    shell: { program: '/nowhere/zsh', confirm_cmd: false, doubt: 'model' },
  });
  expect((await until(send, 'turn.ended')).reason).toBe('completed');
  expect((await until({ type: 'run', line: 'ls' }, 'notice')).text).toContain('/nowhere/zsh');
  expect(live.session.isBroken).toBe(false);
});

test('a configured key reaches neither the log nor the model, and the shell gets the line as it was typed', async () => {
  const secret = 'zebra-zebra-zebra';
  const read = calls({ name: 'aish__read_file', arguments: { path: '.env' } });
  const shown = calls({ name: 'aish__exec', arguments: { command: 'echo "$COPY"' } });
  const { home, live, model, until } = await openPlace([read, shown, text('Done.')], { key: secret });
  writeFileSync(join(home.work, '.env'), `TOKEN=${secret}\n`);
  const ran = await until({ type: 'run', line: `export COPY=${secret}; echo "got $COPY"` }, 'command.completed');
  expect([ran.record.line, ran.record.output]).toEqual([
    'export COPY=⟨secret:MODEL_KEY⟩; echo "got $COPY"',
    'got ⟨secret:MODEL_KEY⟩\n',
  ]);
  const allow = (callId: string): Op => ({ type: 'decide', callId, decision: { type: 'allow' }, by: 'user' });
  const reading = await until(send, 'approval.requested');
  const printing = await until(allow(reading.callId), 'approval.requested');
  await until(allow(printing.callId), 'turn.ended');
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain(secret);
  expect(readFileSync(logPath(toPaths(home.env).state, live.session.sessionId), 'utf8')).not.toContain(secret);
  expect(live.session.state.outputs.at(-1)?.output).toBe('⟨secret:MODEL_KEY⟩\n');
});

test('a yes to a tool ends with the connection to its server', async () => {
  const { engine, live } = await openPlace([]);
  const server = await startPostOnlyMcpServer({ token: 't' });
  onTestFinished(() => server.close());
  const { session } = live;
  await engine.connectServer('lab', { url: server.url, auth_token: 't', enabled: true, timeout_ms: 1000 });
  const autoApprove = { 'lab.echo': true, 'other.echo': true };
  session.record({ type: 'settings.changed', settings: { ...session.state.settings, autoApprove } });
  await (await engine.servers())?.disconnect('lab');
  expect(session.state.settings.autoApprove).toEqual({ 'other.echo': true });
});

test('a session that ends right after an answer keeps the snapshot after the step first', async () => {
  const { home, live, until } = await openPlace([write('README'), text('Done.')]);
  await until(send, 'turn.ended');
  await live.session.close();
  const steps = await timeline(home.work);
  expect(steps.map(({ id, counts }) => ({ id, counts }))).toEqual([
    { id: 'c1', counts: { added: 0, changed: 1, removed: 0 } },
  ]);
});

test('a log whose lock is free a moment later is opened, one that stays locked is not', async () => {
  const { engine, home, live } = await openPlace([]);
  const { settings } = live.session.state;
  const resume = live.session.sessionId;
  await live.session.submit({ type: 'rename', name: 'one' });
  await live.session.close();
  const other = openSync(logPath(home.state, resume), 'r+');
  expect(systemCalls()?.lock(other)).toBe(true);
  await expect(engine.open({ cwd: home.work, settings, resume })).rejects.toMatchObject({ code: 'session.locked' });
  const opening = engine.open({ cwd: home.work, settings, resume });
  closeSync(other);
  expect((await opening).session.sessionId).toBe(resume);
});
