import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { HttpSessionClient } from '../../src/adapters/daemon/http-client.ts';
import type { Recorded } from '../../src/protocol/event.ts';
import { json, type RunningDaemon, refusedDaemon, startDaemonProcess, TestHome } from '../support/daemon.ts';
import { calls, held, type ModelServer, startModelServer, text } from '../support/model-server.ts';

const TOKEN = 'hermetic-test-token-0123456789';
const withToken = { authorization: `Bearer ${TOKEN}` };

/** A home whose configuration names the scripted model. */
function homeOf(model: ModelServer, extra = ''): TestHome {
  return new TestHome(`${extra}\n[models.scripted]\nbase_url = "${model.url}"\nmodel = "scripted"\n`);
}

const writeCall = { name: 'aish__write_file', arguments: { path: 'test.txt', content: 'Hello World\n' } };
const ask = { messages: [{ role: 'user', content: 'Create file test.txt with content: Hello World' }] };

async function codeOf(response: Response): Promise<[number, string]> {
  const body: unknown = await response.json();
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return [response.status, code];
}

describe('on a socket', () => {
  test('[daemon.socket] it answers on a socket only its owner can open, and removes it when it ends', async () => {
    using home = new TestHome();
    await using daemon = await startDaemonProcess(home);
    expect(daemon.address).toBe(`unix:${home.run}/aish/aish.sock`);
    expect(await (await daemon.request('/health')).json()).toMatchObject({ status: 'ok', sessions: 0 });
    expect(statSync(daemon.socket).mode & 0o777).toBe(0o700);
    expect(statSync(join(home.run, 'aish')).mode & 0o777).toBe(0o700);
    expect(await daemon.stop()).toEqual({ exit: 0, error: '' });
    expect(existsSync(daemon.socket)).toBe(false);
  });

  test('a second daemon is refused while one lives, and takes over what a killed one left', async () => {
    using home = new TestHome();
    const first = await startDaemonProcess(home);
    const second = await refusedDaemon(home, []);
    expect([second.exit, second.error]).toEqual([1, expect.stringContaining('another aish serve listens on')]);
    await first.stop('SIGKILL');
    expect(existsSync(first.socket)).toBe(true);
    await using third = await startDaemonProcess(home);
    expect((await third.request('/health')).status).toBe(200);
  });

  test('a path that cannot be a socket is refused with the reason', async () => {
    using home = new TestHome();
    const long = await refusedDaemon(home, ['--socket', join(home.run, 'x'.repeat(120))]);
    expect([long.exit, long.error]).toEqual([2, expect.stringContaining('the system allows 10')]);
    const file = join(home.run, 'precious');
    writeFileSync(file, 'keep');
    const taken = await refusedDaemon(home, ['--socket', file]);
    expect([taken.exit, taken.error]).toEqual([2, expect.stringContaining('exists and is not a socket')]);
    expect(readFileSync(file, 'utf8')).toBe('keep');
  });

  test('a host that others can reach is refused with the reason', async () => {
    using home = new TestHome();
    const { exit, error } = await refusedDaemon(home, ['--host', '0.0.0.0', '--port', '0']);
    expect([exit, error]).toEqual([2, expect.stringContaining('--host takes 127.0.0.1, localhost, ::1')]);
  });
});

describe('on a port', () => {
  test('[daemon.token] every route wants the token, unknown ones too, and no answer has CORS headers', async () => {
    using home = new TestHome();
    await using daemon = await startDaemonProcess(home, ['--port', '0'], { AISH_TOKEN: TOKEN });
    const paths = ['/health', '/sessions', '/sessions/x', '/sessions/x/events', '/chat', '/nothing'];
    for (const path of paths) {
      expect([path, ...(await codeOf(await daemon.request(path)))]).toEqual([path, 401, 'http.unauthorized']);
    }
    const wrong = ['Bearer nearly', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, 'Bearer '];
    for (const authorization of wrong) {
      expect((await daemon.request('/health', { headers: { authorization } })).status).toBe(401);
    }
    const right = await daemon.request('/health', { headers: withToken });
    expect(right.status).toBe(200);
    expect([...right.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    const preflight = await daemon.request('/chat', { method: 'OPTIONS', headers: { origin: daemon.address } });
    expect(preflight.status).toBe(401);
  });

  test('a token is made where none is given, kept in a private file, and gone afterwards', async () => {
    using home = new TestHome();
    await using daemon = await startDaemonProcess(home, ['--port', '0']);
    const file = daemon.tokenFile ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const authorization = `Bearer ${readFileSync(file, 'utf8').trim()}`;
    expect((await daemon.request('/health', { headers: { authorization } })).status).toBe(200);
    await daemon.stop();
    expect(existsSync(file)).toBe(false);
  });

  test('[daemon.origin] a foreign Host, as DNS rebinding brings it, and a foreign Origin are refused', async () => {
    using home = new TestHome();
    await using daemon = await startDaemonProcess(home, ['--port', '0'], { AISH_TOKEN: TOKEN });
    const { port } = new URL(daemon.address);
    const status = (headers: Record<string, string>) => rawStatus(Number(port), { ...withToken, ...headers });
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `127.0.0.1.evil.example:${port}`,
    ]) {
      expect([host, await status({ host })]).toEqual([host, 403]);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect([host, await status({ host })]).toEqual([host, 200]);
    }
    const host = `127.0.0.1:${port}`;
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1', `https://127.0.0.1:${port}`]) {
      expect([origin, await status({ host, origin })]).toEqual([origin, 403]);
    }
    expect(await status({ host, origin: `http://${host}` })).toBe(200);
  });

  test('the token is in no log, no argument and no environment of a session', async () => {
    using home = new TestHome();
    await using daemon = await startDaemonProcess(home, ['--port', '0'], { AISH_TOKEN: TOKEN });
    const client = await HttpSessionClient.open({ type: 'url', url: daemon.address, token: TOKEN });
    const events = client.events(0);
    await client.submit({ type: 'run', line: 'echo "[${AISH_TOKEN}]"' });
    const seen = await readUntil(events, 'command.completed');
    expect(seen.at(-1)?.event).toMatchObject({ record: { output: expect.stringContaining('[]') } });
    const log = join(home.root, '.local/state/aish/sessions', client.sessionId, 'log.jsonl');
    expect(readFileSync(log, 'utf8')).not.toContain(TOKEN);
    expect(readFileSync(`/proc/${daemon.pid}/cmdline`, 'utf8')).not.toContain(TOKEN);
    expect(await daemon.stop()).toEqual({ exit: 0, error: '' });
  });
});

describe('bad requests', () => {
  test('are told with what is wrong and where', async () => {
    using home = new TestHome();
    await using daemon = await startDaemonProcess(home);
    const created: unknown = await (await daemon.request('/sessions', { method: 'POST' })).json();
    const id = typeof created === 'object' && created !== null && 'id' in created ? String(created.id) : '';
    const ops = `/sessions/${id}/ops`;
    const form = { method: 'POST', body: 'a=b', headers: { 'content-type': 'text/plain' } };
    const answers = [
      await codeOf(await daemon.request(ops, form)),
      await codeOf(await daemon.request(ops, { ...form, headers: { 'content-type': 'application/json' } })),
      await codeOf(await daemon.request(ops, json({ type: 'shout' }))),
      await codeOf(await daemon.request(ops, json({ type: 'interrupt' }))),
      await codeOf(await daemon.request(ops, json({ type: 'configure', settings: { approve: 'all' } }))),
      await codeOf(await daemon.request(ops)),
      [(await daemon.request(`/sessions/${id}/events`, { method: 'HEAD' })).status],
      await codeOf(await daemon.request('/sessions/none/ops', json({ type: 'interrupt' }))),
      await codeOf(await daemon.request('/sessions/none')),
      await codeOf(await daemon.request('/nothing')),
      await codeOf(await daemon.request(`/sessions/${id}/events?after=x`)),
      await codeOf(await daemon.request('/sessions', json({ cwd: '/no/such/folder' }))),
      await codeOf(await daemon.request('/sessions', json({ settings: { model: 'none' } }))),
      await codeOf(await daemon.request('/sessions', json({ resume: 'zzz' }))),
      await codeOf(await daemon.request('/chat', json({ messages: [] }))),
      await codeOf(await daemon.request('/chat', json({ messages: [{ role: 'user', content: 'x'.repeat(9e6) }] }))),
    ];
    expect(answers).toEqual([
      [415, 'http.content-type'],
      [400, 'http.bad-request'],
      [400, 'http.bad-request'],
      [409, 'session.idle'],
      [403, 'settings.refused'],
      [405, 'http.method'],
      [405],
      [404, 'session.not-found'],
      [404, 'session.not-found'],
      [404, 'http.not-found'],
      [400, 'http.bad-request'],
      [400, 'http.bad-request'],
      [400, 'model.unknown'],
      [404, 'session.not-found'],
      [400, 'http.bad-request'],
      [413, 'http.too-large'],
    ]);
  });
});

describe('sessions', () => {
  test('[daemon.session] one is opened, asked, answered by its owner and followed to the end', async () => {
    await using model = startModelServer({ script: [calls(writeCall), text('Written.')] });
    using home = homeOf(model);
    home.initRepository();
    await using daemon = await startDaemonProcess(home);
    const client = await HttpSessionClient.open({ type: 'socket', path: daemon.socket });
    const events = client.events(0);
    await client.submit({ type: 'send', text: 'Create test.txt' });
    await readUntil(events, 'approval.requested');
    const state: unknown = await (await daemon.request(`/sessions/${client.sessionId}`)).json();
    expect(state).toMatchObject({
      busy: true,
      approval: { name: 'aish.write_file', arguments: writeCall.arguments, preview: { undoable: true } },
    });
    expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
    await client.submit({ type: 'decide', callId: 'call00000', decision: { type: 'allow' }, by: 'user' });
    const rest = await readUntil(events, 'turn.ended');
    expect(rest.map(({ event }) => event.type)).toContain('checkpoint.created');
    expect(readFileSync(join(home.work, 'test.txt'), 'utf8')).toBe('Hello World\n');
    await client.submit({ type: 'restore', checkpoint: null });
    await readUntil(events, 'restore.completed');
    expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
    expect(model.failures).toEqual([]);
  });

  test('[daemon.resume] a follower that comes back with the last event id gets each fact once', async () => {
    await using model = startModelServer({ script: [text('one'), text('two')] });
    using home = homeOf(model);
    await using daemon = await startDaemonProcess(home);
    const client = await HttpSessionClient.open({ type: 'socket', path: daemon.socket });
    await client.submit({ type: 'send', text: 'first' });
    const first = await readStream(daemon, client.sessionId, {}, 'turn.ended');
    expect(first.ids).toEqual(['1', '2', '3', '4', '5', '6']);
    await client.submit({ type: 'send', text: 'second' });
    const second = await readStream(daemon, client.sessionId, { 'last-event-id': '6' }, 'turn.ended');
    expect(second.ids).toEqual(['7', '8', '9', '10']);
  });

  test('killed and started again, the daemon goes on with a session, and its open call is closed', async () => {
    await using model = startModelServer({ script: [calls(writeCall), text('I see.')] });
    using home = homeOf(model);
    const before = await startDaemonProcess(home);
    const address = { type: 'socket', path: before.socket } as const;
    const client = await HttpSessionClient.open(address);
    const events = client.events(0);
    await client.submit({ type: 'send', text: 'Create test.txt' });
    await readUntil(events, 'approval.requested');
    await client.detach();
    await before.stop('SIGKILL');
    await using _after = await startDaemonProcess(home);
    const resumed = await HttpSessionClient.open(address, { resume: client.sessionId });
    expect(resumed.sessionId).toBe(client.sessionId);
    const later = resumed.events(0);
    await resumed.submit({ type: 'send', text: 'And now?' });
    await readUntil(later, 'turn.ended');
    const { body } = await model.requested(2);
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(body.messages[3]?.content).toBe('interrupted before it began');
    expect(model.failures).toEqual([]);
  });
});

describe('POST /chat', () => {
  test('[daemon.chat] answers once, and what would ask is denied: nothing is written', async () => {
    await using model = startModelServer({ script: [calls(writeCall), text('I may not write it.')] });
    using home = homeOf(model);
    home.initRepository();
    await using daemon = await startDaemonProcess(home);
    const response = await daemon.request('/chat', json(ask));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      response: { type: 'text', content: 'I may not write it.' },
      text: 'I may not write it.',
      tool_calls: [
        {
          name: 'aish.write_file',
          arguments: writeCall.arguments,
          decision: 'deny',
          result: '[aish] tool call denied: nobody is there to approve it',
          is_error: true,
        },
      ],
      usage: { prompt_tokens: 20, completion_tokens: expect.any(Number) },
      end: 'completed',
      finish: 'stop',
      session_id: expect.any(String),
    });
    expect(existsSync(join(home.work, 'test.txt'))).toBe(false);
    expect(await codeOf(await daemon.request('/chat', json({ ...ask, config: { approve: 'all' } })))).toEqual([
      403,
      'settings.refused',
    ]);
  });

  test('with --approve all the file is written behind a checkpoint', async () => {
    await using model = startModelServer({ script: [calls(writeCall), text('Done.')] });
    using home = homeOf(model);
    home.initRepository();
    const args = ['--port', '0', '--approve', 'all'];
    await using daemon = await startDaemonProcess(home, args, { AISH_TOKEN: TOKEN });
    expect((await daemon.request('/chat', json(ask))).status).toBe(401);
    const response = await daemon.request('/chat', json(ask, withToken));
    expect(await response.json()).toMatchObject({
      text: 'Done.',
      tool_calls: [{ decision: 'allow', is_error: false }],
    });
    expect(readFileSync(join(home.work, 'test.txt'), 'utf8')).toBe('Hello World\n');
    const refs = Bun.spawnSync(['git', 'for-each-ref', 'refs/aish'], { cwd: home.work, env: home.env });
    expect(refs.stdout.toString()).toContain('refs/aish/');
  });

  test('the history of the client is sent in front of its last message', async () => {
    await using model = startModelServer({ script: [text('Ada.')] });
    using home = homeOf(model);
    await using daemon = await startDaemonProcess(home);
    const messages = [
      { role: 'system', content: 'Answer in one word.' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'What is my name?' },
    ];
    expect(await (await daemon.request('/chat', json({ messages }))).json()).toMatchObject({ text: 'Ada.' });
    const { body } = await model.requested(1);
    expect(body.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', `[the session started in ${home.work}]\n\n[instructions from the client]\nAnswer in one word.`],
      ['assistant', 'Hello!'],
      ['user', 'My name is Ada.'],
      ['assistant', 'Noted.'],
      ['user', 'What is my name?'],
    ]);
  });

  test('a client that leaves interrupts the turn', async () => {
    const gate = Promise.withResolvers<void>();
    await using model = startModelServer({ script: [held(text('too late'), gate.promise, 1)] });
    using home = homeOf(model);
    await using daemon = await startDaemonProcess(home);
    const leaving = new AbortController();
    const answer = daemon.request('/chat', { ...json(ask), signal: leaving.signal }).catch(() => 'left');
    const request = await model.requested(1);
    leaving.abort();
    expect(await answer).toBe('left');
    await request.left;
    gate.resolve();
  });

  test('a model that fails is told as 502 with its error', async () => {
    await using model = startModelServer();
    using home = homeOf(model);
    await using daemon = await startDaemonProcess(home);
    await model.close();
    const response = await daemon.request('/chat', json(ask));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ end: 'failed', error: { code: 'model.unreachable' } });
  });

  test('fifty clients at once are each answered', async () => {
    await using model = startModelServer({ script: Array.from({ length: 50 }, (_, at) => text(`answer ${at}`)) });
    using home = homeOf(model);
    await using daemon = await startDaemonProcess(home);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => (await daemon.request('/chat', json(ask))).status),
    );
    expect(answers).toEqual(Array.from({ length: 50 }, () => 200));
    expect(await (await daemon.request('/health')).json()).toMatchObject({ sessions: 0 });
  });
});

/** Reads events up to one of a type. */
async function readUntil(events: AsyncIterator<Recorded>, type: string): Promise<Recorded[]> {
  const seen: Recorded[] = [];
  while (seen.at(-1)?.event.type !== type) {
    const { done, value } = await events.next();
    if (done) throw new Error(`the events ended before ${type}`);
    seen.push(value);
  }
  return seen;
}

/** Reads a stream as any client would, up to an event of a type. */
async function readStream(daemon: RunningDaemon, id: string, headers: Record<string, string>, type: string) {
  const response = await daemon.request(`/sessions/${id}/events`, { headers });
  const decoder = new TextDecoder();
  let seen = '';
  for await (const bytes of response.body ?? []) {
    seen += decoder.decode(bytes, { stream: true });
    if (seen.includes(`event: ${type}\ndata: {`) && seen.endsWith('\n\n')) break;
  }
  return { ids: [...seen.matchAll(/^id: (\d+)$/gm)].map(([, found = '']) => found) };
}

/** The status of GET /health with exactly these headers, which a well-behaved client would not send. */
function rawStatus(port: number, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((done, failed) => {
    const socket = connect(port, '127.0.0.1');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.on('error', failed);
    socket.on('data', (bytes) => {
      done(Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString())?.[1]));
      socket.destroy();
    });
    socket.write(`GET /health HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`);
  });
}

test('[daemon.session] a session whose log cannot be written refuses every op with the reason', async () => {
  await using model = startModelServer();
  using home = homeOf(model);
  await using daemon = await startDaemonProcess(home);
  const id = String(Object(await (await daemon.request('/sessions', json({}))).json()).id);
  mkdirSync(join(home.root, '.local/state/aish'), { recursive: true });
  writeFileSync(join(home.root, '.local/state/aish/sessions'), 'in the way');
  const submit = (op: object) => daemon.request(`/sessions/${id}/ops`, json(op));
  expect(await codeOf(await submit({ type: 'run', line: 'ls' }))).toEqual([507, 'session.stopped']);
  expect(await codeOf(await submit({ type: 'send', text: 'hello' }))).toEqual([507, 'session.stopped']);
  expect(await codeOf(await daemon.request('/chat', json(ask)))).toEqual([507, 'session.stopped']);
  expect(model.requests).toEqual([]);
});
