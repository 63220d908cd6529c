import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { enter, openAttached, openAttachedClient, serverOf } from '../support/attached-terminal.ts';
import { ask } from '../support/conversation.ts';
import { held, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

/** Settles when the line of an attached client ends so. */
function shows(attached: TestTerminal, line: string): Promise<string> {
  return attached.waitFor((screen) => screen.endsWith(line), PATIENCE);
}

/** Lines in the user's history, with what is known of their ends. */
function remembered(home: Home): readonly { readonly line: string; readonly exit: number | undefined }[] {
  const records = readFileSync(join(home.state, 'history.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): { id?: string; line?: string; end?: string; exit?: number } => JSON.parse(line));
  return records.flatMap(({ id, line }) =>
    line === undefined ? [] : [{ line, exit: records.find(({ end }) => end === id)?.exit }],
  );
}

/** The owner asks, and the attached client sees it; the model has the request, and keeps its answer back. */
async function thinks(owner: TestTerminal, attached: TestTerminal, model: ModelServer): Promise<void> {
  await ask(owner, 'think');
  await model.requested(1);
  await attached.waitForHistory('owner ? think', PATIENCE);
}

test('[attach.line] a line at an attached client has the colours of the prompt, by what the session’s shell knows', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner, ['alias greet="echo greetings"']);
  attached.type('!greet "to" README | nosuch plain');
  await shows(attached, 'plain');
  await attached.waitFor(() => attached.lookOf('README').underline && attached.lookOf('nosuch').colour >= 0, PATIENCE);
  const [known, quoted, pipe, unknown] = ['greet', '"to"', '|', 'nosuch'].map((word) => attached.lookOf(word).colour);
  expect(new Set([known, quoted, pipe, unknown]).size).toBe(4);
  expect(known).not.toBe(-1);
});

test('[attach.line] Tab completes words of the session’s shell, paths where it is, and what can be asked for at an attached client', async () => {
  using home = new Home();
  mkdirSync(join(home.work, 'deep'));
  writeFileSync(join(home.work, 'deep', 'treasure.txt'), '');
  await using owner = home.open();
  await using attached = await openAttached(home, owner, ['alias greetings_of_owner=echo', 'cd deep']);
  attached.type('greetings_');
  await shows(attached, ' greetings_');
  attached.press('tab');
  await shows(attached, '$ greetings_of_owner');
  attached.type('trea');
  await shows(attached, 'greetings_of_owner trea');
  attached.press('tab');
  await shows(attached, 'greetings_of_owner treasure.txt');
  attached.press('ctrl-u');
  attached.type(':d');
  await shows(attached, ': :d');
  attached.press('tab');
  const offered = await attached.waitFor('dry-run  run a command', PATIENCE);
  expect(offered).toContain('diff ');
  expect(offered).not.toContain('demo ');
});

test('[attach.line] the user’s history is at the attached client, and what is entered there is kept in it, with how it ended', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner, ['echo of-owner']);
  attached.press('up');
  await shows(attached, '$ echo of-owner');
  attached.press('ctrl-u');
  await enter(attached, 'echo of-attached client', /\nof-attached client\n/);
  await enter(attached, 'echo gone; (exit 3)', /\ngone\n/);
  attached.type('echo of-a');
  await shows(attached, 'echo of-attached client');
  attached.press('ctrl-u');
  attached.type(':name of the attached client\n');
  await attached.waitForHistory('session name: of the attached client', PATIENCE);
  attached.type(':quit\n');
  expect(await attached.ended()).toBe(0);
  expect(remembered(home)).toEqual([
    { line: 'echo of-owner', exit: 0 },
    { line: 'echo of-attached client', exit: 0 },
    { line: 'echo gone; (exit 3)', exit: 3 },
    { line: ':name of the attached client', exit: null },
    { line: ':quit', exit: null },
  ] as never);
  await runLine(owner, 'true');
  owner.type('echo of-at');
  owner.press('up');
  await owner.waitFor(/\$ echo of-attached client$/, PATIENCE);
});

test('[attach.line] who comes back to the same terminal finds what was entered there, kept once', async () => {
  using home = new Home();
  await using owner = home.open();
  await prompted(owner);
  await serverOf(home);
  const twice = ['-c', `${AISH} attach; echo left; ${AISH} attach`];
  await using attached = openTerminal({ command: 'sh', args: twice, cwd: home.work, env: home.env });
  await enter(attached, 'echo once', /\nonce\n/);
  attached.type(':quit\n');
  await attached.waitForHistory(/\nleft\n(?:.*\n)*at .+ >$/, PATIENCE);
  await runLine(owner, 'echo between');
  await attached.waitForHistory(/\nbetween\n/, PATIENCE);
  await openAttachedClient(attached);
  attached.type(':quit\n');
  expect(await attached.ended()).toBe(0);
  expect(remembered(home).map(({ line }) => line)).toEqual(['echo once', ':quit', 'echo between', ':quit']);
});

test('[attach.line] a secret that is typed at an attached client is in no history', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  await enter(attached, 'export API_TOKEN=zebra-4711-zebra-4711; echo told', /\ntold\n/);
  await enter(attached, '!echo zebra-4711-zebra-4711 | wc -c', /\n22\n/);
  attached.type(':quit\n');
  expect(await attached.ended()).toBe(0);
  expect(isOnDisk(home.state, 'zebra')).toBe(false);
  expect(remembered(home).map(({ line }) => line)).toEqual([
    'export API_TOKEN=⟨secret:API_TOKEN⟩; echo told',
    '!echo ⟨secret:API_TOKEN⟩ | wc -c',
    ':quit',
  ]);
});

test('[attach.line] a command behind a blank is private at an attached client too', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  await enter(attached, ' echo "hid$((1 + 1))den"', 'Private command:');
  await owner.waitForHistory('hid2den', PATIENCE);
  await runLine(owner, 'echo after');
  await attached.waitForHistory(/\nafter\n/, PATIENCE);
  await openAttachedClient(attached);
  attached.type(':quit\n');
  expect(await attached.ended()).toBe(0);
  expect(isOnDisk(home.state, 'hid')).toBe(false);
  expect(attached.history()).not.toContain('hid2den');
});

test('[attach.line] what is typed while a command of the other terminal runs stands in the line behind it', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  attached.type('echo of-');
  await shows(attached, 'echo of-');
  owner.type('!echo begun; read word\n');
  await attached.waitForHistory(/\nbegun$/, PATIENCE);
  attached.type('atta');
  attached.type('ched client');
  owner.type('\n');
  await shows(attached, 'echo of-attached client');
  attached.press('enter');
  await attached.waitForHistory(/\nof-attached client\n/, PATIENCE);
  await openAttachedClient(attached);
});

test('[attach.line] lines that are called off while they wait come back at their client, each by itself, and run nowhere', async () => {
  using home = new Home();
  const gate = Promise.withResolvers<void>();
  await using model = startModelServer({ script: [held(text('Too late.'), gate.promise)] });
  home.useModel(model.url);
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  await thinks(owner, attached, model);
  attached.type('echo first\n');
  await attached.waitForHistory('The line waits', PATIENCE);
  attached.type(' echo second\n');
  await attached.waitFor(/queued 1: +echo second/, PATIENCE);
  attached.type('third');
  await shows(attached, 'third');
  owner.press('ctrl-\\');
  await shows(attached, '$ echo first');
  attached.press('up');
  await shows(attached, '$  echo second');
  attached.press('up');
  await shows(attached, 'third');
  await prompted(owner);
  gate.resolve();
  expect(owner.history()).not.toMatch(/echo (first|second)/);
});

test('[attach.line] :keyboard asks for the keyboard as Ctrl-] does, and exit leaves the session as it is', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  attached.type(':keyboard\n');
  await owner.waitForHistory(/pts\/\d+ asks for the keyboard/, PATIENCE);
  owner.press('ctrl-c');
  await attached.waitForHistory('you did not get the keyboard', PATIENCE);
  await openAttachedClient(attached);
  attached.type('exit\n');
  await attached.waitForHistory('It keeps running.', PATIENCE);
  expect(await attached.ended()).toBe(0);
  await runLine(owner, 'echo still here');
  owner.type(':keyboard\n');
  await owner.waitForHistory('works only in an attached terminal', PATIENCE);
});

test('[attach.line] what is entered at a client while its own command runs waits there, and Up brings it back', async () => {
  using home = new Home();
  const gate = Promise.withResolvers<void>();
  await using model = startModelServer({ script: [held(text('Done thinking.'), gate.promise)] });
  home.useModel(model.url);
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  attached.type('?think\n');
  await model.requested(1);
  attached.type('!echo one-$((1 + 1))\n');
  await attached.waitFor(/queued 1: +!echo one/, PATIENCE);
  attached.type('!echo two-$((1 + 1))\n');
  await attached.waitFor(/queued 2: +!echo two/, PATIENCE);
  attached.press('up');
  await attached.waitFor((screen) => /queued 1: +!echo one/.test(screen) && !screen.includes('queued 2'), PATIENCE);
  gate.resolve();
  await attached.waitForHistory(/\none-2\n/, PATIENCE);
  await shows(attached, '!echo two-$((1 + 1))');
  expect(owner.history()).not.toContain('two-');
});

test('[attach.line] history forms are replaced at an attached client, and a line with an open end goes on', async () => {
  using home = new Home();
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  await enter(attached, 'echo once', /\nonce\n/);
  expect(await enter(attached, '!!; echo twice', /\ntwice\n/)).toContain('once\ntwice\n');
  attached.type('for i in 1 2; do\n');
  await attached.waitFor(/do\n> $|do\n>$/, PATIENCE);
  attached.type('echo "n$i"; done\n');
  await attached.waitForHistory('n1\nn2\n', PATIENCE);
  await openAttachedClient(attached);
});

test('[attach.halt] a halt at an attached client is told and recorded with the name of the attached client, and one of the owner as theirs', async () => {
  using home = new Home();
  const gate = Promise.withResolvers<void>();
  const answer = held(text('Too late.'), gate.promise);
  await using model = startModelServer({ script: [answer, answer] });
  home.useModel(model.url);
  await using owner = home.open();
  await using attached = await openAttached(home, owner);
  await thinks(owner, attached, model);
  attached.press('ctrl-\\');
  await owner.waitForHistory(/\[aish\] halted at pts\/\d+; stopped the model's answer/, PATIENCE);
  await attached.waitForHistory(/\[aish\] halted at pts\/\d+; stopped/, PATIENCE);
  await Promise.all([prompted(owner), openAttachedClient(attached)]);
  attached.type('?think again\n');
  await model.requested(2);
  owner.press('ctrl-\\');
  await attached.waitForHistory(/the owner halted the session\s+\[aish\] halted; stopped/, PATIENCE);
  await prompted(owner);
  gate.resolve();
  const log = readFileSync(join(home.state, 'sessions', await serverOf(home), 'log.jsonl'), 'utf8');
  const halts = [...log.matchAll(/"type":"session.halted".*/g)].map(([line]) => /"client":"pts/.test(line));
  expect(halts).toEqual([true, false]);
});
