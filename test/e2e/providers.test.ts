import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOT_EXACT } from '../../src/hosts/cli/sessions/messages.ts';
import { Home } from '../support/aish.ts';
import { ANTHROPIC } from '../support/anthropic-server.ts';
import { GEMINI } from '../support/gemini-server.ts';
import { startModelServer, text } from '../support/model-server.ts';
import { type Plan, PROVIDER_KEY, ProviderServer, type ProviderShape } from '../support/provider-server.ts';
import { RESPONSES } from '../support/responses-server.ts';

setDefaultTimeout(120_000);

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SHAPES = [ANTHROPIC, RESPONSES, GEMINI];
const KEY = { env: { TEST_KEY: PROVIDER_KEY } };

/** Two files read at once, then one more, then the answer. */
const LOOP: readonly Plan[] = [
  {
    thinking: 'Two files, both at once.',
    text: 'I read them.',
    calls: [
      { name: 'aish__read_file', arguments: { path: 'a.txt' } },
      { name: 'aish__read_file', arguments: { path: 'b.txt' } },
    ],
  },
  { thinking: 'One more.', calls: [{ name: 'aish__read_file', arguments: { path: 'a.txt' } }], cached: 64 },
  { thinking: 'Enough.', text: 'They say alpha and beta.', cached: 128 },
];

function section(name: string, { provider, model }: ProviderShape, url: string): string {
  const key = 'key_env = "TEST_KEY"\nimages = true\nreasoning_effort = "medium"';
  return `[models.${name}]\nbase_url = "${url}"\nprovider = "${provider}"\nmodel = "${model}"\n${key}\n`;
}

function prepare(home: Home, configuration: string): void {
  home.configure(configuration);
  writeFileSync(join(home.work, 'a.txt'), 'alpha\n');
  writeFileSync(join(home.work, 'b.txt'), 'beta\n');
  writeFileSync(join(home.work, 'shot.png'), Buffer.from(PIXEL, 'base64'));
}

describe.each(SHAPES.map((shape) => [shape.provider, shape] as const))('%s', (_, shape) => {
  test('[model.wires] the whole loop runs, over sessions', async () => {
    using home = new Home();
    await using server = new ProviderServer(shape, [...LOOP, { text: 'Still there.' }]);
    prepare(home, section('it', shape, server.url));
    const asked = await home.run(
      ['-p', 'read the files, and see @shot.png', '--approve', 'all', '--output', 'json'],
      KEY,
    );
    expect(server.failures).toEqual([]);
    expect(asked.code).toBe(0);
    const { text: said, session_id: id } = JSON.parse(asked.out);
    expect(said).toContain('They say alpha and beta.');
    const events = (await home.run(['sessions', 'export', id, '--format', 'jsonl'])).out.trim().split('\n');
    const steps = events.map((line) => JSON.parse(line).event).filter(({ type }) => type === 'step.completed');
    expect(steps.map(({ usage }) => usage.cachedTokens)).toEqual([0, 64, 128]);
    const sent = server.requests.map(({ body }) => JSON.stringify(body));
    expect(sent[0]).toContain(PIXEL);
    expect(sent[1]).toContain('alpha');
    expect(sent[1]).toContain('beta');
    expect(sent[2]).toContain('Two files, both at once.');
    expect(sent[2]).not.toContain(PROVIDER_KEY);
    expect((await home.run(['--continue', '-p', 'sure?'], KEY)).out).toBe('Still there.\n');
    expect(server.failures).toEqual([]);
    expect(server.requests).toHaveLength(4);
  });

  test('[model.wires] a request is rebuilt from the log byte for byte', async () => {
    using home = new Home();
    await using server = new ProviderServer(shape, LOOP);
    prepare(home, section('it', shape, server.url));
    await home.run(['-p', 'read the files', '--approve', 'all'], KEY);
    const id = JSON.parse((await home.run(['sessions', 'list', '--output', 'json'])).out)[0].id;
    const shown = await home.run(['sessions', 'why', id, '1.3']);
    expect(JSON.parse(shown.out)).toEqual(server.requests[2]?.body);
    expect((await home.run(['sessions', 'why', id])).out).not.toContain(NOT_EXACT);
  });
});

test('[model.takeover] each provider takes the conversation of the one before over, a local model too', async () => {
  using home = new Home();
  await using local = startModelServer({ script: [text('I am local.')] });
  const servers = SHAPES.map((shape) => new ProviderServer(shape, [...LOOP, { text: 'Back again.' }]));
  const sections = servers.map((server, at) => section(`m${at}`, SHAPES[at] ?? ANTHROPIC, server.url));
  prepare(home, `${sections.join('')}[models.local]\nbase_url = "${local.url}"\nmodel = "scripted"\n`);
  const ask = (model: string, more: readonly string[] = ['--continue']) =>
    home.run([...more, '--model', model, '-p', 'read the files', '--approve', 'all'], KEY);
  const first = await ask('m0', []);
  expect(first.code).toBe(0);
  const others = [await ask('m1'), await ask('m2'), await ask('local'), await ask('m0')];
  expect(others.map(({ code, error }) => [code, error])).toEqual(others.map(() => [0, expect.any(String)]));
  expect(others.at(-1)?.out).toBe('Back again.\n');
  expect([...servers.flatMap(({ failures }) => failures), ...local.failures]).toEqual([]);
  for (const server of servers) await server[Symbol.asyncDispose]();
});

test('[model.named] a model is named by its provider, without a configuration', async () => {
  using home = new Home();
  await using server = startModelServer({ script: [text('Hello.')], key: PROVIDER_KEY });
  const env = { OPENAI_API_KEY: PROVIDER_KEY, OPENAI_BASE_URL: server.url };
  expect(await home.run(['--model', 'openai:gpt-5', '-p', 'hello'], { env })).toEqual({
    code: 0,
    out: 'Hello.\n',
    error: '',
  });
  expect(server.requests[0]?.body.model).toBe('gpt-5');
  const unknown = await home.run(['--model', 'opnai:gpt-5', '-p', 'hello'], { env });
  expect(unknown.code).toBe(1);
  expect(unknown.error).toContain('did you mean openai?');
});
