import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, ask, asked, fixtureServer, learnTools, stdioServer } from '../support/conversation.ts';
import { calls, held, type ModelServer, recorded, startModelServer, stream, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

/** Something that is waited for until the test lets it happen. */
function gate(): { readonly wait: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { wait: promise, open: resolve };
}

/** Settles when the prompt of somebody who works stands below, with this typed. */
function typing(terminal: TestTerminal, line: string): Promise<string> {
  return terminal.waitFor((screen) => screen.endsWith(line), PATIENCE);
}

/** The texts the user sent, in order. */
function saidTo(server: ModelServer): string[] {
  const messages = server.requests.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === 'user').map(({ content }) => String(content).split('\n').at(-1) ?? '');
}

test('[work.echo] what is typed while the model streams is shown below the answer, kept, and runs only with Enter', async () => {
  using home = new Home();
  const rest = gate();
  await using server = startModelServer({ script: [held(text('The first words. And the last.'), rest.wait, 4)] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'talk');
  await terminal.waitFor(/The first words\.\n.*work \+$/, PATIENCE);
  terminal.type('touch typed.txt');
  await typing(terminal, '$ touch typed.txt');
  rest.open();
  await terminal.waitFor(/The first words\. And the last\.\n.*work \$ touch typed.txt$/, PATIENCE);
  expect(existsSync(join(home.work, 'typed.txt'))).toBe(false);
  terminal.press('enter');
  await prompted(terminal);
  expect(existsSync(join(home.work, 'typed.txt'))).toBe(true);
});

test('[work.stalled] a stream that sends nothing more is reported with the time and the key that stops it, until its next byte', async () => {
  using home = new Home();
  const rest = gate();
  await using server = startModelServer({ script: [held(text('The first words. And the last.'), rest.wait, 4)] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'talk');
  const stalled = /The first words\.\n {2}the model sends nothing · 1\d s · Ctrl-C stops\n.*work \+$/;
  await terminal.waitFor(stalled, PATIENCE);
  rest.open();
  await terminal.waitFor(/The first words\. And the last\.\n.*work >$/, PATIENCE);
  expect(terminal.history()).not.toContain('sends nothing');
});

test('[cli.silence] an answer that is empty, cut off or filtered is reported in a line at the prompt', async () => {
  using home = new Home();
  const script = [
    text(''),
    text('', { reasoning: 'hm' }),
    text('half of', { finish: 'length' }),
    text('', { finish: 'content_filter' }),
    text('whole'),
  ];
  await using server = startModelServer({ script });
  home.useModel(server.url);
  await using terminal = home.open();
  for (const [question, line] of [
    ['one', 'The model sent an empty answer.'],
    ['two', 'The model sent its reasoning and no answer.'],
    ['three', 'The answer was cut off at the token limit ('],
    ['four', "The provider's content filter stopped the answer."],
  ] as const) {
    await ask(terminal, question);
    await terminal.waitFor(line, PATIENCE);
    await prompted(terminal);
  }
  await ask(terminal, 'five');
  await terminal.waitFor(/\?five\nwhole\n\S* >$/, PATIENCE);
});

test('[work.queue] lines entered while the model works wait above the prompt and run after it, each where it goes', async () => {
  using home = new Home();
  const rest = gate();
  await using server = startModelServer({ script: [held(text('One.'), rest.wait, 1), text('Two.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await runLine(terminal, 'true');
  await ask(terminal, 'first');
  await typing(terminal, ' +');
  terminal.type('echo queued-$((1+1))\n');
  await terminal.waitFor('queued 1: echo', PATIENCE);
  terminal.type('?second\n');
  await terminal.waitFor('queued 2: ?second', PATIENCE);
  terminal.type('ec');
  const screen = await typing(terminal, '$ ec');
  expect(screen.split('\n').slice(-4, -1)).toEqual([
    '  queued 1: echo queued-$((1+1))',
    '  queued 2: ?second',
    '  Up edits the last · Ctrl-S sends now',
  ]);
  rest.open();
  const after = await terminal.waitFor(/Two\.\n.*\$ ec$/, PATIENCE);
  expect(after).toMatch(/One\.\n.*work \$ echo queued-\$\(\(1\+1\)\)\nqueued-2\n.*work \? \?second\nTwo\./);
  expect(after).not.toContain('queued 1');
  expect(saidTo(server)).toEqual(['first', 'second']);
});

test('[work.queue] queued lines are laid out again when the terminal becomes wider', async () => {
  using home = new Home();
  const rest = gate();
  await using server = startModelServer({ script: [held(text('One.'), rest.wait, 1)] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'first');
  await typing(terminal, ' +');
  terminal.resize(30, 24);
  terminal.type('echo a line that is longer than this\n');
  await terminal.waitFor(/queued 1: echo a line.*…/, PATIENCE);
  terminal.resize(80, 24);
  await terminal.waitFor('queued 1: echo a line that is longer than this\n', PATIENCE);
  rest.open();
  await terminal.waitForHistory('a line that is longer than this\n', PATIENCE);
});

test('[work.queue] Up on the empty line edits the last queued line, and Alt-Up brings one without merging it with what is typed', async () => {
  using home = new Home();
  const rest = gate();
  await using server = startModelServer({ script: [held(text('One.'), rest.wait, 1)] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'first');
  await typing(terminal, ' +');
  terminal.type('echo a\n');
  await terminal.waitFor('queued 1: echo a', PATIENCE);
  terminal.type('echo b\n');
  await terminal.waitFor('queued 2: echo b', PATIENCE);
  terminal.press('up');
  await typing(terminal, '$ echo b');
  terminal.send('\x1b[1;3A');
  await terminal.waitFor((screen) => screen.endsWith('$ echo a') && !screen.includes('queued 1'), PATIENCE);
  terminal.press('up');
  await typing(terminal, '$ echo b');
  terminal.press('down');
  await typing(terminal, '$ echo a');
  rest.open();
  await terminal.waitFor(/One\.\n.*\$ echo a$/, PATIENCE);
});

test('[work.steer] Ctrl-S cuts the answer that streams off at once, and sends the line before those that wait', async () => {
  using home = new Home();
  await using server = startModelServer({
    script: [held(text('Half of an answer.'), gate().wait, 2), text('Changed.'), text('Later.')],
  });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'first');
  await terminal.waitFor(/Half\n.* \+$/, PATIENCE);
  terminal.type('?later\n');
  await terminal.waitFor('queued 1: ?later', PATIENCE);
  terminal.type('?rather this');
  await typing(terminal, '? ?rather this');
  terminal.press('ctrl-s');
  // The stream has no end: the line goes without one.
  const screen = await terminal.waitFor(/Changed\.[\s\S]*Later\.\n.*>$/, PATIENCE);
  expect(screen).toMatch(/Half\n/);
  expect(saidTo(server)).toEqual(['first', 'rather this', 'later']);
  expect(server.failures).toEqual([]);
});

test('[work.steer] Ctrl-S lets the call that runs end, and the model reads that those behind it never began', async () => {
  using home = new Home();
  const wait = { name: 'slow__wait', arguments: {} };
  await using server = startModelServer({ script: [calls(wait, wait), text('Changed.')] });
  home.useModel(
    server.url,
    `${stdioServer('slow', fixtureServer('slow-server.ts', home.root))}[mcp.auto_approve]\n"slow.*" = true\n`,
  );
  await learnTools(home);
  await using terminal = home.open();
  await ask(terminal, 'wait twice');
  await until({ what: 'the first call' }, () => existsSync(join(home.root, 'called-1')));
  terminal.type('?rather this');
  await typing(terminal, '? ?rather this');
  terminal.press('ctrl-s');
  await terminal.waitFor('next 1: ?rather this', PATIENCE);
  writeFileSync(join(home.root, 'release'), '');
  await terminal.waitFor(/Changed\.\n.*>$/, PATIENCE);
  const results = server.requests[1]?.body.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ content }) => content)).toEqual(['waited', 'interrupted before it began']);
  expect(saidTo(server)).toEqual(['wait twice', 'rather this']);
  expect(existsSync(join(home.root, 'called-2'))).toBe(false);
});

test('[work.interrupt] Ctrl-C stops the turn, and queued lines come back as lines of their own, of which none runs', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [held(text('One two.'), gate().wait, 2)] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'first');
  await terminal.waitFor(/One\n.* \+$/, PATIENCE);
  terminal.type('touch a\n');
  await terminal.waitFor('queued 1: touch a', PATIENCE);
  terminal.type('touch b\n');
  await terminal.waitFor('queued 2: touch b', PATIENCE);
  terminal.type('touch c');
  await typing(terminal, '$ touch c');
  terminal.press('ctrl-c');
  await terminal.waitFor((screen) => screen.endsWith('$ touch a') && !screen.includes('queued 1'), PATIENCE);
  terminal.press('up');
  await typing(terminal, '$ touch b');
  terminal.press('up');
  await typing(terminal, '$ touch c');
  terminal.press('down');
  await typing(terminal, '$ touch b');
  terminal.press('enter');
  await prompted(terminal);
  expect(['a', 'b', 'c'].map((name) => existsSync(join(home.work, name)))).toEqual([false, true, false]);
  // Lines that did not run are still there, each once.
  terminal.press('up');
  await typing(terminal, '$ touch a');
  // Nobody works any more: the line is the first thing to stop now, and is given up.
  terminal.press('ctrl-c');
  await prompted(terminal);
  terminal.press('up');
  await typing(terminal, '$ touch c');
  expect(server.requests).toHaveLength(1);
});

test('[work.question] a question takes its own keys only, and what was typed before it is in the line again afterwards', async () => {
  using home = new Home();
  const rest = gate();
  await using server = startModelServer({
    script: [
      held(calls({ name: 'aish__exec', arguments: { command: 'echo ran-$((2+3))' } }), rest.wait, 1),
      text('Done.'),
    ],
  });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'first');
  await typing(terminal, ' +');
  terminal.type('echo kept');
  await typing(terminal, '$ echo kept');
  rest.open();
  await asked(terminal, 'aish.exec');
  await answer(terminal, 'y');
  const screen = await terminal.waitFor(/ran-5\n[\s\S]*Done\.\n.*\$ echo kept$/, PATIENCE);
  expect(screen.match(/echo kept/g)).toEqual(['echo kept']);
});

/** The window is not looked at. */
function lookAway(terminal: TestTerminal): void {
  terminal.send('\x1b[O');
}

const NOTICE = /\x1b\]9;aish: ([^\x07]*)\x07/;

test('[work.notify] a turn that took long is told by a notification while the terminal has not the focus', async () => {
  using home = new Home();
  const rest = gate();
  await using server = startModelServer({ script: [held(text('There.'), rest.wait, 1)] });
  home.useModel(server.url, '[ui]\nnotify_after_s = 0');
  await using terminal = home.open([], { env: { TERM_PROGRAM: 'WezTerm' } });
  await ask(terminal, 'first');
  await typing(terminal, ' +');
  lookAway(terminal);
  rest.open();
  await terminal.waitForRaw(NOTICE, PATIENCE);
  expect(NOTICE.exec(terminal.rawText())?.[1]).toStartWith('Response complete (');
});

test('[work.notify] a question that waits is told with the bell where the terminal shows no notifications', async () => {
  using home = new Home();
  const rest = gate();
  await using server = startModelServer({
    script: [held(calls({ name: 'aish__exec', arguments: { command: 'true' } }), rest.wait, 1)],
  });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'first');
  await typing(terminal, ' +');
  lookAway(terminal);
  const before = terminal.rawText().length;
  rest.open();
  // Control strings end in the same byte.
  const plain = (raw: string) => raw.slice(before).replace(/\x1b\][^\x07]*\x07/g, '');
  await terminal.waitForRaw((raw) => plain(raw).includes('\x07'), PATIENCE);
});

test('[work.notify] the terminal is asked for its focus only while no program has it', async () => {
  using home = new Home();
  home.configure('[ui]\nnotify_after_s = 0\n');
  await using terminal = home.open([], { env: { TERM_PROGRAM: 'WezTerm' } });
  await runLine(terminal, 'true');
  await runLine(terminal, 'echo again');
  const raw = terminal.rawText();
  const modes = [...raw.matchAll(/\x1b\[\?1004([hl])|\x1b\]133;([CD])/g)].map(([, mode, mark]) => mode ?? mark);
  expect(modes.slice(0, 7)).toEqual(['h', 'l', 'C', 'D', 'h', 'l', 'C']);
  terminal.press('ctrl-d');
  expect(await terminal.ended()).toBe(0);
  expect(terminal.rawText().lastIndexOf('\x1b[?1004l')).toBeGreaterThan(terminal.rawText().lastIndexOf('\x1b[?1004h'));
});

test('[model.progress] the waiting line says that a request is queued, and how much of the prompt is read', async () => {
  using home = new Home();
  const [queue, prompt] = [gate(), gate()];
  const recording = join(import.meta.dir, '../fixtures/wire/llama-server/life-prompt-progress.sse');
  const events = readFileSync(recording, 'utf8').split(/(?<=\n\n)/);
  const half = events.findIndex((event) => event.includes('"processed":1076'));
  const reply = held(held(stream([': PROCESSING\n\n', ...events]), queue.wait, 1), prompt.wait, half + 2);
  await using server = startModelServer({ script: [reply, recorded(recording)] });
  home.useModel(server.url);
  await using terminal = home.open();
  await ask(terminal, 'talk');
  await terminal.waitFor(/queued · \d+\.\d s · Ctrl-C stops/, PATIENCE);
  queue.open();
  await terminal.waitFor(/reading the prompt 67 % · \d+\.\d s · Ctrl-C stops/, PATIENCE);
  prompt.open();
  await prompted(terminal);
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain('return_progress');
  await ask(terminal, 'go on');
  await prompted(terminal);
  expect(JSON.stringify(server.requests[1]?.body)).toContain('"return_progress":true');
});
