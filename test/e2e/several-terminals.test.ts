import { expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { enter, openAttached, openAttachedClient, serverOf } from '../support/attached-terminal.ts';
import { answer, ask, asked, pause } from '../support/conversation.ts';
import { calls, held, startModelServer, text } from '../support/model-server.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

/** The question about a session that is open elsewhere, unanswered. */
const JOIN = /\[j\] join it .* \[n\] neither$/;
const CTRL_BRACKET = '\x1d';

/** Settles with the socket that a daemon says it listens on. */
async function listening(stdout: ReadableStream<Uint8Array>): Promise<string> {
  for await (const bytes of stdout) {
    const found = /^listening unix:(\S+)/.exec(new TextDecoder().decode(bytes))?.[1];
    if (found !== undefined) return found;
  }
  throw new Error('the daemon has ended');
}

/** Answers the question about a session that is open elsewhere. */
async function answerJoin(terminal: TestTerminal, key: string): Promise<void> {
  await terminal.waitFor(JOIN, PATIENCE);
  await pause(terminal);
  terminal.type(key);
}

/** The log of a session. */
function logged(home: Home, id: string): string {
  return readFileSync(join(home.state, 'sessions', id, 'log.jsonl'), 'utf8');
}

test('[attach.attach] a second terminal shows what happened before, what happens at the first, and the other way round', async () => {
  using home = new Home();
  await using model = startModelServer({ script: [text('Nice to see you both.')] });
  home.useModel(model.url);
  await using owner = home.open();
  await runLine(owner, 'echo before');
  await serverOf(home);
  await using attached = home.open(['attach']);
  expect(await openAttachedClient(attached)).toContain('owner $ echo before\nbefore\n');
  await runLine(owner, 'alias greet="echo greetings"; echo ready');
  await attached.waitForHistory(/\nready\n/, PATIENCE);
  expect(await enter(attached, 'greet', /^greetings$/m)).toContain('\ngreetings\n');
  const seen = await owner.waitForHistory(/\$ greet\n\s*greetings/, PATIENCE);
  expect(seen).toMatch(/pts\/\d+ \$ greet\n/);
  await enter(attached, '?who is there', 'Nice to see you both.');
  await owner.waitForHistory('Nice to see you both.', PATIENCE);
  expect(await prompted(owner)).toMatch(/pts\/\d+ \? who is there\n/);
  attached.type(':quit\n');
  await attached.waitForHistory('It keeps running.', PATIENCE);
  await owner.waitForHistory('has left this session', PATIENCE);
});

test('[attach.attach] a question is answered at either terminal, and the other one is told', async () => {
  using home = new Home();
  const call = (number: number) => calls({ name: 'aish__exec', arguments: { command: `touch made-${number}` } });
  await using model = startModelServer({ script: [call(1), text('First.'), call(2), text('Second.')] });
  home.useModel(model.url);
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  await ask(owner, 'make one');
  await Promise.all([asked(owner, 'aish.exec'), asked(attached, 'aish.exec')]);
  await answer(attached, 'y');
  await owner.waitForHistory(/pts\/\d+ answered: allow/, PATIENCE);
  await Promise.all([prompted(owner), openAttachedClient(attached)]);
  await ask(owner, 'make two');
  await Promise.all([asked(owner, 'aish.exec'), asked(attached, 'aish.exec')]);
  await answer(owner, 'n');
  await attached.waitForHistory('the owner answered: deny', PATIENCE);
  await Promise.all([prompted(owner), openAttachedClient(attached)]);
  expect(readdirSync(home.work).filter((name) => name.startsWith('made'))).toEqual(['made-1']);
});

test('[attach.one-history] a line that is entered while the other terminal’s turn runs waits for its end', async () => {
  using home = new Home();
  const gate = Promise.withResolvers<void>();
  await using model = startModelServer({ script: [held(text('Slowly.'), gate.promise)] });
  home.useModel(model.url);
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  const id = await serverOf(home);
  attached.type('?think\n');
  await model.requested(1);
  await owner.waitForHistory('? think', PATIENCE);
  owner.type('!echo of-owner\n');
  await owner.waitForHistory('of-owner', PATIENCE);
  await pause(owner);
  gate.resolve();
  await owner.waitForHistory(/\nof-owner\n/, PATIENCE);
  await prompted(owner);
  expect([...logged(home, id).matchAll(/"type":"(turn\.\w+|command\.\w+)"/g)].map(([, type]) => type)).toEqual([
    'turn.started',
    'turn.ended',
    'command.started',
    'command.completed',
  ]);
});

test('[attach.keyboard] a program reads what an attached client types only while the owner lends it the keyboard', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  owner.type('while read word; do echo "got $word"; done\n');
  await attached.waitForHistory('owner $ while read', PATIENCE);
  await pause(attached);
  attached.type('nothing\n');
  await attached.waitForHistory('you do not have the keyboard', PATIENCE);
  attached.type(CTRL_BRACKET);
  await owner.waitForHistory('asks for the keyboard', PATIENCE);
  owner.type(CTRL_BRACKET);
  await attached.waitForHistory('your keys go to the program: Ctrl-]', PATIENCE);
  attached.type('hello\n');
  await owner.waitForHistory('got hello', PATIENCE);
  await pause(owner);
  owner.type('dropped\n');
  await owner.waitForHistory(/got hello\s+\[\S+ has the keyboard: Ctrl-\] takes it back/, PATIENCE);
  owner.type(CTRL_BRACKET);
  await owner.waitForHistory('You have the keyboard again.', PATIENCE);
  owner.type('mine\n');
  await attached.waitForHistory('got mine', PATIENCE);
  // A client that only watches leaves without an end of the program.
  await attached.waitForHistory('the owner has the keyboard again', PATIENCE);
  attached.press('ctrl-d');
  expect(await attached.ended()).toBe(0);
  expect(attached.history()).toContain('It keeps running.');
  owner.type('still\n');
  await owner.waitForHistory('got still', PATIENCE);
  owner.press('ctrl-c');
  await prompted(owner);
  expect(owner.history()).not.toMatch(/got (nothing|dropped)/);
});

test('[attach.gone] an attached client is told when the owner ends the session', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  owner.type('exit\n');
  await attached.waitForHistory(/Session \w+ ended\./, PATIENCE);
  expect(await attached.ended()).toBe(0);
});

test('[attach.gone] an attached client is told when the owner was killed, and goes on with the session at one key', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner, ['echo kept']);
  process.kill(owner.pid, 'SIGKILL');
  await attached.waitForHistory(/open\s+is\s+gone\./, PATIENCE);
  attached.type('r');
  await attached.waitForHistory('Resumed session', PATIENCE);
  await runLine(attached, 'echo taken over');
});

test('[attach.gone] lines that waited at a client whose owner was killed stay on its screen', async () => {
  using home = new Home();
  const { promise: never } = Promise.withResolvers<void>();
  await using model = startModelServer({ script: [held(text('Slowly.'), never)] });
  home.useModel(model.url);
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  attached.type('?tell me\n');
  await model.requested(1);
  attached.type('echo later\n');
  await attached.waitFor('queued 1: echo later', PATIENCE);
  attached.type('half a li');
  await attached.waitFor(/half a li$/, PATIENCE);
  process.kill(owner.pid, 'SIGKILL');
  await attached.waitForHistory(/open\s+is\s+gone\./, PATIENCE);
  expect(attached.history()).toMatch(/did not run: echo later\ndid not run: half a li\n/);
});

test('[attach.locked] a session that is open elsewhere is copied or joined, as is said at the question', async () => {
  using home = new Home();
  // A notice that there is no model would come when it likes.
  home.useModel('http://127.0.0.1:9');
  await using owner = home.open();
  await runLine(owner, 'echo shared');
  const id = await serverOf(home);
  await using other = home.open(['--resume', id]);
  await answerJoin(other, 'f');
  await other.waitForHistory('Resumed session', PATIENCE);
  await prompted(other);
  await owner.waitForHistory('shared', PATIENCE);
  const [copy = ''] = readdirSync(join(home.state, 'sessions')).filter((name) => name !== id);
  expect(logged(home, copy)).toContain(`{"type":"session.forked","from":"${id}"}`);
  expect(logged(home, id)).toContain(`{"type":"session.forked","to":"${copy}"}`);
  other.type(`:resume ${id}\n`);
  await answerJoin(other, 'j');
  expect(await openAttachedClient(other)).toContain('owner $ echo shared');
  other.type(':quit\n');
  await prompted(other);
});

test('[attach.locked] at the start one key joins, the next one is the attached client’s, and another key leaves the terminal as it was', async () => {
  using home = new Home();
  home.useModel('http://127.0.0.1:9');
  await using owner = home.open();
  await runLine(owner, 'echo shared');
  const id = await serverOf(home);
  await using joining = home.open(['--resume', id]);
  await answerJoin(joining, 'j');
  await openAttachedClient(joining);
  joining.type('!echo "attached client $((6 * 7))"\n');
  await owner.waitForHistory('attached client 42', PATIENCE);
  await joining.waitForHistory('attached client 42', PATIENCE);
  await openAttachedClient(joining);
  joining.type(':quit\n');
  expect(await joining.ended()).toBe(0);
  await using leaving = openTerminal({
    command: 'sh',
    args: ['-c', `stty -g; ${AISH} --resume ${id}; echo "status $?"; stty -g`],
    cwd: home.work,
    env: home.env,
  });
  await answerJoin(leaving, 'n');
  expect(await leaving.ended()).toBe(0);
  const [before, after] = leaving.history().match(/^[0-9a-f]+(?::[0-9a-f]+)+$/gm) ?? [];
  expect(leaving.history()).toContain('  neither\nstatus 1\n');
  expect(after).toBe(before);
});

test('[attach.locked] without a terminal a session that is open elsewhere is refused with what can be done, or copied', async () => {
  using home = new Home();
  await using model = startModelServer({ script: [text('In the copy.')] });
  home.useModel(model.url);
  await using owner = home.open();
  await runLine(owner, 'echo shared');
  const id = await serverOf(home);
  const refused = await home.run(['-p', '--resume', id, 'hello']);
  expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('aish attach')]);
  expect(await home.run(['-p', '--resume', id, '--fork', 'hello'])).toMatchObject({ code: 0, out: 'In the copy.\n' });
});

test('[attach.attach] a session of a daemon is joined like any other, and the keyboard is had for the asking', async () => {
  using home = new Home();
  const daemon = home.start(['serve']);
  const socket = await listening(daemon.stdout);
  const opened = await fetch('http://localhost/sessions', { unix: socket, method: 'POST' });
  const id = /"id":"(\w{12})"/.exec(await opened.text())?.[1] ?? '';
  await using attached = home.open(['attach', id]);
  await enter(attached, 'echo "at $((20 + 1)) o clock"', 'at 21 o clock');
  await pause(attached);
  attached.type('!read word; echo "got $word"\n');
  await attached.waitForHistory('$ !read word', PATIENCE);
  await pause(attached);
  attached.type(CTRL_BRACKET);
  await attached.waitForHistory('your keys go to the program: Ctrl-]', PATIENCE);
  attached.type('hello\n');
  await attached.waitForHistory('got hello', PATIENCE);
  await openAttachedClient(attached);
  daemon.kill('SIGTERM');
  await attached.waitForHistory(/Session \w+ ended\./, PATIENCE);
});
