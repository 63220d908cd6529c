import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Home } from '../../../test/support/aish.ts';
import { CanarySearch } from '../../../test/support/canaries.ts';
import { startModelServer, streamed } from '../../../test/support/model-server.ts';
import { useEngines } from '../../../test/support/test-engine.ts';
import { toSettings } from '../../core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';

const openEngine = useEngines();

test('what is typed where the echo is off is a secret of the session, in what commands print and whatever a word it is', async () => {
  const home = new Home();
  const model = startModelServer();
  const engine = openEngine({
    home,
    config: { ...DEFAULT_CONFIG, models: { local: { base_url: model.url, model: 'scripted' } } },
    servers: [model],
  });
  const { session, sharedShell } = await engine.open({ cwd: home.work, settings: toSettings(DEFAULT_CONFIG) });
  const answers = ['Zebra-42-quagga', 'sesame', 'no'];
  const told: string[] = [];
  for (const answer of answers) {
    const events = session.events(session.seq);
    await session.submit({ type: 'run', line: 'printf "who? "; read -s V; echo "got $V. :$V:"' });
    const shell = await sharedShell.start();
    while (!shell.isAskingSecretly) await new Promise((resolve) => setImmediate(resolve));
    for (const key of `${answer}\n`) shell.write(Buffer.from(key));
    for await (const { event } of events) {
      told.push(JSON.stringify(event));
      if (event.type === 'command.completed') break;
    }
  }
  model.play(streamed(['the answer was Zebra-', '42-quagga', ' and sesame']));
  const events = session.events(session.seq);
  await session.submit({ type: 'send', text: 'what was it? sesame?' });
  for await (const { event } of events) {
    told.push(JSON.stringify(event));
    if (event.type === 'turn.ended') break;
  }
  await session.close();
  const search = new CanarySearch([
    { name: 'long', value: 'Zebra-42-quagga' },
    { name: 'word', value: 'sesame' },
  ]);
  const request = model.requests.map(({ text }) => text).join('\n');
  expect([
    search.in(told.join('\n'), 'events'),
    search.in(request, 'request'),
    search.inFolder(join(home.root, 'state')),
  ]).toEqual([[], [], []]);
  expect(told.join('\n')).toContain('got ⟨secret:typed-password⟩. :⟨secret:typed-password⟩:');
  expect(told.join('\n')).toContain('got no. :no:');
});
