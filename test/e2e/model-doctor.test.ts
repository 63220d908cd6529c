import { expect, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted } from '../support/at-prompt.ts';
import { answered } from '../support/conversation.ts';
import { held, startModelServer, status, text } from '../support/model-server.ts';
import { until } from '../support/until.ts';

test('[model.doctor] a model is tested, and what its server refuses is kept', async () => {
  using home = new Home();
  const refusal = status(400, { error: { message: 'Unrecognized request argument supplied: stream_options' } });
  const printed = '<tool_call>\n{"name": "aish__read_file", "arguments": {"path": "note.txt"}}\n</tool_call>';
  await using server = startModelServer({ script: [refusal, text(printed), text('The sea is blue.')] });
  home.useModel(server.url);
  const { code, out, error } = await home.run(['models', 'doctor', 'test']);
  expect([code, error]).toEqual([0, 'aish: asking test a few short questions; a slow model needs some minutes\n']);
  expect(out).toContain('It refuses stream_options, so aish leaves it out.');
  expect(out).toMatch(/FIX {3}tool calls .*printed its call as text.*\n {22,}llama-server: --jinja;/);
  expect((await home.run(['models', 'show', 'test'])).out).toContain('refuses stream_options');
  home.useModel('http://127.0.0.1:1/v1');
  const gone = await home.run(['models', 'doctor', 'test']);
  expect([gone.code, gone.out]).toEqual([1, expect.stringContaining('start the model server, or correct base_url')]);
});

test('[cli.doctor] the doctor has a line for each part of the machine', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [] });
  home.useModel(server.url);
  const { code, out } = await home.run(['doctor']);
  expect(out.split('\n').flatMap((line) => /^(?:ok|note|FIX) +(\w+(?: \w+)*) {2}/.exec(line)?.[1] ?? [])).toEqual([
    'configuration',
    'shell',
    'terminal',
    'locale',
    'sandbox',
    'git for undo',
    'model server',
    'MCP server',
  ]);
  expect([code, out.endsWith('\nAll is well.\n')]).toEqual([0, true]);
});

test('[cli.doctor] what is wrong has a line with what to do', async () => {
  using home = new Home();
  home.configure(
    '[shell]\nprogram = "/nowhere/bash"\n[models.gone]\nbase_url = "http://127.0.0.1:1"\nmodel = "m"\n' +
      '[mcp.servers.gone]\ncommand = "/nowhere/server"\n',
  );
  const { code, out } = await home.run(['doctor']);
  expect([
    code,
    out
      .split('\n')
      .filter((line) => line.startsWith('FIX'))
      .map((line) => line.slice(5, 20).trim()),
  ]).toEqual([1, ['shell', 'model server', 'MCP server']]);
  expect(out).toContain('set [shell] program to the full path of bash, zsh or fish');
  expect(out).toContain('start the model server, or correct base_url');
  home.configure('[shell\n');
  const broken = await home.run(['doctor']);
  expect([broken.code, broken.out]).toEqual([1, expect.stringMatching(/^FIX +configuration /)]);
});

test('[model.doctor] :doctor tests the current model, and Ctrl-C stops it', async () => {
  using home = new Home();
  const refusal = status(400, { error: { message: 'Unrecognized request argument supplied: stream_options' } });
  await using server = startModelServer({ script: [refusal, text('I cannot call.')] });
  home.useModel(server.url);
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type(':doctor');
  terminal.press('enter');
  await answered(terminal, 'It refuses stream_options, so aish leaves it out.');
  expect(terminal.screen()).toContain('The model made no call, although aish asked for one.');
  expect(terminal.screen()).toMatch(/^ {22}If the model was made for tools\b.*\n {22}\S/m);
  const gate = Promise.withResolvers<void>();
  server.play(held(text('Late.'), gate.promise));
  const asked = server.requests.length;
  terminal.type(':doctor test');
  terminal.press('enter');
  await until({ what: 'the request of the doctor' }, () => server.requests.length > asked);
  terminal.press('ctrl-c');
  await terminal.waitFor('the request to the model was stopped', PATIENCE);
  gate.resolve();
});

test('[model.add] a model is added to the configuration, and answers', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('The sea is blue.')] });
  const added = await home.run(['models', 'add', 'sea', 'scripted', '--url', server.url]);
  expect([added.code, added.error]).toEqual([0, '']);
  expect(added.out).toContain('To use it: aish --model sea');
  expect((await home.run(['--model', 'sea', '-p', 'which colour?'])).out).toBe('The sea is blue.\n');
  const again = await home.run(['models', 'add', 'sea', '--url', server.url]);
  expect([again.code, again.error]).toEqual([expect.any(Number), expect.stringContaining('has a model "sea" already')]);
  const gguf = await home.run(['models', 'add', 'file', '--gguf', 'none.gguf']);
  expect(gguf.error).toContain('none.gguf is not a readable model file');
  const both = await home.run(['models', 'add', 'file', '--gguf', 'a.gguf', '--url', server.url]);
  expect(both.error).toContain('aish models add takes NAME --gguf PATH');
});
