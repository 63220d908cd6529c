import { expect, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { startModelServer, status, text } from '../support/model-server.ts';

test('[model.doctor] a model is tested, and what its server refuses is kept', async () => {
  using home = new Home();
  const refusal = status(400, { error: { message: 'Unrecognized request argument supplied: stream_options' } });
  const printed = '<tool_call>\n{"name": "aish__read_file", "arguments": {"path": "note.txt"}}\n</tool_call>';
  await using server = startModelServer({ script: [refusal, text(printed), text('The sea is blue.')] });
  home.useModel(server.url);
  const { code, out, error } = await home.run(['models', 'doctor', 'test']);
  expect([code, error]).toEqual([0, 'aish: aish asks test a few short questions. A slow model needs some minutes.\n']);
  expect(out).toContain('It refuses stream_options, so aish leaves it out.');
  expect(out).toMatch(/FIX {3}tool calls .*printed its call as text.*\n {22,}llama-server: --jinja;/);
  expect((await home.run(['models', 'show', 'test'])).out).toContain('refuses stream_options');
  home.useModel('http://127.0.0.1:1/v1');
  const gone = await home.run(['models', 'doctor', 'test']);
  expect([gone.code, gone.out]).toEqual([1, expect.stringContaining('start the model server, or correct base_url')]);
});
