import { afterEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { type Answer, calls, held, startModelServer, text } from '../../../test/support/model-server.ts';
import { asOtherUser } from '../../../test/support/other-user.ts';
import { until } from '../../../test/support/until.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { HttpSessionClient } from '../../adapters/daemon/http-client.ts';
import { toSettings } from '../../core/session/settings.ts';
import { Engine, type LiveSession } from '../../engine/session/engine.ts';
import type { SessionServer } from '../../engine/session/session-server.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { openSessionServer } from './session-server.ts';

const OTHER = asOtherUser();
const parts: { close(): unknown }[] = [];
afterEach(async () => {
  for (const part of parts.splice(0).reverse()) await part.close();
});

interface Place {
  readonly engine: Engine;
  readonly live: LiveSession;
  readonly sessionServer: SessionServer;
  /** The notices to the owner. */
  readonly told: string[];
  join(client: string): Promise<Joined>;
}

interface Joined {
  readonly client: HttpSessionClient;
  readonly terminal: ReturnType<HttpSessionClient['terminal']>;
  /** The output of commands here. */
  shown(): string;
  /** Settles when the terminal's output or notices contain this. */
  saw(what: string): Promise<void>;
  /** Settles with the first event of a type after this call, which may be one that happened already. */
  came(type: SessionEvent['type'], from?: number): Promise<SessionEvent>;
}

const NOBODY = {
  size: () => ({ columns: 80, rows: 24 }),
  asked: () => {},
  requestEnded: () => {},
  keyboard: () => {},
  told: () => {},
};

async function openPlace(script: readonly Answer[] = [], more: Partial<Config> = {}): Promise<Place> {
  const home = new Home();
  const model = startModelServer({ script });
  const config: Config = { ...DEFAULT_CONFIG, models: { local: { base_url: model.url } }, ...more };
  const folder = join(home.root, 'run');
  const env = { ...home.env, PLANTED_TOKEN: 'sk-planted-4711-abcdefgh' };
  const engine = new Engine({
    config,
    paths: toPaths(env),
    env,
    cwd: home.work,
    version: '9.9.9',
    runtimeFolder: () => folder,
  });
  const live = await engine.open({ cwd: home.work, settings: toSettings(config) });
  const told: string[] = [];
  const sessionServer = openSessionServer({
    live,
    path: join(folder, 'one.sock'),
    owner: {
      size: () => ({ columns: 100, rows: 30 }),
      asked: (client) => void told.push(`${client} asks`),
      requestEnded: () => void told.push('nobody asks'),
      keyboard: (holder) => void told.push(`${holder ?? 'owner'} has the keyboard`),
      told: (text) => void told.push(text),
    },
    models: ['local'],
    onFault: (thrown) => void told.push(String(thrown)),
  });
  parts.push({ close: () => home[Symbol.dispose]() }, model, engine, sessionServer);
  return { engine, live, sessionServer, told, join: (name) => joinServer(sessionServer, live, name) };
}

async function joinServer(sessionServer: SessionServer, { session }: LiveSession, name: string): Promise<Joined> {
  const client = HttpSessionClient.attach({ type: 'socket', path: sessionServer.path }, session.sessionId, name);
  let shown = '';
  let words = '';
  let wake = Promise.withResolvers<void>();
  const news = (): void => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  const decoder = new TextDecoder();
  const terminal = client.terminal(
    { columns: 80, rows: 24 },
    {
      output: (bytes) => {
        shown += decoder.decode(bytes, { stream: true });
        news();
      },
      keyboard: (holder, isOurs) => {
        words += `keyboard ${holder ?? 'owner'} ${isOurs}\n`;
        news();
      },
      refused: () => {
        words += 'refused\n';
        news();
      },
      closed: () => {
        words += 'closed\n';
        news();
      },
    },
  );
  parts.push({ close: () => client.detach() }, terminal);
  await terminal.opened();
  const saw = async (what: string): Promise<void> => {
    while (!(shown + words).includes(what)) await wake.promise;
  };
  const came: Joined['came'] = async (type, from = 0) => {
    for await (const { event } of client.events(from)) if (event.type === type) return event;
    throw new Error(`no ${type} came`);
  };
  return { client, terminal, shown: () => shown, saw, came };
}

test('the socket is its owner’s alone, is gone when the session is, and takes the place of one that was left', async () => {
  const { sessionServer, live } = await openPlace();
  expect((lstatSync(sessionServer.path).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(dirname(sessionServer.path)).mode & 0o777).toString(8)).toBe('700');
  const again = openSessionServer({
    live,
    path: sessionServer.path,
    owner: NOBODY,
    models: [],
    onFault: () => {},
  });
  const answer = await fetch('http://localhost/health', { unix: sessionServer.path });
  expect(await answer.json()).toMatchObject({ status: 'ok', sessions: 1 });
  // A client that leaves late takes nothing away from one that came after.
  sessionServer.withdraw();
  await sessionServer.close();
  expect(existsSync(sessionServer.path)).toBe(true);
  again.withdraw();
  expect(existsSync(sessionServer.path)).toBe(false);
  await again.close();
});

test.skipIf(OTHER === null)(
  'another user reaches nothing, not even where folder and socket are open to all',
  async () => {
    const { sessionServer, told, live } = await openPlace();
    const op = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"run","line":"true"}',
    };
    const request = { ...op, unix: sessionServer.path };
    const script = `fetch('http://aish/sessions/${live.session.sessionId}/ops', ${JSON.stringify(request)}).then(
    ({ status }) => console.log(status), () => console.log('kept out'))`;
    const by = (command: readonly string[]): Promise<string> =>
      new Response(Bun.spawn([...command, '-e', script], { cwd: '/', env: {} }).stdout).text();
    expect([await by(OTHER ?? []), told]).toEqual(['kept out\n', []]);
    const folder = dirname(sessionServer.path);
    for (const open of [dirname(folder), folder]) chmodSync(open, 0o755);
    chmodSync(sessionServer.path, 0o666);
    expect([await by(OTHER ?? []), told]).toEqual([
      'kept out\n',
      [expect.stringContaining('another user connected to')],
    ]);
    expect(live.session.recorded).toEqual([]);
    expect(await by([process.execPath])).toBe('202\n');
    expect(live.session.recorded.map(({ event }) => event.type)).toContain('command.started');
  },
);

test('who comes back is told of refusals that were missed, who comes first is not', async () => {
  const { sessionServer, live } = await openPlace();
  await live.session.submit({ type: 'rename', name: 'one' });
  for (const line of ['first', 'second'])
    live.session.refuse({ type: 'run', line }, { code: 'op.dropped', message: line });
  await live.session.submit({ type: 'rename', name: 'two' });
  const read = async (query: string, headers: Record<string, string>): Promise<string[]> => {
    const stream = `http://localhost/sessions/${live.session.sessionId}/events${query}`;
    const { body } = await fetch(stream, { unix: sessionServer.path, headers });
    let seen = '';
    for await (const bytes of body ?? []) {
      seen += new TextDecoder().decode(bytes);
      if (seen.includes('"name":"two"')) break;
    }
    return [...seen.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '');
  };
  expect(await read('', { 'last-event-id': '1' })).toEqual(['2', '2.1', '2.2', '3']);
  expect(await read('', { 'last-event-id': '2.1' })).toEqual(['2.2', '3']);
  expect(await read('?after=1', {})).toEqual(['2', '3']);
});

test('who joins a session that goes on sees nothing open that the end of the process before closed', async () => {
  const {
    live,
    engine,
    sessionServer: openServer,
  } = await openPlace([calls({ name: 'aish__exec', arguments: { command: 'touch made' } })]);
  await live.session.submit({ type: 'send', text: 'make it' });
  await until({ what: 'the prompt' }, () =>
    live.session.recorded.some(({ event }) => event.type === 'approval.requested'),
  );
  await live.session.close();
  const again = await engine.open({
    cwd: live.session.state.cwd,
    settings: live.session.state.settings,
    resume: live.session.sessionId,
  });
  const sessionServer = openSessionServer({
    live: again,
    path: join(dirname(openServer.path), 'two.sock'),
    owner: NOBODY,
    models: [],
    onFault: () => {},
  });
  const client = HttpSessionClient.attach({ type: 'socket', path: sessionServer.path }, again.session.sessionId);
  for await (const { event } of client.events(0)) if (event.type === 'session.resumed') break;
  expect(client.state.turn).toBeNull();
  expect(client.state).toEqual(again.session.state);
  await client.detach();
  sessionServer.withdraw();
  await again.session.close();
  await sessionServer.close();
});

test('what a page sends, or what comes under the name of another machine, is refused at the socket too', async () => {
  const { sessionServer } = await openPlace();
  const requests: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { host: 'evil.example' },
    {},
    { host: 'aish' },
  ];
  const answers = requests.map((headers) => fetch('http://localhost/health', { unix: sessionServer.path, headers }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 403, 200, 200]);
});

test('what a command shows comes to all attached clients with the secrets taken out, and nothing of a private one', async () => {
  const { live, join } = await openPlace();
  const [one, two] = [await join('one'), await join('two')];
  await live.session.submit({ type: 'run', line: 'echo "token $PLANTED_TOKEN end"; echo over' });
  await Promise.all([one.saw('over'), two.saw('over')]);
  expect([one.shown(), two.shown()].map((shown) => /token ⟨secret:[^⟩]+⟩ end/.test(shown))).toEqual([true, true]);
  expect(one.shown()).not.toContain('planted-4711');
  await live.session.atRest();
  await live.session.submit({ type: 'run', line: 'echo hidden', private: true });
  await live.session.atRest();
  await live.session.submit({ type: 'run', line: 'echo open again' });
  await one.saw('open again');
  expect(one.shown()).not.toContain('hidden');
});

test('who comes late sees what the running command has shown so far', async () => {
  const { live, join } = await openPlace();
  const first = await join('first');
  await live.session.submit({ type: 'run', line: 'echo early; read answer' });
  await first.saw('early');
  const late = await join('late');
  await late.saw('early');
  live.session.take({ type: 'interrupt' });
  await live.session.atRest();
});

test('keys of an attached client reach the program only while the owner lends it the keyboard', async () => {
  const { live, sessionServer, told, join } = await openPlace();
  const [one, two] = [await join('one'), await join('two')];
  await live.session.submit({ type: 'run', line: 'echo ready; while read word; do echo "got $word"; done' });
  await Promise.all([one.saw('ready'), two.saw('ready')]);
  one.terminal.write(Buffer.from('not mine\n'));
  one.terminal.ask();
  await until({ what: 'the owner is asked for the keyboard' }, () => told.includes('one asks'));
  two.terminal.ask();
  await two.saw('refused');
  sessionServer.share.grant();
  await one.saw('keyboard one true');
  one.terminal.write(Buffer.from('hello\n'));
  await two.saw('got hello');
  sessionServer.share.takeBack();
  await one.saw('keyboard owner false');
  one.terminal.write(Buffer.from('too late\n'));
  one.terminal.ask();
  await until(
    { what: 'the owner is asked once more' },
    () => told.filter((words) => words === 'one asks').length === 2,
  );
  sessionServer.share.refuse();
  await one.saw('refused');
  live.sharedShell.shell?.write(Buffer.from('mine\n'));
  await two.saw('got mine');
  live.session.take({ type: 'interrupt' });
  await live.session.atRest();
  expect(two.shown()).not.toMatch(/got (not mine|too late)/);
});

test('an attached client that is lost gives the keyboard back, and its lines that wait are called off', async () => {
  const { live, sessionServer, told, join } = await openPlace();
  const one = await join('one');
  await live.session.submit({ type: 'run', line: 'echo ready; read answer' });
  await one.saw('ready');
  one.terminal.ask();
  await until({ what: 'the owner is asked for the keyboard' }, () => told.includes('one asks'));
  sessionServer.share.grant();
  await one.saw('keyboard one true');
  expect(await one.client.submit({ type: 'run', line: 'echo waited' }, { inTurn: true })).toEqual({ type: 'waits' });
  const dropped = one.came('op.rejected', live.session.seq);
  await one.client.submit({ type: 'rename', name: 'shared' }); // By now the events are followed.
  one.terminal.close();
  expect(await dropped).toMatchObject({ client: 'one', error: { code: 'op.dropped' } });
  await until({ what: 'the keyboard is the owner’s again' }, () => told.includes('owner has the keyboard'));
  live.session.take({ type: 'interrupt' });
  await live.session.atRest();
});

test('the first answer to a question counts, and all are told at which attached client it was given', async () => {
  const call = calls({ name: 'aish__write_file', arguments: { path: 'a.txt', content: 'hello' } });
  const { live, join } = await openPlace([call, text('done')]);
  const [one, two] = [await join('one'), await join('two')];
  await one.client.submit({ type: 'send', text: 'write' }, { inTurn: true });
  const asked = await one.came('approval.requested');
  if (asked.type !== 'approval.requested') throw new Error('no question');
  const answer = (decision: 'allow' | 'deny') =>
    ({ type: 'decide', callId: asked.callId, decision: { type: decision }, by: 'user' }) as const;
  await two.client.submit(answer('deny'));
  await one.client.submit(answer('allow'));
  expect(await one.came('approval.decided')).toMatchObject({ decision: 'deny', client: 'two' });
  expect(live.session.recorded.filter(({ event }) => event.type === 'approval.decided')).toHaveLength(1);
  expect(await one.came('turn.started')).toMatchObject({ text: 'write', client: 'one' });
});

test('lines of all attached clients wait for each other, and what was entered first begins first', async () => {
  const gate = Promise.withResolvers<void>();
  const { live, join } = await openPlace([held(text('slow'), gate.promise), text('third')]);
  const [one, two] = [await join('one'), await join('two')];
  await one.client.submit({ type: 'send', text: 'first' }, { inTurn: true });
  expect(await two.client.submit({ type: 'run', line: 'echo two' }, { inTurn: true })).toEqual({ type: 'waits' });
  expect(await one.client.submit({ type: 'send', text: 'third' }, { inTurn: true })).toEqual({ type: 'waits' });
  gate.resolve();
  await until(
    { what: 'all lines have come to their end' },
    () => live.session.queue.size === 0 && live.session.isAtRest,
  );
  const began = live.session.recorded.flatMap(({ event }) => {
    if (event.type === 'turn.started') return [`${event.client} ${event.text}`];
    return event.type === 'command.started' ? [`${event.client} ${event.line}`] : [];
  });
  expect(began).toEqual(['one first', 'two echo two', 'one third']);
});

test('a session that ends says so to those who watch', async () => {
  const { live, sessionServer, join } = await openPlace();
  const one = await join('one');
  const begun = Promise.withResolvers<void>();
  const all = (async () => {
    for await (const _ of one.client.events(0)) begun.resolve();
    return 'ended';
  })();
  await one.client.submit({ type: 'rename', name: 'shared' });
  await begun.promise;
  sessionServer.withdraw();
  await live.session.close();
  await sessionServer.close();
  expect(await all).toBe('ended');
  await one.saw('closed');
});

test('a client that leaves in the middle of what it says is no fault, and nobody is told', async () => {
  const { live, sessionServer, told } = await openPlace();
  const whole = JSON.stringify({ type: 'send', text: 'hello' });
  const path = `/sessions/${live.session.sessionId}/ops`;
  const head = `POST ${path} HTTP/1.1\r\nhost: aish\r\ncontent-type: application/json\r\ncontent-length: ${whole.length}\r\n\r\n`;
  const begun = await Bun.connect({ unix: sessionServer.path, socket: { data: () => {} } });
  begun.write(head + whole.slice(0, 5));
  begun.flush();
  // An answer to another request shows that the first has been taken.
  expect((await fetch('http://aish/health', { unix: sessionServer.path })).status).toBe(200);
  begun.terminate();
  expect((await fetch('http://aish/health', { unix: sessionServer.path })).status).toBe(200);
  expect(told).toEqual([]);
});

test('an attached client is told what the shell has names for, and of an alias no secret', async () => {
  const { live, join } = await openPlace();
  const { client } = await join('one');
  expect([await client.query({ type: 'names' }), (await client.query({ type: 'place' })).cwd]).toEqual([
    null,
    live.sharedShell.cwd,
  ]);
  await client.submit({ type: 'run', line: "alias greet='echo hello' push='curl -H sk-planted-4711-abcdefgh'; cd /" });
  const names = await until(
    { what: 'the alias among the names' },
    () => client.query({ type: 'names' }),
    (told) => told?.commands.get('greet') === 'alias',
  );
  expect(names?.commands.get('cd')).toBe('builtin');
  expect(names?.commands.get('ls')).toBe('file');
  expect(names?.variables).toContain('HOME');
  expect(['greet', 'push'].map((name) => names?.aliases.get(name))).toEqual([
    'echo hello',
    'curl -H ⟨secret:PLANTED_TOKEN⟩',
  ]);
  expect(await client.query({ type: 'place' })).toEqual({ cwd: '/', jobs: [] });
});
