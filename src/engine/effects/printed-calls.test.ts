import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { type Answer, startModelServer, text } from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { TEXT_FORMS } from '../../../test/support/text-forms.ts';
import { toSettings } from '../../core/session/settings.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { ApproveMode } from '../../protocol/settings.ts';

const openEngine = useEngines();

async function openPlace(script: readonly Answer[], approve: ApproveMode) {
  const home = new Home();
  const model = startModelServer({ script });
  const config: Config = { ...DEFAULT_CONFIG, models: { local: { base_url: model.url, model: 'scripted' } } };
  const { env, work: cwd } = home;
  const engine = openEngine({ home, config, env, servers: [model] });
  const live = await engine.open({ cwd, settings: { ...toSettings(config), approve } });
  const seen: SessionEvent[] = [];
  const asked = Promise.withResolvers<EventOf<'approval.requested'>>();
  void (async () => {
    for await (const { event } of live.session.events(0)) {
      seen.push(event);
      if (event.type === 'approval.requested') asked.resolve(event);
    }
  })();
  writeFileSync(join(home.work, 'note.txt'), 'the sea is blue\n');
  const of = <T extends SessionEvent['type']>(type: T) =>
    seen.filter((event): event is EventOf<T> => event.type === type);
  return { model, live, of, asked: asked.promise };
}

test('every printed form runs the loop to its end, and stands nowhere as the answer', async () => {
  const forms = Object.entries(TEXT_FORMS);
  const script = forms.flatMap(([name, form]) => [text(`Let me read it.\n\n${form}`), text(`done ${name}`)]);
  const { model, live, of } = await openPlace(script, 'all');
  for (const _ of forms) {
    await live.session.submit({ type: 'send', text: 'read the note' });
    await live.session.idle();
  }
  const steps = of('step.completed');
  expect(steps.map((step) => step.text)).toEqual(forms.flatMap(([name]) => ['Let me read it.', `done ${name}`]));
  expect(of('tool-call.completed').map((result) => result.text.includes('the sea is blue'))).toEqual(
    forms.map(() => true),
  );
  const shown = of('text.delta').map((delta) => delta.text);
  expect(shown.join('')).not.toContain('note.txt');
  expect(of('notice').filter(({ level }) => level === 'warning')).toHaveLength(1);
  expect(model.failures).toEqual([]);
  const messages = model.requests[1]?.body.messages ?? [];
  expect(messages.slice(-2)).toEqual([
    { role: 'assistant', content: `Let me read it.\n${forms[0]?.[1]}` },
    { role: 'user', content: expect.stringContaining('[tool: aish.read_file] ') },
  ]);
});

test('a printed call needs the same approval as any other, and is shown as one of the answer', async () => {
  const form = '<tool_call>{"name": "aish__write_file", "arguments": {"path": "a", "content": "b"}}</tool_call>';
  const { live, of, asked } = await openPlace([text(form), text('Then not.')], 'ask');
  await live.session.submit({ type: 'send', text: 'write it' });
  const { callId } = await asked;
  await live.session.submit({ type: 'decide', callId, decision: { type: 'deny' }, by: 'user' });
  await live.session.idle();
  expect(of('step.completed')[0]).toMatchObject({
    printed: form,
    calls: [{ name: 'aish.write_file', isPrinted: true, origin: 'model' }],
  });
  expect(of('tool-call.started')).toEqual([]);
  expect(of('step.completed')[1]?.text).toBe('Then not.');
});
