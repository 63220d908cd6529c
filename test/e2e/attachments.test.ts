import { expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { startModelServer, text } from '../support/model-server.ts';

setDefaultTimeout(120_000);

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('[attach.file] a file in a message goes along, found where the shell is, and one line says so', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('It says two lines.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await prompted(terminal);
  await runLine(terminal, 'mkdir -p deep && cd deep && printf "one\\ntwo\\n" > note.txt');
  terminal.type('? what is in @note.txt please');
  await terminal.waitFor((screen) => screen.endsWith('@note.txt please'), PATIENCE);
  terminal.press('enter');
  await terminal.waitFor('It says two lines.', PATIENCE);
  expect(terminal.screen()).toContain('attached note.txt, 2 lines');
  expect(server.requests[0]?.body.messages.at(-1)?.content).toContain(
    '[attached note.txt, 2 lines]\none\ntwo\n\n[end of note.txt]\n\nwhat is in @note.txt please',
  );
  expect(server.failures).toEqual([]);
});

test('[attach.file] headless a file goes along too, and what is piped in attaches nothing', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('ok'), text('ok')] });
  home.useModel(server.url);
  expect(await home.run(['-p', 'sum up @README:1'])).toEqual({
    code: 0,
    out: 'ok\n',
    error: 'aish: attached README, lines 1-1 of 1\n',
  });
  await home.run(['-p'], { input: 'see @README\n' });
  expect(server.requests.map((request) => request.body.messages.at(-1)?.content)).toEqual([
    home.first('[attached README, lines 1-1 of 1]\nhello\n[end of README]\n\nsum up @README:1'),
    home.first('see @README\n'),
  ]);
});

test('[attach.image] an image goes along where the model takes it, in later requests too', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('a pixel'), text('still a pixel')] });
  home.useModel(server.url, 'images = true');
  writeFileSync(join(home.work, 'shot.png'), Buffer.from(PIXEL, 'base64'));
  await home.run(['-p', 'what is @shot.png']);
  await home.run(['--continue', '-p', 'sure?']);
  const shown = [
    { type: 'text', text: home.first('[attached image shot.png, 1 kB]\n\nwhat is @shot.png') },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ];
  expect(server.requests.map(({ body }) => body.messages.find(({ role }) => role === 'user')?.content)).toEqual([
    shown,
    shown,
  ]);
  expect(server.failures).toEqual([]);
});

test('[attach.image] an image that goes along is shown where the terminal can', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('a pixel')] });
  home.useModel(server.url, 'images = true');
  writeFileSync(join(home.work, 'shot.png'), Buffer.from(PIXEL, 'base64'));
  await using terminal = home.open([], { images: true });
  // Its answers come before the keys.
  await runLine(terminal, 'true');
  terminal.type('? what is @shot.png please');
  await terminal.waitFor((screen) => screen.endsWith('please'), PATIENCE);
  terminal.press('enter');
  await terminal.waitFor('a pixel', PATIENCE);
  expect(terminal.screen()).toContain('attached shot.png, 1 kB');
  expect(terminal.rawText()).toContain(`\x1b_Ga=T,f=100,q=2,C=1,c=1,r=1,m=0;${PIXEL}\x1b\\`);
});

test('[attach.image] a model that takes no images is told only the name, and the user is told so', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('no idea')] });
  home.useModel(server.url);
  writeFileSync(join(home.work, 'shot.png'), Buffer.from(PIXEL, 'base64'));
  const { error } = await home.run(['-p', 'what is @shot.png']);
  expect(error).toBe(
    'aish: the model gets only the name of shot.png: it takes no images; if it does, set images = true in its [models] section\n',
  );
  expect(server.requests[0]?.body.messages.at(-1)?.content).toBe(home.first('what is @shot.png'));
});

test('[attach.refused] a missing file is told before anything is sent, and the line comes back', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [] });
  home.useModel(server.url);
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type('? explain @gone.ts to me');
  await terminal.waitFor((screen) => screen.endsWith('to me'), PATIENCE);
  terminal.press('enter');
  await terminal.waitFor(/there is no file gone\.ts[\s\S]*explain @gone\.ts to me$/, PATIENCE);
  expect(server.requests).toEqual([]);
});

test('[attach.refused] a secret and binary data end a headless run before anything is sent', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('ok')] });
  home.useModel(server.url);
  writeFileSync(join(home.work, '.env'), 'KEY=1\n');
  writeFileSync(join(home.work, 'core.log'), Buffer.from([1, 0, 2]));
  const refused = [await home.run(['-p', 'see @.env']), await home.run(['-p', 'see @core.log'])];
  expect(refused.map(({ code, error }) => [code, error.split('\n')[0]])).toEqual([
    [1, 'aish: .env looks like a secret; aish sent nothing'],
    [1, 'aish: core.log contains binary data, not text; aish sent nothing'],
  ]);
  expect(server.requests.length).toBe(0);
  await home.run(['-p', 'see @!.env']);
  expect(server.requests[0]?.body.messages.at(-1)?.content).toContain('KEY=1');
});
