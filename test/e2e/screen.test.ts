import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { answer, answered, ask, asked, learnTools, officialServer, stdioServer } from '../support/conversation.ts';
import { calls, held, startModelServer, text } from '../support/model-server.ts';

setDefaultTimeout(120_000);

const ANSWER = `# Title

Some **bold** words, \`code\`, and a [link](https://x.example/a) in a paragraph that is long enough to be folded.

| name | size |
|------|-----:|
| 日本語 | 200 |

\`\`\`sh
echo "a line of code that is longer than a narrow window is wide"
\`\`\`
Done.
`;

test('[screen.stream] an answer is laid out as it comes, keeps its shape over resizes, and stands there whole', async () => {
  using home = new Home();
  const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
  await using server = startModelServer({ script: [held(text(ANSWER), rest, 12)] });
  home.useModel(server.url);
  await using terminal = home.open([], { columns: 80 });
  await ask(terminal, 'show');
  await terminal.waitFor('Some bold words', PATIENCE);
  terminal.type('typed meanwhile');
  await terminal.waitFor('typed meanwhile', PATIENCE);
  for (const columns of [30, 60, 44]) {
    await terminal.resizeAndSettle(columns, 30);
    await terminal.waitFor((screen) => /typed meanwhile$/.test(screen.replaceAll('\n', '')), PATIENCE);
  }
  goOn();
  const screen = await terminal.waitFor(/Done\.\n.*typed meanwhile$/, PATIENCE);
  const shown = screen.slice(screen.indexOf('Title'));
  expect(shown.match(/Title|Some bold words|Done\./g)).toEqual(['Title', 'Some bold words', 'Done.']);
  expect(shown).toContain('name   │ size\n───────┼─────\n日本語 │  200\n');
});

test('[screen.asks] the terminal tells its background, and none of its answers is ever typed into anything', async () => {
  using home = new Home();
  await using terminal = home.open();
  // Typed while the terminal answers: the program may not get what it did not ask for.
  await terminal.waitForRaw('\x1b]11;?', PATIENCE);
  terminal.type('echo rea""dy; cat -v\n');
  await terminal.waitForHistory('ready', PATIENCE);
  terminal.type('from me\n');
  await terminal.waitForHistory(/from me\n+from me/, PATIENCE);
  terminal.press('ctrl-d');
  await prompted(terminal);
  terminal.type(':theme\n');
  await terminal.waitForHistory('theme: auto, the terminal is dark', PATIENCE);
  expect(terminal.history()).not.toMatch(/\^\[|rgb:|;2\$y/);
});

test('[screen.theme] :theme changes the colours at once, and off means off', async () => {
  using home = new Home();
  await using terminal = home.open();
  await runLine(terminal, 'true');
  terminal.type(':theme none\n');
  await terminal.waitForHistory('theme: none', PATIENCE);
  await prompted(terminal);
  const before = terminal.rawText().length;
  terminal.type('ls /nowhere\n');
  await terminal.waitForHistory(/No such file/, PATIENCE);
  await prompted(terminal);
  expect(terminal.rawText().slice(before)).not.toMatch(/\x1b\[[\d;]*3\dm/);
});

test('[screen.plain] nothing has a colour with NO_COLOR, and a dumb terminal gets no sequence at all', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text(ANSWER), text(ANSWER)] });
  home.useModel(server.url);
  const seen = async (env: Record<string, string>): Promise<string> => {
    await using terminal = home.open([], { env });
    await ask(terminal, 'show');
    await terminal.waitForHistory('Done.', PATIENCE);
    await prompted(terminal);
    return terminal.rawText();
  };
  expect(await seen({ NO_COLOR: '1' })).not.toMatch(/\x1b\[[\d;]*[349]\dm/);
  expect(await seen({ TERM: 'dumb' })).not.toContain('\x1b');
});

test('[screen.reader] with a screen reader nothing is drawn twice, and signs are words', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text(ANSWER)] });
  home.useModel(server.url);
  await using terminal = home.open([], { env: { AISH_SCREEN_READER: '1' } });
  await ask(terminal, 'show');
  await terminal.waitForHistory('Done.', PATIENCE);
  const shown = terminal.history();
  expect(shown).toContain('heading: Title');
  expect(shown).toContain('name: 日本語\nsize: 200');
  expect(shown).toContain('code in sh:\necho "a line');
  expect(terminal.rawText().match(/Some/g)).toHaveLength(1);
});

test('[screen.narrow] twenty columns are enough to ask, read, approve and go on', async () => {
  using home = new Home();
  const call = { name: 'aish__write_file', arguments: { path: 'a.txt', content: 'hello there' } };
  await using server = startModelServer({ script: [calls(call), text(ANSWER)] });
  home.useModel(server.url);
  await using terminal = home.open([], { columns: 20, rows: 30 });
  await terminal.waitFor(/>$/, PATIENCE);
  terminal.type('?go\n');
  await terminal.waitFor(/\[d\] deny with a\s+reason/, PATIENCE);
  await answer(terminal, 'y');
  await terminal.waitForHistory('Done.', PATIENCE);
  expect(readFileSync(`${home.work}/a.txt`, 'utf8')).toBe('hello there');
  expect(terminal.history()).toContain('name   │ size\n───────┼─────\n日本語 │  200\n');
});

test('[screen.image] a snapshot that a tool returns is kept for its owner, and model and user are told where', async () => {
  using home = new Home();
  await using server = startModelServer({
    script: [calls({ name: 'every__get-tiny-image', arguments: {} }), text('A snapshot.')],
  });
  home.useModel(server.url, stdioServer('every', [officialServer('mcp-server-everything')]));
  await learnTools(home);
  await using terminal = home.open();
  await ask(terminal, 'draw');
  await asked(terminal, 'every.get-tiny-image');
  await answer(terminal, 'y');
  await answered(terminal, 'A snapshot.');
  const path = /image saved: (\S+\.png)/.exec(terminal.history().replaceAll('\n    ', ''))?.[1] ?? '';
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect([...readFileSync(path).subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain(`saved ${path}]`);
});
