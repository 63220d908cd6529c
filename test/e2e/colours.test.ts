import { expect, setDefaultTimeout, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { startModelServer, text } from '../support/model-server.ts';

setDefaultTimeout(120_000);

test('[colours.line] commands, known or not, strings, existing paths and mentions have looks of their own', async () => {
  using home = new Home();
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type('!ls README "$HOME" | nosuchcommand plain');
  await terminal.waitFor((screen) => screen.endsWith('plain'), PATIENCE);
  await terminal.waitFor(() => terminal.lookOf('README').underline && terminal.lookOf('nosuch').colour >= 0, PATIENCE);
  const looks = ['ls', '"', '$HOME', '|', 'nosuch', 'plain'].map((word) => terminal.lookOf(word).colour);
  expect(new Set(looks).size).toBe(6);
  expect([terminal.lookOf('plain').colour, terminal.lookOf('README').colour]).toEqual([-1, -1]);
  terminal.press('ctrl-u');
  terminal.type('? tell me about @README and so on');
  await terminal.waitFor((screen) => screen.endsWith('so on'), PATIENCE);
  await terminal.waitFor(() => terminal.lookOf('@README').bold, PATIENCE);
  expect(terminal.lookOf('about').colour).toBe(-1);
});

test('[colours.code] the code of an answer shows its keywords and strings', async () => {
  using home = new Home();
  await using server = startModelServer({
    script: [text('Like this:\n\n```ts\nconst greeting = "hello";\n```\n\nDone.')],
  });
  home.useModel(server.url);
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type('? show me code');
  await terminal.waitFor((screen) => screen.endsWith('code'), PATIENCE);
  terminal.press('enter');
  await terminal.waitFor('Done.', PATIENCE);
  const looks = ['const', 'greeting', '"hello"'].map((word) => terminal.lookOf(word).colour);
  expect(new Set(looks).size).toBe(3);
  expect(looks[1]).toBe(-1);
});
