import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../src/protocol/json.ts';
import { AISH, Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, fixtureServer, learnTools, stdioServer } from '../support/conversation.ts';
import { json, type RunningDaemon, startDaemonProcess, TestHome } from '../support/daemon.ts';
import { calls, held, startModelServer, text } from '../support/model-server.ts';
import { commandLine, descendants, HAS_PROCESS_TABLE, survivors } from '../support/processes.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until, written } from '../support/until.ts';

setDefaultTimeout(120_000);

const STUBBORN = `sh -c 'trap "" INT TERM HUP; echo $$ >>pids; while :; do sleep 1; done'`;
const HALT = '\x1c';

function exec(command: string) {
  return calls({ name: 'aish__exec', arguments: { command } });
}

async function pidsOf(home: Home, count = 1): Promise<number[]> {
  const lines = await written(join(home.work, 'pids'), new RegExp(`^(\\d+\\n){${count},}$`));
  return lines.trim().split('\n').map(Number);
}

/** Allows the command that the model asks for. */
async function allow(terminal: TestTerminal): Promise<void> {
  await asked(terminal, 'aish.exec');
  await answer(terminal, 'y');
}

/** The ways to halt. */
const WAYS: readonly (readonly [string, (terminal: TestTerminal) => void])[] = [
  ['Ctrl-\\', (terminal: TestTerminal) => terminal.send(HALT)],
  [':halt', (terminal: TestTerminal) => terminal.type(':halt\n')],
];

describe('the model stream', () => {
  test.each(WAYS)(
    '[halt.key] [halt.queue] %s stops it, and lines that wait come back and do not run',
    async (_how, halt) => {
      using home = new Home();
      const never = Promise.withResolvers<void>();
      await using server = startModelServer({
        script: [held(text(`First words. ${'And more of them. '.repeat(20)}Never these.`), never.promise, 30)],
      });
      home.useModel(server.url);
      await using terminal = home.open();
      await ask(terminal, 'talk');
      await terminal.waitFor(/First words/, PATIENCE);
      terminal.type('touch late\n');
      await terminal.waitFor('queued 1: touch late', PATIENCE);
      halt(terminal);
      await terminal.waitFor(/halted; stopped the model's answer[\s\S]*[$?] touch late$/, PATIENCE);
      await server.requests[0]?.left;
      expect(existsSync(join(home.work, 'late'))).toBe(false);
      terminal.press('ctrl-u');
      expect(await runLine(terminal, 'echo still-$((40+2))')).toContain('still-42');
    },
  );
});

test('[halt.key] the line of a halt begins a row of its own under a program that left one open', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [exec('printf "half a row"; sleep 300')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'run it');
  await allow(terminal);
  await terminal.waitFor(/^half a row$/m, PATIENCE);
  terminal.send(HALT);
  await terminal.waitFor(/^half a row\n\[aish\] halted; stopped /m, PATIENCE);
});

test('[halt.asks-again] what was approved asks again after a halt, until the user says otherwise', async () => {
  using home = new Home();
  const read = calls({ name: 'aish__read_file', arguments: { path: 'README' } });
  await using server = startModelServer({ script: [read, text('One.'), read, text('Two.')] });
  home.useModel(server.url);
  await using terminal = home.open(['--approve', 'read-only']);
  await prompted(terminal);
  terminal.send(HALT);
  await answered(terminal, 'halted; the model was not running anything; aish now asks before every action');
  await ask(terminal, 'read');
  await asked(terminal, 'aish.read_file');
  await answer(terminal, 'y');
  await answered(terminal, 'One.');
  terminal.type(':approve read-only\n');
  await answered(terminal, /read-only/);
  await ask(terminal, 'again');
  await answered(terminal, 'Two.');
});

test('[halt.question] Ctrl-\\ answers no question, ends the turn, and the next one is asked', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [exec('touch late'), text('Fine.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'do it');
  await asked(terminal, 'aish.exec');
  terminal.send(HALT);
  await answered(terminal, /halted; stopped the prompt for aish\.exec/);
  expect(existsSync(join(home.work, 'late'))).toBe(false);
  await ask(terminal, 'and now');
  await answered(terminal, 'Fine.');
  expect(server.failures).toEqual([]);
});

/** Commands that keep something running, and would do another thing after it. */
const COMMANDS: readonly (readonly [string, string])[] = [
  ['a command that pays no heed', `${STUBBORN}; touch late`],
  ['one that made itself a daemon', `(setsid ${STUBBORN} >/dev/null 2>&1 &); sleep 60; touch late`],
  ['a loop', `while :; do ${STUBBORN}; touch late; done`],
];

describe.skipIf(!HAS_PROCESS_TABLE)('processes', () => {
  test.each(COMMANDS)(
    '[halt.processes] [halt.shell] Ctrl-\\ ends %s, and the same shell goes on',
    async (_what, command) => {
      using home = new Home();
      await using server = startModelServer({ script: [exec(command)] });
      home.useModel(server.url);
      await using terminal = home.open();
      await runLine(terminal, 'kept=here');
      await ask(terminal, 'run it');
      await allow(terminal);
      const pids = await pidsOf(home);
      terminal.send(HALT);
      await answered(terminal, /halted; stopped aish\.exec[\s\S]*ended \d+ process(es)?/);
      expect(await survivors(pids, 0)).toEqual([]);
      expect(await runLine(terminal, 'echo $kept-$((1+1))')).toContain('here-2');
      expect(await runLine(terminal, 'stty -a | grep -o " echo "')).toContain(' echo ');
      expect(existsSync(join(home.work, 'late'))).toBe(false);
    },
  );

  test('[halt.own] Ctrl-\\ is SIGQUIT for a command of the user, and ends none of its jobs', async () => {
    using home = new Home();
    await using server = startModelServer();
    home.useModel(server.url);
    await using terminal = home.open();
    await runLine(terminal, 'sleep 300 & echo $! >pids');
    const pids = await pidsOf(home);
    await prompted(terminal);
    terminal.type("!sh -c 'echo run-$((1+1)); ulimit -c 0; exec sleep 60'\n");
    await terminal.waitFor(/^run-2$/m, PATIENCE);
    terminal.send(HALT);
    await terminal.waitFor(/\[SIGQUIT\].*>$/, PATIENCE);
    terminal.type(':halt\n');
    await answered(terminal, 'halted; the model was not running anything');
    expect((await survivors(pids, 0)).length).toBe(1);
  });

  test('[halt.lost] losing the terminal ends the model work, with the state recorded, and nothing survives', async () => {
    using home = new Home();
    await using server = startModelServer({ script: [exec(`(setsid ${STUBBORN} >/dev/null 2>&1 &); ${STUBBORN}`)] });
    home.useModel(server.url);
    await using terminal = home.open();
    await ask(terminal, 'run it');
    await allow(terminal);
    const pids = await pidsOf(home, 2);
    terminal.hangUp();
    await terminal.ended();
    expect(await survivors(pids)).toEqual([]);
    const log = await home.run(['sessions', 'list']);
    const [id = ''] = log.out.trim().split(/\s+/);
    const facts = readFileSync(join(home.root, 'state/aish/sessions', id, 'log.jsonl'), 'utf8');
    expect(facts).toContain('"session.halted"');
    expect(facts).toContain('"by":"terminal"');
    await using again = home.open(['--continue']);
    await again.waitForHistory(/its outcome is\s+unknown/, PATIENCE);
    const told = again.history().replace(/\s+/g, ' ');
    expect(told).toMatch(
      new RegExp(`Resumed session ${id}.* the last turn was halted because the terminal closed; .*sh -c`),
    );
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('[halt.headless] %s ends a one-shot with all it has started', async (signal, status) => {
    using home = new Home();
    await using server = startModelServer({ script: [exec('sleep 300.25')] });
    home.useModel(server.url, '[safety]\napprove = ["sleep"]\n');
    const program = home.start(['-p', 'run it']);
    const find = () => descendants(program.pid).filter((pid) => commandLine(pid) === 'sleep 300.25');
    // A process of somebody else can only be looked at.
    const pids = await until({ what: 'the command', limitMs: PATIENCE.timeoutMs }, find, ({ length }) => length > 0);
    program.kill(signal);
    expect(await program.exited).toBe(status);
    expect(await survivors(pids, 0)).toEqual([]);
  });
});

describe.skipIf(!HAS_PROCESS_TABLE)('MCP servers', () => {
  test.each([
    ['stays when it answers', [], 0],
    ['is ended when it does not', ['stuck', 'ignore-term'], 1],
  ] as const)('[halt.mcp] a server whose call is called off %s', async (_what, habits, ended) => {
    using home = new Home();
    await using server = startModelServer({ script: [calls({ name: 'watched__hang', arguments: {} })] });
    const log = join(home.root, 'server-log');
    const watched = stdioServer('watched', fixtureServer('hostile.ts', log, ...habits));
    home.useModel(server.url, `${watched}[mcp.auto_approve]\n"watched.*" = true\n`);
    await learnTools(home);
    await using terminal = home.open();
    await ask(terminal, 'call it');
    const lines = await written(log, /call \d+\n$/);
    const pid = Number([...lines.matchAll(/start (\d+)/g)].at(-1)?.[1]);
    terminal.send(HALT);
    await terminal.waitForHistory('halted; stopped watched.hang', PATIENCE);
    if (ended === 0) {
      await written(log, /cancelled \d+\n$/);
      expect((await survivors([pid], 0)).length).toBe(1);
    } else {
      await terminal.waitForHistory('ended watched, which did not respond', PATIENCE);
      expect(await survivors([pid], 0)).toEqual([]);
    }
    await prompted(terminal);
  });
});

test('[halt.daemon] aish halt and POST /halt stop the sessions of a daemon, and who only watched goes on watching', async () => {
  const never = Promise.withResolvers<void>();
  const long = held(text('never'), never.promise, 0);
  await using model = startModelServer({ script: [long, long] });
  using home = new TestHome(`[models.scripted]\nbase_url = "${model.url}"\nmodel = "scripted"\n`);
  await using daemon = await startDaemonProcess(home);
  const { id } = await post(daemon, '/sessions', { cwd: home.work });
  const events = await daemon.request(`/sessions/${id}/events`);
  await post(daemon, `/sessions/${id}/ops`, { type: 'send', text: 'one' });
  await model.requested(1);
  expect(await post(daemon, '/halt', {})).toEqual({ halted: 1 });
  await model.requests[0]?.left;
  await post(daemon, `/sessions/${id}/ops`, { type: 'send', text: 'two' });
  await model.requested(2);
  const halt = Bun.spawn([AISH, 'halt'], { env: home.env, cwd: home.work, stdout: 'pipe', stderr: 'inherit' });
  expect(await new Response(halt.stdout).text()).toBe(
    'Stopped the model in 1 session. From now on aish asks before everything that no rule allows.\n',
  );
  await model.requests[1]?.left;
  expect(await halts(events, 2)).toBe(true);
});

async function post(daemon: RunningDaemon, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await daemon.request(path, json(body));
  const value: unknown = await response.json();
  if (!isJsonObject(value)) throw new Error(`no object from ${path}`);
  return value;
}

/** Whether a stream of events tells of so many halts. */
async function halts({ body }: Response, count: number): Promise<boolean> {
  let told = '';
  for await (const bytes of body ?? []) {
    told += Buffer.from(bytes).toString('utf8');
    if (told.split('"session.halted"').length > count) return true;
  }
  return false;
}
