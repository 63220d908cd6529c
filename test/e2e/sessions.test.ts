import { expect, setDefaultTimeout, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { logPath } from '../../src/adapters/store/event-log.ts';
import { formatHeader, formatRecord } from '../../src/adapters/store/log-line.ts';
import { toSettings } from '../../src/core/session/settings.ts';
import { attempt } from '../../src/core/text/attempt.ts';
import { DEFAULT_CONFIG } from '../../src/protocol/config.ts';
import type { DurableEvent } from '../../src/protocol/event.ts';
import { Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine, tell } from '../support/at-prompt.ts';
import { answer, answered, ask, asked } from '../support/conversation.ts';
import { calls, type ModelServer, startModelServer, text, textAndCalls } from '../support/model-server.ts';
import { descendants } from '../support/processes.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

/** Ids of all sessions, oldest first. */
function idsOf(home: Home): readonly string[] {
  return readdirSync(join(home.state, 'sessions')).toSorted();
}

/** A home with two sessions of two directories. */
async function withTwoSessions(home: Home): Promise<{ readonly elsewhere: string }> {
  await using server = startModelServer({
    script: [
      textAndCalls('I look.', { name: 'aish__read_file', arguments: { path: 'README' } }),
      text('It says hello to `everybody`.'),
      text('Because of the network bridge.'),
    ],
  });
  home.useModel(server.url);
  const elsewhere = join(home.root, 'elsewhere');
  mkdirSync(elsewhere);
  await home.run(['-p', '--approve', 'all', 'what does the README say?']);
  await home.run(['-p', 'why is docker slow?'], { cwd: elsewhere });
  return { elsewhere };
}

test('[sessions.list] the list has names, keeps to a directory, a time and a number, and comes as JSON', async () => {
  using home = new Home();
  const { elsewhere } = await withTwoSessions(home);
  const [first = '', second = ''] = idsOf(home);
  const lists = [[], ['--here'], ['--limit', '1'], ['--since=2100-01-01'], ['--since', '2h', '--here']];
  const ids: string[][] = [];
  for (const options of lists) {
    const { out } = await home.run(['sessions', 'list', ...options]);
    ids.push(out.split('\n').flatMap((line) => line.match(/^\w{12}(?= )/) ?? []));
  }
  expect(ids).toEqual([[second, first], [first], [second], [], [first]]);
  const listed: unknown = JSON.parse((await home.run(['sessions', '--output', 'json'])).out);
  expect(listed).toMatchObject([
    { id: second, title: 'why is docker slow?', name: null, cwd: elsewhere, turns: 1 },
    { id: first, title: 'what does the README say?', cwd: home.work, turns: 1 },
  ]);
});

test('[sessions.list] at the prompt the newest stands last, next to what is typed', async () => {
  using home = new Home();
  await withTwoSessions(home);
  await using terminal = home.open([], { columns: 60 });
  await prompted(terminal);
  await tell(terminal, ':sessions', /what does the README say\?[\s\S]*why is docker slow\?/);
  expect(
    terminal
      .history()
      .split('\n')
      .filter((row) => row.length > 60),
  ).toEqual([]);
});

test('[sessions.list] a wrong word or value exits 2 and says what to do', async () => {
  using home = new Home();
  const wrong = [
    ['lisst'],
    ['list', '--since', 'soon'],
    ['list', '--limit', '0'],
    ['list', '--nothing'],
    ['show'],
    ['search'],
  ];
  for (const args of wrong) {
    const { code, error } = await home.run(['sessions', ...args]);
    expect([args, code, error.includes('sessions')]).toEqual([args, 2, true]);
  }
});

test('[sessions.search] words that were said, typed or printed find their session, also when the index is gone or broken', async () => {
  using home = new Home();
  await withTwoSessions(home);
  await home.run(['-p', 'x']).catch(() => {});
  const [first = '', second = ''] = idsOf(home);
  const found = async (...words: string[]): Promise<readonly string[]> => {
    const { out } = await home.run(['sessions', 'search', ...words]);
    return out.split('\n').flatMap((line) => line.match(/^\w{12}(?= )/) ?? []);
  };
  const index = join(home.root, 'cache/aish/sessions.json');
  expect([await found('docker', 'slow'), await found('everybod'), await found('"network bridge"')]).toEqual([
    [second],
    [first],
    [second],
  ]);
  await home.run(['sessions', 'list']);
  expect(statSync(index).mode & 0o777).toBe(0o600);
  writeFileSync(index, 'x'.repeat(10_000));
  expect(await found('docker', '--output', 'text')).toEqual([second]);
  rmSync(join(home.root, 'cache'), { recursive: true });
  writeFileSync(join(home.root, 'cache'), 'no folder');
  expect(await found('docker')).toEqual([second]);
  const nothing = await home.run(['sessions', 'search', 'unheard-of']);
  expect([nothing.code, nothing.out]).toEqual([1, 'Nothing found.\n']);
});

test('[sessions.search] :sessions with words finds what another session printed, and marks it', async () => {
  using home = new Home();
  await using first = home.open();
  await runLine(first, 'echo the "needle" in the hay');
  first.type('exit\n');
  await first.ended();
  await using terminal = home.open();
  await runLine(terminal, 'true');
  const screen = await tell(terminal, ':sessions needle', 'the needle in the hay');
  expect(screen).toContain('$ echo the "needle" in the hay');
  expect(terminal.lookOf('needle in the hay').bold).toBe(true);
});

test('[sessions.recall] a place in an old session has a handle, and reaches the model once the user names it, with its taint', async () => {
  using home = new Home();
  const read = calls({ name: 'aish__output', arguments: { handle: '%1' } });
  const answers = [text('Run docker network create web.'), read, text('No.'), read, text('Now I see.')];
  await using server = startModelServer({ script: answers });
  home.useModel(server.url);
  const question = ['-p', 'how do I make a docker network?'];
  expect((await home.run(question, { input: 'a page about ghp_zY8xW6vU4tS2zY8xW6vU4tS2zY8xW6vU4tS2' })).code).toBe(0);
  await using terminal = home.open();
  const screen = await tell(terminal, ':recall docker network', 'name its handle in a message');
  expect(screen).toMatch(/turn 1[\s\S]*how do I make a docker network\?[\s\S]*Run docker network create web\./);
  expect(screen.replaceAll(/\s+/g, ' ')).toMatch(
    /untrusted content: piped text %1 has all of it; .*:resume \w+ To show/,
  );
  expect(terminal.lookOf('docker network create').bold).toBe(true);
  await ask(terminal, 'how was that?');
  await answered(terminal, 'No.');
  await tell(terminal, ':trust list', 'No untrusted content in this session.');
  await ask(terminal, 'it is in %1');
  await answered(terminal, 'Now I see.');
  await tell(terminal, ':trust list', /session \w+ +piped or attached input/);
  const bodies = server.requests.map(({ text: body }) => body.includes('docker network create web'));
  expect([bodies, server.failures]).toEqual([[false, false, false, false, true], []]);
});

test('[sessions.search] Ctrl-C ends a search with one line', async () => {
  using home = new Home();
  writeSession(home, 0, 'words of an answer '.repeat(8000));
  // One log under many names: thousands of megabytes to search, and a few to write.
  for (let number = 1; number < 2000; number += 1) {
    mkdirSync(dirname(pathOf(home, number)), { recursive: true, mode: 0o700 });
    linkSync(pathOf(home, 0), pathOf(home, number));
  }
  await using terminal = home.open();
  await runLine(terminal, 'true');
  await prompted(terminal);
  terminal.type(':sessions unheard');
  await terminal.waitFor((screen) => screen.endsWith(': :sessions unheard'), PATIENCE);
  const before = bytesReadBy(terminal.pid);
  terminal.press('enter');
  await until({ what: 'the reading of logs', lookMs: 1 }, () => bytesReadBy(terminal.pid) - before > 100_000_000);
  terminal.type('\x03');
  await terminal.waitForHistory('The search was stopped.', PATIENCE);
  await prompted(terminal);
  expect(terminal.history()).not.toContain('Nothing found');
});

/** Bytes that a program and those it started have read so far. */
function bytesReadBy(pid: number): number {
  const read = (one: number): number => Number(/^rchar: (\d+)/.exec(readFileSync(`/proc/${one}/io`, 'utf8'))?.[1] ?? 0);
  return [pid, ...descendants(pid)].reduce((sum, one) => sum + attempt(() => read(one), 0), 0);
}

function pathOf(home: Home, number: number): string {
  return logPath(home.state, `session${String(number).padStart(5, '0')}`);
}

function writeSession(home: Home, number: number, text: string): void {
  const id = `session${String(number).padStart(5, '0')}`;
  const settings = toSettings(DEFAULT_CONFIG, {});
  const facts: DurableEvent[] = [
    { type: 'session.created', id, cwd: home.work, settings },
    { type: 'turn.started', turn: 1, text: `needle${number} ${text}` },
    ...Array.from(
      { length: 30 },
      (): DurableEvent => ({ type: 'step.completed', text, calls: [], finish: 'stop', model: 'scripted' }),
    ),
    { type: 'turn.ended', reason: 'completed' },
  ];
  const path = pathOf(home, number);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const records = facts.map((event, place) => formatRecord({ seq: place + 1, at: number, event }));
  writeFileSync(path, formatHeader() + records.join(''), { mode: 0o600 });
}

test('[sessions.export] Markdown and JSON lines hold the session, and nothing that steers a terminal', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('A \u202e trick \x1b[31mred'), text('Done.')] });
  home.useModel(server.url);
  await home.run(['-p', 'show me a trick']);
  const [id = ''] = idsOf(home);
  const [markdown, lines] = [
    (await home.run(['sessions', 'export', id])).out,
    (await home.run(['sessions', 'export', id, '--format', 'jsonl'])).out,
  ];
  expect([markdown, lines].map((out) => /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test(out))).toEqual([
    false,
    false,
  ]);
  expect(markdown).toStartWith('# show me a trick\n\nSession ');
  expect(markdown).toContain('## 1. show me a trick\n');
  const facts = lines
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const logged = readFileSync(join(home.state, 'sessions', id, 'log.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1);
  const kept = logged.map((line) => {
    const { sum: _, ...fact } = JSON.parse(line);
    return fact;
  });
  expect(facts).toEqual(kept);
});

test('[sessions.remove] several go at once with all they keep, in the index too; without a terminal only with --yes', async () => {
  using home = new Home();
  await withTwoSessions(home);
  const [first = '', second = ''] = idsOf(home);
  await home.run(['sessions', 'search', 'docker']);
  const refused = await home.run(['sessions', 'remove', first]);
  expect([refused.code, idsOf(home).length]).toEqual([2, 2]);
  const gone = await home.run(['sessions', 'remove', '--yes', first.slice(0, 11), second]);
  expect([gone.code, gone.out, idsOf(home)]).toEqual([0, `Deleted ${first}.\nDeleted ${second}.\n`, []]);
  expect((await home.run(['sessions', 'search', 'docker'])).out).toBe('Nothing found.\n');
});

test('[sessions.remove] at a terminal a yes is asked for', async () => {
  using home = new Home();
  await withTwoSessions(home);
  const [first = ''] = idsOf(home);
  for (const [word, left] of [
    ['no', 2],
    ['yes', 1],
  ] as const) {
    await using terminal = home.open(['sessions', 'remove', first]);
    await terminal.waitFor('Type yes:', PATIENCE);
    expect(terminal.screen()).toContain('what does the README say?');
    terminal.type(`${word}\n`);
    await terminal.ended();
    expect(idsOf(home)).toHaveLength(left);
  }
});

test('[sessions.remove] one that is open is refused in words, and the others go', async () => {
  using home = new Home();
  await withTwoSessions(home);
  const [first = '', second = ''] = idsOf(home);
  await using terminal = home.open(['--resume', first]);
  await runLine(terminal, 'true');
  const { code, out, error } = await home.run(['sessions', 'remove', '--yes', first, second]);
  expect([code, out, idsOf(home)]).toEqual([1, `Deleted ${second}.\n`, [first]]);
  expect(error).toContain(`session ${first} is open in another aish`);
});

test('[sessions.name] a session is named by the user, at the prompt or from outside, and lists show it', async () => {
  using home = new Home();
  await withTwoSessions(home);
  const [first = '', second = ''] = idsOf(home);
  const renamed = await home.run(['sessions', 'rename', second, 'slow', 'network']);
  expect(renamed.out).toBe(`${second} is now called: slow network\n`);
  await using terminal = home.open(['--resume', first]);
  await tell(terminal, ':name the  README', 'session name: the README');
  const { out } = await home.run(['sessions']);
  expect([out.includes('  slow network\n'), out.includes('  the README\n')]).toEqual([true, true]);
  const refused = await home.run(['sessions', 'rename', first, 'another']);
  expect([refused.code, refused.error.includes(':name')]).toEqual([1, true]);
});

test('[sessions.name] the fast model names a session once, after its first answer', async () => {
  using home = new Home();
  const { promise, resolve } = Promise.withResolvers<void>();
  await using server = startModelServer({ script: [text('Use a bridge.'), text('Yes.'), text('No.')] });
  await using fast = startModelServer({ script: [text('"Docker bridge setup."\nmore')] });
  const models = `[models.test]\nbase_url = "${server.url}"\n[models.small]\nbase_url = "${fast.url}"\nrole = "fast"\n`;
  home.configure(models);
  await using terminal = home.open();
  await ask(terminal, 'how do I connect containers?');
  await answered(terminal, 'Use a bridge.');
  const request = await fast.requested(1);
  expect(JSON.stringify(request.body.messages)).toContain('how do I connect containers?');
  const [id = ''] = idsOf(home);
  const log = join(home.state, 'sessions', id, 'log.jsonl');
  const poll = setInterval(() => {
    if (readFileSync(log, 'utf8').includes('session.named')) resolve();
  }, 20);
  await promise;
  clearInterval(poll);
  expect((await home.run(['sessions'])).out).toContain('  Docker bridge setup\n');
  await ask(terminal, 'is that all?');
  await answered(terminal, 'Yes.');
  expect([fast.requests.length, server.requests.length]).toEqual([1, 2]);
});

test('[sessions.choose] :resume lists sessions, narrows them as one types, and Escape stays', async () => {
  using home = new Home();
  await withTwoSessions(home);
  await using terminal = home.open();
  await runLine(terminal, 'true');
  terminal.type(':resume\n');
  await terminal.waitFor(/> .*what does the README say\?/, PATIENCE);
  await terminal.waitFor(/\n .*why is docker slow\?/, PATIENCE);
  terminal.press('escape');
  await prompted(terminal);
  terminal.type(':resume\n');
  await terminal.waitFor(/> .*what does the README say\?/, PATIENCE);
  terminal.type('dock');
  await terminal.waitFor((screen) => /> .*why is docker slow\?/.test(screen) && !/README say/.test(screen), PATIENCE);
  terminal.press('enter');
  await answered(terminal, `Resumed session ${idsOf(home)[1]}`);
});

test('[sessions.choose] a narrow window shows all keys of the list', async () => {
  using home = new Home();
  await withTwoSessions(home);
  await using terminal = home.open([], { columns: 50 });
  await runLine(terminal, 'true');
  terminal.type(':resume\n');
  const screen = await terminal.waitFor(/> .*what does the README say\?/, PATIENCE);
  const from = screen.lastIndexOf('Resume:');
  expect(screen.slice(from, screen.indexOf('\n>', from)).replace(/\s+/g, ' ')).toBe(
    'Resume: Enter resumes it · Ctrl-T shows only this directory · Escape cancels',
  );
});

/** A model for `playSession`. */
function startPlayer(): ModelServer {
  const write = (path: string) => ({ name: 'aish__write_file', arguments: { path, content: 'new\n' } });
  return startModelServer({
    script: [
      textAndCalls('First **a file**:\n\n```sh\nls -l\n```\n', write('made.txt')),
      calls({ name: 'aish__exec', arguments: { command: 'echo from the model' } }),
      calls(write('other.txt')),
      text('| a | b |\n| - | - |\n| 1 | 2 |\n\nThat is all.'),
    ],
  });
}

/** Plays a session at the prompt: commands, an answer with code, calls that are allowed, one that is denied. */
async function playSession(terminal: TestTerminal): Promise<void> {
  await runLine(terminal, 'printf "no line end"; (exit 3)');
  terminal.type('please write a file for me, and then another one\n');
  await asked(terminal, 'aish.write_file');
  await answer(terminal, 'y');
  await asked(terminal, 'aish.exec');
  await answer(terminal, 'y');
  await asked(terminal, 'aish.write_file');
  await answer(terminal, 'n');
  await answered(terminal, 'That is all.');
  await runLine(terminal, 'cat made.txt');
}

/** The rows from the first prompt on. How long each call took is of the moment, and blanks at the end of a row show nothing. */
function rowsOf(history: string): readonly string[] {
  const rows = history.split('\n').map((row) => row.trimEnd().replace(/\d+\.\d s/, '0.0 s'));
  return rows.slice(rows.findIndex((row) => row.includes('$ printf')));
}

test('[sessions.replay] a replay in a terminal shows what the session showed, row by row, and does none of it', async () => {
  using home = new Home();
  const server = startPlayer();
  home.useModel(server.url);
  await using terminal = home.open([], { rows: 24 });
  await playSession(terminal);
  const seen = terminal.history();
  terminal.press('ctrl-d');
  await terminal.ended();
  await server.close();
  rmSync(join(home.work, 'made.txt'));
  const [id = ''] = idsOf(home);
  const log = readFileSync(join(home.state, 'sessions', id, 'log.jsonl'));
  const refused = 'http://127.0.0.1:9/v1';
  home.useModel(refused);
  await using replay = home.open(['sessions', 'replay', id, '--speed', '50'], { rows: 24 });
  expect(await replay.ended()).toBe(0);
  const shown = replay.history();
  expect(shown.split('\n').at(-1)).toBe('End of the session.');
  expect(rowsOf(shown.slice(0, shown.lastIndexOf('\n')))).toEqual(rowsOf(seen.slice(0, seen.lastIndexOf('\n'))));
  expect([
    existsSync(join(home.work, 'made.txt')),
    readFileSync(join(home.state, 'sessions', id, 'log.jsonl')),
  ]).toEqual([false, log]);
});

test('[sessions.replay] keys pause and end it, and a pipe gets it at once, the same each time', async () => {
  using home = new Home();
  await withTwoSessions(home);
  const [first = ''] = idsOf(home);
  const [one, other] = [await home.run(['sessions', 'replay', first]), await home.run(['sessions', 'replay', first])];
  expect([one.code, one.out === other.out, one.out.includes('It says hello to `everybody`.')]).toEqual([0, true, true]);
  await using replay = home.open(['sessions', 'replay', first, '--step']);
  await replay.waitFor('what does the README say?', PATIENCE);
  expect(replay.screen()).not.toContain('I look.');
  replay.press('right');
  await replay.waitFor('I look.', PATIENCE);
  // The rest waits for a key of its own, so the replay stands in its middle.
  replay.press('ctrl-c');
  expect(await replay.ended()).toBe(130);
  expect(replay.history()).not.toContain('It says hello');
  expect(replay.history()).toContain('The replay was stopped.');
});

test('[sessions.why] the bytes of each request come back as the server got them, with what decided the calls', async () => {
  using home = new Home();
  await using server = startModelServer({
    script: [
      calls({ name: 'aish__write_file', arguments: { path: 'a.txt', content: 'é\n' } }),
      text('Written.'),
      text('Nothing else.'),
    ],
  });
  home.useModel(server.url);
  await home.run(['-p', '--approve', 'all', 'write a.txt']);
  const [id = ''] = idsOf(home);
  await home.run(['-p', '--resume', id, 'and then?']);
  const bodies: string[] = [];
  for (const which of ['1.1', '1.2', '2.1']) bodies.push((await home.run(['sessions', 'why', id, which])).out);
  expect(bodies).toEqual(server.requests.map(({ text }) => text));
  const { out } = await home.run(['sessions', 'why', id, '1']);
  expect(out.match(/rebuilt from the log, byte for byte/g)).toHaveLength(2);
  expect(out).toContain('allowed by the rule');
  expect(out).toMatch(/returned:\n {2}\| created \S*a\.txt/);
  const second = (await home.run(['sessions', 'why', id, '2'])).out;
  expect(second).toContain('messages are the same as in the request before\n  assistant, 8 characters: Written.\n');
  expect(second).not.toContain('write a.txt');
  const wrong = await home.run(['sessions', 'why', id, '7']);
  expect([wrong.code, wrong.error.includes('there is no turn 7')]).toEqual([1, true]);
});

test('[sessions.why] :why tells of the last turn at the prompt', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('Blue.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'which colour?');
  await answered(terminal, 'Blue.');
  const screen = await tell(terminal, ':why', 'byte for byte');
  expect(screen).toContain('request 1 to test (scripted) at 127.0.0.1');
  expect(screen).toContain('To see the bytes of a request: :why 1.1');
});

test('[sessions.search] a masked secret is in no index', async () => {
  using home = new Home();
  const secret = 'hunter2-hunter2-hunter2';
  await using server = startModelServer({ script: [text('I see.')] });
  home.useModel(server.url);
  await home.run(['-p', `my token is ${secret}`], { env: { MY_API_TOKEN: secret } });
  const { out } = await home.run(['sessions', 'list'], { env: { MY_API_TOKEN: secret } });
  expect(out).toContain('my token is');
  appendFileSync(join(home.root, 'cache/aish/marker'), 'looked');
  expect([isOnDisk(join(home.root, 'cache'), 'hunter2'), isOnDisk(join(home.root, 'cache'), 'looked')]).toEqual([
    false,
    true,
  ]);
});

test('[sessions.search] without colours nothing but text is written', async () => {
  using home = new Home();
  await withTwoSessions(home);
  await using terminal = home.open(['sessions', 'search', 'docker'], { columns: 40, env: { NO_COLOR: '1' } });
  expect(await terminal.ended()).toBe(0);
  expect([terminal.rawText().includes('\x1b['), terminal.history().includes('docker')]).toEqual([false, true]);
});
