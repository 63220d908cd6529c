import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { toWireBody } from '../../src/adapters/model/chat-wire.ts';
import { askContextWindow, countTokens } from '../../src/adapters/model/model-list.ts';
import { toEndpoint } from '../../src/adapters/model/models.ts';
import type { ModelRequest } from '../../src/protocol/model.ts';
import { Home } from '../support/aish.ts';
import { PATIENCE } from '../support/at-prompt.ts';
import { ask } from '../support/conversation.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

/** A model file for the suite: any small one with a chat template that knows tools. Its answers do not matter. */
const { AISH_TEST_GGUF: MODEL = '' } = process.env;
const canRun = MODEL !== '' && Bun.which('llama-server') !== null;
if (!canRun) writeSync(2, 'skipped for lack of llama-server and of AISH_TEST_GGUF, a model file for it\n');

const port = freePort();
const root = `http://127.0.0.1:${port}`;
const endpoint = toEndpoint('local', { base_url: root, model: 'any' }, null);
const { signal } = new AbortController();
let server: Bun.Subprocess | null = null;

async function start(...args: readonly string[]): Promise<void> {
  server?.kill();
  await server?.exited;
  const where = ['-m', MODEL, '--host', '127.0.0.1', '--port', String(port), '--jinja', '-np', '1'];
  server = Bun.spawn(['llama-server', ...where, ...args], { stdio: ['ignore', 'ignore', 'ignore'] });
  const isReady = () =>
    fetch(`${root}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await Bun.sleep(100);
}

async function isBusy(): Promise<boolean> {
  const slots = await (await fetch(`${root}/slots`)).json();
  return (
    Array.isArray(slots) && slots.some((slot: { readonly is_processing?: boolean }) => slot.is_processing === true)
  );
}

const TOOL = { name: 'read', description: 'Reads a file.', parameters: { type: 'object', properties: {} } };
const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Read note.txt, and say what it says.' },
  ],
  tools: [TOOL],
};

describe.skipIf(!canRun)('a real llama.cpp server', () => {
  beforeAll(() => start('-c', '4096', '-n', '40'), 60_000);
  afterAll(() => server?.kill());

  test('counts a request as it reads it', async () => {
    const { stream: _, stream_options: __, ...body } = toWireBody(endpoint, REQUEST);
    const answer = await fetch(`${root}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...body, max_tokens: 1 }),
    });
    const counted = await countTokens(endpoint, REQUEST, signal);
    expect(await answer.json()).toMatchObject({ usage: { prompt_tokens: counted } });
  });

  test('refuses nothing in the turns of a conversation with tools', async () => {
    using home = new Home();
    writeFileSync(join(home.work, 'note.txt'), 'the sea is blue\n');
    home.useModel(root);
    for (const turn of ['Read note.txt.', 'And now?', 'Thank you.']) {
      const { error } = await home.run(['-p', turn, '--approve', 'all', '--max-steps', '3', '--continue']);
      expect(error).not.toMatch(/refuse|template|unreachable|incomplete|cannot read/);
    }
  });

  test('is idle soon after Ctrl-C, and the session goes on', async () => {
    await start('-c', '4096');
    using home = new Home();
    home.useModel(root);
    await using terminal = home.open();
    await ask(terminal, 'Tell me a long story');
    await until({ what: 'the server works' }, isBusy);
    terminal.press('ctrl-c');
    await terminal.waitFor('interrupted', PATIENCE);
    await until({ what: 'the server is idle' }, async () => !(await isBusy()));
  });

  test('is asked for its window again after a restart with a smaller one', async () => {
    expect(await askContextWindow(endpoint, signal)).toBe(4096);
    await start('-c', '2048', '-n', '40');
    expect(await askContextWindow(endpoint, signal)).toBe(2048);
  });
});
