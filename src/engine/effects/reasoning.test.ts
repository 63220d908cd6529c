import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { type Answer, startModelServer, stream, text } from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';

const openEngine = useEngines();

async function openPlace(script: readonly Answer[], models: readonly string[] = ['one']) {
  const home = new Home();
  const model = startModelServer({ script });
  const entries = models.map((name) => [name, { base_url: model.url, model: name }] as const);
  const config: Config = { ...DEFAULT_CONFIG, models: Object.fromEntries(entries) };
  const { env, work: cwd } = home;
  const engine = openEngine({ home, config, env, servers: [model] });
  const live = await engine.open({ cwd, settings: { ...toSettings(config), approve: 'all' } });
  const seen: SessionEvent[] = [];
  void (async () => {
    for await (const { event } of live.session.events(0)) seen.push(event);
  })();
  writeFileSync(join(home.work, 'note.txt'), 'blue\n');
  const of = <T extends SessionEvent['type']>(type: T) =>
    seen.filter((event): event is EventOf<T> => event.type === type);
  const send = async (words: string): Promise<void> => {
    await live.session.submit({ type: 'send', text: words });
    await live.session.idle();
  };
  return { model, live, of, send };
}

const done = (delta: object, finish: string) => [
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })}\n\n`,
  'data: [DONE]\n\n',
];
const READ = { name: 'aish__read_file', arguments: '{"path":"note.txt"}' };

/** An answer with a call and with reasoning where a server puts it. */
function reading(delta: object): Answer {
  const tool_calls = [{ index: 0, id: 'call00000', type: 'function', function: READ }];
  return stream(done({ ...delta, tool_calls }, 'tool_calls'));
}

const answerIn = (messages: readonly object[] = []) => messages.findLast((message) => 'tool_calls' in message);

test('reasoning in tags is no part of the answer, and goes back in its tags beside its call', async () => {
  const { model, of, send } = await openPlace([
    reading({ content: '<think>I read it.</think>Reading.' }),
    text('<think>\nIt says blue.\n</think>\n\nBlue.'),
    text('Bye.'),
  ]);
  await send('what does the note say?');
  await send('bye');
  expect(of('step.completed').map((step) => [step.text, step.reasoning ?? ''])).toEqual([
    ['Reading.', 'I read it.'],
    ['Blue.', '\nIt says blue.\n'],
    ['Bye.', ''],
  ]);
  expect(
    of('text.delta')
      .map((delta) => delta.text)
      .join(''),
  ).toBe('Reading.Blue.Bye.');
  expect(answerIn(model.requests[1]?.body.messages)).toMatchObject({
    content: '<think>I read it.</think>\n\nReading.',
  });
  expect(JSON.stringify(model.requests[2]?.body.messages)).not.toContain('It says blue');
});

test('reasoning whose beginning the template writes is split from the second answer on while it streams', async () => {
  const { of, send } = await openPlace([text('Let me see.\n</think>\n\nOne.'), text('Let me see.\n</think>\n\nTwo.')]);
  await send('one');
  const first = of('text.delta').length;
  await send('two');
  expect(of('step.completed').map((step) => step.text)).toEqual(['One.', 'Two.']);
  expect(
    of('text.delta')
      .slice(first)
      .map((delta) => delta.text)
      .join(''),
  ).toBe('Two.');
});

test('reasoning goes back under its own name, with its signed items, and not to another model', async () => {
  const details = [{ type: 'reasoning.encrypted', index: 0, data: 'c2ln' }];
  const script = [
    reading({ reasoning: 'Hm.', reasoning_details: details }),
    text('Blue.'),
    text('Hello.'),
    text('Hello.'),
  ];
  const { model, live, send } = await openPlace(script, ['one', 'two']);
  await send('read');
  await send('again');
  await live.session.submit({ type: 'configure', settings: { model: 'two' } });
  await send('and you?');
  const [, same, later, other] = model.requests.map(({ body }) => answerIn(body.messages));
  expect(same).toMatchObject({ reasoning: 'Hm.', reasoning_details: details });
  expect(later).toEqual(same);
  expect([other !== undefined, 'reasoning' in (other ?? {}), 'reasoning_details' in (other ?? {})]).toEqual([
    true,
    false,
    false,
  ]);
  expect(JSON.stringify(model.requests)).not.toContain('reasoning_content');
});
