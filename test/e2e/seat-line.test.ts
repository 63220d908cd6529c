import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AISH, Home } from '../support/aish.ts';
import { isOnDisk, PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { ask } from '../support/conversation.ts';
import { held, type ModelServer, startModelServer, text } from '../support/model-server.ts';
import { doorOf, enter, openSeat, seated } from '../support/seat.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

/** Settles when the line of a seat ends so. */
function shows(seat: TestTerminal, line: string): Promise<string> {
  return seat.waitFor((screen) => screen.endsWith(line), PATIENCE);
}

/** Lines in the person's history, with what is known of their ends. */
function remembered(home: Home): readonly { readonly line: string; readonly exit: number | undefined }[] {
  const records = readFileSync(join(home.state, 'history.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line): { id?: string; line?: string; end?: string; exit?: number } => JSON.parse(line));
  return records.flatMap(({ id, line }) =>
    line === undefined ? [] : [{ line, exit: records.find(({ end }) => end === id)?.exit }],
  );
}

/** The owner asks, and the seat sees it; the model has the request, and keeps its answer back. */
async function thinks(owner: TestTerminal, seat: TestTerminal, model: ModelServer): Promise<void> {
  await ask(owner, 'think');
  await model.requested(1);
  await seat.waitForHistory('owner ? think', PATIENCE);
}

test('[seats.line] a line at a seat has the colours of the prompt, by what the session’s shell knows', async () => {
  using home = new Home();
  await using owner = home.open();
  await using seat = await openSeat(home, owner, ['alias greet="echo greetings"']);
  seat.type('!greet "to" README | nosuch plain');
  await shows(seat, 'plain');
  await seat.waitFor(() => seat.lookOf('README').underline && seat.lookOf('nosuch').colour >= 0, PATIENCE);
  const [known, quoted, pipe, unknown] = ['greet', '"to"', '|', 'nosuch'].map((word) => seat.lookOf(word).colour);
  expect(new Set([known, quoted, pipe, unknown]).size).toBe(4);
  expect(known).not.toBe(-1);
});

test('[seats.line] Tab completes words of the session’s shell, paths where it is, and what can be asked for at a seat', async () => {
  using home = new Home();
  mkdirSync(join(home.work, 'deep'));
  writeFileSync(join(home.work, 'deep', 'treasure.txt'), '');
  await using owner = home.open();
  await using seat = await openSeat(home, owner, ['alias greetings_of_owner=echo', 'cd deep']);
  seat.type('greetings_');
  await shows(seat, ' greetings_');
  seat.press('tab');
  await shows(seat, '$ greetings_of_owner');
  seat.type('trea');
  await shows(seat, 'greetings_of_owner trea');
  seat.press('tab');
  await shows(seat, 'greetings_of_owner treasure.txt');
  seat.press('ctrl-u');
  seat.type(':re');
  await shows(seat, ': :re');
  seat.press('tab');
  const offered = await seat.waitFor('rehearse  try a command', PATIENCE);
  expect(offered).toContain('redo ');
  expect(offered).not.toContain('resume ');
});

test('[seats.line] the person’s history is at the seat, and what is entered there is kept in it, with how it ended', async () => {
  using home = new Home();
  await using owner = home.open();
  await using seat = await openSeat(home, owner, ['echo of-owner']);
  seat.press('up');
  await shows(seat, '$ echo of-owner');
  seat.press('ctrl-u');
  await enter(seat, 'echo of-seat', /\nof-seat\n/);
  await enter(seat, 'echo gone; (exit 3)', /\ngone\n/);
  seat.type('echo of-s');
  await shows(seat, 'echo of-seat');
  seat.press('ctrl-u');
  seat.type(':name of the seat\n');
  await seat.waitForHistory('is called: of the seat', PATIENCE);
  seat.type(':quit\n');
  expect(await seat.ended()).toBe(0);
  expect(remembered(home)).toEqual([
    { line: 'echo of-owner', exit: 0 },
    { line: 'echo of-seat', exit: 0 },
    { line: 'echo gone; (exit 3)', exit: 3 },
    { line: ':name of the seat', exit: null },
    { line: ':quit', exit: null },
  ] as never);
  await runLine(owner, 'true');
  owner.type('echo of-se');
  owner.press('up');
  await owner.waitFor(/\$ echo of-seat$/, PATIENCE);
});

test('[seats.line] who comes back to the same terminal finds what was entered there, kept once', async () => {
  using home = new Home();
  await using owner = home.open();
  await prompted(owner);
  await doorOf(home);
  const twice = ['-c', `${AISH} attach; echo left; ${AISH} attach`];
  await using seat = openTerminal({ command: 'sh', args: twice, cwd: home.work, env: home.env });
  await enter(seat, 'echo once', /\nonce\n/);
  seat.type(':quit\n');
  await seat.waitForHistory(/\nleft\n(?:.*\n)*at .+ >$/, PATIENCE);
  await runLine(owner, 'echo between');
  await seat.waitForHistory(/\nbetween\n/, PATIENCE);
  await seated(seat);
  seat.type(':quit\n');
  expect(await seat.ended()).toBe(0);
  expect(remembered(home).map(({ line }) => line)).toEqual(['echo once', ':quit', 'echo between', ':quit']);
});

test('[seats.line] a secret that is typed at a seat is in no history', async () => {
  using home = new Home();
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  await enter(seat, 'export API_TOKEN=zebra-4711-zebra-4711; echo told', /\ntold\n/);
  await enter(seat, '!echo zebra-4711-zebra-4711 | wc -c', /\n22\n/);
  seat.type(':quit\n');
  expect(await seat.ended()).toBe(0);
  expect(isOnDisk(home.state, 'zebra')).toBe(false);
  expect(remembered(home).map(({ line }) => line)).toEqual([
    'export API_TOKEN=⟨secret:API_TOKEN⟩; echo told',
    '!echo ⟨secret:API_TOKEN⟩ | wc -c',
    ':quit',
  ]);
});

test('[seats.line] a command behind a blank is private at a seat too', async () => {
  using home = new Home();
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  await enter(seat, ' echo "hid$((1 + 1))den"', 'a private command');
  await owner.waitForHistory('hid2den', PATIENCE);
  await runLine(owner, 'echo after');
  await seat.waitForHistory(/\nafter\n/, PATIENCE);
  await seated(seat);
  seat.type(':quit\n');
  expect(await seat.ended()).toBe(0);
  expect(isOnDisk(home.state, 'hid')).toBe(false);
  expect(seat.history()).not.toContain('hid2den');
});

test('[seats.line] what is typed while a command of the other terminal runs stands in the line behind it', async () => {
  using home = new Home();
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  seat.type('echo of-');
  await shows(seat, 'echo of-');
  owner.type('!echo begun; read word\n');
  await seat.waitForHistory(/\nbegun$/, PATIENCE);
  seat.type('se');
  seat.type('at');
  owner.type('\n');
  await shows(seat, 'echo of-seat');
  seat.press('enter');
  await seat.waitForHistory(/\nof-seat\n/, PATIENCE);
  await seated(seat);
});

test('[seats.line] lines that are called off while they wait come back at their client, each by itself, and run nowhere', async () => {
  using home = new Home();
  const gate = Promise.withResolvers<void>();
  await using model = startModelServer({ script: [held(text('Too late.'), gate.promise)] });
  home.useModel(model.url);
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  await thinks(owner, seat, model);
  seat.type('echo first\n');
  await seat.waitForHistory('the line waits', PATIENCE);
  seat.type(' echo second\n');
  await seat.waitFor(/queued 1: +echo second/, PATIENCE);
  seat.type('third');
  await shows(seat, 'third');
  owner.press('ctrl-\\');
  await shows(seat, '$ echo first');
  seat.press('up');
  await shows(seat, '$  echo second');
  seat.press('up');
  await shows(seat, 'third');
  await prompted(owner);
  gate.resolve();
  expect(owner.history()).not.toMatch(/echo (first|second)/);
});

test('[seats.line] :keyboard asks for the keyboard as Ctrl-] does, and exit leaves the session as it is', async () => {
  using home = new Home();
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  seat.type(':keyboard\n');
  await owner.waitForHistory(/pts\/\d+ asks for the keyboard/, PATIENCE);
  owner.press('ctrl-c');
  await seat.waitForHistory('you did not get the keyboard', PATIENCE);
  await seated(seat);
  seat.type('exit\n');
  await seat.waitForHistory('it goes on', PATIENCE);
  expect(await seat.ended()).toBe(0);
  await runLine(owner, 'echo still here');
  owner.type(':keyboard\n');
  await owner.waitForHistory('works only at an attached client', PATIENCE);
});

test('[seats.line] what is entered at a client while its own command runs waits there, and Up brings it back', async () => {
  using home = new Home();
  const gate = Promise.withResolvers<void>();
  await using model = startModelServer({ script: [held(text('Done thinking.'), gate.promise)] });
  home.useModel(model.url);
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  seat.type('?think\n');
  await model.requested(1);
  seat.type('!echo one-$((1 + 1))\n');
  await seat.waitFor(/queued 1: +!echo one/, PATIENCE);
  seat.type('!echo two-$((1 + 1))\n');
  await seat.waitFor(/queued 2: +!echo two/, PATIENCE);
  seat.press('up');
  await seat.waitFor((screen) => /queued 1: +!echo one/.test(screen) && !screen.includes('queued 2'), PATIENCE);
  gate.resolve();
  await seat.waitForHistory(/\none-2\n/, PATIENCE);
  await shows(seat, '!echo two-$((1 + 1))');
  expect(owner.history()).not.toContain('two-');
});

test('[seats.line] history forms are replaced at a seat, and a line with an open end goes on', async () => {
  using home = new Home();
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  await enter(seat, 'echo once', /\nonce\n/);
  expect(await enter(seat, '!!; echo twice', /\ntwice\n/)).toContain('once\ntwice\n');
  seat.type('for i in 1 2; do\n');
  await seat.waitFor(/do\n> $|do\n>$/, PATIENCE);
  seat.type('echo "n$i"; done\n');
  await seat.waitForHistory('n1\nn2\n', PATIENCE);
  await seated(seat);
});

test('[seats.halt] a halt at a seat is told and recorded with the name of the seat, and one of the owner as theirs', async () => {
  using home = new Home();
  const gate = Promise.withResolvers<void>();
  const answer = held(text('Too late.'), gate.promise);
  await using model = startModelServer({ script: [answer, answer] });
  home.useModel(model.url);
  await using owner = home.open();
  await using seat = await openSeat(home, owner);
  await thinks(owner, seat, model);
  seat.press('ctrl-\\');
  await owner.waitForHistory(/\[aish\] halted at pts\/\d+; stopped: the answer of the model/, PATIENCE);
  await seat.waitForHistory(/\[aish\] halted at pts\/\d+; stopped/, PATIENCE);
  await Promise.all([prompted(owner), seated(seat)]);
  seat.type('?think again\n');
  await model.requested(2);
  owner.press('ctrl-\\');
  await seat.waitForHistory(/halted at owner\s+\[aish\] halted; stopped/, PATIENCE);
  await prompted(owner);
  gate.resolve();
  const log = readFileSync(join(home.state, 'sessions', await doorOf(home), 'log.jsonl'), 'utf8');
  const halts = [...log.matchAll(/"type":"session.halted".*/g)].map(([line]) => /"seat":"pts/.test(line));
  expect(halts).toEqual([true, false]);
});
