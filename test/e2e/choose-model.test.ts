import { expect, setDefaultTimeout, test } from 'bun:test';
import { Home } from '../support/aish.ts';
import { PATIENCE, prompted, runLine } from '../support/at-prompt.ts';
import { calls, type ModelServer, startModelServer, status, text } from '../support/model-server.ts';
import type { TestTerminal } from '../support/terminal.ts';

setDefaultTimeout(120_000);

function section(name: string, server: Pick<ModelServer, 'url'>, more = ''): string {
  return `[models.${name}]\nbase_url = "${server.url}"\nmodel = "scripted"\n${more}\n`;
}

const GONE = { url: 'http://127.0.0.1:1/v1' };

async function meta(terminal: TestTerminal, line: string): Promise<void> {
  terminal.type(line);
  await terminal.waitFor((screen) => screen.endsWith(line), PATIENCE);
  terminal.press('enter');
}

test('[model.once] @NAME asks that model once, and the next message goes to the model of the session', async () => {
  using home = new Home();
  await using usual = startModelServer({ script: [text('I am usual.')] });
  await using other = startModelServer({ script: [text('I am the other one.')] });
  home.configure(section('usual', usual) + section('other', other));
  await using terminal = home.open();
  await prompted(terminal);
  terminal.type('@other who are you, please?');
  terminal.press('enter');
  await terminal.waitFor('I am the other one.', PATIENCE);
  expect(other.requests[0]?.body.messages.at(-1)?.content).toEndWith('\n\nwho are you, please?');
  await meta(terminal, ':why');
  await terminal.waitFor('you asked other with @other', PATIENCE);
  terminal.type('? and who are you');
  terminal.press('enter');
  await terminal.waitFor('I am usual.', PATIENCE);
  expect([...usual.failures, ...other.failures]).toEqual([]);
});

test('[model.auto] :model auto chooses by difficulty, and :why shows the score', async () => {
  using home = new Home();
  await using small = startModelServer({ script: [text('Easy.')] });
  await using big = startModelServer({ script: [text('Difficult.')] });
  home.configure(section('small', small, 'role = "fast"') + section('big', big, 'role = "deep"'));
  await using terminal = home.open();
  await prompted(terminal);
  await meta(terminal, ':model auto');
  await terminal.waitFor('Model: auto', PATIENCE);
  terminal.type('? thanks');
  terminal.press('enter');
  await terminal.waitFor('Easy.', PATIENCE);
  await meta(terminal, ':why');
  await terminal.waitFor('complexity 0: the fast model; small answers', PATIENCE);
  await runLine(terminal, 'false');
  await runLine(terminal, 'false');
  await runLine(terminal, 'false');
  terminal.type('? why does that fail');
  terminal.press('enter');
  await terminal.waitFor('Difficult.', PATIENCE);
  await meta(terminal, ':why');
  await terminal.waitFor('complexity 4 (failures since 4): the deep model; big answers', PATIENCE);
});

test('[model.fallback] the next model of the chain answers, and one line says so', async () => {
  using home = new Home();
  await using spare = startModelServer({ script: [text('The spare one.'), text('Again.')] });
  home.configure(`${section('first', GONE, 'fallback = ["spare"]\ntimeout_ms = 500')}${section('spare', spare)}`);
  const asked = await home.run(['-p', 'hello']);
  expect([asked.code, asked.out]).toEqual([0, 'The spare one.\n']);
  expect(asked.error).toContain('first does not answer, so spare answers instead');
});

test('[model.fallback] a refused request stays with its model', async () => {
  using home = new Home();
  await using first = startModelServer({
    script: [status(400, { error: { message: 'no', type: 'invalid_request_error' } })],
  });
  await using spare = startModelServer({ script: [text('The spare one.')] });
  home.configure(section('first', first, 'fallback = ["spare"]') + section('spare', spare));
  const asked = await home.run(['-p', 'hello']);
  expect(asked.code).toBe(1);
  expect(spare.requests).toEqual([]);
});

test('[model.leave] a local conversation stays on this network, and the line names what would leave', async () => {
  using home = new Home();
  const file = { name: 'aish__read_file', arguments: { path: 'README' } };
  await using local = startModelServer({ script: [calls(file), text('Read.')] });
  const cloud = '[models.cloud]\nbase_url = "https://cloud.invalid/v1"\nmodel = "big"\n';
  home.configure(section('local', local, 'fallback = ["cloud"]\ntimeout_ms = 500') + cloud);
  expect((await home.run(['-p', 'read it', '--approve', 'all'])).code).toBe(0);
  await local.close();
  const held = await home.run(['--continue', '-p', 'and now @README']);
  expect(held.code).toBe(1);
  expect(held.error).toContain('aish does not pass this conversation to cloud (cloud.invalid)');
  expect(held.error).toContain('1 file (README)');
  expect(held.error).toContain('would leave your network');
  home.configure(
    `${section('local', local, 'fallback = ["cloud"]\ntimeout_ms = 500')}${cloud}[safety]\ncloud = "allowed"\n`,
  );
  const allowed = await home.run(['--continue', '-p', 'and now']);
  expect(allowed.error).toContain('local does not answer, so cloud answers instead');
});
